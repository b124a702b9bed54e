"""What a search for weighted sets found, as a JSON document."""

from dataclasses import asdict

from tvlb.documents import plain
from tvlb.paths import SHAPES, ShapeSet, shape_name, shape_shares
from tvlb.search.held_out import Judged, Judgement
from tvlb.search.preparation import Candidate
from tvlb.search.task import Found
from tvlb.search.weighted import PUBLISHED

__all__ = ["found_document"]

Document = dict[str, object]

# The best ones; thousands are raced with a large budget.
_MOST_RACED = 50


def found_document(found: Found) -> Document:
    """Return what was searched, how, and how the answers compare; numbers that are nan are null."""
    search, held_out = found.search, found.held_out
    setting = search.setting
    return {
        "objective": str(setting.objective),
        "budget": setting.budget,
        "flit_hops": search.work.flit_hops,
        "sets": search.sets,
        "pruned": search.pruned,
        "traffic": [
            {
                "pattern": str(pattern),
                "share": share,
                "low_load": loads.low,
                "beyond_saturation": loads.beyond,
            }
            for pattern, share, loads in zip(
                setting.workload.patterns, setting.workload.shares, search.loads, strict=True
            )
        ],
        "reference": search.reference.candidate.name,
        "steps": [asdict(step) for step in search.steps],
        "raced": [
            {
                "expression": one.candidate.name,
                "path_set": one.candidate.expression,
                "balancing": one.candidate.form,
                "score": plain(one.score),
                "patterns": len(one.figures.latency),
            }
            for one in search.raced[:_MOST_RACED]
        ],
        "front": [
            {"table_id": table.id, **_judged(held_out.of(candidate.name), found)}
            for candidate, table in zip(search.answers, found.front, strict=True)
        ],
        "loads": list(held_out.loads),
        "held_out": [_judged(one, found) for one in held_out.sets],
        "judgements": [_judgement(one) for one in held_out.judgements],
    }


def _weights(candidate: Candidate) -> dict[str, float] | None:
    """Weights of a path by shape, None for sets that are not by shape."""
    path_set = candidate.path_set if candidate.balanced is None else None
    if not isinstance(path_set, ShapeSet):
        return None
    return {
        shape_name(code): path_set.weights[code] for code in range(SHAPES) if path_set.weights[code]
    }


def _shares(candidate: Candidate) -> dict[str, float] | None:
    """Share of the drawn paths by shape, None for sets too large to be listed."""
    shares = shape_shares(candidate.path_set)
    if shares is None:
        return None
    return {shape_name(code): share for code, share in enumerate(shares.tolist()) if share > 0}


def _known_as(candidate: Candidate, paper: Candidate | None) -> str | None:
    """Return what others call a set, None for what only the search found."""
    if candidate.name == "all":
        return "conventional"
    if candidate.name == PUBLISHED:
        return "published"
    return "algorithm 1" if paper is not None and candidate.name == paper.name else None


def _judged(one: Judged, found: Found) -> Document:
    at_low, at_high = (found.held_out.measured(one.candidate.name, load) for load in range(2))
    return {
        "expression": one.candidate.name,
        "path_set": one.candidate.expression,
        "balancing": one.candidate.form,
        "known_as": _known_as(one.candidate, found.search.paper),
        "weights": _weights(one.candidate),
        "shares": _shares(one.candidate),
        "saturation_mean": at_low.saturation_mean,
        "latency_mean": plain([at_low.latency_mean, at_high.latency_mean]),
        "saturation": one.saturation.tolist(),
        "latency": plain(one.latency.tolist()),
    }


def _judgement(one: Judgement) -> Document:
    return {
        "expression": one.name,
        "against": one.against,
        "saturation": plain(asdict(one.saturation)),
        "latency": [None if change is None else plain(asdict(change)) for change in one.latency],
    }
