"""Which software produced a result."""

import platform
from importlib.metadata import version

VERSION = version("tvlb")


def versions() -> dict[str, str]:
    """Versions of tvlb and of what its figures depend on, by name."""
    packages = ("tvlb", "highspy", "numpy", "pulp", "pyarrow", "cma")
    return {"python": platform.python_version()} | {name: version(name) for name in packages}
