"""The requests that are sent while processes are killed, and what became of them."""

import random
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import httpx

from tvlb.requests import Question, SimulationBody, SweepBody, TableBody, plural, request_key
from tvlb.requests.kinds.repair import RepairBody
from tvlb.requests.kinds.stability import StabilityBody
from tvlb.requests.repair import RepairOptions
from tvlb.search import Windows
from tvlb.topology import Failures

_IN_FLIGHT = 6
_TIMEOUT_SECONDS = 300.0
_WINDOWS = {"warmup": 200, "measured": 300, "grid": 0.05}
_QUICK: dict[str, Any] = {
    "method": "paper", "patterns": 2, "screening": _WINDOWS, "confirmation": _WINDOWS,
    "finalists": 1, "data_points": 2, "simulated_patterns": 2,
}  # fmt: skip
# To try again: unavailable, the same request is being cancelled, or too many jobs.
_PASSING = (503, 409, 429)


def _table(seed: int) -> Question:
    topology = "2,4,2,5" if seed % 2 else "2,4,2,3"
    return TableBody(topology=topology, seed=seed, **_QUICK)


def _repair(seed: int) -> Question:
    """Return a repair of the table that is computed first, for two cables that are down."""
    chosen = random.Random(seed).sample([(a, b) for a in range(4) for b in range(a)], 2)
    windows = Windows(200, 300 + seed, 0.05)
    options = RepairOptions(traffic=("shift(1,0)",), windows=windows)
    first = request_key(_FIRST.examined()[0])
    body = RepairBody.of(first, Failures(links=tuple(chosen)), options)
    return body.model_copy(update={"topology": "dfly(2,4,2,3)"})


# About a second of work each; simulations are answered at once.
_REQUESTS: Mapping[str, Callable[[int], Question]] = {
    "table": _table,
    "simulation": lambda seed: SimulationBody(
        topology="2,4,2,5", load=(0.3,), cycles=100_000, seed=seed
    ),
    "repair": _repair,
    "stability": lambda seed: StabilityBody(topology="2,4,2,3", cycles=100_000, seed=seed),
    "sweep": lambda seed: SweepBody.model_validate(
        {"topologies": ["2,4,2,3", "2,4,2,5"], "seeds": [seed], "options": _QUICK}
    ),
}
_FIRST = _table(0)


class Batch:
    """The requests that were sent and what became of them."""

    def __init__(self, url: str, kinds: Sequence[str]) -> None:
        self._client = httpx.Client(base_url=url, timeout=5.0)
        self._kinds = kinds
        self.open: dict[str, Question] = {}
        self.done: dict[str, Question] = {}
        self.refused = Counter[str]()
        self.wrong = Counter[str]()
        self._next = 0

    def step(self) -> None:
        """Send requests until enough are in flight, and look at one of them."""
        while len(self.open) < _IN_FLIGHT:
            kind = self._kinds[self._next % len(self._kinds)]
            self._send(_REQUESTS[kind](self._next))
            self._next += 1
        self._look()

    def begin(self) -> None:
        """Have what others need computed, without faults."""
        self._send(_FIRST)
        self.finish()

    def finish(self) -> None:
        """Look until all is done, or too much time is over."""
        deadline = time.monotonic() + _TIMEOUT_SECONDS
        while self.open and time.monotonic() < deadline:
            self._look()
            time.sleep(0.05)

    def _look(self) -> None:
        """Ask again for one request in flight: it is done, or still has a job, or failed."""
        if self.open:
            self._send(self.open[random.choice(sorted(self.open))])

    def _send(self, body: Question) -> None:
        text = body.model_dump_json()
        self.open[text] = body
        try:
            answer = self._client.post(
                f"/v1/{plural(body.kind)}",
                content=text,
                headers={"Content-Type": "application/json"},
            )
        except httpx.TransportError:
            return
        if answer.status_code == 200:
            self.done[answer.json()["id"]] = self.open.pop(text)
        elif answer.status_code != 202:
            self._count(answer)

    def _count(self, answer: httpx.Response) -> None:
        problem = answer.headers.get("content-type") == "application/problem+json"
        fine = problem and answer.status_code in _PASSING
        text = answer.json()["type"].rpartition(":")[2] if fine else answer.text[:200]
        (self.refused if fine else self.wrong)[f"{answer.status_code} {text}"] += 1
