"""What the switches and cables of a network cost, by prices that the user gives."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tvlb.errors import InvalidInput
from tvlb.topology import Topology

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Rate:
    """What a switch costs or draws, by its radix.

    Attributes
    ----------
    fixed, per_port : of a switch of any radix r: fixed + per_port * r.
    models : if not empty, radix and figure of the switches there are, ascending: the smallest that
        has enough ports is taken, and the other two do not count.

    Examples
    --------
    >>> Rate(fixed=100, per_port=10).at(np.array([15.0])).tolist()
    [250.0]
    >>> Rate(models=((16, 300.0), (32, 700.0))).at(np.array([15.0, 16.0, 17.0, 33.0])).tolist()
    [300.0, 300.0, 700.0, inf]
    """

    fixed: float = 0.0
    per_port: float = 0.0
    models: tuple[tuple[int, float], ...] = ()

    def at(self, radix: Numbers) -> Numbers:
        """Return the figure by radix, float64 of its shape; inf where no switch is that large."""
        if not self.models:
            return self.fixed + self.per_port * radix
        ports, figures = zip(*self.models, strict=True)
        return np.array([*figures, np.inf])[np.searchsorted(ports, radix)]


@dataclass(frozen=True, eq=False)
class Hardware:
    """The switches and cables of some networks.

    Attributes
    ----------
    nodes : compute nodes of each network, float64 (networks,).
    switches : their numbers by radix; both float64 (networks,).
    cables : their numbers by kind; float64 (networks,).
    """

    nodes: Numbers
    switches: tuple[tuple[Numbers, Numbers], ...]
    cables: Mapping[str, Numbers]


@dataclass(frozen=True)
class Bill:
    """What a network costs.

    Attributes
    ----------
    currency : as the price list has it.
    cost : of all switches and cables.
    watts : that these draw; None if the price list does not say.
    """

    currency: str
    cost: float
    watts: float | None


@dataclass(frozen=True)
class PriceList:
    """Prices of switches by radix and of cables by kind, and the power that they draw.

    Attributes
    ----------
    currency : what prices are in; may be empty.
    switch, cable : prices.
    switch_watts, cable_watts : power, watts; None and empty if it is not known. Cables without
        figures draw nothing.
    """

    currency: str
    switch: Rate
    cable: Mapping[str, float]
    switch_watts: Rate | None
    cable_watts: Mapping[str, float]

    def cost(self, hardware: Hardware) -> Numbers:
        """Return the cost of each network, float64 (networks,); inf if it lacks a switch."""
        return _total(self.switch, self.cable, hardware)

    def watts(self, hardware: Hardware) -> Numbers:
        """Return the power of each network, float64 (networks,); see `cost`.

        Raises
        ------
        InvalidInput : the list has no power of switches.
        """
        if self.switch_watts is None:
            raise InvalidInput('watts are not known: prices lack "switch_watts"')
        return _total(self.switch_watts, self.cable_watts, hardware)

    def bill(self, network: Topology) -> Bill:
        """Return what a network costs.

        Raises
        ------
        InvalidInput : the list lacks a kind of its cables, or a switch of its radix.
        """
        hardware = hardware_of(network)
        self._check(hardware)
        watts = None if self.switch_watts is None else float(self.watts(hardware)[0])
        return Bill(self.currency, float(self.cost(hardware)[0]), watts)

    def _check(self, hardware: Hardware) -> None:
        for name, by_kind in (("cable", self.cable), ("cable_watts", self.cable_watts)):
            missing = [kind for kind in hardware.cables if kind not in by_kind]
            if missing and (by_kind or name == "cable"):
                raise InvalidInput(f'prices.{name} lacks "{missing[0]}", a kind of its cables')
        radix = int(max(radix[0] for radix, _ in hardware.switches))
        for name, rate in (("switch", self.switch), ("switch_watts", self.switch_watts)):
            if rate is not None and rate.models and radix > rate.models[-1][0]:
                raise InvalidInput(
                    f"prices.{name} has switches of up to {rate.models[-1][0]} ports; {radix} are "
                    "needed"
                )


def _total(switch: Rate, cable: Mapping[str, float], hardware: Hardware) -> Numbers:
    switches = sum(count * switch.at(radix) for radix, count in hardware.switches)
    cables = sum(cable[kind] * hardware.cables[kind] for kind in cable if kind in hardware.cables)
    return np.asarray(switches + cables)


def hardware_of(network: Topology) -> Hardware:
    """Return what a network is built of.

    Notes
    -----
    What is down was paid for, too.
    """
    if network.origin is not None:
        return hardware_of(network.origin.network)
    radices, counts = np.unique(network.switch_ports, return_counts=True)
    links = np.bincount(network.network.link_kind, minlength=len(network.kinds.names))
    return Hardware(
        nodes=_one(network.num_nodes),
        switches=tuple(
            (_one(radix), _one(count)) for radix, count in zip(radices, counts, strict=True)
        ),
        cables={
            kind: _one(count / 2)
            for kind, count in zip(network.kinds.names, links, strict=True)
            if count
        },
    )


def _one(value: float) -> Numbers:
    return np.array([value], dtype=np.float64)
