"""A router of another package, a figure more, a pattern and a routing are found everywhere."""

import json
from pathlib import Path

import pytest

from tests.plugins import conforms, installed, tvlb_each

# Every command of it is a process, since it is installed there alone.
pytestmark = pytest.mark.slow

DATA = Path(__file__).parent / "data"
SOURCE, PATTERN = ((DATA / f"toy_{name}.py").read_text() for name in ("router", "pattern"))
BEFORE = "class ToyResult(PhitResult):\n    pass\n"
FIGURE = """@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class ToyResult(PhitResult):
    busy: float = figure(
        "Share of cycles in which links are busy", Number(0.0, 1.0), "mean", column=("busy", 2)
    )
"""
NAMED = """
[tvlb.patterns] mirror = mirror:PATTERN
[tvlb.routings] late = mirror:LATE"""
NETWORK = "dfly(2,4,2,5)"
SIMULATE = ("simulate", NETWORK, "--load", "0.5", "--cycles", "1500", "--router")
ALIKE = ("--warmup", "500", "--packet", "8", "--input-buffer", "40", "--output-buffer", "40")


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Variables under which they are installed, with one more figure."""
    source = SOURCE.replace(BEFORE, FIGURE).replace("import Names", "import Names, Number")
    source = source.replace(
        "\nfrom tvlb.req", "\nfrom tvlb.languages.figures import figure\nfrom tvlb.req", 1
    )
    packages = tmp_path_factory.mktemp("packages")
    installed(PATTERN, NAMED.strip(), packages, "mirror")
    return installed(source, "[tvlb.routers] toy = toy:ROUTER", packages)


def test_they_are_small() -> None:
    for source, lines in ((SOURCE, 60), (PATTERN, 25), (FIGURE, 10)):
        assert sum(bool(line.strip()) for line in source.splitlines()) <= lines


def test_all_surfaces_find_the_same(environment: dict[str, str]) -> None:
    conforms(environment, "toy", "mirror", "late")


def test_commands_tell_what_its_core_finds(environment: dict[str, str], tmp_path: Path) -> None:
    helped, shown, *told = tvlb_each(
        environment,
        tmp_path,
        [
            ("simulate", "--help"),
            (*SIMULATE, "toy", "--packets", "5", "--figure", "loads.svg"),
            (*SIMULATE, "toy", "--packets", "5", "--json"),
            (*SIMULATE, "vct", *ALIKE, "--json"),
            (*SIMULATE, "vct-fog", "--routing", "late", "--preset", "small", "--json"),
        ],
    )
    for text in ("toy (virtual cut-through with few settings)", "mirror", "late"):
        assert text in " ".join(helped.replace("│", "").split())
    assert f"{NETWORK} by a toy" in shown
    assert "busy" in shown
    assert "offered load (phits/cycle/node)" in (tmp_path / "loads.svg").read_text()
    toy, core, named = map(json.loads, told)
    assert toy["config"] == {"routing": "min", "measured_cycles": 1500, "packets": 5}
    (row,), (same,) = toy["rows"], core["rows"]
    for name in ("accepted", "latency_mean", "hops_mean", "phit_hops", "link_load"):
        assert row[name] == same[name]
    loads = same["link_load"]["by_link"]
    assert row["busy"] == pytest.approx(sum(loads) / len(loads))
    # A name of a routing is not printed.
    assert named["routing"] == "acor-switch(3l,hi=800)"
