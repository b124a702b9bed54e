"""How much was computed, in units that do not depend on the machine."""

from dataclasses import dataclass

from sim_bridge import SimulationResult


@dataclass(frozen=True)
class Work:
    """What a search computed.

    Attributes
    ----------
    programs : LPs of Step 1 bounded: path sets times the patterns that each was solved for.
    flit_hops : network links traversed in all simulations of Step 2, saturation searches included.
    cycles : simulated cycles of the same.
    """

    programs: int = 0
    flit_hops: int = 0
    cycles: int = 0

    @classmethod
    def of(cls, result: SimulationResult) -> "Work":
        """Return the work of one simulation."""
        return cls(flit_hops=result.flit_hops, cycles=result.cycles)

    def __add__(self, other: "Work") -> "Work":
        return Work(
            self.programs + other.programs,
            self.flit_hops + other.flit_hops,
            self.cycles + other.cycles,
        )
