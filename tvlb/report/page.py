"""The HTML of a report: template, style, scripts and data in one file."""

import base64
import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from markupsafe import Markup
from plotly.offline import get_plotlyjs  # pyright: ignore[reportMissingTypeStubs, reportUnknownVariableType]

from tvlb.documents import VERSION, plain
from tvlb.documents.templates import UNKNOWN, templates
from tvlb.report.data import drawn_data, script_text
from tvlb.report.finding import finding
from tvlb.report.points import points_of
from tvlb.report.ranking import ranking
from tvlb.report.words import amount, ends, percent
from tvlb.report.worth import worth

# In the order in which they build on each other.
_SCRIPTS = (
    *("looks", "found", "figures", "elements", "numbers", "compared", "small", "search", "size"),
    *("sorting", "main"),
)


_FIGURE_SCRIPTS = ("looks", "elements", "sorting", "swept")


@dataclass(frozen=True)
class ReportedFigure:
    """A number of every point.

    Attributes
    ----------
    name : of its column; an error is that of the column with this name and `_se`.
    text : what it means.
    """

    name: str
    text: str

    @property
    def title(self) -> str:
        """Return what people read."""
        return self.name.replace("_", " ")


@dataclass(frozen=True)
class Reported:
    """What the report of points that are no tables shows.

    Attributes
    ----------
    kinds : of the requests of a point.
    varied : columns of options in which points differ.
    shown, figures : numbers of the table of points, and all that are drawn.
    """

    kinds: Sequence[str]
    varied: Sequence[str]
    shown: Sequence[ReportedFigure]
    figures: Sequence[ReportedFigure]


def figures_html(name: str, rows: Sequence[Mapping[str, Any]], reported: Reported) -> bytes:
    """Return the report of a sweep that computes no tables, as `report_html` does.

    Parameters
    ----------
    name : name of the sweep, any text.
    rows : result rows, in order.
    """
    computed = [row for row in rows if row["status"] == "succeeded"]
    figures = reported.figures if computed else ()
    columns = {one.name for one in figures} | {f"{one.name}_se" for one in figures}
    drawn = {
        "figures": [{"name": one.name, "title": one.title} for one in figures],
        "points": [
            {
                "topology": row["topology"],
                "settings": ", ".join(
                    f"{one} {row[one]}" for one in reported.varied if row[one] is not None
                ),
                "values": {one: row[one] for one in columns & row.keys()},
            }
            for row in computed
        ],
    }
    library, script = _library(), _script(_FIGURE_SCRIPTS)
    page = _TEMPLATES.get_template("figures.html").render(
        name=name,
        kinds=reported.kinds,
        points=rows,
        failed=[row for row in rows if row["status"] != "succeeded"],
        networks=len({row["topology"] for row in rows}),
        varied=reported.varied,
        shown=reported.shown,
        figures=figures,
        version=VERSION,
        policy=_policy(library, script),
        style=Markup(_asset("style.css")),
        library=Markup(library),
        script=Markup(script),
        data=Markup(script_text(plain(drawn))),
    )
    return page.encode("utf-8", "replace")


def report_html(
    sweep_name: str,
    rows: Sequence[Mapping[str, Any]],
    documents: Mapping[str, Mapping[str, Any]],
) -> bytes:
    """Return the report of a sweep as one HTML file, UTF-8.

    Parameters
    ----------
    sweep_name : name of the sweep, any text.
    rows : result rows with the columns of `tvlb.report.points.ROW_COLUMNS`, in order.
    documents : the documents of tables, by the key of their request. Points without one have no
        curves and no candidates on their page.

    Raises
    ------
    InvalidInput : a row lacks a column, two rows have the same number, or a document is none of a
        table.

    Notes
    -----
    The file loads nothing and says so to the browser (content security policy). It has no date,
    no host and nothing random: equal input gives equal bytes.
    """
    points = [one | {"worth": worth(one)} for one in points_of(rows)]
    library, script = _library(), _script(_SCRIPTS)
    page = _TEMPLATES.get_template("report.html").render(
        name=sweep_name,
        points=points,
        succeeded=[one for one in points if one["status"] == "succeeded"],
        failed=[one for one in points if one["status"] != "succeeded"],
        sizes=len({one["size"] for one in points}),
        routings=len({one["routing"] for one in points}),
        priced=any(one["cost_per_node"] is not None for one in points),
        currency=next((one["currency"] for one in points if one["currency"]), ""),
        settings=any(one["settings"] for one in points),
        searched=[one for one in points if one["found"] is not None],
        topologies=len({one["topology"] for one in points}),
        probes=len((data := drawn_data(points, documents))["probes"]),
        finding=finding(points),
        ranking=ranking(points),
        networks=list({one["topology"]: one for one in reversed(points)}.values())[::-1],
        families=len({one["topology"].partition("(")[0] for one in points}),
        grouped=any(one["links_per_pair"] for one in points),
        version=VERSION,
        policy=_policy(library, script),
        style=Markup(_asset("style.css")),
        library=Markup(library),
        script=Markup(script),
        data=Markup(script_text(data)),
    )
    # Texts of operating systems may hold what UTF-8 cannot say.
    return page.encode("utf-8", "replace")


def _asset(name: str) -> str:
    return files("tvlb.report").joinpath("assets", name).read_text("utf-8")


def _library() -> str:
    # A browser takes CRLF for LF before it compares the hash.
    return str(get_plotlyjs()).replace("\r\n", "\n").replace("\r", "\n")


def _script(names: Sequence[str]) -> str:
    parts = "\n".join(_asset(f"{name}.js") for name in names)
    # Pages of the service take what they share as a module; here all is one script.
    parts = re.sub(r"^(import .*\n|export )", "", parts, flags=re.MULTILINE)
    return f'"use strict";\n(() => {{\n{parts}\n}})();\n'


def _policy(*scripts: str) -> str:
    hashes = " ".join(f"'sha256-{_digest(script)}'" for script in scripts)
    # Plotly writes styles of its own; its pictures for saving are data and blobs.
    return (
        f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; "
        "img-src data: blob:; connect-src 'none'; base-uri 'none'; form-action 'none'"
    )


def _digest(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def _signed_percent(value: float | None) -> str:
    return UNKNOWN if value is None else percent(value)


def _first_upper(text: str) -> str:
    return text[:1].upper() + text[1:]


def _between(low: float | None, high: float | None) -> str:
    return "no interval" if low is None or high is None else ends(low, high)


def _plain_number(value: float) -> str:
    return f"{value:.4g}"


_TEMPLATES = templates(
    "tvlb.report",
    amount=amount,
    between=_between,
    first_upper=_first_upper,
    plain_number=_plain_number,
    signed_percent=_signed_percent,
)
