"""Figures of results in Python and in notebooks."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tvlb.balance import Balanced
from tvlb.plots import figure_of
from tvlb.requests import Balance, ProbeCurve, TableDocument
from tvlb.search import ProbeResult, TableResult

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def plot(result: TableResult | ProbeResult | Balanced | Mapping[str, Any]) -> "Figure":
    """Draw a result as `tvlb plot` does; notebooks show the figure.

    Parameters
    ----------
    result : of `optimize`, `probe` or `balance`, or the JSON document of a command.

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


def _document(
    result: TableResult | ProbeResult | Balanced | Mapping[str, Any],
) -> Mapping[str, Any]:
    match result:
        case TableResult():
            return TableDocument.of(result).plain()
        case ProbeResult():
            # The cut is drawn, whatever tolerance it comes from.
            return ProbeCurve.of(result, tolerance=0.0).plain()
        case Balanced():
            return Balance.of(result.report).plain()
        case _:
            return result
