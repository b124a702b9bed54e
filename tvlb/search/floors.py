"""What fixed splits over the paths of sets guarantee, where an objective weighs it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tvlb.guarantee import floor
from tvlb.processes import Reporter, counter
from tvlb.processes.units import Unit, Units
from tvlb.search.simulation_units import NamedSet


@dataclass(frozen=True)
class FloorUnit(Unit[float]):
    """Find the floor of a set, packets/cycle/node; see `tvlb.guarantee.Guarantee`."""

    named_set: NamedSet

    def key_fields(self) -> Mapping[str, object]:
        """See `Unit.key_fields`."""
        return {"unit": "floor", **self.named_set.key_fields()}

    def compute(self) -> bytes:
        """See `Unit.compute`."""
        return json.dumps(floor(self.named_set.path_set)).encode()

    def decode(self, data: bytes) -> float:
        """See `Unit.decode`."""
        return float(json.loads(data))


def floors_of(sets: Sequence[NamedSet], units: Units, report: Reporter) -> dict[str, float]:
    """Return the floors of sets by their names, packets/cycle/node.

    Sets of equal paths, which may have different rules, have the same.
    """
    if not sets:
        return {}
    every = {one.name: FloorUnit(one) for one in sets}
    different = {one.key: one for one in every.values()}
    found = units.map([*different.values()], counter(report, "floors", len(different)))
    by_key = dict(zip(different, found, strict=True))
    return {name: by_key[one.key] for name, one in every.items()}
