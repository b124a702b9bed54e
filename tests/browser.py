"""A browser for tests: Chromium, where it is installed."""

import shutil
from collections.abc import Generator
from contextlib import contextmanager
from functools import cache
from importlib.resources import files

from playwright.sync_api import Browser, Error, Page, Request, expect, sync_playwright

CHROMIUM = shutil.which("chromium")
# Longer than anything takes that does not hang.
TIMEOUT_MILLISECONDS = 60_000
_ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
)
UNREADABLE = """() => {
  const shown = (place, kind) => [...place.querySelectorAll(kind)]
    // What is turned has a larger box than letters.
    .filter((text) => text.textContent
      && !/rotate\\(-[1-8]/.test(text.getAttribute("transform") ?? ""))
    .map((text) => [text.textContent, text.getBoundingClientRect()]);
  return [...document.querySelectorAll(".js-plotly-plot")].flatMap((place) => {
    if (place.offsetParent === null) return [];
    const name = place.dataset.plot ?? place.id;
    const frame = place.getBoundingClientRect();
    const kinds = [".xtick text", ".ytick text", ".legendtext", ".xtitle, .ytitle"];
    return kinds.flatMap((kind) => {
      const boxes = shown(place, kind);
      const cut = boxes.filter(([, a]) => a.left < frame.left - 1 || a.right > frame.right + 1
        || a.top < frame.top - 1 || a.bottom > frame.bottom + 1);
      const lying = boxes.flatMap(([one, a], index) => boxes.slice(0, index)
        .filter(([, b]) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
          && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 2)
        .map(([other]) => `${name}: ${one} on ${other}`));
      return [...cut.map(([text]) => `${name}: ${text} is cut`), ...lying];
    });
  });
}"""
"""A script that lists the texts of figures that lie on each other, or are cut."""
# What else axe can tell takes most of its time; what Plotly draws has thousands of elements, none
# of which can be reached: tables tell it.
_VIOLATIONS = """async () => {
  const found = await axe.run({ exclude: [".main-svg"] }, { resultTypes: ["violations"] });
  return found.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}"""
_TOO_WIDE = "document.documentElement.scrollWidth - innerWidth"


@contextmanager
def running_browser() -> Generator[Browser]:
    """Run a browser while the block runs."""
    expect.set_options(timeout=TIMEOUT_MILLISECONDS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=[*_ARGUMENTS])
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def new_page(
    browser: Browser, url: str, *, width: int = 1280, dark: bool = False
) -> Generator[Page]:
    """Open a page that fails its test for errors of scripts and for requests to elsewhere."""
    wrong: list[str] = []

    def note_error(error: Error) -> None:
        wrong.append(str(error))

    def note_request(request: Request) -> None:
        if not request.url.startswith((url, "data:", "blob:")):
            wrong.append(f"a request to {request.url}")

    page = _page(browser, url)
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(media="null", color_scheme="dark" if dark else "light")
    page.on("pageerror", note_error)
    page.on("request", note_request)
    try:
        yield page
    finally:
        page.remove_listener("pageerror", note_error)
        page.remove_listener("request", note_request)
        page.context.clear_cookies()
        page.context.clear_permissions()
    assert wrong == []


def wrong_with(page: Page) -> list[str]:
    """Return what keeps people from a page as it is now; nothing for a page as it ought to be.

    Violations of axe's rules, a page that is wider than the screen, and texts of figures that lie
    on each other or are cut.
    """
    page.evaluate((files("axe_playwright_python") / "axe.min.js").read_text())
    wrong: list[str] = page.evaluate(_VIOLATIONS)
    if (pixels := page.evaluate(_TOO_WIDE)) > 0:
        wrong.append(f"{pixels} pixels too wide")
    return [*wrong, *page.evaluate(UNREADABLE)]


@cache
def _page(browser: Browser, url: str) -> Page:
    """Return that of a site: another one would have to compile anew what draws, for seconds."""
    page = browser.new_context(base_url=url, accept_downloads=True).new_page()
    page.set_default_timeout(TIMEOUT_MILLISECONDS)
    return page
