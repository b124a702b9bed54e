"""Figures of Slim Flies, computed as the rows of tests/data/slimfly.csv name them.

nta0, another reading of nta in the literature that the product does not have, is written out here.
"""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tvlb.model import Throughput, throughput
from tvlb.paths import PathRows, all_pairs, min_rows, parse_expression, switch_sequences
from tvlb.topology import SlimFly
from tvlb.traffic import parse_pattern, switch_demand

DATA = Path(__file__).parent / "data" / "slimfly.csv"


@dataclass(frozen=True)
class Row:
    """One figure of the reference."""

    kind: str
    q: int
    xi: int
    p: int
    pattern: str
    path_set: str
    monotone: bool
    routing: str
    load: str
    params: str
    item: str
    value: str

    @property
    def topology(self) -> SlimFly:
        return network(self.q, self.p, self.xi, "single" if self.params == "min=single" else "all")

    def __str__(self) -> str:
        order = "" if self.kind != "theta" else f"-{'monotone' if self.monotone else 'free'}"
        return f"{self.q}-{self.pattern}-{self.path_set}{order}-{self.params}-{self.item}"


def read_rows(kind: str, path: Path = DATA) -> list[Row]:
    """Return the rows of a kind."""
    with path.open(encoding="utf-8", newline="") as file:
        return [
            Row(
                row["kind"],
                int(row["q"]),
                int(row["xi"]),
                int(row["p"]),
                row["pattern"],
                row["set"],
                row["monotone"] == "1",
                row["routing"],
                row["load"],
                row["params"],
                row["item"],
                row["value"],
            )
            for row in csv.DictReader(file)
            if row["kind"] == kind
        ]


@lru_cache(maxsize=32)
def network(q: int, p: int, xi: int, min_paths: str) -> SlimFly:
    return SlimFly(q, p, xi, min=min_paths)


def path_rows(
    topology: SlimFly, path_set: str, source: NDArray[np.int32], target: NDArray[np.int32]
) -> PathRows:
    """Rows of some pairs by the name of their set in the reference."""
    if path_set == "min":
        return min_rows(topology, source, target)
    if path_set != "nta0":
        return parse_expression(path_set, topology).rows(source, target)
    rows = parse_expression("nta", topology).rows(source, target)
    near = np.flatnonzero(distances(topology)[source, target] == 1)
    return rows.replaced(near, min_rows(topology, source[near], target[near]))


@lru_cache(maxsize=8)
def distances(topology: SlimFly) -> NDArray[np.int64]:
    """Links between every two switches, by the adjacency matrix alone."""
    return np.where(walks(topology) > 0, 2, 0) * (adjacency(topology) == 0) + adjacency(topology)


@lru_cache(maxsize=8)
def adjacency(topology: SlimFly) -> NDArray[np.int64]:
    joined = np.zeros((topology.num_switches,) * 2, dtype=np.int64)
    joined[topology.network.link_source, topology.network.link_target] = 1
    return joined


@lru_cache(maxsize=8)
def walks(topology: SlimFly) -> NDArray[np.int64]:
    """Walks of two links between different switches."""
    found = adjacency(topology) @ adjacency(topology)
    np.fill_diagonal(found, 0)
    return found


@lru_cache(maxsize=8)
def pair_classes(topology: SlimFly) -> NDArray[np.str_]:
    """Class of every pair as the reference names it."""
    column = np.arange(topology.num_switches) // topology.q
    subgraph = column // topology.q
    near = adjacency(topology) == 1
    same_side = subgraph[:, None] == subgraph
    place = np.where(column[:, None] == column, "column", np.where(same_side, "subgraph", "cross"))
    count = np.where(near, 1, walks(topology)).astype(str)
    parts = np.where(near, "adjacent-", "far-"), place, ":n", count
    found = parts[0]
    for part in parts[1:]:
        found = np.char.add(found, part)
    return found


def graph_figures(topology: SlimFly) -> dict[str, float]:
    """Everything that the reference says of a graph."""
    joined, apart = adjacency(topology), ~np.eye(topology.num_switches, dtype=bool)
    source, target = np.nonzero(joined)
    rank = np.arange(1, len(source) + 1)
    found: dict[str, float] = {
        "switches": topology.num_switches,
        "degree": int(joined.sum(axis=1).max()),
        "directed_links": len(source),
        "triangles": int(np.trace(joined @ joined @ joined)) // 6,
        "diameter": int(distances(topology).max()),
        "mean_distance": float(distances(topology)[apart].mean()),
        "adjacency_checksum": int(((31 * source + target) * rank).sum() % 1_000_003),
    }
    classes, counts = np.unique(pair_classes(topology)[apart], return_counts=True)
    found |= {f"pairs:{one}": int(count) for one, count in zip(classes, counts, strict=True)}
    common, counts = np.unique(walks(topology)[joined == 1], return_counts=True)
    for one, count in zip(common, counts, strict=True):
        found[f"adjacent_pairs_with_common_neighbours:{one}"] = int(count)
    return found


@lru_cache(maxsize=32)
def path_figures(topology: SlimFly, path_set: str, sources: str) -> dict[str, float]:
    """Means over the pairs of each class."""
    source, target = all_pairs(topology)
    if sources != "sources=all":
        chosen = np.isin(source, [0, 1, topology.q**2])
        source, target = source[chosen], target[chosen]
    rows = path_rows(topology, path_set, source, target)
    kind = pair_classes(topology)[source, target]
    wires = switch_sequences(rows)
    pair_of_wire = np.repeat(np.arange(len(source)), np.diff(wires.offset))
    hops_of_wire = (wires.switches >= 0).sum(axis=1) - 1
    found: dict[str, float] = {}
    for one in np.unique(kind):
        of_kind = kind == one
        with_path = of_kind & (np.diff(rows.offset) > 0)
        found[f"{one}:pairs"] = int(of_kind.sum())
        found[f"{one}:pairs_without_path"] = int((of_kind & ~with_path).sum())
        if not with_path.any():
            continue
        share = with_path[pair_of_wire] / with_path.sum()
        found[f"{one}:mean_hops"] = float((share * wires.weight) @ hops_of_wire)
        for hops in range(1, 5):
            chosen = share * (hops_of_wire == hops)
            found[f"{one}:mean_wire_paths_{hops}hops"] = float(chosen.sum())
            found[f"{one}:mean_share_{hops}hops"] = float(chosen @ wires.weight)
    return found


@lru_cache(maxsize=64)
def load_figures(topology: SlimFly, pattern: str, path_set: str) -> dict[str, float]:
    """Loads of links where every flow, without a choice of MIN paths, takes a set."""
    traffic = parse_pattern(pattern)
    demand = switch_demand(topology, traffic.resolve(topology, 0))
    uniform = pattern == "uniform"
    rate = demand.rate if uniform else demand.rate / topology.nodes_per_switch
    rows = path_rows(topology, path_set, demand.source, demand.target)
    lacking = np.flatnonzero(np.diff(rows.offset) == 0)
    minimal = min_rows(topology, demand.source[lacking], demand.target[lacking])
    rows = rows.replaced(lacking, minimal)
    carried = rows.weight * rate[rows.pair_of_row]
    links = rows.links()
    used = links >= 0
    load = np.bincount(
        links[used], weights=np.broadcast_to(carried[:, None], links.shape)[used],
        minlength=topology.num_links,
    )  # fmt: skip
    hops = float(carried @ used.sum(axis=1)) / float(rate.sum())
    if uniform:
        return {
            "max_link_load_at_theta_1": load.max(),
            "mean_link_load_at_theta_1": load.mean(),
            "mean_hops_other_switch": hops,
            "oblivious_theta": min(1.0, 1 / load.max()),
        }
    return {
        "max_link_load": load.max(),
        "links_used": int((load > 0).sum()),
        "mean_hops": hops,
        "oblivious_theta": min(1.0, 1 / (topology.nodes_per_switch * load.max())),
    }


def solved(row: Row, solver: str = "highs") -> Throughput:
    """The model of a row."""
    path_set = "none" if row.path_set == "min" else row.path_set
    return throughput(
        row.topology,
        parse_expression(path_set, row.topology),
        parse_pattern(row.pattern),
        monotone=row.monotone,
        solver=solver,
    )


def deviations(path: Path = DATA) -> Iterator[tuple[Row, float, float]]:
    """Yield every row of a kind that is not simulated with our figure and its deviation."""
    for row in read_rows("graph", path):
        yield row, *_apart(graph_figures(row.topology).get(row.item, np.nan), row)
    for row in read_rows("paths", path):
        figures = path_figures(row.topology, row.path_set, row.params)
        yield row, *_apart(figures.get(row.item, np.nan), row)
    for row in read_rows("load", path):
        figures = load_figures(row.topology, row.pattern, row.path_set)
        yield row, *_apart(figures.get(row.item, np.nan), row)
    for row in read_rows("theta", path):
        yield row, *_apart(solved(row).theta, row)


def _apart(ours: float, row: Row) -> tuple[float, float]:
    return ours, abs(ours - float(row.value))
