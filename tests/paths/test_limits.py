"""How many paths may be listed, and counting them without listing."""

import _thread
import threading
from collections.abc import Callable

import pytest

from tvlb.errors import InvalidInput
from tvlb.paths import (
    MAX_ROWS,
    all_pairs,
    check_listable,
    check_rows,
    check_searched,
    count_paths,
    min_rows,
    parse_expression,
)
from tvlb.topology import Dragonfly, ListedTopology, Topology, compiled


def test_sets_beyond_fifty_million_paths_are_refused_before_they_are_listed() -> None:
    # all: (g-2) * a * k^2 paths for each of g*a * (g-1)*a pairs. dfly(16,32,16,17) has k = 32, so
    # 15 * 32 * 32 * 32 paths per pair; a handful of sources is already past the limit.
    with pytest.raises(InvalidInput, match=r"more than 50,000,000 paths .* compact form"):
        check_listable(parse_expression("all", Dragonfly(16, 32, 16, 17)))
    # MIN only has no rows, but 8190 switches have more than 50 million pairs.
    with pytest.raises(InvalidInput, match="at most 50,000,000"):
        check_listable(parse_expression("none", Dragonfly(1, 90, 1, 91, "palmtree")))


# The 132 pairs have 10 intermediates each; at the ends of the ring 2 * 24^6 halves.
def test_networks_of_too_many_paths_are_not_searched() -> None:
    cables = [[one, (one + 1) % 12] for one in range(12)]
    with pytest.raises(InvalidInput, match=r"VLB paths.*at most 2e\+10.*--vlb 'short\(all\)'"):
        check_searched(ListedTopology([1] * 12, [cables * 24]))
    check_searched(ListedTopology([1] * 12, [cables]))
    check_searched(Dragonfly(16, 32, 16, 17))  # 5e9 paths, and counted together


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


# Between its ends the ring has 24^6 shortest paths by each side: any of these takes hours.
LONG_WORK: dict[str, Callable[[Topology], object]] = {
    "rows": lambda ring: parse_expression("all", ring).rows(*all_pairs(ring)),
    "most_paths": lambda ring: parse_expression("<=9+50%", ring).most_paths(*all_pairs(ring)),
    "nearest": lambda ring: parse_expression("shape(l.?)", ring).takes_nearest(*all_pairs(ring)),
    "short": lambda ring: parse_expression("short(all)", ring).rows(*all_pairs(ring)),
    "min_rows": lambda ring: min_rows(ring, *all_pairs(ring)),
    "count_paths": lambda ring: count_paths(parse_expression("<=9", ring)),
}


@pytest.mark.parametrize("work", LONG_WORK.values(), ids=LONG_WORK)
def test_long_work_is_interrupted(work: Callable[[Topology], object]) -> None:
    ring = ListedTopology([1] * 12, [[[one, (one + 1) % 12] for one in range(12)] * 24])
    compiled(ring)
    begun = threading.Event()

    def interrupt() -> None:
        begun.wait()
        _thread.interrupt_main()

    def begin() -> None:
        begun.set()
        work(ring)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        begin()
    thread.join()
