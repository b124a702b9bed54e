"""The command line that computes what a request asks for."""

import shlex
from typing import Any, cast, overload

from tvlb.schemas.model_body import ModelBody
from tvlb.schemas.repair_body import RepairBody
from tvlb.schemas.requests import Question, Request
from tvlb.schemas.simulation_body import LoadsBody
from tvlb.schemas.stability_body import StabilityBody
from tvlb.schemas.table_body import TableBody

# Stand for files with what no command line has room for.
TOPOLOGY_FILE = "TOPOLOGY.json"
TABLE_FILE = "TABLE.parquet"
FAILURES_FILE = "FAILURES.json"
_COMMANDS = {
    TableBody.kind: "table",
    ModelBody.kind: "model",
    LoadsBody.kind: "simulate",
    StabilityBody.kind: "stability",
}
_NAMED = ("topology", "table", "without")


@overload
def command_line(request: Request | RepairBody) -> str: ...
@overload
def command_line(request: Question) -> str | None: ...
def command_line(request: Question) -> str | None:
    """Return the `tvlb` command for a request, with the options that are not at their default.

    Notes
    -----
    An explicit wiring is named by `TOPOLOGY_FILE`, what is down by `FAILURES_FILE`, whose JSON is
    that of the request, and a stored table by `TABLE_FILE`. None for a sweep, which is all file.
    """
    match request:
        case Request():
            topology = request.topology if isinstance(request.topology, str) else TOPOLOGY_FILE
            words = [_COMMANDS[request.kind], topology]
        case RepairBody():
            words = ["repair", TABLE_FILE, "--without", FAILURES_FILE]
        case _:
            return None
    for name, usual in request.usual().items():
        value = getattr(request, name)
        if name not in _NAMED and value is not None and value != usual:
            words += _option(name, value)
    return shlex.join(["tvlb", *words])


def _option(name: str, value: Any) -> list[str]:
    option = f"--{name.replace('_', '-')}"
    if value is True:
        return [option]
    if value is False:
        return [f"--no-{name.replace('_', '-')}"]
    if isinstance(value, tuple):
        items = cast("tuple[object, ...]", value)
        # Patterns have commas of their own.
        if any(isinstance(item, str) for item in items):
            return [word for item in items for word in (option, str(item))]
        return [option, ",".join(map(str, items))]
    return [option, str(value)]
