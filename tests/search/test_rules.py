"""The search of the rule of UGAL: which rules are tried, what is judged, and what tables say."""

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim_bridge import Scenario, SimulationConfig, VctConfig, VctScenario, simulate
from tests.search.here import Inline, Memory
from tvlb.cli import main
from tvlb.errors import InvalidInput
from tvlb.paths import PUBLISHED_RULE, RULE_SETTINGS, Queue, QueueFactor, RowSet, UgalRule
from tvlb.processes import UnitCache
from tvlb.requests import TableDocument
from tvlb.search import Searched, SearchOptions, TableResult, Windows, optimize
from tvlb.search.decision import is_better
from tvlb.search.rule_space import RuleSpace
from tvlb.statistics import KeyedStream
from tvlb.table import Table, read_table, summarise, verify, write_table
from tvlb.table.header import UgalRecord
from tvlb.table.route_files import Routes
from tvlb.topology import Dragonfly
from tvlb.traffic import Shift

TOPOLOGY = Dragonfly(2, 4, 2, 5)
WINDOWS = Windows(150, 150, 0.05)
QUICK = SearchOptions(
    patterns="1",
    screening=WINDOWS,
    confirmation=WINDOWS,
    data_points=1,
    budget="0",
    judge="iq,vct",
    seed=10,
)
BY_RULE = replace(QUICK, search="rule", data_points=None)
RULES = st.builds(
    UgalRule,
    ugal_rule=st.sampled_from(QueueFactor),
    queue=st.sampled_from(Queue),
    threshold=st.integers(-200, 200),
    vlb_factor=st.floats(0.1, 8),
    candidates=st.integers(1, 6),
)


@pytest.fixture(scope="module", autouse=True)
def short_runs() -> object:
    """Look even more briefly."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tvlb.search.by_search.SHORT", WINDOWS)
        patch.setattr("tvlb.search.by_search._CURVE_WINDOWS", WINDOWS)
        yield


def search(options: SearchOptions) -> TableResult:
    return optimize(TOPOLOGY, options, unit_cache=UnitCache(Inline(), Memory()))


@pytest.fixture(scope="module")
def both() -> TableResult:
    return search(QUICK)


@given(RULES, st.sets(st.sampled_from(RULE_SETTINGS)))
def test_rules_beside_one_differ_in_one_respect_that_is_open(
    rule: UgalRule, given: set[str]
) -> None:
    config = SimulationConfig(**{name: getattr(rule, name) for name in given})
    space = RuleSpace(config, "ugal-l")
    assert space.is_open == (given != {*RULE_SETTINGS})
    for one in space.beside(rule):
        changed = {name for name in RULE_SETTINGS if getattr(one, name) != getattr(rule, name)}
        assert len(changed) == 1
        assert not changed & given
        assert "queue" not in changed
    for one in space.starts():
        assert all(getattr(one, name) == getattr(rule, name) for name in given)
        assert one != space.base


def test_what_has_no_meaning_for_a_routing_is_not_searched() -> None:
    rules = RuleSpace(SimulationConfig(), "ugal-g").beside(PUBLISHED_RULE)
    assert rules
    assert {one.ugal_rule for one in rules} == {QueueFactor.HOPS}


def test_what_is_given_stays_and_paths_alone_are_searched_where_all_is() -> None:
    given = SimulationConfig(
        ugal_rule="hops", queue="vc", threshold=3, vlb_factor=1.5, candidates=2
    )
    assert replace(QUICK, config=given).searched is Searched.PATHS
    assert SearchOptions(method="paper").searched is Searched.PATHS
    assert QUICK.searched is Searched.BOTH
    with pytest.raises(InvalidInput, match=r"search rule: queue vc, threshold 3, .* is given"):
        replace(BY_RULE, config=given)
    with pytest.raises(InvalidInput, match="search 'routes'"):
        replace(QUICK, search="routes")


def test_a_search_for_the_rule_keeps_the_paths() -> None:
    given = SimulationConfig(queue="vc", threshold=8, vlb_factor=0.8, candidates=2)
    options = replace(BY_RULE, judge="iq", config=given)
    found = optimize(Dragonfly(2, 4, 2, 3), options, unit_cache=UnitCache(Inline(), Memory()))
    published = next(one for one in found.validation.judgements if one.against == "all")
    # Better, and of other paths.
    assert (published.expression, is_better(published)) == ("short(2,3)", True)
    assert found.chosen is None


def test_both_parts_are_judged_beside_both(both: TableResult) -> None:
    assert both.found is not None
    parts = both.found.search.parts
    assert [*parts] == [Searched.PATHS, Searched.RULE, Searched.BOTH]
    assert parts[Searched.PATHS].ugal is None
    assert parts[Searched.RULE].expression == "all"
    judged = {one.candidate.name for one in both.found.held_out.sets}
    assert {"all", "short(2,3)", *(one.name for one in parts.values())} == judged
    answer = both.found.answers[0]
    assert answer.ugal is not None
    assert answer.name.endswith(f", {answer.ugal}")
    text = "\n".join(both.verdict.text)
    assert "Of the gain against conventional UGAL (all), the published rule, give:" in text
    for part in ("The best rule, the conventional set (", "Both ("):
        assert part in text


def test_as_both_together_is_told_what_is_advised_of_a_front() -> None:
    options = replace(QUICK, objective="front", judge="iq", traffic=("shift(1,0)",), seed=3)
    ended = optimize(Dragonfly(2, 4, 2, 3), options, unit_cache=UnitCache(Inline(), Memory()))
    assert ended.found is not None
    assert ended.chosen is not None
    assert ended.chosen.ugal is not None
    # By the first latency weight another set is the best one.
    assert ended.found.search.parts[Searched.BOTH].name != ended.chosen.name
    assert any(line.startswith(f"Both ({ended.chosen.name}): ") for line in ended.verdict.text)
    assert TableDocument.of(ended).plain()["verdict"]["parts"]["both"] == ended.chosen.name


def test_a_table_says_its_rule_and_simulations_take_it(both: TableResult, tmp_path: Path) -> None:
    chosen = both.chosen
    assert chosen is not None
    assert chosen.ugal is not None
    for suffix in (".parquet", ".json", ".csv"):
        path = tmp_path / f"t{suffix}"
        write_table(both.table, path)
        table = read_table(str(path))
        assert isinstance(table, Table)
        assert table.id == both.table.id
        assert table.ugal == chosen.ugal
        assert verify(table).ok
    assert summarise(table)["ugal"]["queue"] == chosen.ugal.queue
    # The same paths by the published rule are another table, whose header says nothing of it.
    plain = table.made_for(None)
    assert plain.id != table.id
    assert "ugal" not in plain.header.entries()
    assert plain.made_for(PUBLISHED_RULE).id == plain.id
    written_out = plain.header.model_copy(update={"ugal": UgalRecord.of(PUBLISHED_RULE)})
    for of_others in (replace(plain, header=written_out), plain):
        assert "ugal" not in summarise(of_others)
        assert Routes(of_others.path_set("t")).remarks(0) == []
    config = SimulationConfig(warmup_cycles=200, measured_cycles=200)

    def run(table: Table, **given: object) -> tuple[UgalRule, float]:
        settings = replace(config, **given)
        paths = table.path_set("t")
        found = simulate(TOPOLOGY, path_set=paths, pattern=Shift(1, 0), load=0.4, config=settings)
        return found.config.rule, found.latency_mean

    rule, latency = run(table)
    assert rule == chosen.ugal
    assert run(plain)[0] == PUBLISHED_RULE
    given = {name: getattr(chosen.ugal, name) for name in RULE_SETTINGS}
    assert run(plain, **given) == (rule, latency)
    assert run(table, queue="port", candidates=1)[0] == replace(rule, queue="port", candidates=1)


def test_a_rule_that_is_none_is_the_headers_fault() -> None:
    fields = {"ugal_rule": "hops", "queue": "vc", "threshold": 0, "candidates": 1}
    with pytest.raises(InvalidInput, match=r"^table header, ugal: vlb_factor 0.0 is out of range"):
        UgalRecord.model_validate(fields | {"vlb_factor": 0.0}).rule()


def test_a_file_of_routes_says_which_rule_it_does_not_hold(both: TableResult) -> None:
    assert isinstance(both.table, Table)
    told = Routes(both.table.path_set("t")).remarks(0)
    assert told == [
        f"the table was made for a rule of UGAL that the file does not hold: {both.table.ugal}"
    ]
    assert Routes(both.table.made_for(None).path_set("t")).remarks(0) == []


def test_tables_for_different_rules_do_not_go_together(
    both: TableResult, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert isinstance(both.table, Table)
    sets = [
        RowSet(both.table.rows, name).made_for(UgalRule(queue=queue))
        for name, queue in (("first", "vc"), ("second", "waiting"))
    ]
    scenario = Scenario(TOPOLOGY, "ugal-acor(sets)", sets, Shift(1, 0))
    with pytest.raises(InvalidInput, match=r"UGAL \(queue vc; queue waiting\): give queue$"):
        scenario.resolved(SimulationConfig())
    published = both.table.made_for(None).path_set("third")
    assert published.ugal == PUBLISHED_RULE
    with pytest.raises(InvalidInput, match=r"rules of UGAL \(queue vc; the published rule\)"):
        replace(scenario, path_set=[sets[0], published]).resolved(SimulationConfig())
    assert scenario.resolved(SimulationConfig(queue="port")).rule == PUBLISHED_RULE
    words = ["simulate", str(TOPOLOGY), "--routing", "ugal-acor", "--load", "0.1"]
    for rule in (UgalRule(queue="vc", threshold=3), UgalRule(candidates=2)):
        path = tmp_path / f"{rule.candidates}.json"
        write_table(both.table.made_for(rule), path)
        words += ["--vlb", str(path)]
    assert main(words) == 2
    assert "give --queue, --threshold, --candidates" in capsys.readouterr().err


def test_the_document_tells_rules(both: TableResult) -> None:
    document = json.loads(json.dumps(TableDocument.of(both).plain(), allow_nan=False))
    assert isinstance(both.table, Table)
    assert UgalRule(**document["table"]["ugal"]) == both.table.ugal
    parts = document["verdict"]["parts"]
    assert [*parts] == ["paths", "rule", "both"]
    known = {one["expression"]: one["known_as"] for one in document["search"]["held_out"]}
    assert known[parts["rule"]] == "rule"
    assert known[parts["both"]] is None
    assert document["provenance"]["parameters"]["search"] == "both"
    assert document["provenance"]["parameters"]["config"]["queue"] is None


def test_the_second_router_judges_the_same_sets_on_the_same_cases(both: TableResult) -> None:
    assert both.found is not None
    found, name = both.found, both.verdict.expression
    first, second = found.held_out.judgements, found.on_vct
    assert [(one.expression, one.against) for one in second] == [
        (one.expression, one.against) for one in first
    ]
    told = [line for line in both.verdict.text if line.startswith("By virtual cut-through ag")]
    own = [one for one in second if one.expression == name]
    assert len(told) == len(own) > 0
    for line, one in zip(told, own, strict=True):
        assert f"accepted beyond saturation {one.saturation} (worst " in line
    document = TableDocument.of(both).plain()
    assert len(document["verdict"]["on_vct"]) == len(second)
    # One of its runs again, by its own: a pattern of the comparison beyond saturation.
    held_out = found.held_out
    figures = {one.candidate.name: one for one in held_out.sets}
    case = 5
    highest = max(one.saturation[case] for one in held_out.sets)
    accepted = dict[str, float]()
    for each in (name, "all"):
        candidate = figures[each].candidate
        rule = candidate.ugal or PUBLISHED_RULE
        config = VctConfig(150, 150, local_latency=10, global_latency=15, **asdict(rule))
        scenario = VctScenario(
            TOPOLOGY,
            "ugal-l",
            held_out.workload.patterns[case],
            KeyedStream(QUICK.seed, "held-out", 0).next64() >> 1,
            candidate.path_set,
        )
        accepted[each] = scenario.run(min(1.0, 1.25 * highest), config).accepted
    change = accepted[name] / accepted["all"] - 1
    (judged,) = (one for one in own if one.against == "all")
    assert judged.saturation.worst <= change + 1e-9


def test_the_rule_alone_keeps_the_conventional_paths() -> None:
    found = search(replace(BY_RULE, traffic=("shift(1,0)", "type2(seed=1)")))
    assert found.found is not None
    assert {one.expression for one in found.found.answers} == {"all"}
    assert not found.found.search.parts


@pytest.mark.parametrize(
    "given", [{"queue": "port"}, {"queue": "vc", "threshold": 3, "vlb_factor": 0.9}]
)
def test_searches_begin_with_what_is_left_open(given: dict[str, Any]) -> None:
    config = SimulationConfig(**given)
    starts = RuleSpace(config, "ugal-l").starts()
    assert len(starts) == len(set(starts)) >= 1
    assert config.rule not in starts
    assert all(getattr(one, name) == value for one in starts for name, value in given.items())


def test_a_rule_of_which_nearly_all_is_given_is_searched() -> None:
    # Nothing that is likely is left open but the base itself.
    config = SimulationConfig(queue="vc", threshold=3, vlb_factor=0.9, candidates=2)
    assert not RuleSpace(config, "ugal-l").starts()
    options = replace(QUICK, config=config, judge="iq", traffic=("shift(1,0)",))
    found = optimize("1,2,1,3", options, unit_cache=UnitCache(Inline(), Memory()))
    assert found.found is not None
    assert found.found.search.setting.searched is Searched.BOTH
