"""The pages as HTML: what they hold without scripts, and whom they are shown to."""

import copy
import html
import itertools
import math
import re
from typing import Any

import httpx
import pytest

from api.pages.commands import commands_of
from api.pages.rendering import render
from api.pages.views import plotted_simulation, shown_table
from tests.made_verdict import with_verdict
from tests.plots.made_search import ANSWERS, made_judgements, made_search
from tests.service import Server, answered
from tvlb.requests import Question
from tvlb.requests.kinds.model import ModelBody
from tvlb.requests.kinds.stability import StabilityBody
from tvlb.statistics import change_text

HTML = {"Accept": "text/html,application/xhtml+xml"}


def get(server: Server, path: str, **headers: str) -> httpx.Response:
    return httpx.get(f"{server.url}{path}", headers={**HTML, **headers}, timeout=60)


def rendered(table: dict[str, Any]) -> str:
    """Return the page of a table, without its commands."""
    commands = {"line": "", "curl": "", "download": ""}
    return render(
        "table.html",
        **shown_table(table),
        commands=commands,
        signed_in=False,
        label=None,
        repairs=(),
    )


def test_the_first_page_lists_jobs_and_tables(server: Server, table: dict[str, Any]) -> None:
    shown = get(server, "/")
    assert shown.status_code == 200
    assert shown.headers["content-type"] == "text/html; charset=utf-8"
    newest = httpx.get(f"{server.url}/v1/tables").json()["tables"][0]
    assert f'href="/tables/{newest["id"]}"' in shown.text
    assert 'href="/jobs/' in shown.text
    assert " of pieces of work; " in shown.text


def test_every_page_leads_to_the_glossary(server: Server) -> None:
    assert 'href="/glossary"' in get(server, "/").text
    assert "<strong>Held-out pattern</strong>: a pattern" in get(server, "/glossary").text


def test_a_table_is_readable_without_scripts(server: Server, table: dict[str, Any]) -> None:
    shown = get(server, f"/tables/{table['id']}").text
    for one in (table["baseline"], *table["candidates"]):
        expression = one["expression"].replace("<", "&lt;")
        assert f"<code>{expression}</code>" in shown
        mean = f"{one['saturation_mean']:.4f}"
        # Of two patterns: t(1) = 12.7062. Rounding to the grid alone gives a uniform error.
        least = one["windows"]["grid"] / math.sqrt(12.0 * 2)
        half = 12.7062047 * max(one["saturation_sem"], least)
        assert f"{mean} +- {half:.4f}" in shown
    assert table["table"]["id"] in shown
    assert f"{table['url']}/download?format=parquet" in shown
    assert "tvlb table &#39;dfly(2,4,2,5)&#39; --method paper --patterns 4" in shown


def test_what_a_search_found_is_readable_without_scripts(
    server: Server, front: dict[str, Any]
) -> None:
    shown = get(server, f"/tables/{front['id']}").text
    search = front["search"]
    for one in search["held_out"]:
        path_set = one["path_set"].replace("<", "&lt;")
        assert f'<th scope="row"><code>{path_set}</code></th>' in shown
        assert f"{one['saturation_mean']:.4f}" in shown
    for sentence in front["verdict"]["text"]:
        assert html.escape(sentence) in shown
    assert front["verdict"]["judgements"]
    for judgement in front["verdict"]["judgements"]:
        gain = judgement["saturation"]
        assert f">{change_text(gain['mean'], gain['half_width'])}<" in shown
        assert f"<code>{gain['worst_pattern']}</code>" in shown
    traffic = "--traffic &#39;type2(seed=1)&#39; --traffic &#39;shift(1,0)&#39;"
    assert f"--objective front --budget 0 {traffic} --patterns 3" in shown


def test_every_point_of_a_front_has_its_table(table: dict[str, Any]) -> None:
    made = copy.deepcopy(table)
    urls = [f"{table['url']}/front/{number}/download" for number in (1, 2)]
    made |= {"search": made_search(), "front_urls": urls}
    made["decision"] |= {"expression": ANSWERS[0], "replaces_all": True}
    made["candidates"][0]["expression"] = ANSWERS[0]
    made = with_verdict(made, made_judgements())
    shown = rendered(made)
    for name in ("found 1, chosen", "found 2", "conventional UGAL", "published", "Algorithm 1"):
        assert f"<td>{name}</td>" in shown
    for url in urls:
        assert f'href="{url}"' in shown
    # No pattern has a latency of both sets at the higher load.
    changes = shown.partition("<caption>Changes")[2].partition("</table>")[0]
    assert changes.count(">none</td>") == len(made["verdict"]["judgements"])


def test_tables_of_earlier_versions_are_shown(table: dict[str, Any]) -> None:
    earlier = copy.deepcopy(table)
    del earlier["search"], earlier["front_urls"], earlier["table"]["balancing"], earlier["verdict"]
    earlier["candidates"][0]["comparison"] = {
        "expression": "<=3", "saturation_gain": 0.02, "saturation_sem": 0.001,
        "latency_change": -1.0, "latency_sem": 0.1, "verdict": "higher saturation throughput",
    }  # fmt: skip
    for one in (earlier["baseline"], *earlier["candidates"]):
        del one["path_set"], one["balancing"]
    for point in itertools.chain(*earlier["curves"].values()):
        del point["latency_ci95"]
    for name in ("method", "objective", "budget", "traffic"):
        del earlier["request"][name]
    commands = commands_of("table", earlier["request"], "http://localhost", token=False)
    assert commands.line is not None
    assert commands.line.startswith("tvlb table 'dfly(2,4,2,5)' --method paper --patterns 4")
    shown = rendered(earlier)
    assert "What the search found" not in shown
    assert "Computed by an earlier version, without a verdict." in shown
    assert f"{table['baseline']['saturation_mean']:.4f}" in shown


def test_simulations_and_models_are_listed(server: Server) -> None:
    asked = {"topology": "2,4,2,5", "load": [0.1], "cycles": 300, "warmup": 100, "seed": 4711}
    ring = "# level=switch\nsrc,dst,rate\n0,4,1\n"
    simulation = answered(server, "/v1/simulations", asked | {"pattern": ring})
    model = answered(server, "/v1/models", {"topology": "2,4,2,5", "vlb": "<=4", "pattern": ring})
    for kind, result in (("simulations", simulation), ("models", model)):
        for path in (f"/{kind}", f"/{kind}/new", f"/{kind}?search=2,4,2,5"):
            shown = get(server, path).text
            assert f'href="/{kind}/{result["id"]}">dfly(2,4,2,5), matrix(' in shown
        assert "Nothing matches this text." in get(server, f"/{kind}?search=nobody").text
    for name in ("jobs", "tables"):
        assert get(server, f"/{name}").headers["location"] == f"/#{name}"
    assert "<h1>Repairs</h1>" in get(server, "/repairs").text


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/models/new", ModelBody),
        ("/stabilities/new", StabilityBody),
    ],
)
def test_a_form_has_every_field_of_its_request(
    path: str, body: type[Question], server: Server
) -> None:
    shown = get(server, path).text
    asked = set(re.findall(r'name="(\w+)" (?:rows="2" spellcheck="false" )?data-input', shown))
    assert asked == {*body.model_fields, "without"}
    assert "null for" not in shown


LISTED: dict[str, Any] = {"switches": 3, "endpoints": [1, 1, 1], "links": [[0, 1], [1, 2]]}


@pytest.mark.parametrize(
    ("topology", "named"),
    [
        (LISTED, "network of 3 switches, as listed"),
        (
            {"network": "dfly(2,4,2,5)", "without": {"links": [[0, 4], [2, 5]], "switches": [7]}},
            "dfly(2,4,2,5) without 2 cables and 1 switch (540c0ae8)",
        ),
        ({"network": LISTED | {"links": [[0, 1], [1, 2], [0, 2]]}, "without": {"links": [[0, 2]]}},
         "network of 3 switches, as listed without 1 cable (6edaf535)"),
    ],
)  # fmt: skip
def test_networks_that_have_no_text_have_pages(
    server: Server, topology: dict[str, Any], named: str
) -> None:
    body = {"topology": topology, "pattern": "uniform"}
    model = answered(server, "/v1/models", body)
    assert f"Throughput model of {named}</h1>" in get(server, f"/models/{model['id']}").text


def test_a_table_of_a_network_without_groups_tells_none(table: dict[str, Any]) -> None:
    made = copy.deepcopy(table)
    made["request"]["topology"] = LISTED
    made["topology_metadata"] = {"switches": 3, "nodes": 3, "links": 4}
    made["decision"]["expression"] = made["baseline"]["expression"] = f"shape({'r.' * 200})"
    shown = rendered(made)
    assert "3 switches<small> 3 nodes, 2 cables</small>" in shown
    assert "between two groups" not in shown
    assert "p = " not in shown
    # A text that would take pages stands there in full once.
    assert shown.count(f"<code>shape({'r.' * 200})</code>") == 1


def test_calls_tell_what_is_not_usual_for_the_method(table: dict[str, Any]) -> None:
    usual = {"topology": "dfly(2,4,2,5)", "method": "paper", "finalists": 2, "seed": 7}
    curl = commands_of("table", usual, "http://localhost", token=False).curl
    assert """'{"topology":"dfly(2,4,2,5)","method":"paper","seed":7}'""" in curl
    resolved = commands_of("table", table["request"], "http://localhost", token=False).curl
    assert '"objective"' not in resolved
    assert '"finalists":1' in resolved


def test_tables_are_compared(server: Server, table: dict[str, Any]) -> None:
    shown = get(server, f"/compare?table={table['id']}&table={table['id']}")
    assert shown.status_code == 200
    assert shown.text.count(f'<a href="/tables/{table["id"]}">') == 1
    assert "tvlb table &#39;dfly(2,4,2,5)&#39; --method paper --patterns 4" in shown.text
    assert get(server, "/compare").status_code == 422


def test_simulations_and_models_have_pages(server: Server) -> None:
    body = {"topology": "2,4,2,5", "load": [0.1, 0.2], "warmup": 200, "cycles": 200}
    simulation = answered(server, "/v1/simulations", body)
    model = answered(server, "/v1/models", {"topology": "2,4,2,5"})
    shown = get(server, f"/simulations/{simulation['id']}").text
    assert f"{simulation['rows'][1]['accepted']:.4f}" in shown
    assert "tvlb simulate &#39;dfly(2,4,2,5)&#39; --load 0.1,0.2 --warmup 200" in shown
    assert "dfly(2,4,2,5), ugal-l with all, uniform" in shown
    assert "switches-plot" in shown
    assert ">state</th>" in shown
    shown = get(server, f"/models/{model['id']}").text
    assert f"{model['theta']:.6f} packets/cycle/node" in shown
    assert "<dt>Monotone</dt><dd>yes</dd>" in shown
    assert f"<dt>Relative gap</dt><dd>{model['relative_gap']:.6g}</dd>" in shown
    assert f"<dt>Nonzeros</dt><dd>{model['nonzeros']:,}</dd>" in shown
    assert model["created_at"] not in shown


def test_the_course_of_a_simulation_is_on_its_page(server: Server) -> None:
    body = {
        "topology": "2,4,2,5", "router": "vct-fog", "routing": "acor-switch(3l,hi=250)",
        "preset": "small", "pattern": "step(advr(1),300,0.4)", "load": [0.1], "warmup": 200,
        "cycles": 400, "interval": 100, "levels": 0,
    }  # fmt: skip
    simulation = answered(server, "/v1/simulations", body)
    (row,) = simulation["rows"]
    assert row["series"]["cycle"] == [0, 100, 200, 300, 400, 500]
    assert [len(levels) for levels in row["series"]["levels"]] == [4] * 6
    shown = get(server, f"/simulations/{simulation['id']}").text
    courses = plotted_simulation(simulation)[1]["courses"]
    assert courses
    for number, course in enumerate(courses):
        assert f'id="course-plot-{number}"' in shown
        assert course["title"] in shown
    assert "dotted: the offered load changes" in shown
    assert "loads-plot" not in shown
    assert "switches-plot" in shown


@pytest.mark.parametrize(("loads", "by_switch"), [(0, 0), (100, 100), (101, 51)])
def test_at_most_a_hundred_loads_are_shown_by_switch(loads: int, by_switch: int) -> None:
    row = dict.fromkeys(("latency_mean", "latency_ci95", "accepted", "accepted_ci95"), 0.0)
    accepted = {"switch_accepted": {"by_switch": [0.5]}}
    rows = [row | accepted | {"load": number / 1000} for number in range(loads)]
    _, drawn = plotted_simulation({"rows": rows, "seeds": 1, "routing": "min"})
    assert sum("by_switch" in one for one in drawn["rows"]) == by_switch


@pytest.mark.parametrize(
    ("path", "status"),
    [
        (f"/tables/{'0' * 64}", 404),
        (f"/jobs/{'0' * 32}", 404),
        ("/tables/x", 422),
        ("/nothing", 404),
        ("/?unknown=1", 422),
        ("/?jobs_before=1_0", 422),
        ("/parts/jobs?before=1_0", 422),
    ],
)
def test_problems_are_pages_for_browsers_and_documents_for_programs(
    server: Server, path: str, status: int
) -> None:
    shown = get(server, path)
    assert (shown.status_code, shown.headers["content-type"]) == (
        status,
        "text/html; charset=utf-8",
    )
    told = httpx.get(f"{server.url}{path}")
    assert (told.status_code, told.headers["content-type"]) == (status, "application/problem+json")
    assert told.json()["title"] in shown.text
    assert get(server, "/v1/nothing").headers["content-type"] == "application/problem+json"


def test_what_users_send_stays_text(server: Server) -> None:
    shown = get(server, "/?network=%3Cscript%3Ealert(1)%3C/script%3E%22").text
    assert "<script>alert" not in shown
    assert "&lt;script&gt;alert(1)&lt;/script&gt;&#34;" in shown
    assert "<script>" not in get(server, "/<script>alert(1)</script>").text


def test_a_browser_signs_in_with_its_token(guarded: tuple[Server, str]) -> None:
    server, token = guarded
    refused = get(server, "/")
    assert refused.status_code == 401
    assert 'id="sign-in"' in refused.text
    with httpx.Client(base_url=server.url, headers=HTML) as http:
        assert http.post("/session", headers={"Authorization": "Bearer wrong"}).status_code == 401
        assert not http.cookies
        assert http.post("/session", headers={"Authorization": f"Bearer {token}"}).is_success
        assert http.get("/").status_code == 200
        assert http.get("/v1/jobs").status_code == 200
        assert http.delete("/session").is_success
        assert http.get("/").status_code == 401


def test_the_cookie_is_of_no_use_to_scripts_and_other_sites(guarded: tuple[Server, str]) -> None:
    server, token = guarded
    answer = httpx.post(f"{server.url}/session", headers={"Authorization": f"Bearer {token}"})
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_other_sites_change_nothing(server: Server, site: str) -> None:
    answer = httpx.post(f"{server.url}/v1/jobs/{'0' * 32}/cancel", headers={"Sec-Fetch-Site": site})
    assert answer.status_code == 403
    assert answer.json()["type"] == "urn:tvlb:problem:cross-site"


def test_only_the_sign_in_page_runs_a_script_of_its_own(
    server: Server, guarded: tuple[Server, str]
) -> None:
    policy = get(guarded[0], "/").headers["content-security-policy"]
    assert "script-src 'sha256-" in policy
    shown = get(server, "/").headers["content-security-policy"]
    assert "script-src" not in shown
    assert "default-src 'self'" in shown
