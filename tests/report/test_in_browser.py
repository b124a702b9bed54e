"""A report in a browser, opened from disk."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser import CHROMIUM, new_page, wrong_with
from tests.report.synthetic import families_sweep, made_up_sweep
from tvlb.report import report_html

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed"),
]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> str:
    path: Path = tmp_path_factory.mktemp("found") / "report.html"
    rows, documents = made_up_sweep(["2,4,2,5"], method="search")
    path.write_bytes(report_html("Searches", rows, documents))
    return path.as_uri()


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> str:
    path: Path = tmp_path_factory.mktemp("report") / "report.html"
    rows, documents = made_up_sweep(["2,4,2,5"], failures=2)
    path.write_bytes(report_html("Two <small> Dragonflies", rows, documents))
    return path.as_uri()


def settle(page: Page) -> None:
    """Wait until figures are as wide as their places, and nothing is wider than the screen.

    The page hears of a new width some frames later, and draws again only once that stays.
    """
    page.wait_for_function(
        """() => document.documentElement.scrollWidth <= innerWidth
            && [...document.querySelectorAll(".js-plotly-plot")].every((place) =>
                place.offsetParent === null
                || place.querySelector(".main-svg").width.baseVal.value === place.clientWidth)"""
    )


def check(page: Page) -> None:
    settle(page)
    assert wrong_with(page) == []


def test_figures_sorting_pages_and_the_way_back(browser: Browser, report: str) -> None:
    # One page for all: to read the library that draws takes seconds.
    with new_page(browser, report) as page:
        told: list[str] = []
        page.on("console", lambda message: told.append(message.text))
        page.goto(report)
        for name in ("gain-links", "cost-switches"):
            page.locator(f"[data-plot={name}]").scroll_into_view_if_needed()
            expect(page.locator(f"[data-plot={name}] .main-svg").first).to_be_visible()
        expect(page.locator("[data-plot=gain-links] .scatterlayer .point")).to_have_count(2)
        # A chosen and a conventional set for each of two points, a line of steps, and the ring.
        names = page.evaluate(
            "document.querySelector('[data-plot=cost-switches]').data.map((trace) => trace.name)"
        )
        assert names == [
            None,
            "largest means",
            "absolute, par, conventional",
            "absolute, par, chosen",
            "absolute, ugal-l, conventional",
            "absolute, ugal-l, chosen",
            "not shown to be beaten",
        ]
        check(page)
        _sort(page)
        # As before printing: what is drawn later would move what is below it.
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        link = page.get_by_role("table", name="All points").locator("a[href$='point=1']")
        # Or the click would do it.
        link.scroll_into_view_if_needed()
        settle(page)
        scrolled = page.evaluate("scrollY")
        assert scrolled > 0
        link.click()
        expect(page.get_by_role("heading", name="Point 1: absolute, par, seed 0")).to_be_focused()
        expect(page.get_by_role("heading", name="All points")).to_be_hidden()
        plots = page.locator("section[aria-labelledby=point-1] .main-svg")
        expect(plots.first).to_be_visible()
        expect(page.get_by_text("Failed: SolverFailed: <b>the LP</b> & more").first).to_be_visible()
        page.set_viewport_size({"width": 400, "height": 900})
        page.emulate_media(color_scheme="dark")
        check(page)
        page.set_viewport_size({"width": 1280, "height": 900})
        page.go_back()
        expect(page.get_by_role("heading", name="All points")).to_be_visible()
        # The browser has a memory of its own, and may scroll once more.
        page.wait_for_function("(before) => scrollY === before", arg=scrolled)
        page.evaluate("location.hash = 'size=9,9,9,9'")
        expect(page.get_by_role("heading", name="No such size")).to_be_visible()
        assert told == []


def test_the_page_of_a_size_says_what_its_family_is_built_of(
    browser: Browser, tmp_path: Path
) -> None:
    rows, documents = made_up_sweep(["2,4,2,5"])
    own = {"arrangement": None, "a": None, "h": None, "g": None, "links_per_pair": None}
    slim_fly = {"topology": "slimfly(5,3)", "q": 5, "p": 3, "degree": 7, "radix": 10}
    cables = {"global_cables": 125, "local_cables": 50}
    rows[-1] |= own | slim_fly | cables
    path = tmp_path / "report.html"
    path.write_bytes(report_html("Two families", rows, documents))
    with new_page(browser, path.as_uri()) as page:
        page.goto(f"{path.as_uri()}#size=slimfly(5,3)")
        expect(page.get_by_role("heading", name="slimfly(5,3)")).to_be_visible()
        for text in (
            "Columns of a subgraph, and switches of a column, q5",
            "Compute nodes per switch, p3",
            "Degree7",
            "Global cables125",
            "Local cables50",
        ):
            expect(page.locator("article dl").first).to_contain_text(text)
        page.evaluate("location.hash = 'size=2,4,2,5'")
        expect(page.get_by_role("heading", name="dfly(2,4,2,5)")).to_be_visible()
        for text in ("Groups, g5", "Links per pair2", "Global cables20"):
            expect(page.locator("article dl").first).to_contain_text(text)


def test_what_searches_found_is_drawn_and_told(browser: Browser, found: str) -> None:
    with new_page(browser, found) as page:
        told: list[str] = []
        page.on("console", lambda message: told.append(message.text))
        page.goto(found)
        gains = page.locator("section[aria-labelledby=held-out] tbody tr")
        expect(gains).to_have_count(4)
        # By key: figures that are drawn meanwhile move the link from under the mouse.
        gains.first.get_by_role("link", name="0").press("Enter")
        section = page.locator("section[aria-labelledby=point-0]")
        for name in ("front", "shapes", "anytime"):
            figure = section.locator(f"figure[aria-labelledby={name}-0]")
            figure.scroll_into_view_if_needed()
            expect(figure.locator(".main-svg").first).to_be_visible()
        # Two answers and three sets that others know; bars of three shapes; steps of two weights.
        front = section.locator("figure[aria-labelledby=front-0]")
        expect(front.locator(".scatterlayer .point")).to_have_count(5)
        shapes = section.locator("figure[aria-labelledby=shapes-0]")
        expect(shapes.locator(".barlayer .point")).to_have_count(3)
        expect(shapes).to_contain_text("weight 4")
        expect(section).to_contain_text(
            "Judged on 3 held-out patterns (type2(seed=0), type2(seed=1), type2(seed=2)), +- is "
            "half of a 95% interval over"
        )
        expect(front).to_contain_text("On 3 held-out patterns, latency at load 0.1;")
        expect(front).to_contain_text("intervals of the changes against conventional UGAL.")
        sets = section.get_by_role("table", name="Sets of point 0 on 3 held-out patterns:")
        expect(sets.locator("tbody tr")).to_have_count(5)
        changes = section.get_by_role("table", name="Changes of point 0, paired run by run;")
        expect(changes.locator("tbody tr").first).to_contain_text("+12.3% +- 4.0")
        check(page)
        page.set_viewport_size({"width": 400, "height": 900})
        page.emulate_media(color_scheme="dark")
        check(page)
        assert told == []


CUT = """() => [...document.querySelectorAll(".wide")]
  .filter((one) => one.offsetParent && one.scrollWidth > one.clientWidth + 1)
  .map((one) => one.getAttribute("aria-label"))"""


def test_figures_of_four_families_have_room_for_their_labels(
    browser: Browser, tmp_path: Path
) -> None:
    path = tmp_path / "report.html"
    path.write_bytes(report_html("Four families", *families_sweep()))
    with new_page(browser, path.as_uri()) as page:
        told: list[str] = []
        page.on("console", lambda message: told.append(message.text))
        for width, dark in ((1280, False), (400, True)):
            page.set_viewport_size({"width": width, "height": 900})
            page.emulate_media(color_scheme="dark" if dark else "light")
            for name in ("", "#size=slimfly(3)", "#size=2,4,2,5"):
                page.goto(f"{path.as_uri()}{name}")
                page.evaluate("dispatchEvent(new Event('beforeprint'))")
                check(page)
                if width == 1280 and not name:
                    assert page.evaluate(CUT) == []
                    places = page.locator("#overview [data-plot]")
                    assert places.count() == page.locator("[data-plot].js-plotly-plot").count()
        assert told == []


def _sort(page: Page) -> None:
    table = page.get_by_role("table", name="All points")
    numbers = table.locator("tbody tr th")
    title = table.get_by_role("button", name="Saturation, chosen")
    title.click()
    column = table.locator("tbody tr td:nth-child(9)")
    values = [text.split()[0] for text in column.all_inner_texts() if text]
    assert values == sorted(values)
    assert len(values) == 2
    ascending = numbers.all_inner_texts()
    title.click()
    expect(page.locator("th[aria-sort=descending]")).to_have_text("Saturation, chosen")
    # Failed points, without a value, stay last.
    assert numbers.all_inner_texts() == [*reversed(ascending[:2]), "2", "3"]
