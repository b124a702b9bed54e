"""Asks a server for a table as a fabric tool would, and compares it with the command line's.

::

    python -m bench.end_to_end --topology 4,8,4,9

Starts a server with its worker, posts the request, follows the events of the job to its end,
downloads the Parquet file, and computes the same on the command line. Ends with exit 1 unless the
files are equal to the byte and the second answer comes from the store within 50 ms.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import httpx
from httpx_sse import connect_sse

from tests.service import running_server


def _follow(http: httpx.Client, url: str) -> tuple[int, list[str]]:
    """Return the number of events of a job, and the stages that they tell of."""
    stages: dict[str, None] = {}
    count = 0
    with connect_sse(http, "GET", url) as stream:
        for event in stream.iter_sse():
            count += 1
            assert int(event.id) == count
            if event.event == "progress":
                stages[json.loads(event.data)["stage"]] = None
    return count, list(stages)


def main() -> int:
    """Run it and print what was found."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--topology", default="4,8,4,9")
    given = parser.parse_args()
    body = {"topology": given.topology}
    with tempfile.TemporaryDirectory(prefix="tvlb-end-") as directory:
        root = Path(directory)
        with (
            running_server(root / "data") as server,
            httpx.Client(base_url=server.url, timeout=None) as http,
        ):
            begin = time.monotonic()
            job = http.post("/v1/tables", json=body)
            events, stages = _follow(http, f"{job.headers['location']}/events")
            spent = time.monotonic() - begin
            table = http.get(http.get(job.headers["location"]).json()["result_url"]).json()
            file = http.get(table["download_url"]).content
            again = list[float]()
            for _ in range(20):
                begin = time.perf_counter()
                assert http.post("/v1/tables", json=body).json() == table
                again.append(1e3 * (time.perf_counter() - begin))
        local = root / "local.parquet"
        command = [sys.executable, "-m", "tvlb", "table", given.topology, "-o", str(local)]
        subprocess.run(command, check=True, capture_output=True)
        equal = local.read_bytes() == file
    found = {
        "first_answer": job.status_code,
        "events": events,
        "stages": stages,
        "seconds": round(spent, 1),
        "table": table["table"]["id"],
        "bytes": len(file),
        "equal_to_the_command_line": equal,
        "second_answer_milliseconds": {
            "first": round(again[0], 1),
            "longest_of_20": round(max(again), 1),
        },
    }
    print(json.dumps(found, indent=2))
    return 0 if equal and again[0] < 50.0 else 1


if __name__ == "__main__":
    sys.exit(main())
