"""Rows of tests/data/acor*.csv: what to run, and how far figures may be off."""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sim_bridge.routers.fog import FogConfig, FogResult, FogScenario
from tvlb.topology import Dragonfly
from tvlb.traffic import parse_pattern

_DATA = Path(__file__).parent / "data"
LEVELS = ("crg-gr", "crg-sw", "rrg-sw")
# Where less was offered or accepted than these shares, a full injection buffer held back the rest.
_OFFERED, _ACCEPTED = 0.97, 0.99
_NEAR = 1.5  # times the latency at the lowest load: near saturation
_BASE_LOAD = 0.1
_MIXED = 0.95  # below this largest share two levels of switches mix
_ERRORS = 3.0  # standard errors of a difference
_AFTER_STEP = 1000  # cycles in which a run is on its way
_SMALL = FogConfig(preset="small")


@dataclass(frozen=True)
class Deviation:
    """A figure of a row beside ours: shares by their difference, others by its part of the row's.

    Attributes
    ----------
    found : mean over the seeds.
    off, allowed : deviation, and the largest one by the figure's own tolerance.
    errors : standard errors of the difference from seed to seed that it is.
    """

    name: str
    told: float
    found: float
    off: float
    allowed: float
    errors: float

    @property
    def is_within(self) -> bool:
        """Whether it is within its tolerance."""
        return abs(self.off) <= self.allowed

    @property
    def passes(self) -> bool:
        """Whether it is within its tolerance, or no more than noise."""
        return self.is_within or abs(self.errors) <= _ERRORS

    @classmethod
    def of(
        cls,
        name: str,
        told: tuple[float, float, int],
        ours: Sequence[float],
        allowed: float,
        *,
        is_share: bool = False,
    ) -> "Deviation":
        """Compare with a mean, its deviation from seed to seed (0: not told) and its seeds."""
        mean, deviation, seeds = told
        found = float(np.mean(ours))
        largest = max(deviation, float(np.std(ours, ddof=1)))
        error = largest * float(np.sqrt(1 / seeds + 1 / len(ours)))
        off = found - mean
        errors = 0.0 if off == 0.0 else off / error if error > 0.0 else float("inf")
        return cls(name, mean, found, off if is_share else off / mean, allowed, errors)


@dataclass(frozen=True)
class Row:
    """Runs of the peer, summed up."""

    given: Mapping[str, str]

    def __str__(self) -> str:
        return f"dfly({self._network}) {self.routing} {self.pattern} {self.given['load']}"

    def number(self, name: str) -> float:
        """Return a figure, NaN where there is none."""
        return float(self.given[name] or "nan")

    @property
    def is_saturated(self) -> bool:
        """Whether less was offered or accepted than nodes had."""
        offered = self.number("offered")
        return (
            offered < _OFFERED * self.number("load")
            or self.number("accepted") < _ACCEPTED * offered
        )

    @property
    def load(self) -> float:
        """What to offer, phits/cycle and node."""
        return self.number("load" if self.is_saturated else "offered")

    @property
    def routing(self) -> str:
        """In the words of `tvlb simulate`."""
        given = self.given
        name = given["routing"]
        words: list[str] = []
        for policy in ("acor-packet", "acor-switch", "pb-acor"):
            if name.startswith(f"{policy}-"):
                words.append(name.removeprefix(f"{policy}-"))
                name = policy
        keys = ["hi", "it1", "it2", "dt1", "dt2", "cg", "tg"]
        if name != "min" and not words:
            keys += ["rval", "recompute"]
        words += [f"{key}={given[key]}" for key in keys if given[key]]
        return f"{name}({','.join(words)})" if words else name

    @property
    def pattern(self) -> str:
        """In the words of `tvlb simulate`."""
        return pattern_of(self.given["pattern"])

    @property
    def _network(self) -> str:
        given = self.given
        p, a, h = (int(given[name]) for name in "pah")
        return f"{p},{a},{h},{a * h + 1},{given['arrangement']}"

    @property
    def scenario(self) -> FogScenario:
        """Network, routing and traffic."""
        return FogScenario(network_of(self.given), self.routing, parse_pattern(self.pattern))

    @property
    def config(self) -> FogConfig:
        """Router and window."""
        given = self.given
        return FogConfig(
            warmup_cycles=int(given["warmup"]),
            measured_cycles=int(given["measured"]),
            packet_phits=int(given["packet"]),
            speedup=int(given["speedup"]),
            rounds=int(given["iters"]),
            crossbar_latency=int(given["xbar"]),
            local_latency=int(given["lat_local"]),
            global_latency=int(given["lat_global"]),
            local_buffer_phits=int(given["buf_local"]),
            global_buffer_phits=int(given["buf_global"]),
            output_buffer_phits=int(given["buf_out"]),
            injection_buffer_phits=int(given["buf_inj"]),
            arbiter=given["arb"],
        )

    @property
    def is_near_saturation(self) -> bool:
        """Whether latency is well above that of the same runs at the lowest load there is."""
        same = ("p", "a", "h", "routing", "recompute", "rval", "pattern", "xbar")
        alike = [one for one in read_rows() if all(one.given[n] == self.given[n] for n in same)]
        base = min(alike, key=lambda one: one.number("load"))
        return self.number("lat_total") > _NEAR * base.number("lat_total")

    @property
    def has_mixed_levels(self) -> bool:
        """Whether switches are on several levels, and drift between them."""
        shares = [self.number(f"lvl_{one.replace('-', '_')}") / 100 for one in LEVELS]
        return "packet" not in self.given["routing"] and np.nanmax([*shares, 0.0]) < _MIXED

    def deviations(self, runs: Sequence[FogResult]) -> list[Deviation]:
        """Compare with runs of several seeds."""
        seeds = int(self.given["seeds"])

        def compared(name: str, column: str, allowed: float) -> Deviation:
            spread = float(self.given.get(f"{column}_sd") or 0.0)
            ours = [float(getattr(run, name)) for run in runs]
            is_share = name == "misrouted"
            told = self.number(column), spread, seeds
            return Deviation.of(name, told, ours, allowed, is_share=is_share)

        found = [compared("accepted", "accepted", 0.03)]
        if self.is_saturated:
            return found
        latency = 0.05 if self.is_near_saturation else 0.02
        found += [
            compared("latency_mean", "lat_total", latency),
            compared("latency_network_mean", "lat_net", latency),
        ]
        for kind in ("local", "global"):
            if self.number(f"hops_{kind}") > 0.0:
                found.append(compared(f"{kind}_hops_mean", f"hops_{kind}", 0.02))
        if self.given["misrouted"]:
            found.append(compared("misrouted", "misrouted", 0.02))
        for level in LEVELS:
            told = self.number(f"lvl_{level.replace('-', '_')}") / 100
            if not np.isnan(told):
                ours = [run.level_shares.get(level, 0.0) for run in runs]
                allowed = 0.25 if self.has_mixed_levels else 0.10
                found.append(Deviation.of(level, (told, 0.0, seeds), ours, allowed, is_share=True))
        return found


@dataclass(frozen=True)
class Step:
    """Runs of the peer in which the load changes, by cycle of generation."""

    rows: tuple[Mapping[str, str], ...]

    def __str__(self) -> str:
        given = self.rows[0]
        return f"{given['routing']} {given['pattern']} {given['load']} to {given['load2']}"

    @property
    def load(self) -> float:
        """Offered first."""
        return float(self.rows[0]["load"])

    @property
    def scenario(self) -> FogScenario:
        """Network, routing and traffic."""
        given = self.rows[0]
        routing = Row({**_NO_KEYS, **given}).routing
        pattern = f"step({pattern_of(given['pattern'])},{given['step_cycle']},{given['load2']})"
        return FogScenario(network_of(given), routing, parse_pattern(pattern))

    @property
    def config(self) -> FogConfig:
        """Router and window: from the start, until the packets of the last bin are delivered."""
        last = self.rows[-1]
        end = int(last["bin_start"]) + int(last["bin_cycles"])
        return replace(
            _SMALL, warmup_cycles=0, measured_cycles=2 * end, interval=int(last["bin_cycles"])
        )

    def deviations(self, runs: Sequence[FogResult]) -> list[Deviation]:
        """Compare each bin with runs of several seeds; the peer tells no deviations."""
        found: list[Deviation] = []
        for row in self.rows:
            start, step = int(row["bin_start"]), int(row["step_cycle"])
            ours = [float(_bin(run, start)) for run in runs]
            allowed = 0.15 if step <= start < step + _AFTER_STEP else 0.06
            told = float(row["lat_total"]), 0.0, int(row["seeds"])
            found.append(Deviation.of(f"from {start}", told, ours, allowed))
        return found


def _bin(run: FogResult, start: int) -> float:
    cycles: NDArray[np.int64] = run.series.cycle
    return run.series.generated_latency_mean[int(np.searchsorted(cycles, start))]


_NO_KEYS = dict.fromkeys(("hi", "it1", "it2", "dt1", "dt2", "cg", "tg", "rval", "recompute"), "")


def pattern_of(text: str) -> str:
    """Return a pattern of the peer in the words of `tvlb simulate`."""
    if text.startswith("adv+"):
        return f"advr({text.removeprefix('adv+')})"
    return {"un": "uniform(others)", "perm": "permutation(derangement)"}.get(text, text)


@cache
def _dragonfly(p: int, a: int, h: int, arrangement: str) -> Dragonfly:
    return Dragonfly(p, a, h, a * h + 1, arrangement)


def network_of(given: Mapping[str, str]) -> Dragonfly:
    """Return the network of a row."""
    return _dragonfly(int(given["p"]), int(given["a"]), int(given["h"]), given["arrangement"])


@cache
def read_rows() -> tuple[Row, ...]:
    """Read all rows of steady load."""
    with (_DATA / "acor.csv").open() as stream:
        return tuple(Row(row) for row in csv.DictReader(stream))


def read_steps() -> list[Step]:
    """Read all rows of changing loads, one for each run."""
    named: dict[tuple[str, ...], list[Mapping[str, str]]] = {}
    with (_DATA / "acor_transient.csv").open() as stream:
        for row in csv.DictReader(stream):
            key = tuple(row[name] for name in ("routing", "pattern", "load", "load2"))
            named.setdefault(key, []).append(row)
    return [Step(tuple(rows)) for rows in named.values()]
