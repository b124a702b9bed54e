"""What the routers must offer on which searches and repairs judge path sets."""

from sim_bridge import Routing, SimulationConfig, round_trip_warnings
from tvlb.errors import InvalidInput
from tvlb.search.windows import Windows
from tvlb.topology import Topology


def check_routers(
    topology: Topology, routing: str, config: SimulationConfig, **windows: Windows
) -> None:
    """Raise InvalidInput where no path sets can be judged on such routers.

    All VLB paths are simulated, too: with fewer virtual channels than these need routes deadlock,
    and windows, named as the options that give them, that begin before the first packets arrive
    tell nothing.
    """
    known = config.on(topology)
    count = known.resolved_vc_count(topology, routing)
    needed = known.vcs_needed(topology, Routing(routing))
    if count < needed:
        raise InvalidInput(
            f"vc_count {count} is too few: {known.vc_scheme} needs {needed} for {routing} on "
            f"{topology}"
        )
    flight = known.flight_cycles(topology)
    for name, given in windows.items():
        if given.warmup < flight:
            raise InvalidInput(
                f"{name} {given}: the links of a VLB path take up to {flight:,} cycles on "
                f"{topology}, and the warm-up of {given.warmup:,} must be at least that"
            )


def router_warnings(topology: Topology, config: SimulationConfig) -> tuple[str, ...]:
    """Say in words what limits the routers of a search and not those that are simulated usually."""
    usual = round_trip_warnings(topology, SimulationConfig().on(topology))
    found = round_trip_warnings(topology, config.on(topology))
    return tuple(one for one in found if one not in usual)
