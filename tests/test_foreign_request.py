"""A kind of request of another package goes through all there is, without another change."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.plugins import installed, tvlb_each
from tests.service import answered, new_token, running_server

MODULE = Path(__file__).parent / "data" / "degrees.py"
NETWORK = "dfly(1,2,1,3)"
# Every switch has a link in its group and one between groups.
DOCUMENT = {"switches": 6, "links": 12}
# It starts a server of its own.
pytestmark = pytest.mark.slow
_CLIENT = """
import json, sys
from tvlb.client import Client
from tvlb.requests import request_kinds

body = request_kinds()["degree"].forms[0].body
with Client(*sys.argv[1:3]) as client:
    found = client.computed(body(topology=sys.argv[3]))
    assert client.result("degree", found.id) == found
    assert found.id in [one.id for one in client.results("degree")]
    client.delete_result("degree", found.id)
print(found.links)
"""


def test_a_kind_of_request_in_one_file_is_found(tmp_path: Path) -> None:
    assert len(MODULE.read_text().splitlines()) <= 40
    packages = tmp_path / "packages"
    environment = installed(MODULE.read_text(), "[tvlb.requests] degree = toy:KIND", packages)
    data = tmp_path / "served"
    with running_server(data, "--workers", "1", environment=environment) as server:
        token = new_token(data)
        (tmp_path / "token").write_text(token)
        at_server = ("--server", server.url, "--token-file", "token", "--json")
        helped, own, here, asked, found = tvlb_each(
            environment,
            tmp_path,
            [
                ("--help",),
                ("degree", "--help"),
                ("degree", NETWORK, "--json"),
                ("degree", NETWORK, "--least", "2", *at_server),
                ("jobs", "--server", server.url, "--token-file", "token", "--json"),
            ],
        )
        assert "Count the links that leave the switches" in helped
        assert "Fewest links of a switch that counts." in own
        assert json.loads(here) == json.loads(asked) == DOCUMENT
        assert json.loads(found) == []
        body: dict[str, Any] = {"topology": NETWORK, "least": 3}
        result = answered(server, "/v1/degrees", body)
        assert (result["switches"], result["links"]) == (0, 0)
        with httpx.Client(base_url=server.url, timeout=60) as http:
            described = http.get("/openapi.json").json()
            assert described["paths"]["/v1/degrees"]["post"]["operationId"] == "create_degree"
            listed = http.get("/v1/degrees").json()
            assert [one["request"]["least"] for one in listed["degrees"]] == [3, 2]
            estimate = http.post("/v1/degrees?validate_only=true", json=body).json()
            assert estimate["command"] == f"tvlb degree '{NETWORK}' --least 3"
            page = http.get(result["url"].removeprefix("/v1"))
            assert f"Degree of {NETWORK}" in page.text
            form = http.get("/degrees/new")
            assert 'name="least"' in form.text
            assert result["id"] in form.text
            assert '<a href="/degrees/new">Degree</a>' in form.text
        asking = [sys.executable, "-c", _CLIENT, server.url, token, NETWORK]
        assert subprocess.check_output(asking, env=os.environ | environment).strip() == b"12"
