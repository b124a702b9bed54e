"""Problems as pages, for browsers; a missing token becomes the way to give one."""

import base64
import hashlib
from typing import Any

from starlette.datastructures import Headers
from starlette.types import Scope

from api.pages.rendering import render

# Both are in the page itself: without a token nothing else is given out.
_STYLE = (
    "body{font:1rem/1.5 system-ui,sans-serif;max-width:40rem;margin:4rem auto;padding:0 1rem}"
    "a{color:inherit}main{overflow-wrap:anywhere}"
    "label,input{display:block;width:100%;box-sizing:border-box}"
    "input,button{font:inherit;padding:.5rem;margin:.5rem 0}"
)
_SCRIPT = """
document.getElementById("sign-in").addEventListener("submit", async (event) => {
  event.preventDefault();
  const token = document.getElementById("token").value.trim();
  const told = document.getElementById("refused");
  try {
    const answer = await fetch("/session", {
      method: "POST",
      headers: { Authorization: `Bearer ${token}`, Accept: "application/json" },
    });
    if (answer.ok) return location.reload();
    told.textContent = (await answer.json()).detail;
  } catch {
    told.textContent = "The service does not answer, or this is no token.";
  }
});
"""
_HASH = base64.b64encode(hashlib.sha256(_SCRIPT.encode()).digest()).decode()
POLICY = (
    f"default-src 'none'; connect-src 'self'; script-src 'sha256-{_HASH}'; "
    "style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
)
"""The content security policy of the page."""


def wants_page(scope: Scope) -> bool:
    """Whether a request is a browser's for a page: programs get problems as documents."""
    if scope["method"] != "GET" or scope["path"].startswith(("/v1", "/static")):
        return False
    return "text/html" in Headers(scope=scope).get("accept", "")


def render_problem(problem: dict[str, Any]) -> bytes:
    """Return the page of a problem document."""
    return render("problem.html", problem=problem, style=_STYLE, script=_SCRIPT).encode()
