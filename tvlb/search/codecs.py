"""How the results of the stages are kept: figures as JSON, removed paths as numpy arrays.

JSON here has Python's NaN, and its numbers come back to the last bit.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import asdict
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tvlb.balance import Balanced, BalancedSet, BalanceOptions, BalanceReport, KindUsage
from tvlb.paths import PathSet, RowSet, parse_expression
from tvlb.search.checkpoint import Codec
from tvlb.search.figures import Figures
from tvlb.search.preparation import Candidate, Preparation
from tvlb.search.probe import ProbePoint, ProbeResult
from tvlb.search.sampling import Sample
from tvlb.search.work import Work
from tvlb.topology import Dragonfly, LinkKind

__all__ = ["PROBE", "figures_codec", "preparation_codec"]

_Fields = Mapping[str, Any]
_Arrays = dict[str, NDArray[Any]]

_DOCUMENT = "document"


def _encode_probe(result: ProbeResult) -> bytes:
    return json.dumps(asdict(result)).encode()


def _decode_probe(data: bytes) -> ProbeResult:
    fields = json.loads(data)
    sample = fields["sample"]
    return ProbeResult(
        points=tuple(ProbePoint(**point) for point in fields["points"]),
        strategic=tuple(ProbePoint(**point) for point in fields["strategic"]),
        best=fields["best"],
        cut=fields["cut"],
        sample=Sample(**sample | {"patterns": tuple(sample["patterns"])}),
    )


PROBE = Codec(_encode_probe, _decode_probe, lambda result: len(result.sample.patterns))


def figures_codec(shape: tuple[int, ...]) -> Codec[Figures]:
    """Return the codec of figures whose arrays have this shape, one simulation per element."""

    def encode(figures: Figures) -> bytes:
        values = {name: array.ravel().tolist() for name, array in figures.values.items()}
        return json.dumps({"values": values, "work": asdict(figures.work)}).encode()

    def decode(data: bytes) -> Figures:
        fields = json.loads(data)
        values = {
            name: np.array(array, dtype=np.float64).reshape(shape)
            for name, array in fields["values"].items()
        }
        return Figures(values, Work(**fields["work"]))

    return Codec(encode, decode, lambda _: math.prod(shape))


def preparation_codec(
    topology: Dragonfly, balancing: BalanceOptions | None, seed: int
) -> Codec[Preparation]:
    """Return the codec of candidates; the paths come back from their expression and the seed."""

    def decode(data: bytes) -> Preparation:
        with np.load(BytesIO(data), allow_pickle=False) as stored:
            arrays: _Arrays = dict(stored)
        document = json.loads(arrays[_DOCUMENT].tobytes())
        decoder = _Decoder(topology, balancing, seed, arrays)
        return Preparation(
            tuple(
                decoder.candidate(position, fields)
                for position, fields in enumerate(document["candidates"])
            ),
            document["merged"],
        )

    return Codec(_encode_preparation, decode, lambda found: len(found.candidates))


def _encode_preparation(found: Preparation) -> bytes:
    document = {
        "candidates": [_candidate_fields(candidate) for candidate in found.candidates],
        "merged": found.merged,
    }
    arrays: _Arrays = {_DOCUMENT: np.frombuffer(json.dumps(document).encode(), dtype=np.uint8)}
    for position, candidate in enumerate(found.candidates):
        arrays |= _removal_arrays(position, candidate.balanced)
    stream = BytesIO()
    np.savez_compressed(stream, allow_pickle=False, **arrays)
    return stream.getvalue()


def _candidate_fields(candidate: Candidate) -> _Fields:
    report = candidate.balance_report
    return {
        "expression": candidate.expression,
        "mean_hops": candidate.mean_hops,
        "report": None if report is None else _report_fields(report),
    }


def _report_fields(report: BalanceReport) -> _Fields:
    usage = {
        when: {kind.name: _usage_fields(of_kind) for kind, of_kind in by_kind.items()}
        for when, by_kind in (("before", report.before), ("after", report.after))
    }
    return vars(report) | usage


def _usage_fields(usage: KindUsage) -> _Fields:
    return vars(usage) | {"quantiles": usage.quantiles.tolist()}


def _decode_report(fields: _Fields) -> BalanceReport:
    usage: _Fields = {
        when: {LinkKind[name]: _decode_usage(of_kind) for name, of_kind in fields[when].items()}
        for when in ("before", "after")
    }
    return BalanceReport(**{**fields, **usage})


def _decode_usage(fields: _Fields) -> KindUsage:
    quantiles: _Fields = {"quantiles": np.array(fields["quantiles"], dtype=np.float64)}
    return KindUsage(**{**fields, **quantiles})


def _keep_name(position: int) -> str:
    return f"keep-{position}"


def _removed_name(position: int) -> str:
    return f"removed-{position}"


def _removal_arrays(position: int, balanced: Balanced | None) -> _Arrays:
    if balanced is None:
        return {}
    if isinstance(balanced.path_set, BalancedSet):
        return {_removed_name(position): balanced.path_set.removed}
    assert balanced.keep is not None
    return {_keep_name(position): np.packbits(balanced.keep)}


class _Decoder:
    """Makes candidates from what was kept of them."""

    def __init__(
        self,
        topology: Dragonfly,
        balancing: BalanceOptions | None,
        seed: int,
        arrays: _Arrays,
    ) -> None:
        self._topology = topology
        self._balancing = balancing
        self._seed = seed
        self._arrays = arrays

    def candidate(self, position: int, fields: _Fields) -> Candidate:
        expression, mean_hops = fields["expression"], fields["mean_hops"]
        base = parse_expression(expression, self._topology, self._seed)
        if self._balancing is None:
            return Candidate(expression, base, mean_hops, None)
        report = _decode_report(fields["report"])
        path_set, keep = self._balanced(position, base, self._balancing, report.paths_before)
        balanced = Balanced(path_set, keep, mean_hops, report)
        return Candidate(expression, path_set, mean_hops, balanced)

    def _balanced(
        self, position: int, base: PathSet, balancing: BalanceOptions, paths: int
    ) -> tuple[RowSet | BalancedSet, NDArray[np.bool_] | None]:
        removed = self._arrays.get(_removed_name(position))
        if removed is not None:
            return BalancedSet(base, balancing, self._seed, removed), None
        keep = np.unpackbits(self._arrays[_keep_name(position)], count=paths).astype(bool)
        return RowSet(base.all_rows().select(keep), str(base)), keep
