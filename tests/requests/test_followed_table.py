"""Simulations of a forwarding table that is asked for by its file, or by the id of a stored one."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from pydantic import ValidationError

from api.pages.forms import form_of
from tvlb.cli import main
from tvlb.errors import InvalidInput
from tvlb.forwarding import RouteOptions, route
from tvlb.paths import parse_expression
from tvlb.requests import Context, command_line, request_kinds, simulation_body
from tvlb.table import CompactTable, StoredTable, write_table
from tvlb.table.forwarding_table import ForwardingTable
from tvlb.topology import parse_topology

_NETWORK = "dfly(2,4,2,5)"
_ASKED: dict[str, Any] = {"load": [0.3], "warmup": 200, "cycles": 300, "routing": "table"}


@pytest.fixture(name="table", scope="module")
def followed() -> ForwardingTable:
    order = RouteOptions(order="interleave")
    return ForwardingTable.of(route(parse_topology(_NETWORK), order).forwarding, "psssp")


def _with(table: StoredTable, network: str = _NETWORK) -> Context:
    """Return a context that has one table, whose id begins as asked for."""

    def stored(text: str) -> Any:
        assert table.id.startswith(text)
        return SimpleNamespace(
            name=text,
            tables="forwarding table",
            request={"topology": network},
            table_id=table.id,
            read_table=lambda: table,
        )

    return cast("Context", SimpleNamespace(table=stored, cores=1))


def _told(capsys: pytest.CaptureFixture[str], *options: str) -> dict[str, Any]:
    windows = ("--load", "0.3", "--warmup", "200", "--cycles", "300", "--json")
    assert main(["simulate", _NETWORK, "--routing", "table", *windows, *options]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("suffix", ["parquet", "json"])
def test_files_and_ids_give_the_same_figures(
    suffix: str, table: ForwardingTable, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = str(tmp_path / f"t.{suffix}")
    write_table(table, file)
    by_file = _told(capsys, "--table", file)
    assert by_file["table"] == file
    assert by_file["config"]["vc_scheme"] == "per-hop"
    kind, context = request_kinds()["simulation"], _with(table)
    body = simulation_body("iq")(topology=_NETWORK, table=table.id[:8], **_ASKED)
    found = kind.examine(body, None, context).request
    resolved = found.model_dump(mode="json")
    assert resolved["table"] == table.id
    assert "--routing table --table TABLE.parquet" in str(command_line(found))
    answer = kind.forms[0].compute(found, context, lambda _: None)
    document = answer.document
    assert document["table"] == f"table {table.id[:12]}"
    rows = [
        {name: one for name, one in row.items() if "seconds" not in name}
        for row in (by_file["rows"][0], document["rows"][0])
    ]
    assert rows[0] == rows[1]


def test_requests_that_name_no_table_of_the_network_are_refused(table: ForwardingTable) -> None:
    kind, body = request_kinds()["simulation"], simulation_body("iq")
    asked = body(topology="dfly(2,4,2,9)", table=table.id, **_ASKED)
    with pytest.raises(InvalidInput, match=r"the table is of dfly.2,4,2,5., not of dfly"):
        kind.examine(asked, None, _with(table))
    for given in ("t.parquet", "xyz"):
        with pytest.raises((InvalidInput, ValidationError), match="table"):
            body(topology=_NETWORK, table=given, **_ASKED)
    with pytest.raises(InvalidInput, match="routing table needs a forwarding table: give table"):
        kind.examine(body(topology=_NETWORK, **_ASKED), None, _with(table))
    paths = parse_expression("short(2,3)", parse_topology(_NETWORK))
    other = CompactTable.from_set(paths, version="1")
    asked = body(topology=_NETWORK, table=other.id, **_ASKED)
    with pytest.raises(InvalidInput, match="T-VLB table, where a forwarding table is needed"):
        kind.forms[0].compute(asked, _with(other), lambda _: None)


def test_schema_and_form_have_the_table() -> None:
    body = simulation_body("iq")
    (text, null) = body.model_json_schema()["properties"]["table"]["anyOf"]
    assert (text["pattern"], null) == ("^[0-9a-f]{8,64}$", {"type": "null"})
    fields = form_of(request_kinds()["simulation"])[1]["fields"]
    assert fields["table"]["input"] == "text"
    assert "table" in fields["routing"]["suggested"]
