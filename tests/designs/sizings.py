"""The sizings of the families that sweeps have ranges of."""

from tvlb.topology import Sizing, families


def _sizing(name: str) -> Sizing:
    found = families()[name].sizing
    assert found is not None
    return found


DRAGONFLIES, SLIM_FLIES, HYPERXES = _sizing("dfly"), _sizing("slimfly"), _sizing("hyperx")
