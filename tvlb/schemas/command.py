"""The command line that computes what a request asks for."""

import shlex
from typing import Any, cast

from tvlb.schemas.model_body import ModelBody
from tvlb.schemas.requests import Request
from tvlb.schemas.simulation_body import SimulationBody
from tvlb.schemas.table_body import TableBody

__all__ = ["TOPOLOGY_FILE", "command_line"]

# Stands for a file with the wiring, which no command line has room for.
TOPOLOGY_FILE = "TOPOLOGY.json"
_COMMANDS = {TableBody.kind: "table", ModelBody.kind: "model", SimulationBody.kind: "simulate"}


def command_line(request: Request) -> str:
    """Return the `tvlb` command for a request, with the options that are not at their default.

    Notes
    -----
    An explicit wiring is named by `TOPOLOGY_FILE`; its JSON is that of the request.
    """
    topology = request.topology if isinstance(request.topology, str) else TOPOLOGY_FILE
    words = ["tvlb", _COMMANDS[request.kind], topology]
    for name, usual in request.usual().items():
        value = getattr(request, name)
        if name != "topology" and value is not None and value != usual:
            words += _option(name, value)
    return shlex.join(words)


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
