"""A browser for tests: Chromium, where it is installed."""

import shutil
from collections.abc import Generator
from contextlib import contextmanager

from playwright.sync_api import Browser, Page, expect, sync_playwright

__all__ = ["CHROMIUM", "new_page", "running_browser"]

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
    context = browser.new_context(
        base_url=url,
        viewport={"width": width, "height": 900},
        color_scheme="dark" if dark else "light",
        accept_downloads=True,
    )
    page = context.new_page()
    page.set_default_timeout(TIMEOUT_MILLISECONDS)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on(
        "request",
        lambda request: (
            None
            if request.url.startswith((url, "data:", "blob:"))
            else wrong.append(f"a request to {request.url}")
        ),
    )
    try:
        yield page
    finally:
        context.close()
    assert wrong == []
