"""The unit of Step 1: many path sets under one pattern."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from tvlb.model import PatternTask, solve_pattern
from tvlb.processes.units import Unit


@dataclass(frozen=True)
class PatternUnit(Unit[NDArray[np.float64]]):
    """Bound theta of path sets under a pattern; the result is float64 (sets, 2)."""

    task: PatternTask

    def key_fields(self) -> Mapping[str, object]:
        """See `Unit.key_fields`."""
        return {
            "unit": "pattern",
            "network": self.task.topology.identity,
            "pattern": str(self.task.pattern),
            "expressions": self.task.expressions,
            "seed": self.task.seed,
            "solver": asdict(self.task.solver),
        }

    def compute(self) -> bytes:
        """See `Unit.compute`."""
        return json.dumps(solve_pattern(self.task).tolist()).encode()

    def decode(self, data: bytes) -> NDArray[np.float64]:
        """See `Unit.decode`."""
        return np.array(json.loads(data), dtype=np.float64).reshape(len(self.task.expressions), 2)
