"""What holds for every kind of path set: a new one is tested here without a change."""

import re
from collections.abc import Iterable
from functools import cache
from itertools import product
from pathlib import Path
from pkgutil import iter_modules

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tvlb.errors import InvalidInput
from tvlb.paths import (
    ExpressionSet,
    FilterSet,
    MeetSet,
    Pairs,
    PathRows,
    PathSet,
    all_pairs,
    expression_examples,
    expression_regex,
    expression_sets,
    keys_of_rows,
    members,
    parse_expression,
    sets,
)
from tvlb.topology import (
    Dragonfly,
    ShortestPathTopology,
    Topology,
    Triples,
    named_families,
    parse_topology,
)

SEED = 7
DOCUMENT = Path(__file__).parents[2] / "docs/formats.md"
KINDS = {kind.name: kind for kind in expression_sets()}
# Sets of which some have pairs without any of their paths. Of the last, drawn paths differ in
# weight, or they are shortest halves as well: all paths are listed.
TEXTS = [
    *("<=2", "<=3", "<=3+40%", "<=3+(1,3)", "<=4+(3,2)", "<=4+33%", "<=5", "<=5+10%", "<=5+90%"),
    *("short(1,1)", "short(1,2)", "short(1,3)", "short(3,2)", "short(<=2)", "short(<=5)"),
    *("shape(?.?)", "shape(g.g:8, g.gl:4, g.lg:4, g.lgl)", "shape(g.lgl:0.1, lgl.lgl:0.3)"),
    *("shape(lg.gl)", "shape(g.g, lgl.?:3) & shape(g.g, lgl.lg:2)", "shape(lgl.lgl) & <=3"),
    *("shape(g.?:7) & <=4", "shape(?.?:0.3) & <=4+40%", "<=4+60% & <=4+30%", "<=5 & <=3+(1,3)"),
    *("shape(r.?:0.5, rr.r)", "shape(u.?) & <=3", "shape(?.r)", "shape(r.r) & <=2+50%"),
    *("shape(g.?) & <=3+50%", "<=4+60% & <=4+(2,3)", "shape(g.?) & short(2,3)"),
    *("<=4 & short(2,3)", "short(2,3) & short(3,2)", "shape(r.?) & short(1,1)", "<=3 & short(1,2)"),
    *("shape(g.?:2, gl.?) & short(all) & <=3+50%", "<=5 & simple", "<=4+33% & simple"),
    *("short(1,3) & simple", "shape(gl.lg) & simple", "shape(?.r) & simple", "short(all) & simple"),
    *("vcs(2)", "vcs(3,won)", "<=5 & vcs(3,won)", "shape(g.?) & vcs(3)", "<=4+33% & vcs(3)"),
    "shape(gl.lg, lgl.lgl:2) & short(all) & simple",
]
# Smaller networks than the examples of their families.
SMALL = {
    "dflyplus": "dflyplus(1,2,2,5)",
    "hypercube": "hypercube(1,3)",
    "hyperx": "hyperx(1,3,4)",
    "slimfly": "slimfly(4)",
}


def one_of_each_class() -> list[str]:
    """Return networks of the families whose paths are named, chosen or ended in different ways.

    Sets know nothing else of a family, and cost the more the more of them are tried.
    """
    found = dict[object, str]()
    for name, family in named_families().items():
        network = parse_topology(SMALL.get(name, family.example))
        if isinstance(network, ShortestPathTopology):
            ways = (network.path_names, network.chosen, network.between_nodes)
            found.setdefault(ways, str(network))
    return [*found.values()]


# Links per group pair: 2, 1, 2 (not all ports used), 3 with palmtree wiring, 1, 4; one switch each,
# no third group; and other families.
NETWORKS = [
    *("2,4,2,5", "2,3,2,7", "2,4,2,4", "3,3,3,4,palmtree", "1,2,1,3", "2,4,2,3", "1,1,4,5"),
    *("1,3,1,4", "1,3,2,2", "uneven", "ring(6)", "ring(7,2)", "leaves(4,3)"),
    *one_of_each_class(),
]
# Groups with unequal and parallel cables.
UNEVEN = [[0, 2], [0, 2], [1, 3], [0, 4], [3, 5], [1, 6], [3, 7], [4, 6]]


def network_of(text: str) -> Topology:
    if text == "uneven":
        return Dragonfly.from_cables(1, 2, 4, 4, UNEVEN)
    return parse_topology(text)


def some_pairs(topology: Topology) -> Pairs:
    """60 pairs at most, of which some may have no choice."""
    source, target = all_pairs(topology)
    some = np.sort(np.random.default_rng(0).permutation(len(source))[:60])
    return Pairs(topology, source[some], target[some])


@pytest.fixture(params=NETWORKS)
def topology(request: pytest.FixtureRequest, toys: None) -> Topology:
    return network_of(request.param)


def sets_of(topology: Topology, texts: Iterable[str]) -> list[PathSet]:
    """Those of some sets that a network has."""
    found: list[PathSet] = []
    for text in texts:
        try:
            found.append(parse_expression(text, topology, SEED))
        except InvalidInput:
            continue  # longer than any path, or of shapes of other families
    return found


@pytest.fixture
def path_sets(topology: Topology) -> list[PathSet]:
    """Every set that this network has of the texts here and of the examples."""
    return sets_of(topology, (*expression_examples(), *TEXTS))


def test_every_module_of_the_folder_is_a_kind() -> None:
    modules = {f"{sets.__name__}.{one.name}" for one in iter_modules(sets.__path__)}
    assert {kind.__module__ for kind in KINDS.values()} == modules
    assert len(KINDS) == len(modules)


@pytest.mark.usefixtures("toys")
@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_examples_are_written_as_they_print(kind: type[ExpressionSet]) -> None:
    assert kind.examples
    for text in kind.examples:
        known = [one for name in NETWORKS for one in sets_of(network_of(name), [text])]
        assert text in {str(one) for one in known if type(one) is kind}


@pytest.mark.parametrize("name", KINDS)
def test_the_document_names_it(name: str) -> None:
    assert re.search(rf"`{name}[`(]", DOCUMENT.read_text())


def test_every_kind_is_tried(topology: Topology, path_sets: list[PathSet]) -> None:
    known = {kind for kind in KINDS.values() if kind.forms(topology)}
    assert {type(one) for one in path_sets} == {*known, MeetSet}


def test_messages_say_what_a_network_knows(topology: Topology) -> None:
    with pytest.raises(InvalidInput, match="expected all, none, ") as refused:
        parse_expression("unknown", topology)
    for kind in KINDS.values():
        assert all(form in str(refused.value) for form in kind.forms(topology))
        if not kind.forms(topology):
            assert sets_of(topology, kind.examples) == []


def test_str_parses_back(topology: Topology, path_sets: list[PathSet]) -> None:
    for path_set in path_sets:
        text = str(path_set)
        assert parse_expression(text, topology, SEED) == path_set
        assert hash(parse_expression(text, topology, SEED)) == hash(path_set)
        assert str(parse_expression(text.replace(" ", ""), topology, SEED)) == text


def test_schemas_admit_what_prints(path_sets: list[PathSet]) -> None:
    for text in (*map(str, path_sets), *expression_examples(), *TEXTS):
        assert re.fullmatch(expression_regex(), text), text
        for more in ("x", ".csv", " & t.json", " &", "\n"):
            assert re.fullmatch(expression_regex(), text + more) is None


@pytest.mark.parametrize(
    "text", ["<= 4 + 60 %", "<=4 + ( 2 , 3 )", "short ( <= 4 )", "shape ( g . g : 2 )", " all "]
)
def test_schemas_and_parser_agree_on_blanks(text: str) -> None:
    assert re.fullmatch(expression_regex(), text.strip())
    tight = text.replace(" ", "")
    assert str(parse_expression(text, Dragonfly(2, 4, 2, 9))) == str(
        parse_expression(tight, Dragonfly(2, 4, 2, 9))
    )


@pytest.mark.parametrize("text", ["<=1 0", "<=4+6 0%", "sho rt(2,3)", "short(2,3 0)", "a ll"])
def test_blanks_inside_words_and_numbers_are_refused(text: str) -> None:
    assert re.fullmatch(expression_regex(), text) is None
    with pytest.raises(InvalidInput, match="expected all, none, "):
        parse_expression(text, Dragonfly(2, 4, 2, 9))


def test_rows_are_paths_whose_weights_sum_to_one(
    topology: Topology, path_sets: list[PathSet]
) -> None:
    pairs = some_pairs(topology)
    for path_set in path_sets:
        rows = path_set.rows(pairs.source, pairs.target)
        source, target = pairs.source[rows.pair_of_row], pairs.target[rows.pair_of_row]
        triples = (rows.intermediate, rows.first_link, rows.second_link)
        for fault, found in topology.path_faults(Triples(source, target, *triples, rows.hops)):
            assert not found.any(), f"{path_set}: {fault}"
        order = np.lexsort((*triples[::-1], rows.pair_of_row))
        assert np.array_equal(order, np.arange(len(rows))), path_set
        assert (rows.weight > 0).all()
        total = np.bincount(rows.pair_of_row, rows.weight, minlength=len(pairs))
        assert_allclose(total[np.diff(rows.offset) > 0], 1, rtol=1e-12)


def test_profiles_and_usage_are_those_of_the_rows(
    topology: Topology, path_sets: list[PathSet]
) -> None:
    pairs = some_pairs(topology)
    ends = pairs.source, pairs.target
    for path_set in path_sets:
        rows = path_set.rows(*ends)
        expected = rows.class_usage()
        profile = path_set.profile(*ends)
        assert np.array_equal(profile.count, expected.count), path_set
        assert_allclose(
            profile.weight, expected.weight, rtol=1e-6, atol=1e-12, err_msg=str(path_set)
        )
        assert (path_set.most_paths(*ends) >= np.diff(rows.offset)).all(), path_set
        found = path_set.usage(pairs).listed(np.ones(topology.num_links, dtype=bool))
        assert np.array_equal(found.count, expected.count)
        assert np.array_equal(found.entry_class, expected.entry_class), path_set
        assert np.array_equal(found.entry_link, expected.entry_link)
        assert_allclose(found.weight, expected.weight, rtol=1e-12)
        assert_allclose(found.entry_value, expected.entry_value, rtol=1e-12)


def test_mean_hops_are_those_of_the_profiles(path_sets: list[PathSet]) -> None:
    for path_set in path_sets:
        assert path_set.mean_hops() == pytest.approx(PathSet.mean_hops(path_set), nan_ok=True)


def test_estimates_are_of_no_more_than_all_paths(
    topology: Topology, path_sets: list[PathSet]
) -> None:
    every = topology.expected_paths.vlb_paths_by_halves
    for path_set in path_sets:
        found = path_set.expected_paths_by_halves()
        assert found.shape == every.shape
        assert (found >= 0).all()
        assert (found <= every * (1 + 1e-12)).all(), path_set


@pytest.mark.slow
def test_sets_meet_in_the_paths_that_both_have(
    topology: Topology, path_sets: list[PathSet]
) -> None:
    pairs = some_pairs(topology)
    others = [
        parse_expression(text, topology, SEED)
        for text in ("all", "short(all)", "<=3+50%", "simple")
    ]

    @cache
    def rows_of(path_set: PathSet, own: bytes) -> PathRows:
        some = np.frombuffer(own, dtype=bool)
        return path_set.rows(pairs.source[some], pairs.target[some])

    for path_set, other in product(path_sets, others):
        if isinstance(path_set, ExpressionSet) and not path_set.may_meet:
            with pytest.raises(InvalidInput, match=f"{path_set} cannot meet"):
                MeetSet((path_set, other))
            continue
        # A pair that takes the nearest shape has other paths.
        own = ~MeetSet((path_set, other)).takes_nearest(pairs.source, pairs.target)
        own &= ~path_set.takes_nearest(pairs.source, pairs.target)
        ends = pairs.source[own], pairs.target[own]
        one, two = (rows_of(each, own.tobytes()) for each in (path_set, other))
        if isinstance(path_set, FilterSet):
            # What is met with it may have paths that no set of its own has.
            one = two.filtered(path_set.passing(two))
            one = one.with_weights(np.ones(len(one)))
        in_one, in_two = members(keys_of_rows(one), keys_of_rows(two))
        weight = one.weight[in_one] * two.weight[in_two]
        owner = one.pair_of_row[in_one]
        total = np.bincount(owner, weight, minlength=int(own.sum()))
        for order in ((path_set, other), (other, path_set)):
            met = MeetSet(order)
            rows = met.rows(*ends)
            assert np.array_equal(rows.pair_of_row, owner), met
            assert np.array_equal(rows.intermediate, one.intermediate[in_one])
            assert np.array_equal(rows.first_link, one.first_link[in_one])
            assert np.array_equal(rows.second_link, one.second_link[in_one])
            assert_allclose(rows.weight, weight / total[owner], rtol=1e-12, err_msg=str(met))
            assert (met.most_paths(*ends) >= np.diff(rows.offset)).all(), met
