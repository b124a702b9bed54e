"""How many paths may be listed, and counting them without listing."""

import pytest

from tvlb.errors import InvalidInput
from tvlb.paths import MAX_ROWS, check_listable, check_rows, count_paths, parse_expression
from tvlb.topology import Dragonfly


def test_sets_beyond_fifty_million_paths_are_refused_before_they_are_listed() -> None:
    # all: (g-2) * a * k^2 paths for each of g*a * (g-1)*a pairs. dfly(16,32,16,17) has k = 32, so
    # 15 * 32 * 32 * 32 paths per pair; a handful of sources is already past the limit.
    with pytest.raises(InvalidInput, match=r"more than 50,000,000 paths .* compact form"):
        check_listable(parse_expression("all", Dragonfly(16, 32, 16, 17)))
    # MIN only has no rows, but 8190 switches have more than 50 million pairs.
    with pytest.raises(InvalidInput, match="at most 50,000,000"):
        check_listable(parse_expression("none", Dragonfly(1, 90, 1, 91, "palmtree")))


def test_the_limit_itself_is_allowed() -> None:
    check_rows(MAX_ROWS, "the set")
    with pytest.raises(InvalidInput, match=r"^the set has more than"):
        check_rows(MAX_ROWS + 1, "the set")


def test_counting_needs_no_listing() -> None:
    small = Dragonfly(2, 4, 2, 9)
    for expression in ("all", "none", "<=4+60%", "short(2,3)"):
        path_set = parse_expression(expression, small)
        assert count_paths(path_set) == len(path_set.all_rows())
        check_listable(path_set)
    # 36 * 35 pairs; stops after the first source past the limit: 3 * 2 + 32 * 28 = 902 paths.
    assert count_paths(parse_expression("all", small), stop_above=10) == 902
