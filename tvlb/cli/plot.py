"""`tvlb plot`: draw a result."""

from typing import Annotated, Any, cast

import typer

from tvlb.cli.options import Json
from tvlb.cli.terminal import print_json
from tvlb.errors import InvalidInput
from tvlb.plots import save_figure
from tvlb.reading import parse_json, read_file

__all__ = ["plot"]

# As large as the documents of the service may be.
_MAX_BYTES = 48 << 20


def plot(
    result: Annotated[
        str,
        typer.Argument(
            metavar="RESULT.json",
            help="Output of tvlb table, probe, simulate or balance with --json.",
            show_default=False,
        ),
    ],
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FIG", help="The figure: .svg, .png or .pdf.")
    ],
    json: Json = False,
) -> None:
    """Draw the plots of a result document."""
    save_figure(_read(result), output)
    if json:
        print_json({"written": output})


def _read(name: str) -> dict[str, Any]:
    content = read_file(name, "result", _MAX_BYTES)
    try:
        document = parse_json(content)
    except InvalidInput as error:
        raise InvalidInput(f"{name}: {error}") from error
    if not isinstance(document, dict):
        raise InvalidInput(f"{name} holds no result: expected a JSON object")
    return cast("dict[str, Any]", document)
