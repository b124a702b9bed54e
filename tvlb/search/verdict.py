"""What a search or a repair ends with: the one record that every surface shows.

Terminal, JSON, REST, page, sweep, report and Python print its sentences as they are, and take their
numbers from it: nothing else says what a table gains.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from tvlb.balance import BalanceReport
from tvlb.paths import PUBLISHED_RULE, UgalRule
from tvlb.search.decision import Measured
from tvlb.search.objective import Searched
from tvlb.statistics import LEVEL, Change, Judgement, Verdict
from tvlb.topology import Topology
from tvlb.traffic import Pattern, idle_warnings

_TABLE_OF = "the table of "
_PUBLISHED = "the published set"
# So much less even is seen in the digits that are printed.
_EVEN = 5e-4


@dataclass(frozen=True)
class SetMeans:
    """What was measured of a set, means over the runs.

    Attributes
    ----------
    expression : the set.
    called : what sentences call it.
    saturation : packets/cycle/node.
    latency : at each load, cycles; None where every run was saturated.
    saturated : at each load, in how many runs.
    mean_hops : of a drawn VLB path; None where it is not known.
    """

    expression: str
    called: str
    saturation: float
    latency: tuple[float | None, ...]
    saturated: tuple[int, ...]
    mean_hops: float | None

    @classmethod
    def of(cls, called: str, by_load: Sequence[Measured], mean_hops: float) -> "SetMeans":
        """Return the means of a set, of which figures are given at each load."""
        return cls(
            by_load[0].expression,
            called,
            by_load[0].saturation_mean,
            tuple(_known(one.latency_mean) for one in by_load),
            tuple(one.missed for one in by_load),
            _known(mean_hops),
        )


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value


@dataclass(frozen=True)
class VerdictRecord:
    """The verdict on a table.

    Attributes
    ----------
    expression : the choice.
    replaces : whether the table is to be used instead of what it is compared with first.
    sets : the choice first, then what others are compared with, then other sets that were judged.
    judgements : those of the choice first. Intervals of 95% that all hold together.
    loads : where latencies were compared, packets/cycle/node.
    cases : what was simulated of every set, in words.
    vcs, vc_policy : virtual channels per port of the routers that were simulated, and their policy.
    paths : VLB paths of the table.
    balancing : what balancing did to the choice, in words.
    undecided_runs : how many simulations were too short to tell whether they are saturated.
    notes : what else there is to mind, in sentences; all that there is to say without any sets.
    rule : that the settings give, in words.
    parts : of a search for paths and the rule of UGAL, the sets that tell what either gains, by
        their names; of others none.
    on_vct : judgements by virtual cut-through; empty without. In place of saturation throughput
        they are about what is accepted beyond saturation.
    floors : of the sets, what senders that split by fixed shares sustain on any traffic,
        packets/cycle/node; empty where nothing weighs it.
    """

    expression: str
    replaces: bool
    sets: tuple[SetMeans, ...]
    judgements: tuple[Judgement, ...]
    loads: tuple[float, ...]
    cases: str
    vcs: int
    vc_policy: str
    paths: int
    balancing: str
    undecided_runs: int
    notes: tuple[str, ...] = ()
    rule: str = str(PUBLISHED_RULE)
    parts: Mapping[Searched, str] = field(default_factory=dict[Searched, str])
    on_vct: tuple[Judgement, ...] = ()
    floors: Mapping[str, float] = field(default_factory=dict[str, float])

    @property
    def own(self) -> tuple[Judgement, ...]:
        """Judgements of the choice."""
        return tuple(one for one in self.judgements if one.expression == self.expression)

    @property
    def verdict(self) -> Verdict:
        """On the choice or, if that is what others are compared with, on the best of these."""
        first = self.own or self._best
        return first[0].verdict if first else Verdict.UNMEASURED

    @cached_property
    def text(self) -> tuple[str, ...]:
        """Sentences: what to do, the changes, the figures, and what is not decided."""
        if not self.sets:
            return tuple(line for line in self.notes if line)
        return tuple(
            line
            for line in (
                self._advice,
                *self.notes,
                *map(self._changes, self._told),
                self._given_rule,
                *self._attribution,
                *self._second_router,
                self._figures,
                self._guaranteed,
                f"{_begin(self._briefly)} has {self.paths:,} paths{self._hops}; simulated "
                f"with {self.vcs} virtual channels per port ({self.vc_policy}).",
                self.balancing,
                self._undecided,
                self._confidence,
            )
            if line
        )

    @property
    def _best(self) -> tuple[Judgement, ...]:
        """The candidate of highest mean saturation, where none was chosen."""
        best = max(self._others, key=lambda one: self._set(one.expression).saturation, default=None)
        return () if best is None else (best,)

    @property
    def _told(self) -> tuple[Judgement, ...]:
        """Judgements of the choice, or of the best of the others and of what was published."""
        published = (
            one for one in self._others if self._set(one.expression).called.startswith(_PUBLISHED)
        )
        return self.own or tuple(dict.fromkeys((*self._best, *published)))

    @property
    def _confidence(self) -> str:
        if all(math.isnan(one.saturation.half_width) for one in self.judgements):
            return ""
        return "With 95% confidence, all these intervals hold at once."

    @property
    def _others(self) -> tuple[Judgement, ...]:
        """What was judged against the choice."""
        return tuple(one for one in self.judgements if one.against == self.expression)

    @property
    def _choice(self) -> SetMeans:
        return self._set(self.expression)

    @property
    def _briefly(self) -> str:
        """What the choice is called once its name was told, which may be long."""
        told = self._choice.called
        return "the chosen table" if self.replaces and told.startswith(_TABLE_OF) else told

    def _set(self, expression: str) -> SetMeans:
        return next(one for one in self.sets if one.expression == expression)

    @property
    def _advice(self) -> str:
        choice = self._choice
        if self.own and self.replaces:
            return f"Use {choice.called}{self._condition}: {self._gain}{self._loss}."
        if not self.own and not self._best:
            return f"Keep {choice.called}: no other set was simulated."
        if not self.own:
            return f"Keep {choice.called}: no other set {self._least}."
        rival = self._set(self.own[0].against)
        return f"Keep {rival.called}; verdict on {choice.called}: {self.verdict}."

    @property
    def _condition(self) -> str:
        """Say on which condition to use the choice, if it is not better in all."""
        if self.verdict is Verdict.FASTER_AT_LEAST:
            return " if latency counts more than saturation throughput"
        worse = " and ".join(what for what, _ in self._worse)
        return worse and f" if saturation throughput counts more than {worse}"

    @property
    def _gain(self) -> str:
        latency = self.own[0].latency[0]
        faster = latency is not None and latency.interval.below
        lower = " and lower latency" if faster and self.verdict is Verdict.HIGHER else ""
        return f"{self.verdict}{lower}{self._sustained(self.own[0])}"

    @property
    def _loss(self) -> str:
        worse = " and ".join(f"{what} {change}" for what, change in self._worse)
        return (worse and f", but {worse}") + self._falls(self.own[0])

    @property
    def _least(self) -> str:
        """Say what no other set does where none was chosen."""
        gains = [one for one in self._others if one.verdict.is_gain]
        if not gains:
            return "is shown to be better"
        if all(abs(one.saturation.mean) <= LEVEL for one in gains):
            return f"gains more than {100 * LEVEL:g}%"
        return "is shown to be better in what was asked for"

    def _sustained(self, judgement: Judgement) -> str:
        """Say what load the choice sustains more often, if that is why it was chosen."""
        mine, rival = self._set(judgement.expression), self._set(judgement.against)
        if judgement.verdict.is_gain or mine.saturated[0] >= rival.saturated[0]:
            return ""
        return (
            f"; at load {self.loads[0]:g} it is saturated in {mine.saturated[0]} of the runs, "
            f"{rival.called} in {rival.saturated[0]}"
        )

    @property
    def _worse(self) -> list[tuple[str, Change]]:
        """Return which latencies of the choice are worse, in words."""
        return [
            (what, change)
            for what, change in self._latencies(self.own[0])
            if change is not None and change.interval.above and change.mean > LEVEL
        ]

    def _latencies(self, judgement: Judgement) -> list[tuple[str, Change | None]]:
        """Return the changes of latency, in words."""
        names = (f"latency at load {load:g}" for load in self.loads)
        return list(zip(names, judgement.latency, strict=True))

    def _falls(self, judgement: Judgement) -> str:
        worst = judgement.saturation
        if worst.worst >= -LEVEL:
            return ""
        return (
            f"; saturation throughput falls by {100 * -worst.worst:.1f}% under "
            f"{worst.worst_pattern} (one pattern, without an interval)"
        )

    def _changes(self, judgement: Judgement) -> str:
        mine, rival = self._set(judgement.expression), self._set(judgement.against)
        own = judgement.expression == self.expression
        best = f"the best of the others, {mine.called}," if judgement in self._best else mine.called
        what = self._briefly if own else best
        of = "Against" if own and self.replaces else f"{_begin(what)} against"
        mean = f"mean of the changes in each of {self.cases}"
        return f"{of} {rival.called}, {mean}: {self._gains(judgement)}."

    @property
    def _given_rule(self) -> str:
        """Say that others are compared with no published rule, where another is given."""
        if self.rule == str(PUBLISHED_RULE):
            return ""
        return f"Nothing was simulated by {PUBLISHED_RULE}: {self.rule} is given."

    @property
    def _attribution(self) -> list[str]:
        """Say what paths alone and the rule alone gain, beside both and what is published."""
        if not self.parts:
            return []
        base = self.judgements[0].against
        published = (one.expression for one in self.sets if one.called.startswith(_PUBLISHED))
        usual = {f"the published set, {self.rule}": one for one in published}
        told = {
            **usual,
            f"the best paths, {self.rule}": self.parts[Searched.PATHS],
            "the best rule, the conventional set": self.parts[Searched.RULE],
            "both": self.parts[Searched.BOTH],
        }
        # What was found is none where it is what others are compared with.
        known = {base, *usual.values()}
        found = {what: name for what, name in told.items() if what in usual or name not in known}
        lines = [
            f"{_begin(what)} ({name}): {self._gains(judgement)}."
            for what, name in found.items()
            for judgement in self.judgements
            if (judgement.expression, judgement.against) == (name, base)
        ]
        nothing = [f"{_begin(what)}: none is better." for what in told if what not in found]
        gain = "Of the gain against" if self.own else "Against"
        give = ", give:" if self.own else ":"
        rule = f", {self.rule}" if self.rule == str(PUBLISHED_RULE) else ""
        return [f"{gain} {self._set(base).called}{rule}{give}", *lines, *nothing]

    @property
    def _second_router(self) -> list[str]:
        """Say what the choice gains on routers of another model, and warn if it does not."""
        second = {(one.expression, one.against): one for one in self.on_vct}
        pairs = [
            (one, second[one.expression, one.against])
            for one in self._told
            if (one.expression, one.against) in second
        ]
        lines = [
            f"By virtual cut-through{'' if self.own else f' {self._set(one.expression).called}'} "
            f"against {self._set(one.against).called}: "
            f"{self._gains(there, 'accepted beyond saturation')}."
            for one, there in pairs
        ]
        for one, there in pairs if self.own else ():
            lost = " and ".join(self._lost(one, there))
            if lost:
                lines.append(
                    f"Warning: by virtual cut-through the gain in {lost} against "
                    f"{self._set(one.against).called} is not shown: it may be one of routers with "
                    "input queues."
                )
        return lines

    def _lost(self, here: Judgement, there: Judgement) -> list[str]:
        """Return in what a gain is shown here and not there, in words."""
        lost = ["throughput"] * (
            here.saturation.interval.above and not there.saturation.interval.above
        )
        for (what, mine), (_, other) in zip(
            self._latencies(here), self._latencies(there), strict=True
        ):
            gained = mine is not None and mine.interval.below
            if gained and not (other is not None and other.interval.below):
                lost.append(what)
        return lost

    def _gains(self, judgement: Judgement, figure: str = "saturation throughput") -> str:
        worst = judgement.saturation
        least = f"worst {100 * worst.worst:+z.1f}%, " if worst.patterns > 1 else ""
        parts = [
            f"{figure} {worst} ({least}under {worst.worst_pattern})",
            *(f"{what} {change or 'unknown'}" for what, change in self._latencies(judgement)),
        ]
        return ", ".join(parts)

    @property
    def _figures(self) -> str:
        shown = self._shown
        parts = [
            f"saturation throughput {_both([f'{one.saturation:.4f}' for one in shown])} "
            "packets/cycle/node",
            *(
                f"latency at load {load:g} {_both([_latency(one, place) for one in shown])}"
                for place, load in enumerate(self.loads)
            ),
        ]
        names = _both([self._briefly, *(one.called for one in shown[1:])])
        return f"Means of {names} on the patterns tried: {', '.join(parts)}."

    @property
    def _shown(self) -> list[SetMeans]:
        """The choice, and what it was chosen against."""
        return [self._choice, *(self._set(one.against) for one in self.own[:1])]

    @property
    def _guaranteed(self) -> str:
        if not self.floors:
            return ""
        floors = _both([f"{self.floors[one.expression]:.4f}" for one in self._shown])
        return (
            f"Senders that split by fixed shares over these paths sustain on any traffic at least "
            f"{floors} packets/cycle/node; UGAL may sustain less."
        )

    @property
    def _hops(self) -> str:
        hops = self._choice.mean_hops
        return "" if hops is None else f" of {hops:.2f} hops in the mean"

    @property
    def _undecided(self) -> str:
        of = "" if self.own else " of the best of the others"
        parts = [
            f"{what}{of} against {self._set(one.against).called}"
            for one in self.own or self._best
            for what, change in (("saturation throughput", one.saturation), *self._latencies(one))
            if change is not None and change.interval.around and not change.interval.level
        ]
        if parts:
            parts[-1] += f" (intervals reach more than {100 * LEVEL:g}% to one side, and include 0)"
        if any(math.isnan(one.saturation.half_width) for one in self.own or self._best):
            parts.append("how much of this is chance: a single run has no interval")
        if self.undecided_runs:
            runs = "simulation is" if self.undecided_runs == 1 else "simulations are"
            parts.append(
                f"{self.undecided_runs} {runs} too short to tell whether the load is sustained"
            )
        return f"Not decided: {'; '.join(parts)}." if parts else ""


def _both(values: Sequence[str]) -> str:
    return values[0] + "".join(f" ({one})" for one in values[1:])


def _latency(one: SetMeans, place: int) -> str:
    latency, saturated = one.latency[place], one.saturated[place]
    if latency is None:
        return "saturated in every run"
    runs = f", saturated in {saturated} run{'s' if saturated > 1 else ''}" if saturated else ""
    return f"{latency:.2f} cycles{runs}"


def _begin(text: str) -> str:
    return text[0].upper() + text[1:]


def balancing_text(report: BalanceReport | None) -> str:
    """Say what balancing did to a set; empty without any."""
    if report is None or report.method is None:
        return ""
    done = "reweighted its" if report.method == "weights" else f"removed {report.removed:,} of its"
    sample = f", by a sample of {report.sampled_pairs:,} pairs" if report.sampled_pairs else ""
    usage = "; ".join(
        f"the busiest of the {kind} links {report.before[kind].max_over_mean:.3f} -> "
        f"{after.max_over_mean:.3f} times their mean"
        + " (less even)"
        * (after.max_over_mean > report.before[kind].max_over_mean + _EVEN)
        for kind, after in report.after.items()
        if not math.isnan(after.max_over_mean)
    )
    return f"Balancing {done} {report.paths_before:,} paths{sample}: {usage}."


def called(topology: Topology, expression: str, rule: UgalRule = PUBLISHED_RULE) -> str:
    """Return what sentences call a set, by the rule of those that name none."""
    if expression == topology.conventional_set:
        usual = "conventional UGAL" if rule == PUBLISHED_RULE else "the conventional set"
        return f"{usual} ({expression}){rule.by}"
    if expression == topology.published_set:
        return f"{_PUBLISHED} ({expression}){rule.by}"
    return f"{_TABLE_OF}{expression}"


def idle_notes(patterns: Iterable[Pattern], topology: Topology, seed: int) -> tuple[str, ...]:
    """Say of which patterns of a comparison some nodes do not send, in sentences."""
    return tuple(f"{line}." for line in idle_warnings(patterns, topology, seed))


def described_cases(patterns: Sequence[str]) -> str:
    """Say what was simulated of every set, given the pattern of each run."""
    different = len(set(patterns))
    told = f"{different} pattern{'' if different == 1 else 's'}"
    return told if different == len(patterns) else f"{len(patterns)} runs of {told}"
