"""Who is let in, how often, and what the answers allow a browser to do."""

import sqlite3
from collections.abc import Generator
from pathlib import Path

import httpx
import pytest
from httpx_sse import connect_sse

from tests.service import Server, events_of, new_token, running_server
from tvlb.cli import main

PATHS = [
    "/",
    "/docs",
    "/openapi.json",
    "/metrics",
    "/static/documentation.js",
    "/v1/jobs",
    "/v1/tables",
    "/v1/sweeps",
    f"/v1/sweeps/{'0' * 64}/report",
    "/v1/nothing",
    f"/v1/jobs/{'0' * 32}/events",
]


@pytest.fixture(scope="module")
def exposed(tmp_path_factory: pytest.TempPathFactory) -> Generator[Server]:
    """A server that is bound beyond the loopback."""
    data = tmp_path_factory.mktemp("exposed") / "data"
    with running_server(data, "--host", "0.0.0.0", "--no-worker") as running:
        yield running


@pytest.mark.parametrize("path", PATHS)
def test_no_route_but_health_answers_without_a_token(exposed: Server, path: str) -> None:
    for headers in ({}, {"Authorization": "Basic dXNlcjpwYXNz"}, {"Authorization": "Bearer"}):
        answer = httpx.get(f"{exposed.url}{path}", headers=headers)
        assert answer.status_code == 401
        assert answer.headers["www-authenticate"].startswith("Bearer")
        assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_health_answers_without_a_token(exposed: Server, path: str) -> None:
    assert httpx.get(f"{exposed.url}{path}").json() == {"status": "ok"}


def get(server: Server, token: str) -> int:
    return httpx.get(
        f"{server.url}/v1/jobs", headers={"Authorization": f"Bearer {token}"}
    ).status_code


def test_wrong_expired_and_revoked_tokens_are_refused(
    exposed: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    token = new_token(exposed.data)
    identifier = token.split("_")[1]
    assert get(exposed, token) == 200
    assert get(exposed, token[:-1] + ("A" if token[-1] != "A" else "B")) == 401
    assert get(exposed, f"tvlb_{'0' * 12}_{token.split('_', 2)[2]}") == 401
    with sqlite3.connect(exposed.data / "jobs.sqlite3") as connection:
        connection.execute("UPDATE tokens SET expires_at = 1 WHERE id = ?", [identifier])
    assert get(exposed, token) == 401
    with sqlite3.connect(exposed.data / "jobs.sqlite3") as connection:
        connection.execute("UPDATE tokens SET expires_at = NULL WHERE id = ?", [identifier])
    assert get(exposed, token) == 200
    assert main(["token", "revoke", identifier, "--data", str(exposed.data)]) == 0
    assert get(exposed, token) == 401
    assert main(["token", "revoke", identifier, "--data", str(exposed.data)]) == 2
    assert identifier in capsys.readouterr().err


def test_a_revoked_token_ends_its_streams(exposed: Server) -> None:
    token = new_token(exposed.data)
    headers = {"Authorization": f"Bearer {token}"}
    body = {"topology": "2,4,2,5", "load": [0.2], "cycles": 100_000_000}
    with httpx.Client(base_url=exposed.url, headers=headers, timeout=60) as http:
        job = http.post("/v1/simulations", json=body).json()
        with connect_sse(http, "GET", job["events_url"]) as stream:
            events = events_of(stream)
            assert next(events).event == "state"
            main(["token", "revoke", token.split("_")[1], "--data", str(exposed.data)])
            other = {"Authorization": f"Bearer {new_token(exposed.data)}"}
            httpx.post(f"{exposed.url}{job['url']}/cancel", headers=other)
            assert list(events) == []


def test_secrets_are_not_kept(exposed: Server, capsys: pytest.CaptureFixture[str]) -> None:
    token = new_token(exposed.data, "Ada")
    secret = token.split("_", 2)[2].encode()
    for path in exposed.data.glob("jobs.sqlite3*"):
        assert secret not in path.read_bytes()
    assert secret not in exposed.log.read_bytes()
    assert main(["token", "list", "--data", str(exposed.data)]) == 0
    listed = capsys.readouterr().out
    assert "Ada" in listed
    assert "active" in listed
    assert secret.decode() not in listed


@pytest.mark.parametrize("name", ["", "x" * 101, "a\nb", "-x"])
def test_bad_token_names(tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["token", "create", "--data", str(tmp_path), "--", name]) == 2
    assert "token name" in capsys.readouterr().err


def test_more_requests_than_allowed_are_told_when_to_come_back(
    guarded: tuple[Server, str],
) -> None:
    server, token = guarded
    headers = {"Authorization": f"Bearer {token}"}
    with httpx.Client(base_url=server.url, headers=headers) as http:
        answers = [http.get("/v1/jobs") for _ in range(20)]
    limited = [answer for answer in answers if answer.status_code == 429]
    assert limited
    assert limited[0].json()["type"] == "urn:tvlb:problem:rate-limit"
    assert 1 <= int(limited[0].headers["retry-after"]) <= 2


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "", "127.0.0.1:99999", "127.0.0.1:8:8"]
)
def test_web_pages_cannot_reach_the_loopback_by_a_name_of_their_own(
    server: Server, host: str
) -> None:
    answer = httpx.get(f"{server.url}/v1/jobs", headers={"Host": host})
    assert answer.status_code == 403


@pytest.mark.parametrize(
    ("origin", "status"),
    [("http://evil.example", 403), ("null", 403), ("http://127.0.0.1", 403), (None, 404)],
)
def test_pages_of_other_sites_change_nothing(
    server: Server, origin: str | None, status: int
) -> None:
    """Also where the browser does not say what kind of site asks."""
    headers = {} if origin is None else {"Origin": origin}
    url = f"{server.url}/v1/jobs/{'0' * 32}/cancel"
    assert httpx.post(url, headers=headers).status_code == status
    assert httpx.post(url, headers={"Origin": server.url}).status_code == 404


@pytest.mark.parametrize("path", ["/v1/jobs", "/docs", "/v1/nothing", "/openapi.json"])
def test_security_headers(server: Server, path: str) -> None:
    headers = httpx.get(f"{server.url}{path}", timeout=60).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert headers["referrer-policy"] == "no-referrer"
    assert "server" not in headers
    assert "access-control-allow-origin" not in headers


def test_the_documentation_needs_nothing_from_elsewhere(server: Server) -> None:
    page = httpx.get(f"{server.url}/docs", timeout=60)
    assert page.headers["content-type"].startswith("text/html")
    assert "http" not in page.text
    assert "Ask for the table of a network with <code>POST /v1/tables</code>:" in page.text
    assert "<td>true, false </td>" in page.text
    for path in ("/static/documentation.js", "/static/style.css"):
        assert path in page.text
        assert httpx.get(f"{server.url}{path}").status_code == 200


def test_the_documentation_has_every_route_and_every_field(server: Server) -> None:
    page = httpx.get(f"{server.url}/docs", timeout=60).text
    document = httpx.get(f"{server.url}/openapi.json", timeout=60).json()
    for path, methods in document["paths"].items():
        for method, route in methods.items():
            shown = page.partition(f'<details id="{route["operationId"]}">')[2]
            shown = shown.partition("</details>")[0]
            assert f"{method.upper()} {path}" in shown
            assert all(
                f"<code>{one['name']}</code>" in shown for one in route.get("parameters", ())
            )
    for name, schema in document["components"]["schemas"].items():
        shown = page.partition(f'<details id="schema-{name}">')[2].partition("</details>")[0]
        assert all(f"<code>{key}</code>" in shown for key in schema.get("properties", {}))


def test_only_a_guarded_server_asks_for_tokens_in_its_document(
    server: Server, guarded: tuple[Server, str]
) -> None:
    assert "security" not in httpx.get(f"{server.url}/openapi.json", timeout=60).json()
    other, token = guarded
    headers = {"Authorization": f"Bearer {token}"}
    with httpx.Client(headers=headers, timeout=60) as http:
        while (answer := http.get(f"{other.url}/openapi.json")).status_code == 429:
            continue  # The token was used up a moment ago.
    document = answer.json()
    assert document["security"] == [{"token": []}]
    assert document["paths"]["/healthz"]["get"]["security"] == []
