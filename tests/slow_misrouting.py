"""Adaptive misrouting cycle by cycle, as its rules read, and nothing clever.

What `sim_bridge.routers.fog` does by events is compared with this, packet by packet: both draw
from the same streams in the same order. Cycles count from the start of a run.
"""

import math
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

import numpy as np

from sim_bridge import FogConfig, _core
from sim_bridge.sampling import cumulative_within
from tests.vct_phits import peers_of
from tvlb.languages import parse_call
from tvlb.statistics import mix64
from tvlb.topology import Dragonfly, Topology, compiled
from tvlb.traffic import DestinationTable, NodeTraffic, Pattern

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
        while True:
            found = draw_from(table, table.row_of_node[node], stream)
            if found != node or not table.to_others:
                return found

    def draw_from(table: DestinationTable, row: int, stream: Stream) -> int:
        first, last = table.offset[row:][:2]
        cumulative = cumulative_within(table.offset, table.probability)[first : last - 1]
        target = int(table.target[first + np.searchsorted(cumulative, stream.uniform(), "right")])
        if not table.target_is_switch:
            return target
        return int(topology.first_node[target]) + stream.below(int(topology.switch_nodes[target]))

    return draw


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
    def of(cls, routing: str) -> "Policy":
        """Return the policy of a routing such as `val-crg-sw(rval=0)` or `pb-acor(3l)`."""
        call = parse_call(routing)
        made = cls._named(call.name.split("-"), *call.arguments)
        numbers = {key: int(value) for key, value in call.keywords}
        rises = numbers.pop("it1", made.it[0]), numbers.pop("it2", made.it[1])
        falls = numbers.pop("dt1", made.dt[0]), numbers.pop("dt2", made.dt[1])
        return replace(made, it=rises, dt=falls, **numbers)

    @classmethod
    def _named(cls, words: list[str], sequence: str = "") -> "Policy":
        match words:
            case ["min"]:
                return cls()
            case ["val", *which]:
                return cls(("-".join(which),))
            case ["acor", unit]:
                return cls(SEQUENCES[sequence], per_switch=unit == "switch")
            case ["pb", "acor"]:
                return cls(SEQUENCES[sequence], per_switch=True, piggyback=True, it=(15, 50))
            case ["pb", *which]:
                return cls(("-".join(which) or "rrg-sw",), piggyback=True)
            case _:
                raise ValueError(words)


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
    load : phits/cycle and node, times the node's rate in the pattern.
    """

    def __init__(
        self,
        topology: Dragonfly,
        routing: str,
        pattern: Pattern,
        seed: int,
        load: float,
        config: FogConfig,
    ) -> None:
        self.policy, self.config, self.packet = Policy.of(routing), config, config.packet_phits
        traffic, step = pattern.before_step.resolve(topology, seed), pattern.load_step
        self.rate = traffic.rate.tolist()
        self.loads = {0: load} | ({} if step is None else {step.cycle: step.load})
        self.destination = destinations(topology, traffic)
        # Output ports of the next link of MIN paths from a switch to another.
        self.min_ports = _core.MinPorts(compiled(topology)).ports
        self.a = topology.switches_per_group
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
            self.switches[-1].timer = self.policy.hi
        self.route = [Stream(seed, ROUTE, sw) for sw in range(topology.num_switches)]
        nodes = range(topology.num_nodes)
        self.generation = [Stream(seed, GENERATION, node) for node in nodes]
        self.drawing = [Stream(seed, DESTINATION, node) for node in nodes]
        self.waiting = [0 for _ in nodes]  # phits of injection FIFOs
        self.next = [NEVER for _ in nodes]
        self.load = 0.0
        self.due: dict[int, list[Callable[[], None]]] = defaultdict(list)
        self.packets: list[Packet] = []  # generated ones, in order
        self.levels: list[list[int]] = []  # of the switches by cycle, from 1

    def run(self) -> None:
        """Go through all cycles."""
        for now in range(self.config.most_cycles):
            if now in self.loads:
                self.load = self.loads[now]
                for node in range(len(self.next)):
                    self._wait(node, now - 1)
            for happen in self.due.pop(now, ()):
                happen()
            self._set_flags()
            for switch in self.switches:
                self._set_level(switch)
            self.levels.append([switch.level + 1 for switch in self.switches])
            for sw, switch in enumerate(self.switches):
                if switch.held:
                    for _ in range(self.config.rounds):
                        self._allocate(now, sw, switch)
                    self._send(now, sw, switch)
            self._generate(now)

    def _group(self, sw: int) -> int:
        return sw // self.a

    def _mates(self, group: int) -> list[int]:
        """Return the switches of a group that have nodes."""
        every = range(group * self.a, (group + 1) * self.a)
        return [sw for sw in every if "n" in self.switches[sw].kinds]

    # Generation.

    def _wait(self, node: int, now: int) -> None:
        probability = self.load * self.rate[node] / self.packet
        self.next[node] = NEVER
        if probability > 0.0:
            self.next[node] = now + gap(self.generation[node], probability)

    def _generate(self, now: int) -> None:
        for node, due in enumerate(self.next):
            if due != now:
                continue
            if self.waiting[node] + self.packet <= self.config.injection_buffer_phits:
                self.waiting[node] += self.packet
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
        self.switches[sw].used[port][vc] -= self.packet

    def _latency(self, kind: str) -> int:
        config = self.config
        return (config.local_latency if kind == "l" else config.global_latency) or 0

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
                most += self.policy.tg * self.packet
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
            if self.config.arbiter == "transit-first":
                order = sorted(order, key=lambda port: self._is_node(switch, port))
            port = next(port for port in order if port in nominated)
            _move_last(switch.granted[output], port)
            self._grant(now, sw, switch, port, *nominated[port])

    @staticmethod
    def _is_node(switch: Switch, port: int) -> bool:
        return switch.kinds[port] == "n"

    def _passes(self, now: int, switch: Switch, way: Way) -> bool:
        config, kind = self.config, switch.kinds[way.port]
        if (len(switch.outputs[way.port]) + 1) * self.packet > config.output_buffer_phits:
            return False
        room = config.local_buffer_phits if kind == "l" else config.global_buffer_phits
        if kind == "n":
            return True
        return (
            switch.side_free[way.port] <= now
            and switch.used[way.port][way.vc] + self.packet <= room
        )

    def _grant(self, now: int, sw: int, switch: Switch, port: int, vc: int, way: Way) -> None:
        packet, arrival = switch.inputs[port][vc].popleft()
        if not packet.hops:
            packet.has_ended |= not packet.misrouted
        transfer = self.packet // int(self.config.speedup)
        switch.input_free[port] = max(now + transfer, arrival + self.packet)
        switch.outputs[way.port].append((packet, now + self.config.crossbar_latency, way))
        if not self._is_node(switch, way.port):  # nodes only refuse while they receive
            switch.side_free[way.port] = now + transfer
            switch.used[way.port][way.vc] += self.packet
        if self._is_node(switch, port):
            self.waiting[packet.source] -= self.packet
        else:
            latency = self._latency(switch.kinds[port])
            self._at(now + latency, self._return_credit, *self.back[sw, port], vc)

    def _send(self, now: int, sw: int, switch: Switch) -> None:
        for port, queue in enumerate(switch.outputs):
            if not queue or queue[0][1] > now or switch.link_free[port] > now:
                continue
            packet, _, way = queue.popleft()
            switch.held -= 1
            switch.link_free[port] = now + self.packet
            packet.entry = way.entry
            packet.hops.append((now, self.link_of.get((sw, port), -1), way.vc))
            if self._is_node(switch, port):
                packet.delivered = now + self.packet
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
        mates, nodes = self._mates(group), [one for one in self.switches if "n" in one.kinds]
        share = (len(mates) - 1) / len(nodes)
        is_source_group = self.policy.source_group and self.route[sw].uniform() < share
        if not (is_source_group or is_restricted):
            own = self._global_groups([sw])
            groups = own if where == "crg" and own else self._global_groups(mates)
            mates = self._mates(groups[draws.below(len(groups))])
        packet.via = mates[draws.below(len(mates))]

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
        side = switch.used[detour.port][detour.vc] * hops + self.policy.t * self.packet
        if min_side > side:
            return True
        if self._group(sw) == self._group(to):
            return False
        if switch.kinds[minimal.port] == "g":
            return minimal.port in switch.flags[-1]
        # The flags of a mate are those of some cycles ago.
        mate = self.peer[sw, minimal.port][0]
        old = self.switches[mate].flags[: -self.config.local_latency][-1:]
        return any(self.min_ports(mate, to)[0] in flags for flags in old)

    def _min_hops(self, sw: int, to: int) -> int:
        hops = 0
        while sw != to:
            sw, hops = self.peer[sw, self.min_ports(sw, to)[0]][0], hops + 1
        return hops


def _move_last(order: list[int], item: int) -> None:
    order.remove(item)
    order.append(item)


def mean(values: Iterable[int]) -> float:
    """Return the mean, NaN of nothing."""
    every = list(values)
    return sum(every) / len(every) if every else math.nan


def figures(run: Simulator) -> dict[str, object]:
    """Return what a result tells by these names, of packets delivered in the window."""
    config, packets, phits = run.config, run.packets, run.packet
    begin, end = config.warmup_cycles, config.most_cycles
    done = [one for one in packets if begin <= one.delivered < end]
    nodes = [switch.kinds.count("n") for switch in run.switches]
    hops = [hop for one in packets for hop in one.hops if hop[1] >= 0]

    def kinds(kind: str) -> float:
        of = {
            link for key, link in run.link_of.items() if run.switches[key[0]].kinds[key[1]] == kind
        }
        return mean(sum(link in of for _, link, _ in one.hops) for one in done)

    def rates(nodes_of_packets: Iterable[int]) -> list[float]:
        count = Counter(run.switch_of[node] for node in nodes_of_packets)
        return [
            count[sw] * float(phits) / (config.measured_cycles * max(here, 1))
            for sw, here in enumerate(nodes)
        ]

    injected = rates(one.source for one in packets if begin <= one.created < end)
    here = np.array([rate for rate, has in zip(injected, nodes, strict=True) if has])
    levels = run.policy.levels if len(run.policy.levels) > 1 and done else ()
    return {
        "accepted": len(done) * phits / (sum(nodes) * config.measured_cycles),
        "latency_mean": mean(one.delivered - one.created for one in done),
        "latency_network_mean": mean(one.delivered - one.left for one in done),
        "local_hops_mean": kinds("l"),
        "global_hops_mean": kinds("g"),
        "misrouted": mean(one.misrouted for one in done),
        "level_shares": {name: mean(one.level == name for one in done) for name in levels},
        "switch_injected": injected,
        "switch_accepted": rates(one.destination for one in done),
        "unfairness": float(here.std() / here.mean()) if here.any() else math.nan,
        "link_load": [
            sum(phits for at, taken, _ in hops if taken == link and begin <= at < end)
            / config.measured_cycles
            for link in range(len(run.link_of))
        ],
    }


def series(run: Simulator) -> dict[str, list[object]]:
    """Return the course of a run as a result tells it."""
    config, end = run.config, run.config.most_cycles
    done = [one for one in run.packets if 0 <= one.delivered < end]
    found: dict[str, list[object]] = defaultdict(list)
    for first in range(0, end, config.interval):
        step = range(first, min(first + config.interval, end))
        delivered = sum(one.delivered in step for one in done)
        found["accepted"].append(delivered * run.packet / (len(step) * len(run.switch_of)))
        found["generated_packets"].append(sum(one.created in step for one in run.packets))
        found["generated_latency_mean"].append(
            mean(one.delivered - one.created for one in done if one.created in step)
        )
        if run.policy.per_switch:
            levels = np.array(run.levels[first : step.stop]).sum(axis=0)
            found["level_mean"].append(levels.sum() / (len(step) * len(levels)))
            if (group := config.levels_group) is not None:
                shown = levels[group * run.a : (group + 1) * run.a]
                found["levels"].append((shown / len(step)).tolist())
    return found
