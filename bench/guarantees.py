"""Floors and ceilings on networks of many families, of unequal switches and after failures.

::

    python -m bench.guarantees build/guarantees.jsonl

Every case is kept in the file as soon as it has ended, so that the command goes on where it was
stopped. A floor above its ceiling, or a ceiling that `tvlb model` does not confirm, is an error.
"""

import argparse
import json
import time
from collections.abc import Iterator
from pathlib import Path

from tvlb.guarantee import worst
from tvlb.model import throughput
from tvlb.statistics import KeyedStream
from tvlb.topology import Listing, Topology, as_topology, parse_topology

_NETWORKS = (
    ("dfly(2,4,2,9)", ("all", "short(2,3)", "<=4")),
    ("dfly(2,4,2,9,palmtree)", ("all", "<=4+50%")),
    ("dfly(3,6,3,10)", ("short(2,3)",)),
    ("dfly(4,8,4,9)", ("short(2,3)", "shape(g.g:4, g.gl:2, g.lg:2, g.lgl)")),
    ("dfly(4,8,4,9,palmtree)", ("all", "short(2,3)")),
    ("dfly(4,8,4,33,palmtree)", ("short(2,3)",)),
    ("slimfly(5)", ("all", "none")),
    ("slimfly(7)", ("short(all)",)),
    ("slimfly(13)", ("all",)),
    ("hyperx(4,4,4)", ("all", "none")),
    ("hyperx(8,8,8)", ("all",)),
    ("dflyplus(4,4,4,9)", ("all",)),
    ("kary(4,3)", ("all",)),
    ("ft2(100,10,5,1)", ("none",)),
    ("torus(2,6,6)", ("all",)),
    ("hypercube(2,6)", ("all",)),
    ("random(40,4,10,seed=1)", ("all", "<=4")),
)
_DAMAGED = (
    ("dfly(2,4,2,9)", "short(2,3)", 4),
    ("slimfly(5)", "all", 5),
    ("hyperx(4,4,4)", "all", 3),
    ("torus(2,6,6)", "<=8", 4),
)
_UNEQUAL = (("dfly(2,4,2,9)", "all"), ("hyperx(4,4,4)", "short(all)"), ("torus(2,6,6)", "all"))


def damaged(text: str, cables: int, folder: Path) -> Topology:
    """Return a network without some of its cables, drawn at random."""
    network = as_topology(text).network
    stream = KeyedStream(1, "damage")
    drawn = {stream.below(network.num_links) for _ in range(cables)}
    links = [[int(network.link_source[one]), int(network.link_target[one])] for one in drawn]
    path = folder / "down.json"
    path.write_text(json.dumps({"links": links}))
    return parse_topology(text, str(path))


def unequal(text: str) -> Topology:
    """Return the cables of a network, listed, with 1 to 3 nodes at a switch in turn."""
    network = as_topology(text).network
    forward = network.link_source < network.link_target
    ends = zip(network.link_source[forward], network.link_target[forward], strict=True)
    return Listing.model_validate(
        {
            "switches": network.num_switches,
            "endpoints": [1 + one % 3 for one in range(network.num_switches)],
            "links": [[int(source), int(target)] for source, target in ends],
        }
    ).build()


def cases(folder: Path) -> Iterator[tuple[str, Topology, str]]:
    """Yield names, networks and path sets."""
    for text, sets in _NETWORKS:
        for path_set in sets:
            yield text, as_topology(text), path_set
    for text, path_set, cables in _DAMAGED:
        yield f"{text} without {cables} cables", damaged(text, cables, folder), path_set
    for text, path_set in _UNEQUAL:
        yield f"cables of {text}, 1 to 3 nodes", unequal(text), path_set


def main() -> None:
    """Compute what the file lacks."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("kept", type=Path, help="a file of JSON lines, by case")
    kept: Path = parser.parse_args().kept
    lines = kept.read_text().splitlines() if kept.exists() else []
    known = {(one["network"], one["path_set"]) for one in map(json.loads, lines)}
    for name, topology, path_set in cases(kept.parent):
        if (name, path_set) in known:
            continue
        began = time.process_time()
        found = worst(topology, path_set)
        seconds = time.process_time() - began
        theta = throughput(topology, path_set, found.witness).theta_up
        assert found.floor <= found.ceiling, f"{name}, {path_set}: {found}"
        assert abs(theta - found.ceiling) < 1e-6, f"{name}, {path_set}: the model says {theta}"
        case = {
            "network": name,
            "path_set": path_set,
            "switches": topology.num_switches,
            "floor": found.floor,
            "floor_bound": found.floor_bound,
            "ceiling": found.ceiling,
            "pair_orbits": found.orbits.pairs,
            "cpu_seconds": round(seconds, 1),
        }
        with kept.open("a") as file:
            file.write(json.dumps(case) + "\n")
        print(case, flush=True)


if __name__ == "__main__":
    main()
