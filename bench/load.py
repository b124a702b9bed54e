"""Reads tables and job states with many clients at once, and submits many jobs at once.

::

    python -m bench.load --clients 200 --seconds 60 --jobs 50

One API process with its worker, on the loopback. First the jobs are submitted together and have to
finish; then the clients read: states of jobs and tables in turn, every
client the next one as soon as it has an answer. Prints the errors and the distribution of the times
to an answer. Ends with exit 1 if there was an error or a job did not succeed.
"""

import argparse
import asyncio
import json
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import httpx
import numpy as np

from tests.service import running_server
from tvlb.requests import TableBody, WindowsBody


def request(seed: int) -> str:
    """One small job."""
    windows = WindowsBody(warmup=100, measured=200, grid=0.05)
    return TableBody(
        topology="2,4,2,5",
        method="paper",
        patterns=2,
        screening=windows,
        confirmation=windows,
        finalists=1,
        data_points=2,
        simulated_patterns=2,
        seed=seed,
    ).model_dump_json()


async def _submit(client: httpx.AsyncClient, jobs: int) -> list[str]:
    answers = await asyncio.gather(
        *(
            client.post(
                "/v1/tables", content=request(seed), headers={"Content-Type": "application/json"}
            )
            for seed in range(jobs)
        )
    )
    return [str(answer.headers["location"]) for answer in answers]


async def _finish(client: httpx.AsyncClient, urls: list[str]) -> list[dict[str, object]]:
    while True:
        states = [(await client.get(url)).json() for url in urls]
        if all(state["ended_at"] for state in states):
            return states
        await asyncio.sleep(0.5)


async def _read(
    url: str, paths: list[str], end: float, first: int
) -> tuple[list[float], Counter[str]]:
    times, outcomes = list[float](), Counter[str]()
    async with httpx.AsyncClient(base_url=url, timeout=None) as client:
        position = first
        while time.monotonic() < end:
            begin = time.perf_counter()
            try:
                answer = await client.get(paths[position % len(paths)])
                outcomes[str(answer.status_code)] += 1
            except httpx.HTTPError as error:
                outcomes[type(error).__name__] += 1
            times.append(time.perf_counter() - begin)
            position += 1
    return times, outcomes


async def _run(url: str, clients: int, seconds: float, jobs: int) -> dict[str, object]:
    async with httpx.AsyncClient(base_url=url, timeout=None) as client:
        begin = time.monotonic()
        urls = await _submit(client, jobs)
        states = await _finish(client, urls)
        spent = time.monotonic() - begin
        results = [str(state["result_url"]) for state in states if state["result_url"]]
    paths = [path for pair in zip(urls, results, strict=False) for path in pair]
    end = time.monotonic() + seconds
    found = await asyncio.gather(*(_read(url, paths, end, 7 * one) for one in range(clients)))
    times = np.concatenate([np.array(times) for times, _ in found]) * 1e3
    outcomes = sum((one for _, one in found), Counter[str]())
    return {
        "jobs": dict(Counter(str(state["status"]) for state in states)),
        "jobs_seconds": round(spent, 1),
        "clients": clients,
        "requests": len(times),
        "per_second": round(len(times) / seconds),
        "outcomes": dict(outcomes),
        "milliseconds": {
            name: round(float(np.percentile(times, share)), 1)
            for name, share in (("p50", 50), ("p90", 90), ("p99", 99), ("max", 100))
        },
    }


def main() -> int:
    """Run it and print what was found."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--jobs", type=int, default=50)
    given = parser.parse_args()
    with (
        tempfile.TemporaryDirectory(prefix="tvlb-load-") as root,
        running_server(Path(root) / "data") as server,
    ):
        found = asyncio.run(_run(server.url, given.clients, given.seconds, given.jobs))
    print(json.dumps(found, indent=2))
    good = found["outcomes"] == {"200": found["requests"]}
    return 0 if good and found["jobs"] == {"succeeded": given.jobs} else 1


if __name__ == "__main__":
    sys.exit(main())
