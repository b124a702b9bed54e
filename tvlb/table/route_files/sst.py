"""The Structural Simulation Toolkit: a network, its paths and a run for merlin's topoAny.

Of merlin a source-routed packet draws its path at the source, by weights with five digits behind
the point that are all added up, and takes the VC of the number of hops that it has made. Paths
are switches, so that of parallel cables any is taken. A switch's paths are one text, of which every
compute node of the switch has its own.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import BinaryIO

import numpy as np

from tvlb.documents import VERSION, files
from tvlb.errors import InvalidInput
from tvlb.table.route_files import Route, RouteFormat, Routes
from tvlb.topology import Topology, merged, network_formats

_MOST_PATHS = 200_000
_LARGE_TEXT = 1 << 20
# Less is written as 0.00000.
_LEAST_WEIGHT = 5e-6

_RUN = Template('''\
"""Uniform random traffic in SST merlin, by the network and the paths beside this file.

Run it with `sst FILE`. Written by tvlb $version.
"""

import json
import os

from sst.merlin.base import System, hr_router
from sst.merlin.endpoint import OfferedLoadJob
from sst.merlin.interface import EndpointNIC
from sst.merlin.targetgen import UniformTarget
from sst.merlin.topology import topoAny

NETWORK = $network
PATHS = $paths
# Share of MIN paths in the packets of a pair that has detours. It is fixed: this is not UGAL.
MIN_SHARE = $share
# A packet takes the VC of the number of hops that it has made; the longest path has $longest.
VCS_PER_VN = $vcs
# Of all cables between switches; merlin has one latency for all of them.
LINK_LATENCY = "$latency"
LINK_BANDWIDTH = "16GB/s"
OFFERED_LOAD = 0.05
STEM = os.path.join(os.path.dirname(os.path.abspath(__file__)), $stem)


def read_routes(path):
    """Return {source: {target: [(weight, [switch, ..., target]), ...]}}."""
    with open(path, encoding="utf-8") as stream:
        stored = json.load(stream)
    return {
        int(source): {
            int(target): [(weight, switches) for weight, switches in rows]
            for target, rows in by_target.items()
        }
        for source, by_target in stored.items()
    }


router = hr_router()
router.link_bw = LINK_BANDWIDTH
router.xbar_bw = LINK_BANDWIDTH
router.flit_size = "32B"
router.input_latency = "20ns"
router.output_latency = "20ns"
router.input_buf_size = "16kB"
router.output_buf_size = "16kB"
router.num_vns = 1
router.xbar_arb = "merlin.xbar_arb_rr"

topology = topoAny()
topology.topo_name = "tvlb"
topology.routing_mode = "source_routing"
topology.vcs_per_vn = VCS_PER_VN
topology.import_graph(STEM + ".graphml")
topology.router = router
topology.link_latency = LINK_LATENCY
topology.host_link_latency = "10ns"

nic = EndpointNIC(use_reorderLinkControl=True, topo=topology)
nic.addPlugin(
    "sourceRoutingPlugin",
    routing_table=read_routes(STEM + ".routes.json"),
    path_selection_algorithm="random_weighted",
)
nic.link_bw = LINK_BANDWIDTH
nic.input_buf_size = "16kB"
nic.output_buf_size = "16kB"
nic.vn_remap = [0]

traffic = OfferedLoadJob(0, topology.getNumNodes())
traffic.setEndpointNIC(nic)
traffic.pattern = UniformTarget()
traffic.offered_load = OFFERED_LOAD
traffic.link_bw = LINK_BANDWIDTH
traffic.message_size = "32B"
traffic.warmup_time = "10us"
traffic.collect_time = "20us"
traffic.drain_time = "50us"

system = System()
system.setTopology(topology)
system.allocateNodes(traffic, "linear")
system.build()
''')


def _write(routes: Routes, path: Path) -> Sequence[str]:
    topology, lost = merged(routes.topology) if routes.merge_parallel else (routes.topology, ())
    topology.network.check_single_cables(
        str(topology), "sst cannot hold them, since its paths say switches only"
    )
    graph, table, run = (path.with_name(path.name + suffix) for suffix in FORMAT.endings)
    with (
        files.atomic_file(graph) as graph_stream,
        files.atomic_file(table) as table_stream,
        files.atomic_file(run) as run_stream,
    ):
        graph_stream.writelines(_graph(topology))
        written = _write_routes(routes, table_stream)
        run_stream.write(_run_of(routes, path.name, written.longest).encode())
    merging = [f"sst does not hold {one}" for one in lost[:1]]
    return [*routes.remarks(written.lost_pairs), *_remarks(topology, written), *merging]


def _graph(topology: Topology) -> Iterable[bytes]:
    write = network_formats()["graphml"].write
    assert write is not None
    return write(topology, "").files[""]


@dataclass
class _Written:
    """What is known of the paths once they are written.

    Attributes
    ----------
    longest : hops of the longest path.
    vanishing : paths that weigh less than merlin's texts tell.
    largest_text : of a switch, characters.
    lost_pairs : see `SourceRoutes`.
    """

    longest: int = 0
    vanishing: int = 0
    largest_text: int = 0
    lost_pairs: int = 0


def _write_routes(routes: Routes, stream: BinaryIO) -> _Written:
    """Write {source: {target: [[weight, [switch, ..., target]], ...]}}, a line per pair."""
    written = _Written()
    separator = "{"
    for source, found in enumerate(routes.of_sources()):
        written.lost_pairs += found.lost_pairs
        stream.write(f'{separator}\n"{source}": {{\n'.encode())
        text, lines = 0, list[str]()
        for target, minimal, detours in found.by_target():
            merged = list(_merged([*minimal, *detours]))
            if not merged:
                continue  # One of them is down.
            _check_count(source, target, len(merged))
            written.longest = max(written.longest, *(len(hops) for _, hops in merged))
            written.vanishing += sum(weight < _LEAST_WEIGHT for weight, _ in merged)
            text += len(_entry(target, merged))
            lines.append(f'"{target}": {json.dumps(merged)}')
        stream.write(",\n".join(lines).encode())
        separator = "},"
        written.largest_text = max(written.largest_text, text)
    stream.write(b"}}\n")
    return written


def _merged(listed: Sequence[Route]) -> Iterator[Route]:
    """Add up the weights of equal sequences, and leave out the source."""
    weights: dict[tuple[int, ...], float] = {}
    for weight, switches in listed:
        weights[switches[1:]] = weights.get(switches[1:], 0.0) + weight
    return ((weight, hops) for hops, weight in weights.items())


def _check_count(source: int, target: int, paths: int) -> None:
    if paths > _MOST_PATHS:
        raise InvalidInput(
            f"{paths:,} paths from switch {source} to {target}; sst takes at most {_MOST_PATHS:,}"
        )


def _entry(target: int, listed: Sequence[Route]) -> str:
    """Write the paths to a switch as merlin does, with what separates them from the next."""
    paths = (f"{weight:.5f},{','.join(map(str, hops))}" for weight, hops in listed)
    return f"{target}:{';'.join(paths)}|"


def _run_of(routes: Routes, stem: str, longest: int) -> str:
    return _RUN.substitute(
        version=VERSION,
        network=repr(str(routes.topology)),
        paths=repr(str(routes.path_set)),
        share=routes.min_share,
        longest=longest,
        vcs=longest + 1,
        latency=f"{max(routes.topology.kinds.latencies)}ns",
        stem=repr(stem),
    )


def _remarks(topology: Topology, written: _Written) -> Iterator[str]:
    alone = np.bincount(topology.network.link_source, minlength=topology.num_switches) == 0
    if alone.any():
        yield (
            f"switches without cables: {int(alone.sum())}, first {int(alone.argmax())}; merlin was "
            "not tried with such"
        )
    if len(set(topology.kinds.latencies)) > 1:
        longest = max(topology.kinds.latencies)
        yield f"sst has one latency for all cables between switches; the run sets {longest} ns"
    if written.vanishing:
        yield (
            f"{written.vanishing:,} paths weigh less than {_LEAST_WEIGHT} and are never drawn: sst "
            "keeps five digits"
        )
    if written.largest_text > _LARGE_TEXT:
        yield (
            f"the paths of a switch take {written.largest_text / _LARGE_TEXT:.1f} MiB in sst, for "
            "each of its compute nodes; sst warns above 1 MiB"
        )


FORMAT = RouteFormat(
    name="sst",
    suffixes=(),
    endings=(".graphml", ".routes.json", ".py"),
    fixed_weights=True,
    write=_write,
    single_cables=True,
)
