"""The form for a study of stability, and its page."""

import re
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, expect

from tests.browser import CHROMIUM, new_page, wrong_with
from tests.service import Server, answered

STUDY: dict[str, Any] = {
    "topology": "hyperx(2,3,3)",
    "pattern": "dshift(1)",
    "vcs": ["ladder", "2phases:4"],
    "cycles": 100_000,
    "seeds": 2,
}


def test_a_study_is_readable_without_scripts(server: Server) -> None:
    study = answered(server, "/v1/stabilities", STUDY)
    answer = httpx.get(
        f"{server.url}/stabilities/{study['id']}", headers={"Accept": "text/html"}, timeout=60
    )
    assert answer.status_code == 200, answer.text
    shown = answer.text
    assert "<h1>Stability of hyperx(2,3,3)</h1>" in shown
    assert "Under <code>dshift(1)</code> at load 1, " in shown
    for case in study["stability"]:
        assert f"<td>{case['config']['vc_policy']}, {case['config']['vc_count']}</td>" in shown
        for run in case["runs"]:
            for figure in ("level", "lowest", "peak"):
                assert f"{run[figure]:.3f}" in shown
    assert shown.count(">never</td>") == 4
    assert "tvlb stability &#39;hyperx(2,3,3)&#39; --pattern &#39;dshift(1)&#39; --vcs" in shown


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
@pytest.mark.parametrize(("width", "dark"), [(1280, False), (400, True)])
def test_a_study_is_asked_for(browser: Browser, server: Server, width: int, dark: bool) -> None:
    seed = 2**63 - width
    with new_page(browser, server.url, width=width, dark=dark) as page:
        page.goto("/stabilities/new")
        assert wrong_with(page) == []
        problem, estimate = page.locator("#problem"), page.locator("#estimate")
        page.locator("#request [name=topology]").fill("hyperx(2,3,3)")
        page.get_by_label("Pattern").fill("adv(1)")
        expect(problem).to_contain_text("adv(1) is no pattern of hyperx(2,3,3)")
        page.get_by_label("Pattern").fill("dshift(1)")
        page.get_by_label("Virtual channels").fill("ladder:3\n\n2phases:4")
        expect(problem).to_contain_text("vc_count 3 is too few: ladder needs at least 4 here")
        page.get_by_label("Virtual channels").fill("ladder\n2phases:4")
        page.locator("#request [name=seed]").fill(str(seed))
        page.get_by_label("valiant(minlast)").check()
        page.get_by_text("More options").click()
        page.get_by_label("Failures").fill("{")
        expect(problem).to_contain_text("The failures are no JSON")
        page.get_by_label("Failures").fill("")
        page.get_by_label("Cycles of a run").fill("100000")
        expect(estimate).to_contain_text(
            "--routing 'valiant(minfirst)' --routing 'valiant(minlast)' --vcs ladder:4 "
            f"--vcs 2phases:4 --cycles 100000 --link-latencies x=1,y=1 --seed {seed}"
        )
        page.get_by_role("button", name="Compute").click()
        page.wait_for_url("**/jobs/*")
        expect(page.get_by_role("heading", level=1)).to_have_text("Stability of hyperx(2,3,3)")
        expect(page.locator("#job .state")).to_have_text("succeeded")
        page.get_by_role("link", name="See the result").click()
        page.wait_for_url("**/stabilities/*")
        lines = page.locator("#bands-plot .scatterlayer .trace")
        expect(lines).to_have_count(4 * 3)
        # Long names are broken in lines.
        expect(page.locator("#bands-plot")).to_contain_text(
            re.compile(r"valiant\(minlast\),\s*2phases,\s*4\s*VCs:\s*category")
        )
        expect(page.locator("tbody tr")).to_have_count(4)
        expect(page.locator("main")).to_contain_text(
            "valiant(minlast), ladder with 4 VCs or more: the VC rises with every link."
        )
        assert wrong_with(page) == []
        study = page.url.removeprefix(server.url)
        page.goto("/stabilities/new")
        expect(page.locator(f"a[href='{study}']")).to_have_text("hyperx(2,3,3), dshift(1)")
