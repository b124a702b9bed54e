"""Takes the pictures of the page that docs/page.md shows.

::

    python -m bench.page_pictures docs/images

A server of its own computes three tables, and Chromium shows them: the first page and the page of a
table at a width of 1280 pixels, and that of the table at 400.
"""

import argparse
import tempfile
from http import HTTPStatus
from pathlib import Path

import httpx
from playwright.sync_api import Browser, Page, expect

from tests.browser import new_page, running_browser
from tests.service import Server, running_server

# The last is shown.
_NETWORKS = ("2,4,2,5", "2,4,2,9", "4,8,4,9")
_SECONDS = 300
_WAITING = {"Prefer": f"wait={_SECONDS}"}
_WIDE, _NARROW = 1280, 400
_HEIGHT = 1600
_PLOTS = ("front-plot", "anytime-plot")


def _computed(server: Server) -> str:
    """Have the tables computed, and return the path of the page of the last."""
    page = ""
    with httpx.Client(base_url=server.url, timeout=2 * _SECONDS) as client:
        for network in _NETWORKS:
            body = {"topology": network, "budget": "small"}
            answer = client.post("/v1/tables", json=body, headers=_WAITING)
            while answer.status_code == HTTPStatus.ACCEPTED:
                answer = client.post("/v1/tables", json=body, headers=_WAITING)
            page = answer.raise_for_status().headers["content-location"].removeprefix("/v1")
    return page


def _show_home(page: Page) -> None:
    page.goto("/")
    for name, value in (("topology", "4,8,4,17"), ("objective", "front")):
        page.locator(f"#request [name={name}]").fill(value)
    expect(page.locator("#estimate")).to_contain_text("--objective front")
    page.locator("h1").click()


def _show_table(page: Page, path: str) -> None:
    page.goto(path)
    for name in _PLOTS:
        expect(page.locator(f"#{name} .main-svg").first).to_be_visible()


def _take(browser: Browser, server: Server, table: str, folder: Path) -> None:
    with new_page(browser, server.url, width=_WIDE) as page:
        _show_home(page)
        page.screenshot(path=folder / "home.png", full_page=True)
    for name, width in (("table", _WIDE), ("narrow", _NARROW)):
        with new_page(browser, server.url, width=width) as page:
            _show_table(page, table)
            page.screenshot(
                path=folder / f"{name}.png",
                full_page=True,
                clip={"x": 0, "y": 0, "width": width, "height": _HEIGHT},
            )


def main() -> None:
    """Take them."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    folder: Path = parser.parse_args().folder
    with (
        tempfile.TemporaryDirectory(prefix="tvlb-pictures-") as root,
        running_server(Path(root) / "data") as server,
        running_browser() as browser,
    ):
        _take(browser, server, _computed(server), folder)


if __name__ == "__main__":
    main()
