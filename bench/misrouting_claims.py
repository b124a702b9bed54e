"""The evaluation of the paper on ACOR, claim by claim, with the parameters of its Table 3.

    python -m bench.misrouting_claims --state FILE [--claims fig6,fig7...] [--h 6] [--seeds 3]
        [--cycles 3000+2000] [--workers 2]

Prints the figures that each claim is about, means over the seeds with 95% intervals, and what
holds. Every run is written to FILE as it ends and is not run again, so that a study may be stopped
and goes on where it was. Latency in cycles of a nanosecond, loads in phits/cycle/node.
"""

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim_bridge.routers.fog import FogConfig, FogScenario
from tvlb.statistics import MeanEstimate, estimate
from tvlb.topology import Dragonfly
from tvlb.traffic import parse_pattern

FIGURES = (
    "accepted",
    "latency_mean",
    "latency_network_mean",
    "local_hops_mean",
    "global_hops_mean",
    "misrouted",
    "unfairness",
)
SERIES = ("cycle", "generated_packets", "generated_latency_mean", "level_mean")
POLICIES = ("val-crg-gr", "val-crg-sw", "val-rrg-sw")
SEQUENCES = ("2la", "2lb", "3l")
LOADS = (0.1, 0.3, 0.5)
_LOW = (0.1, 0.3)
_PERM = "permutation(derangement)"
STEP = 4000  # cycle at which loads change; a cycle is a nanosecond
AFTER = 6000  # cycles from there to the end


@dataclass(frozen=True)
class Case:
    """A run but for its seed."""

    h: int
    routing: str
    pattern: str
    load: float
    warmup: int
    measured: int
    interval: int = 1000
    levels: int | None = None
    injection: int = 5040  # phits of an injection FIFO

    def run(self, seed: int) -> dict[str, Any]:
        """Simulate, and return the figures."""
        h = self.h
        topology = Dragonfly(h, 2 * h, h, 2 * h * h + 1, "palmtree")
        config = FogConfig(
            warmup_cycles=self.warmup,
            measured_cycles=self.measured,
            interval=self.interval,
            levels_group=self.levels,
            injection_buffer_phits=self.injection,
        )
        scenario = FogScenario(topology, self.routing, parse_pattern(self.pattern), seed)
        result = scenario.run(self.load, config)
        told: dict[str, Any] = {name: getattr(result, name) for name in FIGURES}
        told["switch_injected"] = result.switch_injected[: 2 * h].tolist()
        told["level_shares"] = dict(result.level_shares)
        if "step" in self.pattern:
            told |= {name: np.asarray(getattr(result.series, name)).tolist() for name in SERIES}
            if self.levels is not None:
                told["levels"] = np.asarray(result.series.levels).tolist()
        return told


class Study:
    """Runs that are kept in a file."""

    def __init__(self, state: Path, seeds: int, h: int, cycles: tuple[int, int], workers: int):
        self.h = h
        self.seeds = seeds
        self._cycles = cycles
        self._state = state
        self._lock = Lock()
        self._threads = ThreadPoolExecutor(workers)
        lines = state.read_text().splitlines() if state.exists() else []
        self._known = {one["key"]: one["told"] for one in map(json.loads, lines)}

    def case(self, routing: str, pattern: str, load: float, h: int | None = None) -> Case:
        """Return a run with the windows of the study."""
        return Case(h or self.h, routing, pattern, load, *self._cycles)

    def told(self, case: Case) -> list[dict[str, Any]]:
        """Return what every seed tells."""

        def run(seed: int) -> dict[str, Any]:
            return self._one(case, seed)

        return list(self._threads.map(run, range(1, self.seeds + 1)))

    def searched(self, cases: Sequence[Case]) -> list[dict[str, Any]]:
        """Return what each of some cases tells by a seed that no figure has."""

        def run(case: Case) -> dict[str, Any]:
            return self._one(case, 0)

        return list(self._threads.map(run, cases))

    def _one(self, case: Case, seed: int) -> dict[str, Any]:
        key = f"{case} {seed}"
        if key not in self._known:
            told = case.run(seed)
            with self._lock:
                self._known[key] = told
                with self._state.open("a") as file:
                    file.write(json.dumps({"key": key, "told": told}) + "\n")
        return self._known[key]

    def mean(
        self, figure: str, routing: str, pattern: str, load: float, **more: int
    ) -> MeanEstimate:
        """Return a figure over the seeds, with its interval."""
        runs = self.told(self.case(routing, pattern, load, **more))
        return estimate([float(run[figure]) for run in runs])

    def table(
        self,
        figure: str,
        routings: Sequence[str],
        points: Sequence[tuple[str, float]],
        **more: int,
    ) -> dict[tuple[str, str, float], float]:
        """Print a figure of routings at points of (pattern, load), and return the means."""
        found: dict[tuple[str, str, float], float] = {}
        for routing in routings:
            cells: list[str] = []
            for pattern, load in points:
                one = self.mean(figure, routing, pattern, load, **more)
                found[routing, pattern, load] = one.mean
                cells.append(f"{pattern} {load:g}: {one.mean:.4g} +- {one.half_width():.2g}")
            print(f"  {figure} {routing} | {' | '.join(cells)}", flush=True)
        return found


def say(claim: str, holds: bool, detail: str) -> None:
    """Print a verdict."""
    print(f"  {'so' if holds else 'NOT SO'}: {claim} ({detail})", flush=True)


def adversaries(study: Study) -> tuple[str, ...]:
    """Return the three adversarial patterns of the figures."""
    return ("advr(1)", "advc", f"advr({study.h})")


def windows(study: Study) -> None:
    """Whether windows are long enough: the same with thrice both."""
    for routing, pattern, load in (
        ("acor-switch(3l)", "advr(1)", 0.1),
        ("pb-acor(3l)", "advr(1)", 0.3),
        ("val-rrg-sw", "advr(1)", 0.5),
    ):
        usual = study.case(routing, pattern, load)
        longer = replace(usual, warmup=3 * usual.warmup, measured=3 * usual.measured)
        for figure in ("latency_mean", "accepted"):
            short, long = (
                estimate([float(run[figure]) for run in study.told(one)]).mean
                for one in (usual, longer)
            )
            say(f"{figure} of {routing} at {load:g} of {pattern} is settled",
                abs(long / short - 1) < 0.02, f"{short:.4g}, {long:.4g}")  # fmt: skip


def fig4(study: Study) -> None:
    """Restricted Valiant and Piggyback on ADVl."""
    routings = ("min", "val-rrg-sw(rval=0)", "val-rrg-sw", "pb(rval=0)", "pb")
    low = study.table("latency_mean", routings, [("advl", 0.1)])
    high = study.table("accepted", routings, [("advl", 1.0)])
    top = {name: high[name, "advl", 1.0] for name in routings}
    p = study.h
    say("MIN delivers 1/p", abs(top["min"] - 1 / p) < 0.02, f"{top['min']:.3f}, 1/p {1 / p:.3f}")
    say("VAL and PB near .5", max(abs(top[n] - 0.5) for n in ("val-rrg-sw(rval=0)", "pb(rval=0)"))
        < 0.1, f"{top['val-rrg-sw(rval=0)']:.3f}, {top['pb(rval=0)']:.3f}")  # fmt: skip
    say("RVAL and RPB near 1", min(top["val-rrg-sw"], top["pb"]) > 0.9,
        f"{top['val-rrg-sw']:.3f}, {top['pb']:.3f}")  # fmt: skip
    fewer = [low[f"{n}(rval=0)", "advl", 0.1] > low[n, "advl", 0.1] for n in ("val-rrg-sw", "pb")]
    say("restricting lowers base latency", all(fewer), "load .1")


def fig5(study: Study) -> None:
    """Recomputation."""
    patterns = ("uniform(others)", *adversaries(study), "advl", "hot", "permutation(derangement)")
    study.table("latency_mean", ("min",), [(one, 0.3) for one in patterns])
    study.table("accepted", ("min",), [(one, 1.0) for one in patterns])
    for policy in ("val-rrg-sw", "pb"):
        pair = (f"{policy}(recompute=0)", policy)
        low = study.table("latency_mean", pair, [(one, 0.3) for one in patterns])
        top = study.table("accepted", pair, [(one, 1.0) for one in patterns])
        for pattern in patterns:
            before, after = (low[name, pattern, 0.3] for name in pair)
            say(
                f"{policy}: lower latency on {pattern}",
                after < before,
                f"{before:.0f} to {after:.0f}",
            )
            before, after = (top[name, pattern, 1.0] for name in pair)
            wanted = after < before if pattern.startswith("perm") else after >= before
            word = "less" if pattern.startswith("perm") else "no less"
            say(f"{policy}: {word} throughput on {pattern}", wanted, f"{before:.3f} to {after:.3f}")


def caps(study: Study) -> None:
    """Section 2.3: what pathological patterns do to short detours."""
    h = study.h
    low = study.mean("accepted", "min", "advr(1)", 0.1).mean
    say("MIN carries 1/(2 h^2) on ADV", abs(low * 2 * h * h - 1) < 0.05, f"{low:.4f}")
    worst = f"advr({h})"
    top = study.table("accepted", (*POLICIES, "val-rrg-gr"), [(worst, 0.5), ("advc", 0.5)])
    capped = [top[name, worst, 0.5] for name in ("val-crg-gr", "val-rrg-gr")]
    say(
        "gr is capped near 1/h on ADV+h",
        abs(max(capped) * h - 1) < 0.3,
        ", ".join(f"{x:.3f}" for x in capped),
    )


def _curves(study: Study, acor: str) -> Mapping[tuple[str, str, float], float]:
    patterns = ("uniform(others)", *adversaries(study))
    points = [(pattern, load) for pattern in patterns for load in LOADS]
    routings = (*POLICIES, *(f"{acor}({one})" for one in SEQUENCES))
    latency = study.table("latency_mean", routings, points)
    top = study.table("accepted", routings, [(one, 0.5) for one in patterns])
    base = [latency[name, "uniform(others)", 0.1] for name in POLICIES]
    say(
        "base latency CRG-Gr < CRG-Sw < RRG-Sw", base == sorted(base), str([round(x) for x in base])
    )
    for pattern in adversaries(study):
        val = latency["val-rrg-sw", pattern, 0.1]
        middle = [latency[name, pattern, 0.3] for name in POLICIES]
        print(f"  latency of the policies at .3 on {pattern}: {[round(x) for x in middle]}")
        gains = {one: 1 - latency[f"{acor}({one})", pattern, 0.1] / val for one in SEQUENCES}
        told = ", ".join(f"{one} {100 * gain:.1f}%" for one, gain in gains.items())
        say(f"{acor}: below VAL at .1 on {pattern}", min(gains.values()) > 0, told)
        least = min(top[f"{acor}({one})", pattern, 0.5] for one in SEQUENCES)
        say(f"{acor}: competitive with RRG-Sw on {pattern}",
            least > 0.95 * top["val-rrg-sw", pattern, 0.5],
            f"{least:.3f} beside {top['val-rrg-sw', pattern, 0.5]:.3f}")  # fmt: skip
    return top


def fig6(study: Study) -> None:
    """ACOR per packet."""
    top = _curves(study, "acor-packet")
    worst = f"advr({study.h})"
    found = {one: top[f"acor-packet({one})", worst, 0.5] for one in SEQUENCES}
    say("2lb is best on ADV+h", max(found, key=lambda one: found[one]) == "2lb", str(found))


def fig7(study: Study) -> None:
    """ACOR per switch."""
    _curves(study, "acor-switch")


def fig8(study: Study) -> None:
    """Load of each switch of group 0 on ADVc.

    Injection FIFOs have 10 packets: behind the paper's 504 nodes that wait with a tenth of their
    load still generate all of it for 100,000 cycles.
    """
    for routing in (*POLICIES, *(f"acor-switch({one})" for one in SEQUENCES)):
        runs = study.told(Case(study.h, routing, "advc", 0.5, 16_000, 8000, injection=100))
        by_switch = np.array([run["switch_injected"] for run in runs])
        mean = by_switch.mean(axis=0)
        print(f"  {routing}: " + " ".join(f"{one:.3f}" for one in mean), flush=True)
        flat = [float(one.min() / one.max()) for one in by_switch]
        uneven = "crg" in routing
        word = "uneven" if uneven else "flat"
        least = float(mean.min() / mean.max())
        say(f"{routing} is {word}", (least < 0.95) == uneven,
            f"least over most {least:.3f}, by seed {min(flat):.3f} to {max(flat):.3f}")  # fmt: skip


_STEPS = ((0.05, 0.25), (0.25, 0.05))
_INTERVALS = (125, 250, 500, 1000)


def _stepped(study: Study, routing: str, low: float, high: float) -> list[dict[str, Any]]:
    pattern = f"step(advr({study.h}),{STEP},{high})"
    return study.told(Case(study.h, routing, pattern, low, 0, STEP + AFTER, 125, 0))


def _latency_course(
    runs: Sequence[dict[str, Any]],
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return cycles of intervals and latency by generation; not all of the last are delivered."""
    cycle = np.array(runs[0]["cycle"], dtype=np.int64)
    shown = cycle < STEP + AFTER - 1500
    packets, means = (np.array([run[one] for run in runs])[:, shown] for one in SERIES[1:3])
    latency: NDArray[np.float64] = (packets * means).sum(axis=0) / packets.sum(axis=0)
    return cycle[shown], latency


def fig9(study: Study) -> None:
    """Latency while the load changes: 5% to 25% of ADV+h and back."""
    for low, high in _STEPS:
        ends: dict[str, float] = {}
        peaks: list[float] = []
        for routing in (*POLICIES, *(f"acor-switch(3l,hi={one})" for one in _INTERVALS)):
            cycle, latency = _latency_course(_stepped(study, routing, low, high))
            last = float(latency[cycle >= STEP + 3000].mean())
            late = cycle[(np.abs(latency - last) > 0.1 * last) & (cycle >= STEP)]
            steady = int(late.max() - STEP + 125) if len(late) else 0
            peak = float(np.nanmax(latency[cycle >= STEP]))
            name = f"{routing} {low:g} to {high:g}"
            before = float(latency[cycle < STEP][-4:].mean())
            ends[routing] = last
            print(f"  {name}: latency {before:.0f}, peak {peak:.0f}, then {last:.0f}", flush=True)
            if routing not in POLICIES:
                peaks.append(peak)
                say(f"{name}: steady within 2,000 cycles", steady <= 2000, f"{steady}")
        best = min(ends[one] for one in POLICIES)
        usual = ends["acor-switch(3l,hi=500)"]
        say(f"{low:g} to {high:g}: then at the best policy", usual < 1.05 * best,
            f"{usual:.0f} beside {best:.0f}")  # fmt: skip
        if high > low:
            say("higher peaks with short intervals", peaks == sorted(peaks, reverse=True),
                str([round(one) for one in peaks]))  # fmt: skip


def fig10(study: Study) -> None:
    """Levels of the switches of group 0 in the same runs."""
    for hysteresis in _INTERVALS:
        for low, high in _STEPS:
            runs = _stepped(study, f"acor-switch(3l,hi={hysteresis})", low, high)
            cycle = np.array(runs[0]["cycle"], dtype=np.int64)
            # (steps, seeds * switches)
            level = np.concatenate([np.array(run["levels"]) for run in runs], axis=1)
            start, end = (
                level[(cycle >= since) & (cycle < since + 1000)].mean(axis=0)
                for since in (STEP - 1000, STEP + 4000)
            )
            rising = 1 if high > low else -1
            changes = (end - start) * rising > 0.5
            moved = ((level - start) * rising > 0.5) & (cycle >= STEP)[:, None]
            did = cycle[moved.argmax(axis=0)][changes] - STEP + 125
            most = 1000 if high > low else 500
            name = f"hi={hysteresis} {low:g} to {high:g}"
            print(f"  {name}: mean level {start.mean():.2f} to {end.mean():.2f}; "
                  f"{len(did)} of {len(changes)} switches change theirs", flush=True)  # fmt: skip
            if len(did):
                say(f"{name}: all of them within {most} cycles", did.max() <= most,
                    f"median {np.median(did):.0f}, last {did.max()}")  # fmt: skip


def fig11(study: Study) -> None:
    """Increase and decrease thresholds."""
    points = [(pattern, load) for pattern in ("advr(1)", f"advr({study.h})") for load in (0.2, 0.4)]
    routings = [f"acor-switch(3l,it1={it1},it2={it2})" for it1 in (5, 15, 25) for it2 in (100, 500)]
    found = study.table("latency_mean", routings, points)
    eager, usual, slow = (
        [found[f"acor-switch(3l,it1={it1},it2=500)", *one] for one in points] for it1 in (5, 15, 25)
    )
    say("low IT1 raises latency", max(a / b for a, b in zip(eager, usual, strict=True)) > 1.02,
        ", ".join(f"{a / b:.3f}" for a, b in zip(eager, usual, strict=True)))  # fmt: skip
    say("IT1 = 25 congests", max(a / b for a, b in zip(slow, usual, strict=True)) > 1.1,
        ", ".join(f"{a / b:.3f}" for a, b in zip(slow, usual, strict=True)))  # fmt: skip


def fig12(study: Study) -> None:
    """Decrease thresholds."""
    points = [(pattern, load) for pattern in ("advr(1)", f"advr({study.h})") for load in (0.2, 0.4)]
    routings = [f"acor-switch(3l,dt1={dt1},dt2={dt2})" for dt1 in (1, 5, 10) for dt2 in (15, 50)]
    found = study.table("latency_mean", routings, points)
    usual, other, low = (
        [found[f"acor-switch(3l,dt1={dt1},dt2={dt2})", *one] for one in points]
        for dt1, dt2 in ((5, 15), (5, 50), (1, 15))
    )
    apart = max(abs(a / b - 1) for a, b in zip(usual, other, strict=True))
    say("DT2 matters little", apart < 0.05, f"at most {100 * apart:.1f}% apart")
    told = ", ".join(f"{a / b:.3f}" for a, b in zip(low, usual, strict=True))
    print(f"  latency with DT1 = 1 over that with 5: {told}")


def _thresholds(study: Study, h: int) -> str:
    """Search for thresholds one after the other, and return the best sequence by them.

    Judged by the latency over that of the best fixed policy, the mean of four points, of one seed.
    """
    points = [(pattern, load) for pattern in ("advr(1)", f"advr({h})") for load in (0.2, 0.4)]

    def latencies(routing: str) -> list[float]:
        cases = [study.case(routing, *point, h=h) for point in points]
        return [float(one["latency_mean"]) for one in study.searched(cases)]

    best = np.min([latencies(one) for one in POLICIES], axis=0)
    kept = {"it1": 15, "it2": 500, "dt1": 5}
    for key, values in (("it1", (8, 15, 25)), ("dt1", (2, 5, 8)), ("it2", (200, 500, 1000))):
        scores: dict[int, float] = {}
        for value in values:
            told = ",".join(f"{k}={v}" for k, v in (kept | {key: value}).items())
            scores[value] = float((np.array(latencies(f"acor-switch(3l,{told})")) / best).mean())
        kept[key] = min(scores, key=lambda value: scores[value])
        print(
            f"  h {h}: {key} " + ", ".join(f"{k}: {v:.3f}" for k, v in scores.items()), flush=True
        )
    return "acor-switch(3l," + ",".join(f"{k}={v}" for k, v in kept.items()) + ")"


def fig13(study: Study) -> None:
    """Other sizes: 1,056 and 16,512 nodes, by thresholds of their own."""
    for h in (4, 8):
        acor = _thresholds(study, h)
        points = [
            (pattern, load) for pattern in ("advr(1)", f"advr({h})") for load in (0.1, 0.2, 0.4)
        ]
        found = study.table("latency_mean", (*POLICIES, acor), points, h=h)
        for pattern, load in points:
            own = found[acor, pattern, load]
            best = min(POLICIES, key=lambda one: found[one, pattern, load])
            say(f"h {h}, {pattern} {load:g}: at the best policy or RRG-Sw",
                own < 1.05 * max(found[best, pattern, load], found["val-rrg-sw", pattern, load]),
                f"{own:.0f}, {best} {found[best, pattern, load]:.0f}")  # fmt: skip
        for pattern in ("advr(1)", f"advr({h})"):
            low = found[acor, pattern, 0.1], found["val-crg-gr", pattern, 0.1]
            say(f"h {h}, {pattern}: CRG-Gr at low load", low[0] < 1.02 * low[1],
                f"{low[0]:.0f}, {low[1]:.0f}")  # fmt: skip


def fig14(study: Study) -> None:
    """Piggyback with ACOR."""
    acor = [f"pb-acor({one})" for one in SEQUENCES]
    points = [(pattern, load) for pattern in adversaries(study) for load in (0.1, 0.3)]
    found = study.table("latency_mean", ("pb", *acor), points)
    for pattern in adversaries(study):
        gains = [1 - found[one, pattern, 0.1] / found["pb", pattern, 0.1] for one in acor]
        say(f"16.5% to 25.5% below PB at .1 on {pattern}", 0.15 <= max(gains) <= 0.27,
            ", ".join(f"{100 * one:.1f}%" for one in gains))  # fmt: skip
    uniform = [("uniform(others)", load) for load in (0.1, 0.5, 0.75)]
    found = study.table("latency_mean", ("min", "pb", *acor), uniform)
    for _, load in uniform:
        base = found["min", "uniform(others)", load]
        over = [found[one, "uniform(others)", load] / base - 1 for one in ("pb", *acor)]
        say(f"UN {load:g}: PB-ACOR near MIN, PB above it", max(over[1:]) < 0.05 < over[0],
            ", ".join(f"{100 * one:.1f}%" for one in over))  # fmt: skip
    top = study.table("accepted", ("pb", *acor), [(one, 0.6) for one in adversaries(study)])
    for pattern in adversaries(study):
        all_ = [top[one, pattern, 0.6] for one in ("pb", *acor)]
        say(f"equal saturation on {pattern}", min(all_[1:]) > 0.95 * all_[0],
            ", ".join(f"{one:.3f}" for one in all_))  # fmt: skip


def _elsewhere(
    study: Study, pattern: str, routings: Sequence[str]
) -> tuple[Mapping[tuple[str, str, float], float], Mapping[str, float]]:
    """Return latency at .1 and .3, and what is accepted of .6."""
    points = [(pattern, load) for load in _LOW]
    low = study.table("latency_mean", routings, points)
    top = study.table("accepted", routings, [(pattern, 0.6)])
    say(f"{pattern}: MIN has the lowest base latency",
        min(routings, key=lambda one: low[one, pattern, 0.1]) == "min", "load .1")  # fmt: skip
    return low, {one: top[one, pattern, 0.6] for one in routings}


def fig15(study: Study) -> None:
    """ACOR with hot regions and permutations."""
    acor = [f"acor-switch({one})" for one in SEQUENCES]
    routings = ("min", *POLICIES, *acor)
    low, top = _elsewhere(study, "hot", routings)
    best = [low["val-crg-gr", "hot", load] for load in _LOW]
    say("HOT: CRG-Gr is best of Valiant's",
        all(best[i] == min(low[one, "hot", load] for one in POLICIES)
            for i, load in enumerate(_LOW))
        and top["val-crg-gr"] == max(top[one] for one in POLICIES),
        ", ".join(f"{one} {top[one]:.3f}" for one in POLICIES))  # fmt: skip
    over = [low["acor-switch(3l)", "hot", load] / best[i] - 1 for i, load in enumerate(_LOW)]
    say("HOT: 3l close to CRG-Gr", max(over) < 0.05,
        ", ".join(f"{100 * one:.1f}%" for one in over))  # fmt: skip
    low, top = _elsewhere(study, _PERM, routings)
    sw, gr = top["val-crg-sw"], top["val-crg-gr"]
    say("PERM: CRG-Sw saturates below CRG-Gr", sw < gr, f"{sw:.3f}, {gr:.3f}")
    say("PERM: so does RRG-Sw", top["val-rrg-sw"] < gr, f"{top['val-rrg-sw']:.3f}")
    with_it = [top[f"acor-switch({one})"] for one in ("2lb", "3l")]
    say("PERM: 2lb and 3l with it", max(with_it) < gr, ", ".join(f"{x:.3f}" for x in with_it))
    slope = [study.mean("accepted", "min", _PERM, x).mean / x for x in (0.2, 0.3, 0.5)]
    say("PERM: MIN bends from 30%", slope[0] > 0.99 > slope[2],
        ", ".join(f"{x:.3f}" for x in slope))  # fmt: skip


def fig16(study: Study) -> None:
    """Piggyback with ACOR with hot regions and permutations."""
    acor = [f"pb-acor({one})" for one in SEQUENCES]
    for pattern in ("hot", _PERM):
        low, top = _elsewhere(study, pattern, ("min", "pb", *acor))
        for load in _LOW:
            base, pb, *own = (low[one, pattern, load] for one in ("min", "pb", *acor))
            say(f"{pattern} {load:g}: PB-ACOR below PB and close to MIN",
                max(own) < 0.97 * pb and max(own) < 1.1 * base,
                f"{base:.0f}, {pb:.0f}, {', '.join(f'{x:.0f}' for x in own)}")  # fmt: skip
        all_ = [top[one] for one in ("pb", *acor)]
        say(f"{pattern}: all adaptive ones saturate alike", min(all_) > 0.95 * max(all_),
            ", ".join(f"{x:.3f}" for x in all_))  # fmt: skip


def ranking(study: Study) -> None:
    """Rank as in section 8: sequences, management, PB-ACOR."""
    loads = (0.1, 0.15, 0.2, 0.3)
    three, two, packet = "acor-switch(3l)", "acor-switch(2lb)", "acor-packet(2lb)"
    # Its one step by the thresholds that 3l has for the same one.
    late = "acor-switch(2lb,it1=500,dt1=15)"
    rivals = (three, two, late, packet)
    for pattern in adversaries(study):
        found = study.table("latency_mean", rivals, [(pattern, load) for load in loads])
        for other, word in ((two, "2lb"), (late, "late 2lb"), (packet, "2lb per packet")):
            over = [found[other, pattern, one] / found[three, pattern, one] - 1 for one in loads]
            told = ", ".join(f"{100 * one:+.1f}%" for one in over)
            say(f"{word} above 3l below .15 on {pattern}", over[0] > 0.03, told)
            say(f"{word} like 3l beyond .15 on {pattern}", max(over[2:]) < 0.03, told)
    every = (*POLICIES, *(f"acor-{kind}({one})" for kind in ("packet", "switch")
             for one in SEQUENCES), "pb", *(f"pb-acor({one})" for one in SEQUENCES))  # fmt: skip
    points = [("uniform(others)", 0.1), ("uniform(others)", 0.5),
              *((one, load) for one in adversaries(study) for load in (0.1, 0.3))]  # fmt: skip
    found = {(name, *point): study.mean("latency_mean", name, *point).mean
             for name in every for point in points}  # fmt: skip
    for point in points:
        best = min(every, key=lambda one: found[one, *point])
        own = found["pb-acor(3l)", *point]
        say(f"PB-ACOR 3l is best at {point[1]:g} of {point[0]}", own < 1.02 * found[best, *point],
            f"{own:.0f}, {best} {found[best, *point]:.0f}")  # fmt: skip
    worst = {name: max(found[name, *point] / min(found[one, *point] for one in every)
                       for point in points) for name in every}  # fmt: skip
    say("PB-ACOR 3l is never far above the best", min(worst, key=lambda one: worst[one])
        == "pb-acor(3l)", "least of the most above it of any point")  # fmt: skip
    print("  most above the best of a point: "
          + ", ".join(f"{name} {100 * (one - 1):.0f}%" for name, one in worst.items()))  # fmt: skip


CLAIMS: Mapping[str, Callable[[Study], None]] = {
    one.__name__: one
    for one in (
        windows, caps, fig4, fig5, fig6, fig7, fig8, fig9, fig10, fig11, fig12, fig13, fig14, fig15,
        fig16, ranking,
    )
}  # fmt: skip


def main() -> None:
    """Print what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--state", type=Path, required=True)
    parser.add_argument("--claims", default=",".join(CLAIMS))
    parser.add_argument("--h", type=int, default=6)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--cycles", default="3000+2000")
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    warmup, measured = map(int, given.cycles.split("+"))
    study = Study(given.state, given.seeds, given.h, (warmup, measured), given.workers)
    for name in given.claims.split(","):
        told = CLAIMS[name].__doc__ or ""
        print(f"{name}: {told.splitlines()[0]}", flush=True)
        CLAIMS[name](study)


if __name__ == "__main__":
    main()
