"""What paths, the rule of UGAL and both together gain, network by network.

    python -m bench.rule_gains FOLDER [--networks NET...] [--routings ugal-l ugal-g par]
        [--seeds 0 1] [--budget default] [--search both] [--routers JSON] [--jobs 1] [--workers 2]

Searches for a table of every network, routing and seed, and keeps the documents in FOLDER, so that
an interrupted study goes on; the largest networks begin. Prints a row of Markdown for each: of the
sets that are judged on held-out patterns the mean saturation load of the published one, and changes
against it in percent with 95% intervals; of the best rule and of both the worst pattern and changes
of latency, too; bold what is advised. Settings of the routers are given by their names, such as
{"buffer_flits": 64}.
"""

import argparse
import json
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zlib import crc32

from sim_bridge import SimulationConfig
from tvlb.documents import files
from tvlb.errors import InvalidInput
from tvlb.requests.table import TableDocument
from tvlb.search import SearchOptions, check_request, optimize
from tvlb.topology import parse_topology

NETWORKS = (
    "dfly(6,12,6,19)",
    "dfly(4,8,4,33)",
    "hyperx(4,8,8)",
    "slimfly(7)",
    "dfly(4,8,4,17)",
    "dfly(4,8,4,9)",
    "dflyplus(4,4,4,17)",
    "slimfly(5)",
    "hyperx(4,4,4)",
    "dfly(2,4,2,9)",
    "slimfly(13)",
)
ROUTINGS = ("ugal-l", "ugal-g", "par")


@dataclass(frozen=True)
class Case:
    """A search."""

    network: str
    routing: str
    seed: int
    budget: str
    search: str | None
    routers: str

    @property
    def name(self) -> str:
        """Name of its file."""
        text = "".join(one if one.isalnum() else "-" for one in self.network)
        asked = f"{self.budget} {self.search} {self.routers}"
        return f"{text.strip('-')}-{self.routing}-{self.seed}-{crc32(asked.encode()):08x}.json"

    def options(self, workers: int) -> SearchOptions:
        """Return the settings of the search."""
        return SearchOptions(
            routing=self.routing,
            search=self.search,
            budget=self.budget,
            config=SimulationConfig(**json.loads(self.routers)),
            seed=self.seed,
            workers=workers,
        )


def run(case: Case, folder: Path, workers: int) -> str:
    """Search, unless the folder has the document; return the name of its file."""
    path = folder / case.name
    if not path.exists():
        result = optimize(parse_topology(case.network), case.options(workers))
        with files.atomic_file(path) as stream:
            stream.write(json.dumps(TableDocument.of(result).plain()).encode())
    return case.name


def is_allowed(case: Case) -> bool:
    """Whether the routing has a place on the network."""
    try:
        check_request(parse_topology(case.network), case.options(1))
    except InvalidInput:
        return False
    return True


def row(case: Case, document: Mapping[str, Any]) -> str:
    """Return the row of a search."""
    verdict = document["verdict"]
    sets = {one["known_as"]: one for one in reversed(document["search"]["held_out"])}
    rival = sets.get("published") or sets["conventional"]
    changes = {
        one["expression"]: one
        for one in verdict["judgements"]
        if one["against"] == rival["expression"]
    }

    def told(known_as: str | None) -> str:
        found = sets.get(known_as, {}).get("expression")
        if found not in changes:
            return "-"
        saturation, latency = (changes[found][name] for name in ("saturation", "latency"))
        text = f"{100 * saturation['mean']:+.0f} +- {100 * saturation['half_width']:.0f}"
        if known_as != "paths":
            worst = f"{100 * saturation['worst']:+.0f} {saturation['worst_pattern']}"
            later = (f"{100 * one['mean']:+.0f}" if one else "-" for one in latency)
            text = f"{text}; {worst.replace('seed=', '')}; {', '.join(later)}"
        return f"**{text}**" if found == verdict["expression"] else text

    both = sets.get(None, rival)
    rule = both["expression"].removeprefix(both["path_set"]).removeprefix(", ")
    old = f"{rival['saturation_mean']:.3f}"
    shown = [
        f"{case.network} {case.routing} {case.seed}",
        f"**{old}**" if rival["expression"] == verdict["expression"] else old,
        *map(told, ("paths", "rule", None)),
        "-" if both["expression"] not in changes else rule or "published rule",
    ]
    return f"| {' | '.join(shown)} |"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run what is missing and print all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--networks", nargs="+", default=NETWORKS)
    parser.add_argument("--routings", nargs="+", default=ROUTINGS)
    parser.add_argument("--seeds", nargs="+", type=int, default=(0, 1))
    parser.add_argument("--budget", default="default")
    parser.add_argument("--search")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--routers", default="{}", help="settings of the routers, as JSON")
    given = parser.parse_args(arguments)
    given.folder.mkdir(parents=True, exist_ok=True)
    every = [
        Case(network, routing, seed, given.budget, given.search, given.routers)
        for routing in given.routings
        for seed in given.seeds
        for network in given.networks
    ]
    cases = [one for one in every if is_allowed(one)]
    with ProcessPoolExecutor(given.jobs) as pool:
        begun = {one: pool.submit(run, one, given.folder, given.workers) for one in cases}
        for case, future in begun.items():
            document = json.loads((given.folder / future.result()).read_text())
            print(row(case, document), flush=True)


if __name__ == "__main__":
    main()
