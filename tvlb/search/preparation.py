"""The candidates of Step 2: path sets as they are, balanced by removal, or balanced by weights."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from io import BytesIO
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from tvlb.balance import (
    Balanced,
    BalancedSet,
    BalanceMethod,
    BalanceOptions,
    BalanceReport,
    KeptSet,
    KindUsage,
    ReweightedSet,
    WeightOptions,
    balance,
    balance_weights,
)
from tvlb.paths import PathSet, UgalRule, parse_expression
from tvlb.processes import Reporter, counter
from tvlb.processes.units import Unit, Units
from tvlb.search.simulation_units import NamedSet, balancing_fields
from tvlb.topology import Topology

_Fields = Mapping[str, Any]
_REPORT = "report"
_KEEP = "keep"
_FACTORS = "factors"


@dataclass(frozen=True, eq=False)
class Candidate:
    """A path set on its way through Step 2.

    Attributes
    ----------
    expression : the path set.
    path_set : what is simulated: balanced, or as it is.
    balanced : the outcome of balancing, None without.
    balancing : the settings of balancing, None without.
    seed : of the random fractions of the set, and of balancing.
    name : tells it from the others.
    ugal : the rule by which UGAL compares; None for what the settings of the routers say.
    """

    expression: str
    path_set: PathSet
    balanced: Balanced | None
    balancing: BalanceOptions | WeightOptions | None
    seed: int
    name: str
    ugal: UgalRule | None = None

    @classmethod
    def as_it_is(cls, path_set: PathSet, seed: int) -> "Candidate":
        """Return a set that nothing was done to."""
        return cls(str(path_set), path_set, None, None, seed, str(path_set))

    def named_by_form(self) -> "Candidate":
        """Return the same with a name that says how it was balanced, too."""
        return replace(self, name=f"{self.expression}, by {self.form}")

    def ruled(self, ugal: UgalRule | None) -> "Candidate":
        """Return the same paths with a rule, which the name tells."""
        name = self.name if self.ugal is None else self.name.removesuffix(f", {self.ugal}")
        return replace(self, name=name if ugal is None else f"{name}, {ugal}", ugal=ugal)

    @cached_property
    def mean_hops(self) -> float:
        """Mean hops of a path drawn from it; see `Balanced.mean_hops`."""
        return self.path_set.mean_hops() if self.balanced is None else self.balanced.mean_hops

    @property
    def form(self) -> BalanceMethod | None:
        """How it was balanced, None if it was not."""
        return None if self.balanced is None else self.balanced.report.method

    @property
    def named_set(self) -> NamedSet:
        """What is simulated."""
        return NamedSet(
            self.name, self.expression, self.path_set, self.seed, self.balancing, self.ugal
        )

    @property
    def balance_report(self) -> BalanceReport | None:
        """What balancing did, None without."""
        return None if self.balanced is None else self.balanced.report


def conventional(topology: Topology, seed: int) -> Candidate:
    """Return the set that every other is compared with."""
    return Candidate.as_it_is(parse_expression(topology.conventional_set, topology, seed), seed)


def prepare(
    topology: Topology,
    expressions: Sequence[str],
    balancing: BalanceOptions | WeightOptions | None,
    *,
    seed: int,
    units: Units,
    report: Reporter,
) -> tuple[Candidate, ...]:
    """Balance every candidate, or leave all as they are if `balancing` is None."""
    count = counter(report, "balance", len(expressions))
    if balancing is None:
        unchanged: list[Candidate] = []
        for expression in expressions:
            path_set = parse_expression(expression, topology, seed)
            unchanged.append(Candidate.as_it_is(path_set, seed))
            count()
        return tuple(unchanged)
    found = units.map(
        [BalanceUnit(topology, expression, balancing, seed) for expression in expressions], count
    )
    return tuple(
        Candidate(expression, balanced.path_set, balanced, balancing, seed, name=expression)
        for expression, balanced in zip(expressions, found, strict=True)
    )


@dataclass(frozen=True)
class BalanceUnit(Unit[Balanced]):
    """Balance one path set; the answer is which paths stay or what links weigh, and the report."""

    topology: Topology
    expression: str
    balancing: BalanceOptions | WeightOptions
    seed: int

    def key_fields(self) -> Mapping[str, object]:
        """See `Unit.key_fields`."""
        return {
            "unit": "balance",
            "network": self.topology.identity,
            "expression": self.expression,
            "balancing": balancing_fields(self.balancing),
            "seed": self.seed,
        }

    def compute(self) -> bytes:
        """See `Unit.compute`."""
        base = parse_expression(self.expression, self.topology, self.seed)
        if isinstance(self.balancing, WeightOptions):
            return _encoded(balance_weights(base, self.balancing))
        return _encoded(balance(base, self.balancing, seed=self.seed))

    def decode(self, data: bytes) -> Balanced:
        """See `Unit.decode`."""
        base = parse_expression(self.expression, self.topology, self.seed)
        arrays = _stored(data)
        fields = json.loads(arrays[_REPORT].tobytes())
        report = _decoded_report(fields["report"])
        if isinstance(self.balancing, WeightOptions):
            reweighted = ReweightedSet(base, arrays[_FACTORS], self.balancing.floor)
            return Balanced(reweighted, fields["mean_hops"], report)
        if _KEEP not in arrays:
            by_rule = BalancedSet(base, self.balancing, self.seed)
            return Balanced(by_rule, fields["mean_hops"], report)
        keep = np.unpackbits(arrays[_KEEP], count=report.paths_before).astype(bool)
        return Balanced(KeptSet(base, keep), fields["mean_hops"], report)


def _stored(data: bytes) -> Mapping[str, NDArray[Any]]:
    try:
        with np.load(BytesIO(data), allow_pickle=False) as stored:
            return dict(stored)
    except (EOFError, BadZipFile) as error:
        raise ValueError(f"not an archive of arrays: {error}") from error


def _encoded(found: Balanced) -> bytes:
    """Write JSON and bits; the JSON has Python's NaN, and its numbers come back to the last bit."""
    text = json.dumps({"mean_hops": found.mean_hops, "report": _report_fields(found.report)})
    arrays: dict[str, NDArray[Any]] = {_REPORT: np.frombuffer(text.encode(), dtype=np.uint8)}
    if found.keep is not None:
        arrays[_KEEP] = np.packbits(found.keep)
    if isinstance(found.path_set, ReweightedSet):
        arrays[_FACTORS] = found.path_set.factors
    stream = BytesIO()
    np.savez_compressed(stream, allow_pickle=False, **arrays)
    return stream.getvalue()


def _report_fields(report: BalanceReport) -> _Fields:
    usage = {
        when: {kind: _usage_fields(of_kind) for kind, of_kind in by_kind.items()}
        for when, by_kind in (("before", report.before), ("after", report.after))
    }
    return vars(report) | usage


def _usage_fields(usage: KindUsage) -> _Fields:
    return vars(usage) | {"quantiles": usage.quantiles.tolist()}


def _decoded_report(fields: _Fields) -> BalanceReport:
    usage: _Fields = {
        # Kept answers of before have the names in capitals.
        when: {name.lower(): _decoded_usage(of_kind) for name, of_kind in fields[when].items()}
        for when in ("before", "after")
    }
    return BalanceReport(**{**fields, **usage})


def _decoded_usage(fields: _Fields) -> KindUsage:
    quantiles: _Fields = {"quantiles": np.array(fields["quantiles"], dtype=np.float64)}
    return KindUsage(**{**fields, **quantiles})
