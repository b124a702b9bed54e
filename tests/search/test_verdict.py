"""The sentences of a verdict: what to do, under which condition, and what it is said of."""

from dataclasses import replace

import pytest

from tvlb.paths import UgalRule
from tvlb.search.objective import Searched
from tvlb.search.verdict import SetMeans, VerdictRecord, called
from tvlb.statistics import Change, Judgement
from tvlb.topology import Dragonfly

RIVAL = SetMeans("all", "conventional UGAL (all)", 0.4, (50.0, None), (0, 3), 5.0)
CHOICE = SetMeans("A", "the table of A", 0.44, (45.0, 60.0), (0, 1), 4.0)


def change(mean: float, half_width: float, worst: float | None = None) -> Change:
    least = mean if worst is None else worst
    return Change(mean, half_width, least, "shift(1,0)", 1 if worst is None else 3)


def record(saturation: Change, *latency: Change | None, replaces: bool = True) -> VerdictRecord:
    return VerdictRecord(
        expression="A",
        replaces=replaces,
        sets=(CHOICE, RIVAL),
        judgements=(Judgement("A", "all", saturation, latency),),
        loads=(0.1, 0.2),
        cases="3 patterns",
        vcs=4,
        vc_policy="won",
        paths=1234,
        balancing="",
        undecided_runs=0,
    )


GAIN = change(0.1, 0.05, 0.0)


@pytest.mark.parametrize(
    ("saturation", "latency", "said"),
    [
        (GAIN, (0.0, 0.02), "Use the table of A: higher saturation throughput."),
        (GAIN, (-0.1, 0.02), "Use the table of A: higher saturation throughput and lower latency."),
        (
            GAIN,
            (0.08, 0.02),
            "Use the table of A if saturation throughput counts more than latency at load 0.1: "
            "higher saturation throughput, but latency at load 0.1 +8.0% +- 2.0.",
        ),
        (
            change(0.03, 0.12, -0.066),
            (-0.1, 0.02),
            "Use the table of A if latency counts more than saturation throughput: lower latency, "
            "saturation throughput undecided; saturation throughput falls by 6.6% under shift(1,0) "
            "(one pattern, without an interval).",
        ),
    ],
)
def test_a_condition_is_said_where_not_all_is_better(
    saturation: Change, latency: tuple[float, float], said: str
) -> None:
    assert record(saturation, change(*latency), None).text[0] == said


def test_changes_say_what_they_are_means_of_and_figures_of_what_they_are() -> None:
    text = record(GAIN, change(-0.1, 0.02), None).text
    assert text[1:] == (
        "Against conventional UGAL (all), mean of the changes in each of 3 patterns: saturation "
        "throughput +10.0% +- 5.0 (worst +0.0%, under shift(1,0)), latency at load 0.1 "
        "-10.0% +- 2.0, latency at load 0.2 unknown.",
        "Means of the chosen table (conventional UGAL (all)) on the patterns tried: saturation "
        "throughput 0.4400 (0.4000) packets/cycle/node, latency at load 0.1 45.00 cycles (50.00 "
        "cycles), latency at load 0.2 60.00 cycles, saturated in 1 run (saturated in every run).",
        "The chosen table has 1,234 paths of 4.00 hops in the mean; simulated with 4 virtual "
        "channels per port (won).",
        "With 95% confidence, all these intervals hold at once.",
    )


def test_floors_are_told_where_something_weighs_them() -> None:
    told = replace(record(GAIN, None, None), floors={"A": 0.4, "all": 0.5086}).text
    assert told[3] == (
        "Senders that split by fixed shares over these paths sustain on any traffic at least "
        "0.4000 (0.5086) packets/cycle/node; UGAL may sustain less."
    )


def test_what_is_kept_and_what_of_the_other_is_not_decided_have_names() -> None:
    kept = record(change(0.02, 0.04), change(0.0, 0.005), None, replaces=False)
    renamed = replace(kept, sets=(replace(CHOICE, called="the new table"), RIVAL))
    assert renamed.text[0] == "Keep conventional UGAL (all); verdict on the new table: undecided."
    assert renamed.text[1].startswith("The new table against conventional UGAL (all), mean of")
    # Of one pattern there is none that is worst.
    assert "+2.0% +- 4.0 (under shift(1,0))" in renamed.text[1]
    assert "Not decided: saturation throughput against conventional UGAL (all) (intervals" in (
        "".join(renamed.text)
    )


def test_what_is_kept_has_the_best_of_the_others_and_the_published_set_against_it() -> None:
    published = replace(CHOICE, expression="P", called="the published set (P)", saturation=0.41)
    changes = (change(0.001, 0.02, 0.0), (change(0.0, 0.02), None))
    judged = [Judgement(name, "all", *changes) for name in ("A", "P", "B")]
    kept = replace(
        record(*changes[:1], None, None),
        expression="all",
        replaces=False,
        sets=(RIVAL, CHOICE, published, replace(published, expression="B", called="B")),
        judgements=tuple(judged),
    )
    best, second, figures, *_ = kept.text[1:]
    assert best.startswith("The best of the others, the table of A, against conventional UGAL")
    assert second.startswith("The published set (P) against conventional UGAL (all), mean of")
    assert figures.startswith("Means of conventional UGAL (all) on the patterns tried: ")
    # No interval, nothing to be sure of.
    alone = replace(kept, judgements=(), sets=(RIVAL,)).text
    assert alone[0] == "Keep conventional UGAL (all): no other set was simulated."
    assert not any("95%" in line for line in alone)


LOST = "Warning: by virtual cut-through the gain in {} against conventional UGAL (all) is not shown"


@pytest.mark.parametrize(
    ("here", "there", "lost"),
    [
        ((GAIN, change(-0.1, 0.02)), (GAIN, change(-0.1, 0.02)), None),
        ((GAIN, change(-0.1, 0.02)), (change(0.1, 0.2), change(-0.1, 0.2)), "both"),
        ((GAIN, change(-0.1, 0.02)), (change(0.1, 0.2), change(-0.1, 0.02)), "throughput"),
        ((change(0.1, 0.2), change(-0.1, 0.02)), (GAIN, None), "latency at load 0.1"),
        ((change(0.1, 0.2), change(-0.1, 0.2)), (change(-0.1, 0.02), change(0.1, 0.02)), None),
    ],
)
def test_gains_that_the_second_router_does_not_show_are_warned_of(
    here: tuple[Change, Change], there: tuple[Change, Change | None], lost: str | None
) -> None:
    steady = change(0.0, 0.2)
    told = record(here[0], here[1], steady)
    second = (Judgement("A", "all", there[0], (there[1], steady)),)
    text = replace(told, on_vct=second).text
    assert sum(line.startswith("By virtual cut-through against conventional") for line in text) == 1
    warned = [line.partition(": it may be")[0] for line in text if line.startswith("Warning")]
    what = "throughput and latency at load 0.1" if lost == "both" else lost
    assert warned == ([] if what is None else [LOST.format(what)])


def test_the_second_router_is_told_where_nothing_was_chosen() -> None:
    told = record(change(0.1, 0.2), change(0.0, 0.2), change(0.0, 0.2))
    kept = replace(told, expression="all", sets=(RIVAL, CHOICE), on_vct=told.judgements)
    assert any("By virtual cut-through the table of A against" in line for line in kept.text)
    assert not any(line.startswith("Warning") for line in kept.text)


def test_the_rule_that_is_given_and_parts_without_a_gain_are_told() -> None:
    told = record(GAIN, change(0.0, 0.2), change(0.0, 0.2))
    given = replace(told, rule="queue vc")
    line = "Nothing was simulated by the published rule: queue vc is given."
    assert line in given.text
    assert not any("Nothing was simulated" in one for one in told.text)
    parts = {Searched.PATHS: "A", Searched.RULE: "all", Searched.BOTH: "A"}
    text = replace(given, parts=parts).text
    assert line in text
    assert "The best rule, the conventional set: none is better." in text
    assert any(one.startswith("The best paths, queue vc (A): saturation") for one in text)
    nothing = replace(
        given,
        expression="all",
        replaces=False,
        sets=(RIVAL, replace(CHOICE, called="the published set (A)")),
        parts={Searched.PATHS: "A", Searched.RULE: "all", Searched.BOTH: "A"},
        rule="the published rule",
    ).text
    assert "Against conventional UGAL (all), the published rule:" in nothing
    for part in ("The best paths, the published rule", "The best rule, the conventional set"):
        assert f"{part}: none is better." in nothing
    assert "Both: none is better." in nothing


def test_usual_sets_are_called_by_the_rule_that_is_given() -> None:
    topology = Dragonfly(2, 4, 2, 9)
    rule = UgalRule(queue="waiting")
    assert called(topology, "all") == "conventional UGAL (all)"
    assert called(topology, "all", rule) == "the conventional set (all) by queue waiting"
    assert called(topology, "short(2,3)", rule) == "the published set (short(2,3)) by queue waiting"
    assert called(topology, "<=4", rule) == "the table of <=4"
