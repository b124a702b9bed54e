"""The pages in a browser, against a real server and its worker."""

import hashlib
import re
from collections.abc import Generator
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.api.tiny_sweep import SWEEP
from tests.browser import CHROMIUM, new_page, wrong_with
from tests.service import Server, answered, form_paths, new_token, running_server
from tests.web.test_repair_pages import repaired
from tests.web.test_stability_pages import STUDY

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")

ENDLESS = {"topology": "2,4,2,5", "load": [0.2], "cycles": 100_000_000, "seed": 77}
FOUND_PLOTS = ("front-plot", "anytime-plot", "shapes-plot")
PLOTS = ("probe-plot", "curves-plot", "candidates-plot", "usage-plot", "global-heat", "local-heat")


def fill(page: Page, **values: str) -> None:
    for name, value in values.items():
        page.locator(f"#request [name={name}]").fill(value)


def open_table(page: Page, table: dict[str, Any], *more: str) -> None:
    page.goto(f"/tables/{table['id']}")
    for name in (*PLOTS, *more):
        expect(page.locator(f"#{name} .main-svg").first).to_be_visible()


def picture(page: Page) -> str:
    """Return a hash of what is on the canvas."""
    data = page.evaluate("document.getElementById('network').toDataURL()")
    return hashlib.sha256(data.encode()).hexdigest()


def test_a_table_is_asked_for_followed_and_downloaded(
    browser: Browser, server: Server, tmp_path: Path
) -> None:
    with new_page(browser, server.url) as page:
        page.goto("/")
        fill(page, topology="1,2,2,3", seed="5")
        page.get_by_label("Method").select_option("paper")
        expect(page.get_by_label("Objective")).to_be_hidden()
        page.get_by_text("More options").click()
        fill(page, patterns="2", finalists="1", data_points="2", simulated_patterns="2")
        fill(page, screening="300,300,0.05", confirmation="600,400,0.02")
        estimate = page.locator("#estimate")
        expect(estimate).to_contain_text("of processor time")
        expect(estimate).to_contain_text("tvlb table 'dfly(1,2,2,3)' --method paper --patterns 2")
        page.get_by_role("button", name="Compute").click()
        page.wait_for_url("**/jobs/*")
        progress = page.locator("#job progress")
        seen = {progress.get_attribute("value")}
        events = page.locator("#events li")
        expect(events.filter(has_text="probe").first).to_be_visible()
        seen.add(progress.get_attribute("value"))
        expect(page.locator("#job .state")).to_have_text("succeeded")
        seen.add(progress.get_attribute("value"))
        assert len(seen) > 1
        page.get_by_role("link", name="See the result").click()
        page.wait_for_url("**/tables/*")
        with page.expect_download() as waiting:
            page.get_by_role("link", name="Download parquet").click()
        file = tmp_path / "table.parquet"
        waiting.value.save_as(file)
        found = page.url.rpartition("/")[2]
        served = httpx.get(f"{server.url}/v1/tables/{found}/download?format=parquet")
        assert file.read_bytes() == served.content


@pytest.mark.slow
def test_wrong_input_is_told_at_once_and_nothing_is_lost(browser: Browser, server: Server) -> None:
    with new_page(browser, server.url) as page:
        page.goto("/")
        fill(page, topology="4,8,4,900")
        expect(page.locator("#problem")).to_contain_text("7,200 switches")
        page.get_by_role("button", name="Compute").click()
        expect(page.locator("#problem")).to_be_visible()
        assert page.locator("#request [name=topology]").input_value() == "4,8,4,900"
        fill(page, topology="2,4,2,5", seed="9223372036854775807")
        expect(page.locator("#estimate")).to_contain_text("--seed 9223372036854775807")


@pytest.mark.slow
def test_the_figures_are_there(browser: Browser, server: Server, table: dict[str, Any]) -> None:
    with new_page(browser, server.url) as page:
        open_table(page, table)
        points = page.locator("#probe-plot .scatterlayer .point")
        assert points.count() == len(table["probe"]) + len(table["strategic"])
        expect(page.locator("#probe-plot")).to_contain_text(f"cut {table['cut']:.4f}")
        assert page.locator("#global-heat .heatmaplayer image").count() == 1


@pytest.mark.slow
def test_objective_budget_and_traffic_are_asked_for(browser: Browser, server: Server) -> None:
    with new_page(browser, server.url) as page:
        page.goto("/")
        fill(page, topology="2,4,2,5", objective="latency@0.20", budget="1000")
        fill(page, traffic="shift(2,0):3\n\n uniform \n")
        estimate = page.locator("#estimate")
        expect(estimate).to_contain_text(
            "tvlb table 'dfly(2,4,2,5)' --objective latency@0.2 --budget 1000 "
            "--traffic 'shift(2,0):3' --traffic uniform"
        )
        fill(page, objective="fame")
        expect(page.locator("#problem")).to_contain_text("unknown objective")
        # What has no meaning for a method is not sent.
        page.get_by_label("Method").select_option("paper")
        expect(estimate).to_contain_text("--method paper")
        expect(estimate).not_to_contain_text("--objective")
        page.get_by_text("More options").click()
        expect(page.get_by_label("Confirmation")).to_have_attribute(
            "placeholder", "30000,10000,0.002"
        )
        page.get_by_text("Routers", exact=True).click()
        page.get_by_label("Ugal rule").select_option("two")
        page.get_by_label("Speedup").fill("2.5")
        expect(estimate).to_contain_text("--method paper --speedup 2.5 --ugal-rule two")
        page.get_by_label("Buffer").fill("0")
        expect(page.locator("#problem")).to_contain_text("buffer 0 is out of range: 1..4096")


@pytest.mark.slow
def test_figures_of_a_search_are_there(
    browser: Browser, server: Server, front: dict[str, Any]
) -> None:
    with new_page(browser, server.url) as page:
        open_table(page, front, *FOUND_PLOTS)
        search = front["search"]
        points = page.locator("#front-plot .scatterlayer .point")
        assert points.count() == len(search["held_out"])
        names = page.locator("#front-plot .legendtext").all_text_contents()
        for known in ("conventional UGAL: all", "published: short(2,3)", "Algorithm 1"):
            assert sum(known in name for name in names) == 1
        bars = page.locator("#shapes-plot .barlayer .point")
        shares = [one["shares"] for one in search["held_out"]]
        assert bars.count() == len({shape for one in shares for shape in one})
        assert wrong_with(page) == []


@pytest.mark.slow
def test_figures_are_printed_in_dark_ink(
    browser: Browser, server: Server, table: dict[str, Any]
) -> None:
    with new_page(browser, server.url, dark=True) as page:
        open_table(page, table)
        title = page.locator("#probe-plot .xtitle")
        expect(title).not_to_have_css("fill", "rgb(0, 0, 0)")
        page.emulate_media(media="print", color_scheme="dark")
        expect(title).to_have_css("fill", "rgb(0, 0, 0)")
        expect(page.get_by_role("button", name="Show paths")).to_be_hidden()


@pytest.mark.slow
def test_paths_are_drawn_on_the_network(
    browser: Browser, server: Server, table: dict[str, Any]
) -> None:
    with new_page(browser, server.url) as page:
        open_table(page, table)
        empty = picture(page)
        form = page.locator("#pair")
        form.locator("[name=src]").fill("0")
        form.locator("[name=dst]").fill("19")
        form.locator("[name=dst]").press("Enter")
        options = page.locator("#path-list option")
        expect(options.first).to_be_attached()
        answer = httpx.get(f"{server.url}{table['paths_url']}?src=0&dst=19").json()
        assert options.count() == len(answer["min_paths"]) + answer["total"]
        every = picture(page)
        assert every != empty
        page.locator("#path-list").focus()
        page.keyboard.press("End")
        expect(page.locator("#network")).to_have_attribute(
            "aria-label", re.compile("paths from 0 to 19")
        )
        assert picture(page) not in (empty, every)
        form.locator("[name=usage]").check()
        page.get_by_role("button", name="Clear").click()
        assert picture(page) not in (empty, every)
        form.locator("[name=dst]").fill("0")
        page.get_by_role("button", name="Show paths").click()
        expect(page.locator("#pair-problem")).to_contain_text("switch 0 has no paths to itself")


@pytest.mark.slow
def test_two_clicks_choose_two_switches(
    browser: Browser, server: Server, table: dict[str, Any]
) -> None:
    with new_page(browser, server.url) as page:
        open_table(page, table)
        canvas = page.locator("#network")
        box = canvas.bounding_box()
        assert box is not None
        clicked: list[str] = []
        for x in range(4, int(box["width"]), 12):
            spot: Any = {"x": x, "y": box["height"] / 2}
            canvas.hover(position=spot)
            name = canvas.get_attribute("title") or ""
            if name and name not in clicked:
                canvas.click(position=spot)
                clicked.append(name)
            if len(clicked) == 2:
                break
        expect(page.locator("#paths-summary")).to_contain_text("VLB paths from switch")


@pytest.mark.slow
def test_fairness_is_simulated_on_demand(
    browser: Browser, server: Server, table: dict[str, Any]
) -> None:
    with new_page(browser, server.url) as page:
        open_table(page, table)
        page.get_by_role("button", name="Simulate").click()
        expect(page.locator("#fairness-plot .main-svg").first).to_be_visible()
        figure = page.locator("figure", has=page.locator("#fairness-plot"))
        expect(figure).to_contain_text("Jain's index")


@pytest.mark.slow
def test_levels_are_asked_for_by_path_sets_and_by_policies(
    browser: Browser, server: Server
) -> None:
    with new_page(browser, server.url) as page:
        page.goto("/simulations/new")
        fields = {"topology": "2,4,2,5", "load": "0.1", "routing": "acor-switch(sets,hi=100)"}
        for name, text in (fields | {"vlb": "shape(g.?)\nall"}).items():
            page.locator(f"#request [name={name}]").fill(text)
        expect(page.locator("#estimate")).to_contain_text("--vlb 'shape(g.?)' --vlb all")
        page.goto("/simulations/new?router=vct-fog")
        page.get_by_text("More options").click()
        fields |= {"routing": "acor-switch(3l,hi=250)", "pattern": "step(advr(1),300,0.4)"}
        fields |= {"warmup": "200", "cycles": "400", "interval": "100", "levels": "0"}
        for name, text in fields.items():
            page.locator(f"#request [name={name}]").fill(text)
        page.locator("#request [name=preset]").select_option("small")
        expect(page.locator("#estimate")).to_contain_text("--routing 'acor-switch(3l,hi=250)'")
        page.get_by_role("button", name="Compute").click()
        expect(page.locator("#course-plot-0 .main-svg").first).to_be_visible()
        assert wrong_with(page) == []
        page.goto("/sweeps/new")
        page.get_by_text("simulations by router vct-fog").click()
        page.locator("[name=topologies]").fill("2,4,2,5")
        page.locator("[name='compute.simulation:vct-fog.load']").fill("0.1, 0.2")
        with page.expect_response("**/v1/sweeps?validate_only=true") as answer:
            page.locator("[name='compute.simulation:vct-fog.routing']").fill("min\npb")
        section = answer.value.json()["request"]["compute"]["simulation"]
        assert (section["router"], section["routing"]) == ("vct-fog", ["min", "pb"])
        expect(page.locator("#estimate")).to_contain_text("2 points, ")


@pytest.fixture
def endless(server: Server) -> Generator[list[str]]:
    """Ids of two jobs that end when they are cancelled."""
    with httpx.Client(base_url=server.url) as http:
        found = [
            http.post("/v1/simulations", json=ENDLESS | {"seed": seed}).json()["id"]
            for seed in (77, 78)
        ]
        yield found
        for one in found:
            http.post(f"/v1/jobs/{one}/cancel")


@pytest.mark.slow
def test_a_job_is_cancelled_from_the_list_and_from_its_page(
    browser: Browser, server: Server, endless: list[str]
) -> None:
    first, second = endless
    with new_page(browser, server.url) as page:
        page.goto("/")
        row = page.locator("#job-list tr", has_text=second[:8])
        row.get_by_role("button", name="Cancel").click()
        expect(row.locator(".state")).to_have_text("cancelled")
        page.goto(f"/jobs/{first}")
        page.get_by_role("button", name="Cancel", exact=True).click()
        expect(page.locator("#job .state")).to_have_text("cancelled")
        expect(page.locator("#events")).to_contain_text("cancelled")


@pytest.mark.slow
def test_commands_are_copied(browser: Browser, server: Server, table: dict[str, Any]) -> None:
    with new_page(browser, server.url) as page:
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        open_table(page, table)
        page.get_by_role("button", name="Copy the command line").click()
        expect(page.locator("#said")).to_have_text("Copied.")
        copied = page.evaluate("navigator.clipboard.readText()")
        assert copied.startswith("tvlb table 'dfly(2,4,2,5)' --method paper --patterns 4")


@pytest.mark.slow
def test_signing_in_and_out(browser: Browser, tmp_path: Path) -> None:
    data = tmp_path / "data"
    token = new_token(data)
    with (
        running_server(data, "--no-worker", "--require-tokens") as server,
        new_page(browser, server.url) as page,
    ):
        page.goto("/")
        page.get_by_label("Token").fill("wrong")
        page.get_by_role("button", name="Sign in").click()
        expect(page.get_by_role("alert")).to_contain_text("unknown, expired or revoked")
        page.get_by_label("Token").fill(token)
        page.get_by_role("button", name="Sign in").click()
        expect(page.get_by_role("heading", name="New table")).to_be_visible()
        page.get_by_role("button", name="Sign out").click()
        expect(page.get_by_label("Token")).to_be_visible()


@pytest.fixture(scope="module")
def results(server: Server, table: dict[str, Any]) -> tuple[str, ...]:
    """Paths of the pages of results of every other kind, and of what else needs some."""
    run = {"topology": "2,4,2,5", "load": [0.1], "warmup": 200, "cycles": 200}
    made = [
        repaired(server, table, {"links": [[0, 3]], "switches": [7]}),
        answered(server, "/v1/simulations", run),
        answered(server, "/v1/models", {"topology": "2,4,2,5"}),
        answered(server, "/v1/stabilities", STUDY),
        answered(server, "/v1/sweeps", SWEEP),
    ]
    job = httpx.get(f"{server.url}/v1/jobs").json()["jobs"][0]
    urls = [one["url"].removeprefix("/v1") for one in made]
    return (*urls, f"/jobs/{job['id']}", f"/compare?table={table['id']}")


# One in seven of the documentation's 240, which one template makes: all take axe half a minute.
_OPEN = """() => {
  const all = [...document.querySelectorAll("details")];
  all.filter((_, index) => all.length < 100 || index % 7 === 0).forEach((one) => one.open = true);
}"""


@pytest.mark.slow
# What is dark does not depend on the width.
@pytest.mark.parametrize(("width", "dark"), [(1280, False), (400, True)])
def test_nothing_stands_in_anybodys_way(
    browser: Browser,
    server: Server,
    table: dict[str, Any],
    results: tuple[str, ...],
    dark: bool,
    width: int,
) -> None:
    with new_page(browser, server.url, width=width, dark=dark) as page:
        for path in ("/", "/glossary", "/docs", f"/tables/{'0' * 64}", *form_paths(), *results):
            page.goto(path)
            page.evaluate(_OPEN)
            assert wrong_with(page) == [], page.url
        open_table(page, table)
        page.get_by_role("button", name="Show paths").click()
        expect(page.locator("#path-list option").first).to_be_attached()
        assert wrong_with(page) == []
