"""Commands that do the same as a page, to be copied."""

import json
import shlex
from dataclasses import dataclass
from typing import Any

from tvlb.requests import command_line, request_kinds

_LONGEST = 2_000


@dataclass(frozen=True)
class Commands:
    """Equivalent commands.

    Attributes
    ----------
    line : of tvlb; None for a sweep, which needs a file.
    curl : that asks the service for the same.
    """

    line: str | None
    curl: str
    _base: str
    _token: bool

    def curl_of(self, method: str, path: str, output: str | None = None) -> str:
        """Return the call of another route."""
        more = [] if output is None else ["-o", output]
        return " ".join(_curl(self._base, self._token, method, path, more))

    def shown(self, output: str = "", download_url: str = "") -> dict[str, str | None]:
        """Return what a page shows, by what it is called; with a table, how it is written."""
        if not output:
            return {"command line": self.line, "curl": self.curl}
        return {
            "command line": f"{self.line} -o {shlex.quote(output)}",
            "curl": self.curl,
            "download": self.curl_of("GET", download_url, output),
        }


def commands_of(kind: str, request: dict[str, Any], base: str, *, token: bool) -> Commands:
    """Return the commands of a resolved request.

    Parameters
    ----------
    kind : of `tvlb.requests.request_kinds`.
    base : URL of the service, without a slash at its end.
    token : whether it needs one.
    """
    asked = request_kinds()[kind]
    body = asked.read(json.dumps({**asked.earlier, **request}))
    text = json.dumps(body.short(), separators=(",", ":"))
    sent = ["-d", "@REQUEST.json" if len(text) > _LONGEST else shlex.quote(text)]
    header = ["-H", "'Content-Type: application/json'", *sent]
    curl = " ".join(_curl(base, token, "POST", f"/v1/{asked.plural}", header))
    return Commands(command_line(body), curl, base, token)


def _curl(base: str, token: bool, method: str, path: str, more: list[str]) -> list[str]:
    verb = [] if method == "GET" or "-d" in more else ["-X", method]
    proof = ["-H", '"Authorization: Bearer $TVLB_TOKEN"'] if token else []
    return ["curl", *verb, *proof, *more, shlex.quote(base + path)]
