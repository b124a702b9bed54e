"""The sizings of the families that sweeps have ranges of."""

from tvlb.topology import Sizing, families

__all__ = ["DRAGONFLIES", "SLIM_FLIES"]


def _sizing(name: str) -> Sizing:
    found = families()[name].sizing
    assert found is not None
    return found


DRAGONFLIES, SLIM_FLIES = _sizing("dfly"), _sizing("slimfly")
