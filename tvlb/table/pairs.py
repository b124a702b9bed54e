"""The paths of one switch pair, as documents."""

import numpy as np
from pydantic import Field

from tvlb.documents import Document
from tvlb.errors import InvalidInput
from tvlb.paths import PathRows, Switches, min_rows
from tvlb.table.compact import AnyTable, check_switch
from tvlb.topology import Topology


class PathItem(Document):
    """One path, with the switches and links that it visits in travel order."""

    intermediate: int
    first_link: int
    second_link: int
    hops: int
    weight: float
    switches: tuple[int, ...]
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


def pair_paths(table: AnyTable, source: int, target: int) -> list[PathItem]:
    """List the paths of one switch pair, in table order.

    Raises
    ------
    InvalidInput : not two different switches of the topology, one without nodes that paths only
        pass, or the table's rows are invalid.
    """
    rows = _pair_rows(table, source, target)
    return _paths(rows, len(rows))


def pair_summary(table: AnyTable, source: int, target: int, limit: int | None = None) -> PairPaths:
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


def _pair_rows(table: AnyTable, source: int, target: int) -> PathRows:
    _check_ends(table.topology, source, target)
    return table.path_set(f"table {table.id[:12]}").rows(*_ends(source, target))


def _check_ends(topology: Topology, source: int, target: int) -> None:
    for switch in (source, target):
        check_switch(topology, switch)
        if not topology.is_end[switch]:
            raise InvalidInput(f"switch {switch} has no nodes: no paths begin or end there")
    if source == target:
        raise InvalidInput(f"switch {source} has no paths to itself")


def _ends(source: int, target: int) -> tuple[Switches, Switches]:
    return np.array([source], dtype=np.int32), np.array([target], dtype=np.int32)


def _paths(rows: PathRows, count: int) -> list[PathItem]:
    return [_path(rows, row, links) for row, links in enumerate(rows.links()[:count])]


def _path(rows: PathRows, row: int, links: np.ndarray[tuple[int], np.dtype[np.int32]]) -> PathItem:
    network = rows.topology.network
    taken = links[links >= 0]
    return PathItem(
        intermediate=int(rows.intermediate[row]),
        first_link=int(rows.first_link[row]),
        second_link=int(rows.second_link[row]),
        hops=int(rows.hops[row]),
        weight=float(rows.weight[row]),
        switches=(int(rows.source[0]), *network.link_target[taken].tolist()),
        links=tuple(taken.tolist()),
        kinds=tuple(rows.topology.kind_name(link) for link in taken),
    )
