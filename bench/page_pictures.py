"""Takes pictures of the pages.

::

    python -m bench.page_pictures docs/images
    python -m bench.page_pictures --every /tmp/pictures
    python -m bench.page_pictures --every /tmp/pictures --server http://127.0.0.1:8000

A server of its own computes what Chromium shows. The first takes the pictures of docs/page.md: the
first page and the page of a table at a width of 1280 pixels, and that of the table at 400. With
`--every`, all pages are taken at both widths, light and dark, with small results of every kind, and
what is wrong with a page is printed; `--server` names one that has results already: the newest of
every kind are taken.
"""

import argparse
import re
import tempfile
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from typing import Any

import httpx
from playwright.sync_api import Browser, Page, expect

from tests.browser import new_page, running_browser, wrong_with
from tests.service import QUICK_REPAIR, TABLE, form_paths, running_server
from tvlb.requests import request_kinds

# The last is shown.
_NETWORKS = ("2,4,2,5", "2,4,2,9", "4,8,4,9")
_SECONDS = 300
_WAITING = {"Prefer": f"wait={_SECONDS}"}
_WIDE, _NARROW = 1280, 400
_HEIGHT = 1600
_PLOTS = ("front-plot", "anytime-plot")

_FAMILIES = ("2,4,2,5", "hyperx(2,3,3)", "slimfly(3)", "dflyplus(2,2,2,5)")
_OWN = {"file": "ring.edges", "content": "a b\nb c\nc d\nd e\ne a\na c\n", "endpoints": 2}
_WINDOWS = {"warmup": 300, "measured": 300, "grid": 0.05}
_SEARCH: Mapping[str, Any] = {
    "budget": 0, "patterns": 4, "screening": _WINDOWS, "confirmation": _WINDOWS, "data_points": 3,
}  # fmt: skip
_PRICES = {
    "currency": "EUR",
    "switch": {"fixed": 800, "per_port": 220},
    "cable": {"local": 60, "global": 400, "x": 60, "y": 400},
    "switch_watts": {"fixed": 30, "per_port": 4},
}
_RUN: Mapping[str, Any] = {"topology": "2,4,2,5", "warmup": 500, "cycles": 1000}
_REQUESTS: tuple[tuple[str, Mapping[str, Any]], ...] = (
    *(("tables", {"topology": name, "objective": "front", **_SEARCH}) for name in _FAMILIES),
    ("tables", {"topology": _OWN, "objective": "front", **_SEARCH}),
    ("tables", TABLE),
    ("simulations", _RUN | {"load": [0.1, 0.2, 0.3, 0.4], "pattern": "shift(2,0)"}),
    ("simulations", _RUN | {"saturation": True, "seeds": 3}),
    ("simulations", {"topology": "2,4,2,5", "router": "vct", "load": [0.1, 0.3, 0.6]}),
    ("models", {"topology": "2,4,2,5", "pattern": "shift(2,0)"}),
    (
        "stabilities",
        {"topology": "hyperx(2,3,3)", "pattern": "dshift(1)", "cycles": 100_000, "seeds": 2},
    ),
    ("sweeps", {"topologies": _FAMILIES, "options": _SEARCH, "prices": _PRICES}),
)
_FAILURES = {"links": [[0, 3]], "switches": [7]}
# What is opened before a picture is taken; of the description of the service a few are enough.
_OPENED = "details:not([id]), #create_table, #schema-TableBody"
_SIZE = re.compile(r'href="#(size=[^"&]+)"')
_OPEN = "(which) => document.querySelectorAll(which).forEach((one) => { one.open = true; })"
# Figures of a report are drawn when they are seen, or before it is printed.
_DRAWN = """() => {
  dispatchEvent(new Event("beforeprint"));
  return [...document.querySelectorAll(".plot, .small-plot")].every((place) =>
    place.offsetParent === null || place.querySelector("svg"));
}"""


def _answer(client: httpx.Client, path: str, body: Mapping[str, Any]) -> httpx.Response:
    """Return the result of a request, however long it takes."""
    answer = client.post(path, json=body, headers=_WAITING)
    while answer.status_code == HTTPStatus.ACCEPTED:
        answer = client.post(path, json=body, headers=_WAITING)
    return answer.raise_for_status()


def _page_of(answer: httpx.Response) -> str:
    return str(answer.headers["content-location"]).removeprefix("/v1")


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


def _take_few(browser: Browser, client: httpx.Client, folder: Path) -> None:
    """Take those of docs/page.md."""
    url = str(client.base_url)
    bodies = ({"topology": network, "budget": "small"} for network in _NETWORKS)
    *_, table = [_page_of(_answer(client, "/v1/tables", body)) for body in bodies]
    with new_page(browser, url, width=_WIDE) as page:
        _show_home(page)
        page.screenshot(path=folder / "home.png", full_page=True)
    for name, width in (("table", _WIDE), ("narrow", _NARROW)):
        with new_page(browser, url, width=width) as page:
            _show_table(page, table)
            page.screenshot(
                path=folder / f"{name}.png",
                full_page=True,
                clip={"x": 0, "y": 0, "width": width, "height": _HEIGHT},
            )


def _compute(client: httpx.Client) -> None:
    """Have something of every kind computed."""
    for plural, body in _REQUESTS:
        found = _answer(client, f"/v1/{plural}", body)
        if body is not TABLE:
            continue
        for more in (QUICK_REPAIR, {"strike_only": True}):
            asked = {"table": found.json()["id"], "without": _FAILURES, **more}
            _answer(client, "/v1/repairs", asked)


def _pages(client: httpx.Client) -> Iterator[tuple[str, str]]:
    """Yield name and path of every page of a service that has results."""
    yield from (("home", "/"), ("glossary", "/glossary"), ("docs", "/docs"))
    yield "problem", f"/tables/{'0' * 64}"
    yield from (("-".join(re.findall(r"\w+", path)), path) for path in form_paths())
    for kind in request_kinds().values():
        results = client.get(f"/v1/{kind.plural}").json()[kind.plural]
        urls = [one["url"].removeprefix("/v1") for one in results]
        yield from ((f"{kind.name}{number}", path) for number, path in enumerate(urls))
        if kind.name == "table":
            compared = [f"table={one['id']}" for one in results[:8]]
            yield "compare", f"/compare?{'&'.join(compared)}"
        if kind.name == "sweep":
            report = f"{results[0]['url']}/report"
            yield "report", report
            sizes = dict.fromkeys(_SIZE.findall(client.get(report).text))
            for number, size in enumerate(sizes):
                yield f"report-size{number}", f"{report}#{size}"
    yield "job", f"/jobs/{client.get('/v1/jobs').json()['jobs'][0]['id']}"


def _open(page: Page, path: str) -> None:
    """Open a page as if for the first time, and wait until all of its figures are there."""
    page.goto("about:blank")
    page.goto(path)
    page.wait_for_load_state("networkidle")
    page.evaluate(_OPEN, _OPENED)
    # The policy of a report lets no function wait in it.
    while not page.evaluate(_DRAWN):
        page.wait_for_timeout(500)


def _take_every(browser: Browser, client: httpx.Client, folder: Path, only: str) -> bool:
    """Take all pages whose names begin so; return whether nothing is wrong with any."""
    found = [one for one in _pages(client) if one[0].startswith(only)]
    good = True
    for width in (_WIDE, _NARROW):
        for dark in (False, True):
            look = f"{width}-{'dark' if dark else 'light'}"
            with new_page(browser, str(client.base_url), width=width, dark=dark) as page:
                for name, path in found:
                    _open(page, path)
                    for one in wrong_with(page):
                        good = False
                        print(f"{name}, {look}: {one}", flush=True)
                    page.screenshot(path=folder / f"{name}-{look}.png", full_page=True)
    return good


@contextmanager
def _client(server: str | None) -> Generator[httpx.Client]:
    """Yield a client of that server, or of one of its own."""
    if server is not None:
        with httpx.Client(base_url=server, timeout=2 * _SECONDS) as client:
            yield client
        return
    with (
        tempfile.TemporaryDirectory(prefix="tvlb-pictures-") as root,
        running_server(Path(root) / "data") as running,
        _client(running.url) as client,
    ):
        yield client


def main() -> None:
    """Take them."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--every", action="store_true")
    parser.add_argument("--server")
    parser.add_argument("--only", default="", help="the beginning of names of pages")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    with _client(given.server) as client, running_browser() as browser:
        if not given.every:
            _take_few(browser, client, given.folder)
            return
        if given.server is None:
            _compute(client)
        if not _take_every(browser, client, given.folder, given.only):
            raise SystemExit(1)


if __name__ == "__main__":
    main()
