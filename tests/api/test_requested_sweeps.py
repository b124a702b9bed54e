"""Sweeps of routes and their measures over HTTP and on the page."""

import json

import httpx

from tests.service import Server, answered
from tests.sweeps.test_requested import SWEEP
from tvlb.requests import resource_of


def test_a_sweep_of_routes_is_asked_for_and_shown(server: Server) -> None:
    found = answered(server, "/v1/sweeps", SWEEP)
    resource_of("sweep").model_validate_json(json.dumps(found))
    assert (found["computed"], found["varied"]) == (["route", "measure"], ["engine", "order"])
    assert {"efi", "efi_bound", "mean_load", "ebb", "ebb_se"} <= set(found["shown"])
    with httpx.Client(base_url=server.url, timeout=60) as http:
        for row in found["rows"]:
            # Every route is a result of its own, and so are its measures.
            route = http.get(f"/v1/routes/{row['key']}").json()
            assert (route["efi"], route["table"]["id"]) == (row["efi"], row["table_id"])
            body = {"table": row["table_id"], "bisections": 50}
            known = http.post("/v1/measures?validate_only=true", json=body).json()
            assert known["known"]
            assert answered(server, "/v1/measures", body)["ebb"] == row["ebb"]
        page = http.get(found["url"].removeprefix("/v1")).text
        for told in ("minhop", ">102<", f"/routes/{found['rows'][0]['key']}", "Efi bound"):
            assert told in page
        assert "efi bound" in http.get(found["report_url"]).text
        assert http.get(found["download_url"].replace("parquet", "csv")).text.count("\r\n") == 5
        form = http.get("/sweeps/new").text
        for told in ('name="compute.route.engine"', 'name="compute.measure.bisections"'):
            assert told in form
        refused = http.post("/v1/sweeps", json=SWEEP | {"seeds": [1]})
        assert (refused.status_code, "seeds: they are of tables" in refused.text) == (422, True)
