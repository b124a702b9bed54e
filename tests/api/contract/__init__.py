"""Running schemathesis against a server: every check, all phases."""

import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Report", "run_schemathesis"]

_HERE = Path(__file__).parent
_CASES = re.compile(r"^\s+([0-9,]+) generated", re.MULTILINE)


@dataclass(frozen=True)
class Report:
    """What schemathesis found.

    Attributes
    ----------
    code : its exit code, 0 if nothing failed.
    cases : generated requests, those inside stateful scenarios included.
    text : what it printed.
    """

    code: int
    cases: int
    text: str


def run_schemathesis(url: str, token: str, *arguments: str) -> Report:
    """Test a server that needs a token against its own OpenAPI document."""
    command = [
        str(Path(sys.executable).with_name("st")),
        f"--config-file={_HERE / 'schemathesis.toml'}",
        "run",
        f"{url}/openapi.json",
        "--header",
        f"Authorization: Bearer {token}",
        "--checks=all",
        "--continue-on-failure",
        "--no-color",
        *arguments,
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=_HERE)
    found = _CASES.search(done.stdout)
    cases = int(found.group(1).replace(",", "")) if found else 0
    return Report(done.returncode, cases, done.stdout + done.stderr)
