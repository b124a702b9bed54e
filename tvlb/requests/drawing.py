"""Figures of results in Python and in notebooks."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, cast

from sim_bridge import RunResult, Simulated
from sim_bridge.routers.vct import StabilityStudy
from tvlb.balance import Balanced
from tvlb.documents import Document, plain
from tvlb.plots import figure_of
from tvlb.requests import Balance, ProbeCurve, TableDocument
from tvlb.requests.kinds.measure import MeasureDocument
from tvlb.requests.kinds.route import RouteDocument
from tvlb.requests.kinds.stability import StabilityDocument
from tvlb.requests.measuring import Measurement
from tvlb.requests.routers import Router, routers
from tvlb.requests.routing import RoutedTable
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
    | RoutedTable
    | Measurement
    | Mapping[str, Any]
)


def plot(result: Drawn) -> "Figure":
    """Draw a result as `tvlb plot` does; notebooks show the figure.

    Parameters
    ----------
    result : of `optimize`, `probe`, `balance`, `simulate`, `stability`, `route` or `measure`, or
        the JSON document of a command.

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


# The cut of a probe is drawn, whatever tolerance it comes from.
_DOCUMENTS: Mapping[type[Any], Callable[[Any], Document]] = {
    TableResult: TableDocument.of,
    ProbeResult: lambda result: ProbeCurve.of(result, tolerance=0.0),
    Balanced: lambda result: Balance.of(result.report),
    StabilityStudy: StabilityDocument.of,
    RoutedTable: RouteDocument.of,
    Measurement: MeasureDocument.of,
}


def _document(result: Drawn) -> Mapping[str, Any]:
    if isinstance(result, Simulated | RunResult):
        return _of_runs(result)
    describe = _DOCUMENTS.get(type(result))
    return cast("Mapping[str, Any]", result) if describe is None else describe(result).plain()


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
