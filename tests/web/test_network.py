"""The picture of a network: parallel cables, lines around switches, zoom."""

from dataclasses import asdict
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.browser import CHROMIUM, new_page
from tests.service import Server
from tvlb.topology import parse_topology

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")

# Draws links in a canvas of its own.
DRAWN = """async (links) => {
    const { NetworkPicture } = await import("/static/network.js");
    const canvas = document.createElement("canvas");
    canvas.id = "network";
    document.querySelector("main").append(canvas);
    globalThis.picture = new NetworkPicture(canvas, links, () => {});
    picture.resize();
    globalThis.shown = (min) => {
        picture.show([], min.map((link) => ({ link, weight: 1 })), []);
        return canvas.toDataURL();
    };
}"""
# Distance of every line from the nearest switch that it does not join, less its radius.
DISTANCES = """() => picture.cables.map((cable) => {
    const pen = {
        moveTo(x, y) { this.from = [x, y]; },
        quadraticCurveTo(...rest) { this.rest = rest; },
    };
    picture.trace(pen, cable, true);
    const [x, y] = pen.from, [a, b, left, top] = pen.rest;
    let least = Infinity;
    for (let t = 0; t <= 1; t += 0.01) {
        const px = (1 - t) ** 2 * x + 2 * t * (1 - t) * a + t ** 2 * left;
        const py = (1 - t) ** 2 * y + 2 * t * (1 - t) * b + t ** 2 * top;
        picture.spots.forEach(([sx, sy], node) => {
            if (cable.ends.includes(node)) return;
            least = Math.min(least, Math.hypot(sx - px, sy - py) - picture.dot);
        });
    }
    return least;
})"""


def draw(page: Page, topology: str) -> Any:
    """Draw a network, and return it."""
    found = parse_topology(topology)
    network = found.network
    links = asdict(found.layout) | {
        "where": [found.where(switch) for switch in range(found.num_switches)],
        "src": network.link_source.tolist(),
        "dst": network.link_target.tolist(),
        "usage": [1.0] * network.num_links,
    }
    page.goto("/")
    page.evaluate(DRAWN, links)
    return network


@pytest.mark.slow
def test_parallel_cables_are_told_apart(browser: Browser, server: Server) -> None:
    with new_page(browser, server.url) as page:
        network = draw(page, "dfly(2,4,4,3,palmtree)")
        second = int(network.link_ordinal.argmax())
        first = second - 1
        ends = (network.link_source[second], network.link_target[second])
        assert (network.link_source[first], network.link_target[first]) == ends
        back = next(
            link
            for link in range(network.num_links)
            if (network.link_target[link], network.link_source[link]) == ends
            and network.link_ordinal[link] == 1
        )
        drawn = {link: page.evaluate(f"shown([{link}])") for link in (first, second, back)}
        assert drawn[first] != drawn[second]
        # The two directions of a cable have one line.
        assert drawn[second] == drawn[back]


@pytest.mark.slow
@pytest.mark.parametrize(
    "topology", ["dfly(2,4,4,3,palmtree)", "dfly(2,4,2,9)", "dfly(4,8,4,9)", "slimfly(5)"]
)
def test_no_line_crosses_a_switch_that_it_does_not_join(
    browser: Browser, server: Server, topology: str
) -> None:
    with new_page(browser, server.url) as page:
        draw(page, topology)
        distances = page.evaluate(DISTANCES)
    assert min(distances) > 0


@pytest.mark.slow
def test_switches_stand_where_their_family_has_them(browser: Browser, server: Server) -> None:
    with new_page(browser, server.url) as page:
        draw(page, "slimfly(5)")
        size = page.evaluate("picture.size")
        spots = page.evaluate("picture.spots")
        # A column above each other, from top to bottom; the other subgraph is on the right.
        assert max(x for x, _ in spots[:25]) < size / 2 < min(x for x, _ in spots[25:])
        heights = [y for _, y in spots[5:10]]
        assert heights == sorted(heights)
        # Labels stand above all switches.
        labels = page.evaluate("picture.labels")
        assert [text for _, _, text in labels] == [*"0123401234", "subgraph 0", "subgraph 1"]
        assert max(y for _, y, _ in labels) + 10 < min(y for _, y in spots)


@pytest.mark.slow
def test_a_switch_is_named_by_where_it_stands(browser: Browser, server: Server) -> None:
    with new_page(browser, server.url) as page:
        draw(page, "slimfly(5)")
        assert page.evaluate("picture.nameOf(33)") == "switch 33, subgraph 1, column 1, row 3"


@pytest.mark.slow
def test_the_picture_is_zoomed_and_moved(browser: Browser, server: Server) -> None:
    with new_page(browser, server.url) as page:
        draw(page, "dfly(2,4,2,9)")
        spots = page.evaluate("picture.spots")
        page.evaluate("picture.zoom(2)")
        page.wait_for_function("([x]) => picture.spots[0][1] !== x", arg=[spots[0][1]])
        middle = page.evaluate("picture.size / 2")
        # Twice as far from the middle, which stays.
        assert page.evaluate("picture.spots[5]") == pytest.approx(
            [middle + 2 * (place - middle) for place in spots[5]], abs=1e-6
        )
        page.evaluate("picture.zoom(0)")
        page.wait_for_function("([x]) => picture.spots[0][1] === x", arg=[spots[0][1]])
