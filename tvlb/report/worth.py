"""Whether a T-VLB table is worth it on a design: what it brings, and what it takes, in one line."""

from tvlb.report.points import Point, interval_of
from tvlb.report.words import amount
from tvlb.statistics import UNDECIDED, Verdict, advice, change_text


def worth(point: Point) -> str:
    """Return the line of a computed point; empty for a failed one.

    Notes
    -----
    Worth it is what was chosen and gains by its intervals, see `tvlb.statistics.verdict`. A T-VLB
    set has some of the paths of conventional UGAL, so that it never takes more virtual channels;
    its table takes an entry for each path.
    """
    if point["status"] != "succeeded":
        return ""
    verdict = point["verdict"]
    told = f"{verdict} ({_changes(point)})"
    match verdict:
        case Verdict.UNMEASURED:
            line = "Not worth it: the model puts every shorter set below the cut."
        case Verdict.UNKNOWN:
            line = f"Not shown to be worth it: {told}."
        case _ if verdict.is_gain and point["replaces_all"]:
            line = (
                f"Worth it: {told}, for a table of {amount(point['paths'])} paths and no virtual "
                f"channels beyond those of conventional UGAL.{_saved(point)}"
            )
        case _ if verdict in UNDECIDED:
            more = advice(point["simulated_patterns"], point["found"] is not None)
            line = f"Not shown to be worth it: {told}. {more}"
        case Verdict.HIGHER | Verdict.FASTER:
            line = f"Not worth it: {told}, which is too little to be chosen."
        case _:
            line = f"Not worth it: {told}."
    return line


def _changes(point: Point) -> str:
    told = (
        (noun, interval_of(point, f"tvlb_{figure}"))
        for noun, figure in (
            ("saturation throughput", "saturation_gain"),
            ("latency", "latency_change"),
        )
    )
    return "; ".join(
        f"{noun} {change_text(found.mean, found.half_width)}"
        for noun, found in told
        if found is not None
    )


def _saved(point: Point) -> str:
    chosen, conventional = point["cost_per_flit_chosen"], point["cost_per_flit_all"]
    if chosen is None or conventional is None:
        return ""
    unit = f" {point['currency']}" if point["currency"] else ""
    return (
        f" A packet/cycle that the network accepts costs {amount(chosen)}{unit} instead of "
        f"{amount(conventional)}{unit}."
    )
