"""Commands that do the same as a page, to be copied."""

import json
import shlex
from dataclasses import dataclass
from typing import Any

from tvlb.schemas import Question, SweepBody, command_line, plural, read_request

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

    def with_output(self, output: str) -> str:
        """Return the tvlb command that also writes a file."""
        assert self.line is not None
        return f"{self.line} -o {shlex.quote(output)}"


def commands_of(kind: str, request: dict[str, Any], base: str, *, token: bool) -> Commands:
    """Return the commands of a resolved request.

    Parameters
    ----------
    kind : of `tvlb.schemas.REQUESTS`.
    base : URL of the service, without a slash at its end.
    token : whether it needs one.
    """
    # Requests of earlier versions have no method: there was only one.
    earlier = {"method": "paper"} if kind == "table" and "method" not in request else {}
    body = read_request(kind, json.dumps(request | earlier))
    text = json.dumps(_short(body), separators=(",", ":"))
    sent = ["-d", "@REQUEST.json" if len(text) > _LONGEST else shlex.quote(text)]
    header = ["-H", "'Content-Type: application/json'", *sent]
    curl = " ".join(_curl(base, token, "POST", f"/v1/{plural(kind)}", header))
    return Commands(command_line(body), curl, base, token)


def _short(body: Question) -> dict[str, Any]:
    """Return what the service has to be told: all but what it would take anyway."""
    if isinstance(body, SweepBody):
        return body.model_dump(mode="json", exclude_defaults=True)
    usual = body.usual()
    left_out = {name for name in usual if getattr(body, name) in (None, usual[name])}
    return body.model_dump(mode="json", exclude=left_out)


def _curl(base: str, token: bool, method: str, path: str, more: list[str]) -> list[str]:
    verb = [] if method == "GET" or "-d" in more else ["-X", method]
    proof = ["-H", '"Authorization: Bearer $TVLB_TOKEN"'] if token else []
    return ["curl", *verb, *proof, *more, shlex.quote(base + path)]
