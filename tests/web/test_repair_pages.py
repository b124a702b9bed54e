"""The form for a repair on the page of a table, and the page of the repair."""

from html import escape
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, expect

from tests.browser import CHROMIUM, new_page
from tests.service import QUICK_REPAIR, Server, answered, quick_options
from tvlb.statistics import change_text


def repaired(server: Server, table: dict[str, Any], without: dict[str, Any]) -> dict[str, Any]:
    return answered(
        server, "/v1/repairs", QUICK_REPAIR | {"table": table["id"], "without": without}
    )


def shown(server: Server, path: str) -> str:
    answer = httpx.get(f"{server.url}{path}", headers={"Accept": "text/html"}, timeout=60)
    assert answer.status_code == 200, answer.text
    return answer.text


def test_a_repair_is_readable_without_scripts(server: Server, table: dict[str, Any]) -> None:
    found = repaired(server, table, {"links": [[0, 1]], "switches": [7]})
    text = shown(server, f"/repairs/{found['id']}")
    assert f"<h1>{found['topology']}</h1>" in text
    for sentence in found["verdict"]["text"]:
        assert escape(sentence) in text
    for judgement in found["verdict"]["judgements"]:
        change = judgement["saturation"]
        told = change_text(change["mean"], change["half_width"])
        cells = (
            f'<code>{judgement["against"]}</code></td><td class="number" data-label="Saturation">'
        )
        assert f"{cells}{told}<br>" in text
    assert f"{found['vcs_needed']}<small> free of deadlock" in text
    assert f'href="{found["url"]}/download?format=parquet"' in text
    assert "<small> 0-1</small>" in text
    assert "tvlb repair TABLE.parquet --without FAILURES.json --traffic" in text
    # It is found again on the page of its table.
    listed = shown(server, f"/tables/{table['id']}")
    assert f'<a href="/repairs/{found["id"]}">{found["topology"]}</a>' in listed
    assert f"<td>{found['verdict']['verdict']}</td>" in listed


def test_a_struck_table_is_readable_without_scripts(server: Server, table: dict[str, Any]) -> None:
    form = shown(server, f"/tables/{table['id']}")
    assert '<input name="strike_only" type="checkbox"> Whether the table is the old one' in form
    asked = {"table": table["id"], "without": {"links": [[0, 2]]}, "strike_only": True}
    found = answered(server, "/v1/repairs", asked)
    text = shown(server, f"/repairs/{found['id']}")
    assert all(escape(line, quote=False) in text for line in found["verdict"]["text"])
    (first, *_) = found["struck"]["switches"]
    assert f'<tr><th scope="row">{first["switch"]}</th><td class="number">' in text
    assert "Changes, paired run by run" not in text
    assert "dead paths struck out, nothing simulated" in shown(server, f"/tables/{table['id']}")
    # Its page has the form for the next one, which lists what is down.
    assert "&#34;links&#34;: [[0, 2]]" in text
    assert "/static/repair.js" in text
    more = {"links": [[0, 1], [0, 2]]}
    again = answered(server, "/v1/repairs", asked | {"table": found["id"], "without": more})
    assert f'href="/repairs/{again["id"]}"' in shown(server, f"/repairs/{found['id']}")
    # Where a page knows an id alone it finds what that is of.
    with httpx.Client(base_url=server.url, follow_redirects=True, timeout=60) as http:
        assert http.get(f"/tables/{found['id']}").url.path == f"/repairs/{found['id']}"


def test_the_form_of_a_table_with_failures_lists_them(server: Server) -> None:
    table = {
        "topology": {"network": "1,2,2,3", "without": {"links": [[0, 1]]}},
        **quick_options(200, 200, 0.05),
    }
    made = answered(server, "/v1/tables", table)
    assert "&#34;links&#34;: [[0, 1]]" in shown(server, f"/tables/{made['id']}")


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
def test_a_repair_is_asked_for(
    browser: Browser, server: Server, table: dict[str, Any], tmp_path: Path
) -> None:
    # Known already, so that the page of the result is next.
    known = repaired(server, table, {"links": [[2, 0]]})
    with new_page(browser, server.url) as page:
        page.goto(f"/tables/{table['id']}")
        failures = page.get_by_label("Failures")
        problem, estimate = page.locator("#problem"), page.locator("#estimate")
        failures.fill("{")
        expect(problem).to_contain_text("The failures are no JSON")
        failures.fill('{"links": [[0, 19]]}')
        expect(problem).to_contain_text("1 cable [0,19] cannot be down")
        failures.fill('{"links": [[0, 1]]}')
        expect(estimate).to_contain_text("of processor time")
        page.get_by_label("Virtual channels").fill("1")
        expect(problem).to_contain_text("vc_count 1 is too few: MIN paths of")
        page.get_by_label("VC scheme").select_option("won")
        page.get_by_label("Virtual channels").fill("4")
        page.get_by_label("Whether the table is the old one").check()
        expect(estimate).to_contain_text("of processor time")
        page.get_by_label("Whether the table is the old one").uncheck()
        file = tmp_path / "down.json"
        file.write_text('{"links": [[0, 2]]}')
        page.get_by_label("From a file").set_input_files(file)
        expect(failures).to_have_value('{"links": [[0, 2]]}')
        page.locator("#repair [name=label]").fill("after the storm")
        page.get_by_role("button", name="Repair", exact=True).click()
        page.wait_for_url("**/jobs/*")
        expect(page.get_by_role("heading", level=1)).to_contain_text("Repair of dfly(2,4,2,5)")
        httpx.post(f"{server.url}/v1{page.url.removeprefix(server.url)}/cancel")
        page.goto(f"/tables/{table['id']}")
        listed = page.get_by_role("region", name="Repairs of this table")
        listed.locator(f"a[href='/repairs/{known['id']}']").click()
        page.wait_for_url("**/repairs/*")
        expect(page.get_by_role("heading", name="Verdict")).to_be_visible()
