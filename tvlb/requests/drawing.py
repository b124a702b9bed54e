"""Figures of results in Python and in notebooks."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sim_bridge import RunResult, Simulated
from sim_bridge.routers.vct import StabilityStudy
from tvlb.balance import Balanced
from tvlb.documents import plain
from tvlb.plots import figure_of
from tvlb.requests import Balance, ProbeCurve, TableDocument
from tvlb.requests.kinds.stability import StabilityDocument
from tvlb.requests.routers import Router, routers
from tvlb.requests.simulation import simulation_document
from tvlb.search import ProbeResult, TableResult

if TYPE_CHECKING:
    from matplotlib.figure import Figure


Drawn = (
    TableResult
    | ProbeResult
    | Balanced
    | RunResult
    | Simulated
    | StabilityStudy
    | Mapping[str, Any]
)


def plot(result: Drawn) -> "Figure":
    """Draw a result as `tvlb plot` does; notebooks show the figure.

    Parameters
    ----------
    result : of `optimize`, `probe`, `balance`, `simulate` or `stability`, or the JSON document of a
        command.

    Raises
    ------
    InvalidInput : the document holds nothing to draw.

    Examples
    --------
    >>> from tvlb.balance import balance
    >>> [axis.get_title() for axis in plot(balance("<=4", topology="2,4,2,5")).axes]
    ['Link usage']
    """
    return figure_of(_document(result))


def _document(result: Drawn) -> Mapping[str, Any]:
    match result:
        case TableResult():
            return TableDocument.of(result).plain()
        case ProbeResult():
            # The cut is drawn, whatever tolerance it comes from.
            return ProbeCurve.of(result, tolerance=0.0).plain()
        case Balanced():
            return Balance.of(result.report).plain()
        case StabilityStudy():
            return StabilityDocument.of(result).plain()
        case _:
            return _of_runs(result) if isinstance(result, Simulated | RunResult) else result


def _router_of(run: RunResult) -> Router:
    return next(one for one in routers().values() if one.result is type(run))


def _of_runs(result: Simulated | RunResult) -> Mapping[str, Any]:
    """Return a document; of a run alone, whose network is known by its text, what figures take."""
    if isinstance(result, Simulated):
        document = simulation_document(_router_of(result.runs[0]).name)
        return document.of(result.request, result).plain()
    return _of_run(result)


def _of_run(run: RunResult) -> dict[str, Any]:
    figures = _router_of(run).figures.values()
    names = [*(one.name for one in figures), *(one.interval for one in figures if one.interval)]
    row: Any = plain({name: getattr(run, name, None) for name in names if "link" not in name})
    told = {name: one for name, one in vars(run).items() if isinstance(one, str)}
    unit = _router_of(run).load_unit
    return {**told, "load_unit": unit, "seeds": 1, "rows": [{"load": run.load, **row}]}
