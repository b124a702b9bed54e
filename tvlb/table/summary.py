"""What a T-VLB table holds, for people: in a few numbers, by switch pair, and by link."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from tvlb.balance import UsageCount, chunks, sample_of
from tvlb.documents import Document
from tvlb.errors import InvalidInput
from tvlb.paths import PathRows, RowSet, Switches, min_rows, repeats, revisits
from tvlb.table.kinds import StoredTable, check_switch
from tvlb.table.rows import first_invalid_row
from tvlb.table.table import AnyTable, CompactTable, Table
from tvlb.topology import Topology


@dataclass(frozen=True)
class Spread:
    """Smallest and mean value over some pairs."""

    minimum: int
    mean: float


@dataclass(frozen=True)
class Diversity:
    """Choice per inter-group pair of switches that have paths, pairs without any path included.

    Attributes
    ----------
    pairs : number of inter-group pairs.
    paths : paths of a pair.
    first_links : different first global links of a pair's paths.
    intermediates : different intermediate switches of a pair's paths.
    """

    pairs: int
    paths: Spread
    first_links: Spread
    intermediates: Spread


def diversity(rows: PathRows) -> Diversity:
    """Count paths, first links and intermediates of every pair with a choice."""
    ends = rows.source, rows.target
    between = rows.topology.has_choice(*ends) & rows.topology.has_paths(*ends)
    return Diversity(
        pairs=int(np.count_nonzero(between)),
        paths=_spread_of(np.diff(rows.offset)[between]),
        first_links=_spread_of(_distinct(rows, rows.first_link)[between]),
        intermediates=_spread_of(_distinct(rows, rows.intermediate)[between]),
    )


def _distinct(rows: PathRows, values: NDArray[np.int32]) -> NDArray[np.int64]:
    """Count the different values of each pair, int64 (pairs,)."""
    shift = np.int64(1) << 32
    seen = np.unique(rows.pair_of_row * shift + (values.astype(np.int64) + (1 << 31)))
    return np.bincount(seen // shift, minlength=len(rows.source))


def _spread_of(counts: NDArray[np.int64]) -> Spread:
    return Spread(int(counts.min()), float(counts.mean()))


def summarise(table: AnyTable) -> dict[str, Any]:
    """Describe a table in a few numbers, such as `paths`, `mean_vlb_hops` and `switch_pairs`.

    Pairs of switches are those of switches that have paths, so of none that is down.
    Of a full table `weights_from` says what its draw weights follow from: expression, balancing or
    listed; `diversity` is the choice per inter-group pair; `revisiting_paths` visit a switch twice
    and `repeating_paths` the same switches as an earlier one of their pair, None if a row is no
    path. `struck_from` is the network of the expression, where paths that are down were struck out.
    Of a compact one `paths` are those of the expression, before balancing.

    Raises
    ------
    InvalidInput : the rows cannot be told apart by switch pair.
    """
    header = table.header
    return {
        "id": table.id,
        **({} if header.compact is None else {"form": "compact"}),
        "topology": str(table.topology),
        "expression": header.expression,
        "seed": header.seed,
        "version": header.version,
        **({} if table.ugal is None else {"ugal": asdict(table.ugal)}),
        **({} if header.struck is None else {"struck_from": str(table.rule_topology)}),
        **({} if header.incomplete is None else {"incomplete": header.incomplete}),
        **(_by_rule(table) if isinstance(table, CompactTable) else _listed(table)),
    }


def _listed(table: Table) -> dict[str, Any]:
    rows = table.rows
    joined = rows.topology.has_paths(rows.source, rows.target)
    counts, found = np.diff(rows.offset)[joined], diversity(rows)
    followed = first_invalid_row(rows) is None
    return {
        "switch_pairs": len(counts),
        "pairs_without_paths": int(np.count_nonzero(counts == 0)),
        "paths": len(rows),
        "revisiting_paths": int(revisits(rows).sum()) if followed else None,
        "repeating_paths": int(repeats(rows).sum()) if followed else None,
        "removed_by_balance": len(table.removed),
        "weights_from": _weight_source(table),
        "paths_by_hops": table.header.paths_by_hops,
        "mean_vlb_hops": table.header.mean_vlb_hops,
        "weights": _weights(rows),
        "diversity": {
            "pairs": found.pairs,
            "paths": _spread(found.paths),
            "first_links": _spread(found.first_links),
            "intermediates": _spread(found.intermediates),
        },
    }


def _weight_source(table: Table) -> str:
    match table.header.weights:
        case None:
            return "expression"
        case "listed":
            return "listed"
        case _:
            return "balancing"


def _spread(spread: Spread) -> dict[str, float]:
    return {"min": spread.minimum, "mean": spread.mean}


def _weights(rows: PathRows) -> dict[str, float | None]:
    """Return the extremes of the weights, None without paths, and the largest |sum - 1|."""
    sums = np.bincount(rows.pair_of_row, weights=rows.weight, minlength=len(rows.source))
    listed = sums[np.diff(rows.offset) > 0]
    return {
        "min": float(rows.weight.min()) if len(rows) else None,
        "max": float(rows.weight.max()) if len(rows) else None,
        "largest_sum_error": float(np.abs(listed - 1).max(initial=0.0)),
    }


def _by_rule(table: CompactTable) -> dict[str, Any]:
    header, record = table.header, table.record
    switches = int(np.count_nonzero(table.topology.is_end))
    return {
        "switch_pairs": switches * (switches - 1),
        "paths": sum(header.paths_by_hops.values()),
        "paths_by_hops": header.paths_by_hops,
        "balance": None if record.balance is None else record.balance.model_dump(),
        "removed_besides": len(table.removed),
        "mean_vlb_hops": header.mean_vlb_hops,
        "sampled_pairs": record.sampled_pairs,
    }


class PathItem(Document):
    """One path, with the switches and links that it visits in travel order."""

    intermediate: int
    first_link: int
    second_link: int
    hops: int
    weight: float
    switches: tuple[int, ...]
    labels: tuple[str, ...] = Field(
        description="What their owner calls these switches; none where they have no names."
    )
    links: tuple[int, ...]
    kinds: tuple[str, ...]


class LinkWeight(Document):
    """A directed link, and how often a drawn path takes it."""

    link: int
    src: int
    dst: int
    weight: float


class PairPaths(Document):
    """The paths of one switch pair; the weights of all of each kind sum to 1."""

    src: int
    dst: int
    min_paths: tuple[PathItem, ...] = Field(
        description="MIN paths, all of which are always in use; intermediate is -1."
    )
    paths: tuple[PathItem, ...] = Field(
        description="VLB paths of the table in its order, as many as were asked for."
    )
    total: int = Field(description="Number of all VLB paths of the pair.")
    mean_hops: float | None = Field(
        description="Mean hops of a drawn VLB path; null if there is none."
    )
    links: tuple[LinkWeight, ...] = Field(
        description="The links that VLB paths of the pair take, all of them counted."
    )


def pair_paths(table: StoredTable, source: int, target: int) -> list[PathItem]:
    """List the paths of one switch pair, in table order.

    Raises
    ------
    InvalidInput : not two different switches of the topology, one without nodes that paths only
        pass, or the table's rows are invalid.
    """
    rows = _pair_rows(table, source, target)
    return _paths(rows, len(rows))


def pair_summary(
    table: StoredTable, source: int, target: int, limit: int | None = None
) -> PairPaths:
    """Describe what the routing may choose between two switches.

    Parameters
    ----------
    limit : most VLB paths to list, in table order; None for all.

    Raises
    ------
    InvalidInput : as `pair_paths`.
    """
    rows = _pair_rows(table, source, target)
    least = min_rows(table.topology, *_ends(source, target))
    usage = rows.total_usage()
    network = table.topology.network
    return PairPaths(
        src=source,
        dst=target,
        min_paths=tuple(_paths(least, len(least))),
        paths=tuple(_paths(rows, len(rows) if limit is None else min(limit, len(rows)))),
        total=len(rows),
        mean_hops=float(rows.weight @ rows.hops) if len(rows) else None,
        links=tuple(
            LinkWeight(
                link=link,
                src=int(network.link_source[link]),
                dst=int(network.link_target[link]),
                weight=float(usage[link]),
            )
            for link in np.flatnonzero(usage).tolist()
        ),
    )


def _pair_rows(table: StoredTable, source: int, target: int) -> PathRows:
    _check_ends(table.topology, source, target)
    return table.path_set(f"table {table.id[:12]}").rows(*_ends(source, target))


def _check_ends(topology: Topology, source: int, target: int) -> None:
    for switch in (source, target):
        check_switch(topology, switch)
        if not topology.is_end[switch]:
            raise InvalidInput(
                f"switch {topology.called(switch)} has no nodes: no paths begin or end there"
            )
    if source == target:
        raise InvalidInput(f"switch {source} has no paths to itself")


def _ends(source: int, target: int) -> tuple[Switches, Switches]:
    return np.array([source], dtype=np.int32), np.array([target], dtype=np.int32)


def _paths(rows: PathRows, count: int) -> list[PathItem]:
    return [_path(rows, row, links) for row, links in enumerate(rows.links()[:count])]


def _path(rows: PathRows, row: int, links: np.ndarray[tuple[int], np.dtype[np.int32]]) -> PathItem:
    network = rows.topology.network
    taken = links[links >= 0]
    switches = (int(rows.source[0]), *network.link_target[taken].tolist())
    labels = rows.topology.labels
    return PathItem(
        intermediate=int(rows.intermediate[row]),
        first_link=int(rows.first_link[row]),
        second_link=int(rows.second_link[row]),
        hops=int(rows.hops[row]),
        weight=float(rows.weight[row]),
        switches=switches,
        labels=tuple(labels[switch] for switch in switches) if labels else (),
        links=tuple(taken.tolist()),
        kinds=tuple(rows.topology.kind_name(link) for link in taken),
    )


# Enough for a picture, and few enough for a reader who waits.
_SAMPLED_ROWS = 2_000_000


@dataclass(frozen=True, eq=False)
class LinkShares:
    """Usage of the links.

    Attributes
    ----------
    relative : float64 (links,), usage over the mean of the links of its kind that are in use,
        when every switch pair draws its paths equally often.
    sampled_pairs : number of pairs between groups that it is of; None for all.
    """

    relative: NDArray[np.float64]
    sampled_pairs: int | None


def link_shares(table: StoredTable) -> LinkShares:
    """Return the usage of the links, for a compact table that of a sample of the pairs.

    Raises
    ------
    InvalidInput : a row of the table is not a path of its topology.
    """
    if (usage := table.link_usage()) is not None:
        return LinkShares(_relative(usage, table), None)
    topology = table.topology
    path_set = table.path_set(f"table {table.id[:12]}")
    if isinstance(path_set, RowSet):
        return LinkShares(_relative(path_set.stored.total_usage(), table), None)
    count = UsageCount(topology)
    sample = sample_of(path_set, _SAMPLED_ROWS)
    for ends, each in ((sample.between, sample.pairs_each), (sample.inside, 1.0)):
        for rows in chunks(path_set, *ends):
            count.add(rows, each)
    return LinkShares(_relative(count.total, table), len(sample.between[0]))


def _relative(usage: NDArray[np.float64], table: StoredTable) -> NDArray[np.float64]:
    relative = np.zeros(len(usage))
    kinds = table.topology.network.link_kind
    for kind in range(len(table.topology.kinds.names)):
        inside = (kinds == kind) & (usage > 0)
        if inside.any():
            relative[inside] = usage[inside] / usage[inside].mean()
    return relative
