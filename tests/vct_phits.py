"""The rules of the virtual cut-through router phit by phit and cycle by cycle, and nothing clever.

What `sim_bridge.routers.vct` does by events of whole packets is compared with this; random draws
differ, so means are what agrees.
"""

import random
from collections import defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from sim_bridge.routers.vct import VctConfig
from tvlb.topology import Topology, compiled

InputKey = tuple[int, int, int]  # switch, port, VC
Allowed = Callable[[int, int], range]  # links taken and phase -> VCs


@dataclass
class Packet:
    """A packet on its way."""

    created: int
    destination: int
    via: int | None = None
    phase: int = 0
    links: int = 0


@dataclass
class Node:
    """The sending side of a node."""

    queue: deque[Packet] = field(default_factory=deque[Packet])
    staged: Packet | None = None
    sending: tuple[Packet, int, int] | None = None  # packet, VC, phits left


@dataclass
class Figures:
    """What was found of packets delivered in the window."""

    accepted: float
    latency: float
    hops: float
    refused: float


def peers_of(topology: Topology) -> dict[tuple[int, int], tuple[int, int]]:
    """Return which switch and input port each link port of a switch leads to.

    The nodes of a switch have its first ports; links follow by id, at both of their ends.
    """
    source, target = topology.network.link_source, topology.network.link_target
    leaving = topology.switch_nodes.tolist()
    entered = topology.switch_nodes.tolist()
    peer: dict[tuple[int, int], tuple[int, int]] = {}
    for here, there in zip(source.tolist(), target.tolist(), strict=True):
        peer[here, leaving[here]] = there, entered[there]
        leaving[here] += 1
        entered[there] += 1
    return peer


class PhitSimulator:
    """One run.

    Parameters
    ----------
    ports : output ports of the next link of MIN paths from a switch to another.
    destination : of each node.
    allowed : the policy of virtual channels.
    valiant : whether an intermediate is drawn; one that leaves one phase counts as the first.
    """

    def __init__(
        self,
        topology: Topology,
        config: VctConfig,
        ports: Callable[[int, int], list[int]],
        destination: list[int],
        allowed: Allowed,
        *,
        valiant: bool,
        load: float,
        seed: int,
    ) -> None:
        self.config, self.ports, self.allowed = config, ports, allowed
        self.destination, self.valiant, self.load = destination, valiant, load
        self.random = random.Random(seed)
        network = compiled(topology)
        link = topology.network
        self.switch_of = link.node_switch.tolist()
        first = topology.first_node
        self.port_of = [node - int(first[sw]) for node, sw in enumerate(self.switch_of)]
        self.senders = np.flatnonzero(topology.switch_nodes).tolist()
        self.peer = peers_of(topology)
        assert network.max_ports <= 128
        self.back = {there: here for here, there in self.peer.items()}
        assert config.vc_count is not None
        self.vcs = config.vc_count
        self.inputs: dict[InputKey, deque[tuple[Packet, int]]] = defaultdict(deque)
        self.outputs: dict[InputKey, deque[tuple[Packet, int]]] = defaultdict(deque)
        self.moving: dict[InputKey, tuple[InputKey, int]] = {}
        self.written: set[InputKey] = set()
        self.room: dict[InputKey, int] = defaultdict(lambda: config.input_buffer_phits)
        self.unreturned: dict[InputKey, int] = defaultdict(int)
        self.left: dict[InputKey, list[int]] = defaultdict(list)  # cycle of every phit
        self.sending: dict[tuple[int, int], list[int]] = {}
        self.pointer: dict[tuple[int, int], int] = defaultdict(int)
        self.nodes = [Node() for _ in self.switch_of]
        self.due: dict[int, list[Callable[[], None]]] = defaultdict(list)
        self.delivered: list[tuple[int, Packet, int]] = []
        self.refused: list[int] = []
        self.now = 0

    def run(self) -> Figures:
        """Simulate to the end of the window."""
        begin = self.config.warmup_cycles
        end = begin + self.config.measured_cycles
        for cycle in range(end):
            self.now = cycle
            for arrive in self.due.pop(cycle, ()):
                arrive()
            self._allocate(cycle)
            self._send(cycle)
            self._generate(cycle)
        phits = [one for one in self.delivered if begin <= one[0] < end]
        tails = [(at, packet) for at, packet, phit in phits if phit == self.config.packet_phits - 1]
        nodes = len(self.nodes)
        return Figures(
            len(phits) / (self.config.measured_cycles * nodes),
            float(np.mean([at - packet.created for at, packet in tails])),
            float(np.mean([packet.links for _, packet in tails])),
            sum(begin <= at < end for at in self.refused) / nodes,
        )

    def _arrive(self, key: InputKey, packet: Packet, phit: int, *, from_node: bool) -> None:
        if phit == 0:
            if from_node:
                self._enter(packet, key[0])
            else:
                packet.links += 1
                if packet.via == key[0]:
                    packet.via, packet.phase = None, 1
                self._pass(packet, key[0])
        self.inputs[key].append((packet, phit))

    def _enter(self, packet: Packet, switch: int) -> None:
        if self.valiant:
            via = self.random.choice(self.senders)
            if via not in (switch, self.switch_of[packet.destination]):
                packet.via = via

    def _pass(self, packet: Packet, switch: int) -> None:
        """A header has come by a link; for others to decide on it again."""

    def _choices(self, key: InputKey, packet: Packet) -> list[InputKey]:
        switch, target = key[0], self.switch_of[packet.destination]
        if switch == target:
            port = self.port_of[packet.destination]
            return [(switch, port, vc) for vc in range(self.vcs)]
        towards = target if packet.via is None else packet.via
        return [
            (switch, port, vc)
            for port in self.ports(switch, towards)
            for vc in self.allowed(packet.links, packet.phase)
        ]

    def _allocate(self, cycle: int) -> None:
        free = self.config.output_buffer_phits - self.config.packet_phits
        requests: list[tuple[InputKey, InputKey]] = []
        for key, fifo in self.inputs.items():
            if key in self.moving or not fifo:
                continue
            packet, phit = fifo[0]
            assert phit == 0
            options = [
                one
                for one in self._choices(key, packet)
                if one not in self.written and len(self.outputs[one]) <= free
            ]
            if options:
                is_exit = options[0][:2] not in self.peer
                length = {one: 0 if is_exit else self.unreturned[one] for one in options}
                best = [one for one in options if length[one] == min(length.values())]
                requests.append((key, self.random.choice(best)))
        self.random.shuffle(requests)
        for key, wanted in requests:
            if wanted not in self.written:
                self.written.add(wanted)
                self.moving[key] = wanted, self.config.packet_phits
        for key, move in list(self.moving.items()):
            self._cross(cycle, key, move)

    def _cross(self, cycle: int, key: InputKey, move: tuple[InputKey, int]) -> None:
        wanted, left = move
        self.outputs[wanted].append(self.inputs[key].popleft())
        if wanted[:2] in self.peer:
            self.unreturned[wanted] += 1
        self._credit(cycle, key)
        self.moving[key] = wanted, left - 1
        if left == 1:
            # Free for requests in the next cycle.
            def release() -> None:
                del self.moving[key]
                self.written.discard(wanted)

            self.due[cycle + 1].append(release)

    def _credit(self, cycle: int, key: InputKey) -> None:
        at = key[:2]
        source: InputKey = (-1 - at[0], at[1], key[2])
        if at in self.back:
            source = (*self.back[at], key[2])
        latency = self.config.server_latency if source[0] < 0 else (self.config.local_latency or 1)

        def back() -> None:
            self.room[source] += 1
            if source[0] >= 0:
                self.unreturned[source] -= 1

        self.due[cycle + latency].append(back)

    def _send(self, cycle: int) -> None:
        for port in {key[:2] for key, fifo in self.outputs.items() if fifo} | set(self.sending):
            if port not in self.sending:
                order = [(self.pointer[port] + step) % self.vcs for step in range(self.vcs)]
                ready = [vc for vc in order if self._is_ready((*port, vc))]
                if not ready:
                    continue
                self.sending[port] = [ready[0], self.config.packet_phits]
                self.pointer[port] = (ready[0] + 1) % self.vcs
            vc, left = self.sending[port]
            packet, phit = self.outputs[(*port, vc)].popleft()
            if port in self.peer:
                self.room[(*port, vc)] -= 1
                self.left[(*port, vc)].append(cycle)
                there = (*self.peer[port], vc)
                self.due[cycle + (self.config.local_latency or 1)].append(
                    lambda there=there, packet=packet, phit=phit: self._arrive(
                        there, packet, phit, from_node=False
                    )
                )
            else:
                self.delivered.append((cycle + self.config.server_latency, packet, phit))
            self.sending[port][1] = left - 1
            if left == 1:
                del self.sending[port]

    def _is_ready(self, key: InputKey) -> bool:
        if not self.outputs[key]:
            return False
        assert self.outputs[key][0][1] == 0
        return key[:2] not in self.peer or self.room[key] >= self.config.packet_phits

    def _generate(self, cycle: int) -> None:
        for node, state in enumerate(self.nodes):
            if self.random.random() < self.load / self.config.packet_phits:
                if len(state.queue) == self.config.source_queue_packets:
                    self.refused.append(cycle)
                else:
                    state.queue.append(Packet(cycle, self.destination[node]))
            if state.staged is None and state.queue:
                state.staged = state.queue.popleft()
            self._inject(cycle, node, state)

    def _inject(self, cycle: int, node: int, state: Node) -> None:
        switch, port = self.switch_of[node], self.port_of[node]
        if state.sending is None and state.staged is not None:
            for vc in range(self.vcs):
                if self.room[(-1 - switch, port, vc)] >= self.config.packet_phits:
                    state.sending = state.staged, vc, self.config.packet_phits
                    state.staged = None
                    break
        if state.sending is None:
            return
        packet, vc, left = state.sending
        self.room[(-1 - switch, port, vc)] -= 1
        phit = self.config.packet_phits - left
        self.due[cycle + self.config.server_latency].append(
            lambda: self._arrive((switch, port, vc), packet, phit, from_node=True)
        )
        state.sending = (packet, vc, left - 1) if left > 1 else None
