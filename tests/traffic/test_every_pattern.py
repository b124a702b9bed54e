"""What holds for every named pattern: a new one is tested here without a change."""

import re
from collections.abc import Iterator
from dataclasses import replace
from inspect import cleandoc
from pathlib import Path
from pkgutil import iter_modules

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import chdtrc

from sim_bridge.conversion import core_network, core_traffic
from tvlb.errors import InvalidInput
from tvlb.languages import Call, NumberArgument, WholeArgument, parse_call
from tvlb.topology import Dragonfly, DragonflyPlus, HyperX, ListedTopology, SlimFly, Topology
from tvlb.traffic import (
    NamedPattern,
    NodeTraffic,
    named_patterns,
    parse_named_pattern,
    pattern_regex,
    patterns,
    signature_of,
    switch_demand,
    type1_set,
    type2_set,
)

# Examples fit all of them.
NETWORKS: list[Topology] = [
    *(HyperX(2, 3, 4, 3), DragonflyPlus(2, 4, 2, 5), SlimFly(5)),
    *(Dragonfly(1, 2, 2, 3), Dragonfly(2, 4, 2, 9, "palmtree"), Dragonfly(4, 8, 4, 9)),
]
KINDS = {kind.name: kind for kind in named_patterns()}
SEEDS = range(20)
DOCUMENT = Path(__file__).parents[2] / "docs/formats.md"


def cases() -> Iterator[tuple[Topology, NamedPattern]]:
    for topology in NETWORKS:
        shift = "shift(1,0)" if isinstance(topology, Dragonfly) else "permutation"
        examples = [kind.example for kind in KINDS.values() if kind.suits(topology)]
        yield from (
            (topology, parse_named_pattern(one.replace("shift(1,0)", shift))) for one in examples
        )
        yield topology, parse_named_pattern("uniform(others)")
        yield topology, parse_named_pattern("permutation(derangement,seed=2)")
        if not isinstance(topology, DragonflyPlus):
            yield topology, parse_named_pattern("switch-permutation(neighbours,seed=2)")
        yield from ((topology, one) for one in type1_set(topology)[-3:])


CASES = list(cases())
every_case = pytest.mark.parametrize(("topology", "pattern"), CASES, ids=str)
every_kind = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)


def resolved(pattern: NamedPattern, topology: Topology, seed: int) -> NodeTraffic:
    """What nodes send, until the load changes if it does."""
    return pattern.before_step.resolve(topology, seed)


def sent(topology: Topology, traffic: NodeTraffic) -> NDArray[np.float64]:
    """What every node sends to every node, flits/cycle, float64 (nodes, nodes)."""
    nodes = topology.num_nodes
    drawn = np.full((nodes, nodes), 1.0)
    if traffic.uniform_to_others:
        np.fill_diagonal(drawn, 0)
    rates = (traffic.rate * traffic.uniform_fraction)[:, None] * drawn / drawn.sum(axis=1)[:, None]
    fixed = traffic.rate * (1 - traffic.uniform_fraction)
    to_one = traffic.destination >= 0
    rates[np.flatnonzero(to_one), traffic.destination[to_one]] += fixed[to_one]
    if (table := traffic.table) is not None:
        for node in np.flatnonzero(table.row_of_node >= 0):
            row = int(table.row_of_node[node])
            before = rates[node].sum()
            for entry in range(table.offset[row], table.offset[row + 1]):
                target = table.target[entry]
                to = topology.network.node_switch == target if table.target_is_switch else target
                share = topology.switch_nodes[target] if table.target_is_switch else 1
                rates[node, to] += fixed[node] * table.probability[entry] / share
            if table.to_others:
                rates[node, node] = 0.0
                rates[node] *= (before + fixed[node]) / rates[node].sum()
    return rates


def test_every_module_of_the_folder_is_a_pattern() -> None:
    modules = {f"{patterns.__name__}.{one.name}" for one in iter_modules(patterns.__path__)}
    assert {kind.__module__ for kind in KINDS.values()} == modules
    assert len(KINDS) == len(modules)


@every_case
def test_the_text_parses_back(topology: Topology, pattern: NamedPattern) -> None:
    assert pattern.suits(topology)
    assert parse_named_pattern(str(pattern)) == pattern
    assert str(parse_named_pattern(str(pattern))) == str(pattern)


@every_kind
def test_the_example_is_written_as_it_prints(kind: type[NamedPattern]) -> None:
    pattern = parse_named_pattern(kind.example)
    assert type(pattern) is kind
    assert str(pattern) == kind.example
    assert pattern.identity == kind.example


@every_case
def test_what_nodes_send_is_their_rate_and_arrives(
    topology: Topology, pattern: NamedPattern
) -> None:
    traffic = resolved(pattern, topology, 3)
    assert ((traffic.rate >= 0) & (traffic.rate <= 1)).all()
    assert ((traffic.uniform_fraction >= 0) & (traffic.uniform_fraction <= 1)).all()
    rates = sent(topology, traffic)
    assert rates.sum(axis=1) == pytest.approx(traffic.rate)
    switch = topology.network.node_switch
    between = np.zeros((topology.num_switches, topology.num_switches))
    np.add.at(between, (switch[:, None], switch[None, :]), rates)
    np.fill_diagonal(between, 0)
    demand = switch_demand(topology, traffic)
    found = np.zeros_like(between)
    found[demand.source, demand.target] = demand.rate
    assert found == pytest.approx(between)
    assert demand.max_ejection == pytest.approx(rates.sum(axis=0).max())


@every_case
def test_drawn_destinations_have_these_rates(topology: Topology, pattern: NamedPattern) -> None:
    traffic = resolved(pattern, topology, 3)
    network = core_network(topology)
    core = core_traffic(network, traffic)
    rates, draws = sent(topology, traffic), 20 * topology.num_nodes
    for node in {0, topology.num_nodes // 2, topology.num_nodes - 1}:
        if traffic.rate[node] == 0.0:
            continue
        drawn = core.draw_destinations(network, node, seed=1, count=draws)
        found = np.bincount(drawn, minlength=topology.num_nodes)
        expected = draws * rates[node] / traffic.rate[node]
        possible = expected > 0
        assert not found[~possible].any()
        squares = (found[possible] - expected[possible]) ** 2 / expected[possible]
        # The upper tail of the chi-squared distribution.
        assert chdtrc(max(possible.sum() - 1, 1), squares.sum()) > 1e-5


@every_case
def test_flows_are_as_many_as_are_counted(topology: Topology, pattern: NamedPattern) -> None:
    flows = [len(switch_demand(topology, resolved(pattern, topology, seed)).rate) for seed in SEEDS]
    # Counts are expected values over seeds that take the nodes of a switch as independent.
    assert pattern.count_flows(topology) == pytest.approx(np.mean(flows), rel=0.1, abs=2)


@every_case
def test_equal_seeds_give_equal_traffic(topology: Topology, pattern: NamedPattern) -> None:
    again = parse_named_pattern(str(pattern))
    assert resolved(pattern, topology, 5).equals(resolved(again, topology, 5))


@every_kind
def test_an_own_seed_goes_before_the_seed_of_the_run(kind: type[NamedPattern]) -> None:
    topology = next(one for one in reversed(NETWORKS) if kind.suits(one))
    if "seed" not in signature_of(kind).arguments:
        pattern = parse_named_pattern(kind.example)
        assert resolved(pattern, topology, 5).equals(resolved(pattern, topology, 6))
        return
    call = replace(parse_call(kind.example), keywords=())
    of_run = parse_named_pattern(str(call))
    own = parse_named_pattern(str(replace(call, keywords=(("seed", "1"),))))
    assert own.resolve(topology, 5).equals(own.resolve(topology, 6))
    assert own.resolve(topology, 5).equals(of_run.resolve(topology, 1))
    assert not of_run.resolve(topology, 5).equals(of_run.resolve(topology, 6))


def bad_calls(kind: type[NamedPattern]) -> Iterator[tuple[Call, str]]:
    """The example with one bad argument, and what the refusal says of it."""
    call = parse_call(kind.example)
    positional = [key for key, one in signature_of(kind).arguments.items() if not one.keyword]
    for key, argument in signature_of(kind).arguments.items():
        bad, allowed = "worst", ""
        if isinstance(argument, WholeArgument | NumberArgument):
            bad, allowed = str(argument.high + 1), f"{argument.low}..{argument.high}"
        if argument.keyword:
            others = tuple(pair for pair in call.keywords if pair[0] != key)
            made = replace(call, keywords=(*others, (key, bad)))
        else:
            place = positional.index(key)
            before, after = call.arguments[:place], call.arguments[place + 1 :]
            made = replace(call, arguments=(*before, bad, *after))
        yield made, f"{key if argument.keyword else argument.symbol} '{bad}' .*{allowed}"


@every_kind
def test_bad_arguments_are_refused_with_the_value_and_what_is_allowed(
    kind: type[NamedPattern],
) -> None:
    for call, complaint in bad_calls(kind):
        with pytest.raises(InvalidInput, match=complaint):
            parse_named_pattern(str(call))


@every_kind
def test_arguments_that_nobody_declared_are_refused(kind: type[NamedPattern]) -> None:
    call = parse_call(kind.example)
    for more in (
        replace(call, arguments=(*call.arguments, *["1"] * 4)),
        replace(call, keywords=(("speed", "1"),)),
    ):
        with pytest.raises(InvalidInput, match=re.escape(signature_of(kind).form)):
            parse_named_pattern(str(more))


@every_kind
def test_patterns_of_a_family_are_refused_elsewhere(kind: type[NamedPattern]) -> None:
    elsewhere = ListedTopology([1, 1, 1], [[[0, 1], [1, 2]]])
    assert kind.family is Topology or not kind.suits(elsewhere)
    if not kind.suits(elsewhere):
        with pytest.raises(InvalidInput, match="is no pattern of"):
            parse_named_pattern(kind.example).resolve(elsewhere, 0)


@pytest.mark.parametrize("topology", NETWORKS, ids=str)
def test_every_network_has_adversarial_patterns(topology: Topology) -> None:
    probed = [*type1_set(topology), *type2_set(topology)]
    assert len(set(probed)) == len(probed) > 20
    assert len(type2_set(topology)) == 20
    assert all(pattern.is_adversarial for pattern in type1_set(topology))
    assert all(pattern.suits(topology) for pattern in probed)


@every_case
def test_schemas_admit_what_prints(topology: Topology, pattern: NamedPattern) -> None:
    assert pattern.suits(topology)
    assert re.fullmatch(pattern_regex(), str(pattern))
    for text in (f"{pattern}x", f"{pattern},", f"{pattern}.csv", "worst"):
        assert re.fullmatch(pattern_regex(), text) is None


@every_kind
def test_the_document_says_what_is_sent(kind: type[NamedPattern]) -> None:
    summary = cleandoc(kind.__doc__ or "").splitlines()[0]
    assert f"| `{signature_of(kind).form}` | {summary} |\n" in DOCUMENT.read_text()
