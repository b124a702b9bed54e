"""Sends generated requests to a server and holds the answers against its OpenAPI document.

::

    python -m bench.contract --requests 10000

All checks and phases of schemathesis, stateful ones included, and two checks of our own
(tests/api/contract). Runs with one seed after the other until enough requests were sent. Ends with
exit 1 if any check failed or the server logged an unexpected error.
"""

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path

from tests.api.contract import run_schemathesis
from tests.service import new_token, running_server


def main() -> int:
    """Run it and print what was found."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--examples", type=int, default=100)
    given = parser.parse_args()
    sent, failed, begin, seed = 0, 0, time.monotonic(), given.seed
    with tempfile.TemporaryDirectory(prefix="tvlb-contract-") as root:
        data = Path(root) / "data"
        limits = ["--max-switches", "128", "--max-cpu-seconds", "300"]
        unlimited = ["--requests-per-second", "100000"]
        with running_server(data, "--require-tokens", *limits, *unlimited) as server:
            token = new_token(data)
            while sent < given.requests:
                report = run_schemathesis(
                    server.url,
                    token,
                    f"--max-examples={given.examples}",
                    f"--seed={seed}",
                )
                sent, seed = sent + report.cases, seed + 1
                failed += report.code != 0
                print(report.text if report.code else f"{sent} requests", file=sys.stderr)
        lines = [line for line in server.log.read_text().splitlines() if line.startswith("{")]
        errors = [line for line in lines if json.loads(line)["level"] == "error"]
    found = {
        "requests": sent,
        "runs": seed - given.seed,
        "failed_runs": failed,
        "logged_errors": errors,
        "seconds": round(time.monotonic() - begin),
    }
    print(json.dumps(found, indent=2))
    return 1 if failed or errors else 0


if __name__ == "__main__":
    sys.exit(main())
