"""The form for a sweep, its page, and its report as the service serves it, in a browser."""

import httpx
import pytest
from playwright.sync_api import Browser, expect

from tests.api.tiny_sweep import OPTIONS, SWEEP, WINDOWS
from tests.browser import CHROMIUM, new_page, wrong_with
from tests.service import Server
from tvlb.requests import resource_of

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")


@pytest.mark.slow
def test_a_report_works_and_has_nothing_of_the_service(browser: Browser, server: Server) -> None:
    with httpx.Client(base_url=server.url, timeout=60) as http:
        answer = http.post("/v1/sweeps", json=SWEEP, headers={"Prefer": "wait=60"})
    sweep = resource_of("sweep").model_validate_json(answer.content)
    with new_page(browser, server.url) as page:
        told: list[str] = []
        page.on("console", lambda message: told.append(message.text))
        page.context.add_cookies([{"name": "tvlb_token", "value": "secret", "url": server.url}])
        page.goto(f"/sweeps/{sweep.id}")
        expect(page.locator("tbody tr")).to_have_count(2)
        assert wrong_with(page) == []
        page.get_by_role("link", name="Report").click()
        # Plots are drawn when they come into view.
        page.locator("[data-plot=cost-switches]").scroll_into_view_if_needed()
        drawn = page.locator("[data-plot=cost-switches] .scatterlayer .point")
        expect(drawn.first).to_be_visible()
        points = page.get_by_role("table", name="All points")
        points.locator("a[href$='point=1']").click()
        plots = page.locator("section[aria-labelledby=point-1] .main-svg")
        expect(plots.first).to_be_visible()
        page.go_back()
        expect(page.get_by_role("heading", name="All points")).to_be_visible()
        assert told == []
        # A browser asks whether what it kept is still so: the report is drawn again.
        page.reload()
        page.locator("[data-plot=cost-switches]").scroll_into_view_if_needed()
        expect(drawn.first).to_be_visible()
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


@pytest.mark.slow
def test_slim_flies_are_asked_for(browser: Browser, server: Server) -> None:
    with new_page(browser, server.url) as page:
        page.goto("/sweeps/new")
        page.get_by_label("a switches").fill("2")
        page.locator("[data-family]").select_option("slimfly")
        expect(page.get_by_label("a switches")).to_have_count(0)
        page.get_by_label("q columns").fill("6")
        problem = page.locator("#problem")
        expect(problem).to_contain_text("no combination of q = 6 has q a prime power 3..53")
        page.get_by_label("q columns").fill("60")
        expect(problem).to_contain_text("60 is out of range: 3..53")
        page.get_by_label("q columns").fill("3..6")
        page.get_by_label("Constraints").fill("a > 2")
        expect(problem).to_contain_text('unknown name "a"; use one of q, p, radix')
        with page.expect_response("**/v1/sweeps?validate_only=true") as answer:
            page.get_by_label("Constraints").fill("degree <= 6")
        assert answer.value.json()["request"]["generators"] == [
            {"family": "slimfly", "q": "3..6", "constraints": ["degree <= 6"]}
        ]
        expect(page.locator("#estimate")).to_contain_text("2 points, ")
        assert wrong_with(page) == []


@pytest.mark.slow
@pytest.mark.parametrize(("width", "dark"), [(1280, False), (400, True)])
def test_a_sweep_is_asked_for(browser: Browser, server: Server, width: int, dark: bool) -> None:
    with new_page(browser, server.url, width=width, dark=dark) as page:
        page.goto("/sweeps/new")
        assert wrong_with(page) == []
        for name, text in {
            "name": "from the page",
            "label": f"by hand {width}",
            "seeds": f"{2**63 - width}",
        }.items():
            page.locator(f"#request [name={name}]").fill(text)
        page.get_by_label("p compute").fill("1")
        page.get_by_label("a switches").fill("2")
        page.get_by_label("h global").fill("1..2")
        problem = page.locator("#problem")
        expect(problem).to_contain_text("generators")
        page.get_by_label("g groups").fill("3")
        page.get_by_label("Constraints").fill("radix <= 4\nradix <= 3")
        page.get_by_text("Add networks by ranges").click()
        second = page.locator("[data-generator]").nth(1)
        second.locator("[data-family]").select_option("slimfly")
        second.locator("[name=q]").fill("3")
        for summary in page.locator("summary").all():
            summary.click()
        for name, value in OPTIONS.items():
            text = ",".join(map(str, WINDOWS.values())) if value is WINDOWS else str(value)
            field = page.locator(f"[name='options.{name}']")
            field.select_option(text) if name == "method" else field.fill(text)
        page.locator("[name='prices.currency']").fill("EUR")
        page.locator("[name='prices.switch']").fill("fixed = 800, per_port")
        expect(problem).to_contain_text("prices.switch.per_port: ")
        page.locator("[name='prices.switch']").fill("fixed = 800, per_port = 220")
        page.locator("[name='prices.cable']").fill("local = 60, global = 400, x = 1, y = 1")
        expect(page.locator("#estimate")).to_contain_text("2 points, ")
        page.get_by_role("button", name="Compute").click()
        page.wait_for_url("**/jobs/*")
        with httpx.Client(base_url=server.url) as http:
            (job,) = http.get(f"/v1/jobs?search=by hand {width}").json()["jobs"]
        assert (job["request"]["name"], job["request"]["seeds"]) == (
            "from the page",
            [2**63 - width],
        )
        first, other = job["request"]["generators"]
        assert first["constraints"] == ["radix <= 4", "radix <= 3"]
        assert (other["family"], other["q"]) == ("slimfly", "3")
        assert job["request"]["prices"]["switch"] == {"fixed": 800.0, "per_port": 220.0}
