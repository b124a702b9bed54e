"""`tvlb plot`: draw results."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from tvlb.cli.options import Json
from tvlb.cli.terminal import print_json
from tvlb.documents import parse_json, read_file
from tvlb.errors import InvalidInput
from tvlb.plots import MOST_RESULTS, save_figure

# As large as the documents of the service may be.
_MAX_BYTES = 48 << 20


def plot(
    results: Annotated[
        list[str],
        typer.Argument(
            metavar="RESULT.json...",
            help="Output of tvlb table, probe, simulate, stability, balance, route, measure or "
            f"static with --json; several are drawn into the same figures, up to {MOST_RESULTS}.",
            show_default=False,
        ),
    ],
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FIG", help="The figure: .svg, .png or .pdf.")
    ],
    json: Json = False,
) -> None:
    """Draw the plots of a result document, or of several to compare them."""
    if len(results) > MOST_RESULTS:
        raise InvalidInput(f"{len(results)} results: one figure overlays at most {MOST_RESULTS}")
    save_figure(output, *map(_read, results), names=_names(results))
    if json:
        print_json({"written": output})


def _names(results: Sequence[str]) -> list[str]:
    """Return names that tell files apart: without folders and suffix where that is enough."""
    stems = [Path(result).stem for result in results]
    return stems if len(set(stems)) == len(stems) else list(results)


def _read(name: str) -> dict[str, Any]:
    content = read_file(name, "result", _MAX_BYTES)
    try:
        document = parse_json(content)
    except InvalidInput as error:
        raise InvalidInput(f"{name}: {error}") from error
    if not isinstance(document, dict):
        raise InvalidInput(f"{name} holds no result: expected a JSON object")
    return cast("dict[str, Any]", document)
