"""The page of a sweep, and its report as the service serves it, in a browser."""

from importlib.resources import files

import httpx
import pytest
from playwright.sync_api import Browser, expect

from tests.api.tiny_sweep import SWEEP
from tests.browser import CHROMIUM, new_page
from tests.service import Server
from tvlb.schemas import SweepResource

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")


def test_a_report_works_and_has_nothing_of_the_service(browser: Browser, server: Server) -> None:
    with httpx.Client(base_url=server.url, timeout=60) as http:
        answer = http.post("/v1/sweeps", json=SWEEP, headers={"Prefer": "wait=60"})
    sweep = SweepResource.model_validate_json(answer.content)
    with new_page(browser, server.url) as page:
        told: list[str] = []
        page.on("console", lambda message: told.append(message.text))
        page.context.add_cookies([{"name": "tvlb_token", "value": "secret", "url": server.url}])
        page.goto(f"/sweeps/{sweep.id}")
        expect(page.locator("tbody tr")).to_have_count(2)
        page.evaluate((files("axe_playwright_python") / "axe.min.js").read_text())
        assert page.evaluate("axe.run({ resultTypes: ['violations'] })")["violations"] == []
        page.get_by_role("link", name="Report").click()
        # Plots are drawn when they come into view.
        page.locator("[data-plot=cost-switches]").scroll_into_view_if_needed()
        drawn = page.locator("[data-plot=cost-switches] .scatterlayer .point")
        expect(drawn.first).to_be_visible()
        page.locator("table.sortable tbody a[href$='point=1']").click()
        plots = page.locator("section[aria-labelledby=point-1] .main-svg")
        expect(plots.first).to_be_visible()
        page.go_back()
        expect(page.get_by_role("heading", name="All points")).to_be_visible()
        assert told == []
        assert page.evaluate("origin") == "null"
        reads_cookie = (
            "() => { try { return document.cookie } catch (error) { return error.name } }"
        )
        assert page.evaluate(reads_cookie) == "SecurityError"
        # Its own policy lets it ask nobody, the service neither.
        asks = (
            "fetch('/v1/jobs', { credentials: 'include' }).then(() => 'answered', () => 'refused')"
        )
        assert page.evaluate(asks) == "refused"
