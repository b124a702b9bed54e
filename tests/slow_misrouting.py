"""Adaptive misrouting cycle by cycle, as its rules read, and nothing clever.

What `sim_bridge.routers.fog` does by events is compared with this, packet by packet: both draw
from the same streams in the same order. Cycles count from the start of a run.
"""

import math
from collections import defaultdict, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

import numpy as np

from sim_bridge.sampling import cumulative_within
from tests.vct_phits import peers_of
from tvlb.statistics import mix64
from tvlb.topology import Topology
from tvlb.traffic import NodeTraffic

_MASK = 2**64 - 1
_GOLDEN = 0x9E3779B97F4A7C15
NEVER = 2**31 - 1
GENERATION, DESTINATION, ROUTE = 1, 2, 3  # purposes of streams
VC_ORDER = "lgllgl"
SEQUENCES = {
    "2la": ("crg-gr", "rrg-sw"),
    "2lb": ("crg-sw", "rrg-sw"),
    "3l": ("crg-gr", "crg-sw", "rrg-sw"),
}


class Stream:
    """The streams of the core, see rng.hpp."""

    def __init__(self, seed: int, purpose: int, index: int) -> None:
        self._state = mix64(mix64(mix64(seed + _GOLDEN) + purpose) + index)

    def next(self) -> int:
        """Return 64 bits."""
        self._state = (self._state + _GOLDEN) & _MASK
        return mix64(self._state)

    def below(self, bound: int) -> int:
        """Return a uniform integer in 0..bound-1."""
        return self.next() * bound >> 64

    def uniform(self) -> float:
        """Return a uniform number in [0, 1)."""
        return (self.next() >> 11) * 2.0**-53


class Draws:
    """Several small integers out of one number of a stream, fetched when the first is drawn."""

    def __init__(self, stream: Stream) -> None:
        self._stream, self._bits, self._spread = stream, -1, 1

    def below(self, bound: int) -> int:
        """Return a uniform integer in 0..bound-1."""
        if self._bits < 0:
            self._bits = self._stream.next()
        if self._spread * bound > 2**32:
            self._bits, self._spread = self._stream.next(), 1
        self._spread *= bound
        product = self._bits * bound
        self._bits = product & _MASK
        return product >> 64


def gap(stream: Stream, probability: float) -> int:
    """Return the cycles until the next packet, at least one; short gaps by inversion."""
    drawn, survival = stream.next(), 1.0
    for cycles in range(1, 129):
        survival *= 1.0 - probability
        if drawn < int(min(1.0 - survival, 1.0 - 2.0**-53) * 2.0**64):
            return cycles
    if probability in (0.0, 1.0):
        return NEVER if probability == 0.0 else 1
    failures = math.log(1.0 - (drawn >> 11) * 2.0**-53) * (1.0 / math.log1p(-probability))
    return NEVER if failures >= NEVER - 1 else max(129, 1 + int(failures))


Destination = Callable[[Stream, int], int]  # of a packet of a node


def destinations(topology: Topology, traffic: NodeTraffic) -> Destination:
    """Draw destinations as the core does."""
    table, nodes = traffic.table, topology.num_nodes

    def draw(stream: Stream, node: int) -> int:
        uniform = float(traffic.uniform_fraction[node])
        if uniform > 0.0 and (uniform == 1.0 or stream.uniform() < uniform):
            if not traffic.uniform_to_others:
                return stream.below(nodes)
            other = stream.below(nodes - 1)
            return other + (other >= node)
        if table is None or table.row_of_node[node] < 0:
            return int(traffic.destination[node])
        first, last = table.offset[table.row_of_node[node] :][:2]
        cumulative = cumulative_within(table.offset, table.probability)[first : last - 1]
        target = int(table.target[first + np.searchsorted(cumulative, stream.uniform(), "right")])
        if not table.target_is_switch:
            return target
        return int(topology.first_node[target]) + stream.below(int(topology.switch_nodes[target]))

    return draw


@dataclass(frozen=True)
class Router:
    """Sizes in phits, times in cycles."""

    packet: int = 10
    speedup: int = 2
    rounds: int = 2
    crossbar_latency: int = 90
    local_latency: int = 15
    global_latency: int = 150
    local_buffer: int = 720
    global_buffer: int = 1800
    output_buffer: int = 200
    injection_buffer: int = 5040
    transit_first: bool = True


PAPER = Router()
SMALL = replace(
    PAPER, crossbar_latency=5, local_latency=10, global_latency=100,
    local_buffer=100, global_buffer=400, output_buffer=50, injection_buffer=1000,
)  # fmt: skip


@dataclass(frozen=True)
class Policy:
    """How packets are misrouted: `levels` are none for MIN, one, or those of ACOR."""

    levels: tuple[str, ...] = ()
    per_switch: bool = False
    piggyback: bool = False
    recompute: bool = True
    rval: bool = True
    source_group: bool = False
    hi: int = 500
    it: tuple[int, ...] = (15, 500)
    dt: tuple[int, ...] = (5, 15)
    cg: int = 120
    tg: int = 5
    t: int = 0

    @classmethod
    def named(cls, name: str) -> "Policy":
        """Return the policy `min`, `val-X`, `acor-packet-S`, `acor-switch-S`, `pb`, `pb-X`."""
        words = name.split("-")
        match words:
            case ["min"]:
                return cls()
            case ["val", *which]:
                return cls(("-".join(which),))
            case ["acor", unit, which]:
                return cls(SEQUENCES[which], per_switch=unit == "switch")
            case ["pb", "acor", which]:
                return cls(SEQUENCES[which], per_switch=True, piggyback=True, it=(15, 50))
            case ["pb", *which]:
                return cls(("-".join(which) or "rrg-sw",), piggyback=True)
            case _:
                raise ValueError(name)


@dataclass
class Packet:
    """A packet and what became of it."""

    created: int
    source: int
    destination: int
    via: int = -1  # intermediate switch I
    to_group: bool = False  # whether phase A ends in the group of I
    has_ended: bool = False  # phase A
    attempts: int = 0
    tried: bool = False  # whether an attempt was non-minimal
    misrouted: bool = False  # whether the last attempt was
    level: str = ""  # of the last attempt
    entry: int = -1  # in VC_ORDER, of the last hop
    hops: list[tuple[int, int, int]] = field(default_factory=list[tuple[int, int, int]])
    delivered: int = -1

    @property
    def left(self) -> int:
        """Cycle in which it left the output FIFO of its first switch."""
        return self.hops[0][0]


@dataclass(frozen=True)
class Way:
    """What the head of a FIFO wants."""

    port: int
    vc: int = 0
    entry: int = -1


class Switch:
    """The state of a switch; ports are its nodes, then its links by id."""

    def __init__(self, kinds: str) -> None:
        vcs = [VC_ORDER.count(kind) or 1 for kind in kinds]
        ports = range(len(kinds))
        self.kinds = kinds
        self.inputs = [[deque[tuple[Packet, int]]() for _ in range(n)] for n in vcs]
        self.nominated = [list(range(n)) for n in vcs]  # VCs, least recently first
        self.input_free = [0 for _ in ports]
        self.granted = [list(ports) for _ in ports]  # input ports, least recently first
        self.outputs = [deque[tuple[Packet, int, Way]]() for _ in ports]
        self.side_free = [0 for _ in ports]
        self.link_free = [0 for _ in ports]
        self.used = [[0] * n for n in vcs]
        self.held = 0  # packets
        self.level, self.timer, self.blocked = 0, 0, 0
        self.flags = [frozenset[int]()]  # flagged ports, by cycle


class Simulator:
    """One run.

    Parameters
    ----------
    topology : a Dragonfly with `group` switches per group.
    ports : output ports of the next link of MIN paths from a switch to another.
    destination : draws that of a packet.
    loads : phits/cycle and node from each cycle on.
    """

    def __init__(
        self,
        topology: Topology,
        group: int,
        ports: Callable[[int, int], list[int]],
        router: Router,
        policy: Policy,
        destination: Destination,
        loads: dict[int, float],
        seed: int,
    ) -> None:
        self.router, self.policy, self.loads, self.min_ports = router, policy, loads, ports
        self.destination, self.a = destination, group
        self.switch_of = topology.network.node_switch.tolist()
        self.first_node = topology.first_node.tolist()
        self.peer = peers_of(topology)
        self.back = {there: here for here, there in self.peer.items()}
        self.link_of: dict[tuple[int, int], int] = {}
        self.switches: list[Switch] = []
        source = topology.network.link_source
        for sw in range(topology.num_switches):
            nodes = int(topology.switch_nodes[sw])
            links = np.flatnonzero(source == sw).tolist()
            self.link_of |= {(sw, nodes + place): one for place, one in enumerate(links)}
            peers = [self.peer[sw, nodes + place][0] for place in range(len(links))]
            kinds = ["l" if self._group(one) == self._group(sw) else "g" for one in peers]
            self.switches.append(Switch("n" * nodes + "".join(kinds)))
            self.switches[-1].timer = policy.hi
        self.route = [Stream(seed, ROUTE, sw) for sw in range(topology.num_switches)]
        nodes = range(topology.num_nodes)
        self.generation = [Stream(seed, GENERATION, node) for node in nodes]
        self.drawing = [Stream(seed, DESTINATION, node) for node in nodes]
        self.waiting = [0 for _ in nodes]  # phits of injection FIFOs
        self.next = [NEVER for _ in nodes]
        self.probability = 0.0
        self.due: dict[int, list[Callable[[], None]]] = defaultdict(list)
        self.packets: list[Packet] = []  # generated ones, in order

    def run(self, cycles: int) -> list[Packet]:
        """Return all packets that were generated."""
        for now in range(cycles):
            if now in self.loads:
                self.probability = self.loads[now] / self.router.packet
                for node in range(len(self.next)):
                    self._wait(node, now - 1)
            for happen in self.due.pop(now, ()):
                happen()
            self._set_flags()
            for switch in self.switches:
                self._set_level(switch)
            for sw, switch in enumerate(self.switches):
                if switch.held:
                    for _ in range(self.router.rounds):
                        self._allocate(now, sw, switch)
                    self._send(now, sw, switch)
            self._generate(now)
        return self.packets

    def _group(self, sw: int) -> int:
        return sw // self.a

    # Generation.

    def _wait(self, node: int, now: int) -> None:
        if self.probability > 0.0:
            self.next[node] = now + gap(self.generation[node], self.probability)
        else:
            self.next[node] = NEVER

    def _generate(self, now: int) -> None:
        for node, due in enumerate(self.next):
            if due != now:
                continue
            if self.waiting[node] + self.router.packet <= self.router.injection_buffer:
                self.waiting[node] += self.router.packet
                packet = Packet(now, node, self.destination(self.drawing[node], node))
                self.packets.append(packet)
                sw = self.switch_of[node]
                self._at(now + 1, self._arrive, now + 1, sw, node - self.first_node[sw], 0, packet)
            self._wait(node, now)

    # What takes time.

    def _at(self, cycle: int, happen: Callable[..., None], *given: object) -> None:
        self.due[cycle].append(lambda: happen(*given))

    def _arrive(self, now: int, sw: int, port: int, vc: int, packet: Packet) -> None:
        self.switches[sw].held += 1
        self.switches[sw].inputs[port][vc].append((packet, now))
        packet.has_ended |= bool(packet.hops) and self._ends_phase_a(sw, packet)

    def _return_credit(self, sw: int, port: int, vc: int) -> None:
        self.switches[sw].used[port][vc] -= self.router.packet

    def _latency(self, kind: str) -> int:
        return self.router.local_latency if kind == "l" else self.router.global_latency

    # Per switch and cycle.

    def _set_flags(self) -> None:
        """Flag global ports with long queues; nothing changes where no packet is held."""
        if not self.policy.piggyback:
            return
        for switch in self.switches:
            queue = {
                port: sum(switch.used[port])
                for port, kind in enumerate(switch.kinds)
                if kind == "g"
            }
            flags = switch.flags[-1]
            if switch.held and queue:
                # Of one of the two VCs of a port, in the mean over the ports.
                most = self.policy.cg * sum(queue.values()) // (100 * 2 * len(queue))
                most += self.policy.tg * self.router.packet
                flags = frozenset(port for port, used in queue.items() if used / 2 > most)
            switch.flags.append(flags)

    def _set_level(self, switch: Switch) -> None:
        """Adapt the level of a switch; its timer stands still where no packet is held."""
        policy, level = self.policy, switch.level
        if not (policy.per_switch and switch.held):
            return
        switch.timer -= 1
        is_up = level + 1 < len(policy.levels) and switch.blocked >= policy.it[level]
        is_over = switch.timer == 0
        if is_up:
            switch.level += 1
        elif is_over and level > 0 and switch.blocked <= policy.dt[level - 1]:
            switch.level -= 1
        if is_up or is_over:
            switch.timer, switch.blocked = policy.hi, 0

    # Allocation.

    def _allocate(self, now: int, sw: int, switch: Switch) -> None:
        nominations: dict[int, dict[int, tuple[int, Way]]] = defaultdict(dict)
        for port, free in enumerate(switch.input_free):
            if free > now:
                continue
            for vc in switch.nominated[port]:
                if not switch.inputs[port][vc]:
                    continue
                way = self._route(
                    sw, switch.inputs[port][vc][0][0], is_first=self._is_node(switch, port)
                )
                if self._passes(now, switch, way):
                    nominations[way.port][port] = vc, way
                    _move_last(switch.nominated[port], vc)
                    break
        for output, nominated in nominations.items():
            if self._is_node(switch, output) and switch.link_free[output] > now:
                continue
            order = switch.granted[output]
            if self.router.transit_first:
                order = sorted(order, key=lambda port: self._is_node(switch, port))
            port = next(port for port in order if port in nominated)
            _move_last(switch.granted[output], port)
            self._grant(now, sw, switch, port, *nominated[port])

    @staticmethod
    def _is_node(switch: Switch, port: int) -> bool:
        return switch.kinds[port] == "n"

    def _passes(self, now: int, switch: Switch, way: Way) -> bool:
        router, kind = self.router, switch.kinds[way.port]
        if (len(switch.outputs[way.port]) + 1) * router.packet > router.output_buffer:
            return False
        room = router.local_buffer if kind == "l" else router.global_buffer
        if kind == "n":
            return True
        return (
            switch.side_free[way.port] <= now
            and switch.used[way.port][way.vc] + router.packet <= room
        )

    def _grant(self, now: int, sw: int, switch: Switch, port: int, vc: int, way: Way) -> None:
        router = self.router
        packet, arrival = switch.inputs[port][vc].popleft()
        if not packet.hops:
            packet.has_ended |= not packet.misrouted
        transfer = router.packet // router.speedup
        switch.input_free[port] = max(now + transfer, arrival + router.packet)
        switch.outputs[way.port].append((packet, now + router.crossbar_latency, way))
        if not self._is_node(switch, way.port):  # nodes only refuse while they receive
            switch.side_free[way.port] = now + transfer
            switch.used[way.port][way.vc] += router.packet
        if self._is_node(switch, port):
            self.waiting[packet.source] -= router.packet
        else:
            latency = self._latency(switch.kinds[port])
            self._at(now + latency, self._return_credit, *self.back[sw, port], vc)

    def _send(self, now: int, sw: int, switch: Switch) -> None:
        for port, queue in enumerate(switch.outputs):
            if not queue or queue[0][1] > now or switch.link_free[port] > now:
                continue
            packet, _, way = queue.popleft()
            switch.held -= 1
            switch.link_free[port] = now + self.router.packet
            packet.entry = way.entry
            packet.hops.append((now, self.link_of.get((sw, port), -1), way.vc))
            if self._is_node(switch, port):
                packet.delivered = now + self.router.packet
            else:
                arrival = now + self._latency(switch.kinds[port])
                self._at(arrival, self._arrive, arrival, *self.peer[sw, port], way.vc, packet)

    # Routing.

    def _route(self, sw: int, packet: Packet, *, is_first: bool) -> Way:
        draws = Draws(self.route[sw])
        to = self.switch_of[packet.destination]
        if is_first:
            return self._attempt(sw, packet, draws)
        return self._towards(sw, to if packet.has_ended else packet.via, packet, draws)

    def _towards(self, sw: int, to: int, packet: Packet, draws: Draws) -> Way:
        """Take a MIN port, on the next VC of its kind in the order."""
        if to == sw:
            return Way(packet.destination - self.first_node[sw])
        ports = self.min_ports(sw, to)
        port = ports[draws.below(len(ports)) if len(ports) > 1 else 0]
        kind = self.switches[sw].kinds[port]
        entry = VC_ORDER.index(kind, packet.entry + 1)
        return Way(port, VC_ORDER[:entry].count(kind), entry)

    def _attempt(self, sw: int, packet: Packet, draws: Draws) -> Way:
        policy, switch = self.policy, self.switches[sw]
        to = self.switch_of[packet.destination]
        packet.attempts += 1
        if not policy.levels:
            return self._towards(sw, to, packet, draws)
        switch.blocked += packet.tried
        at = switch.level if policy.per_switch else min(packet.attempts, len(policy.levels)) - 1
        is_local = self._group(sw) == self._group(to)
        packet.level = "rrg-sw" if is_local else policy.levels[at]
        if policy.recompute or packet.attempts == 1:
            self._draw_via(sw, packet, policy.levels[at], draws)
            packet.has_ended = self._ends_phase_a(sw, packet)
        packet.misrouted = not packet.has_ended and not (policy.piggyback and to == sw)
        way = None
        if packet.misrouted and policy.piggyback:
            minimal = self._towards(sw, to, packet, draws)
            way = self._towards(sw, packet.via, packet, draws)
            packet.misrouted = self._is_worse(sw, packet, minimal, way)
            way = way if packet.misrouted else minimal
        packet.tried |= packet.misrouted
        return way or self._towards(sw, packet.via if packet.misrouted else to, packet, draws)

    def _draw_via(self, sw: int, packet: Packet, level: str, draws: Draws) -> None:
        group, to = self._group(sw), self._group(self.switch_of[packet.destination])
        where, end = level.split("-")
        is_restricted = self.policy.rval and group == to
        packet.to_group = end == "gr" and not is_restricted
        share = (self.a - 1) / len(self.switches)
        is_source_group = self.policy.source_group and self.route[sw].uniform() < share
        if not (is_source_group or is_restricted):
            own = self._global_groups([sw])
            everyone = range(group * self.a, (group + 1) * self.a)
            groups = own if where == "crg" and own else self._global_groups(everyone)
            group = groups[draws.below(len(groups))]
        packet.via = group * self.a + draws.below(self.a)

    def _global_groups(self, switches: Iterable[int]) -> list[int]:
        """Return where the global ports of some switches lead."""
        return [
            self._group(self.peer[sw, port][0])
            for sw in switches
            for port, kind in enumerate(self.switches[sw].kinds)
            if kind == "g"
        ]

    def _ends_phase_a(self, sw: int, packet: Packet) -> bool:
        if packet.to_group:
            return self._group(sw) == self._group(packet.via)
        return sw == packet.via

    def _is_worse(self, sw: int, packet: Packet, minimal: Way, detour: Way) -> bool:
        """Whether the queue of MIN is worse than that of the detour, or its global link flagged."""
        switch, to = self.switches[sw], self.switch_of[packet.destination]
        hops = self._min_hops(sw, packet.via) + self._min_hops(packet.via, to)
        min_side = switch.used[minimal.port][minimal.vc] * self._min_hops(sw, to)
        side = switch.used[detour.port][detour.vc] * hops + self.policy.t * self.router.packet
        if min_side > side:
            return True
        if self._group(sw) == self._group(to):
            return False
        if switch.kinds[minimal.port] == "g":
            return minimal.port in switch.flags[-1]
        # The flags of a mate are those of some cycles ago.
        mate = self.peer[sw, minimal.port][0]
        old = self.switches[mate].flags[: -self.router.local_latency][-1:]
        return any(self.min_ports(mate, to)[0] in flags for flags in old)

    def _min_hops(self, sw: int, to: int) -> int:
        hops = 0
        while sw != to:
            sw, hops = self.peer[sw, self.min_ports(sw, to)[0]][0], hops + 1
        return hops


def _move_last(order: list[int], item: int) -> None:
    order.remove(item)
    order.append(item)


@dataclass(frozen=True)
class Figures:
    """Of the packets delivered in a window of so many cycles from its begin on."""

    offered: float
    accepted: float
    lat_total: float
    lat_net: float
    hops_local: float
    hops_global: float
    misrouted: float
    levels: dict[str, float]
    unfairness: float

    @classmethod
    def of(cls, simulator: Simulator, begin: int, cycles: int) -> "Figures":
        """Measure a run."""

        def is_within(cycle: int) -> bool:
            return begin <= cycle < begin + cycles

        done = [one for one in simulator.packets if is_within(one.delivered)]
        made = [
            simulator.switch_of[one.source] for one in simulator.packets if is_within(one.created)
        ]
        phits = simulator.router.packet / (cycles * len(simulator.switch_of))
        links = [link for one in done for _, link, _ in one.hops if link >= 0]
        kind = {
            simulator.link_of[key]: simulator.switches[key[0]].kinds[key[1]]
            for key in simulator.link_of
        }
        is_global = sum(kind[link] == "g" for link in links)
        generated = np.bincount(made, minlength=len(simulator.switches))
        return cls(
            len(made) * phits,
            len(done) * phits,
            float(np.mean([one.delivered - one.created for one in done])),
            float(np.mean([one.delivered - one.left for one in done])),
            (len(links) - is_global) / len(done),
            is_global / len(done),
            sum(one.misrouted for one in done) / len(done),
            {name: sum(one.level == name for one in done) / len(done) for name in SEQUENCES["3l"]},
            float(generated.std() / generated.mean()),
        )
