"""What is not imported until it is needed: libraries that take a second or so to load."""

import subprocess
import sys
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[1]

_SEARCH = """
from tests.search.here import unit_cache_here
from tvlb.search import SearchOptions, Windows, optimize
from tvlb.topology import Dragonfly

short = Windows(100, 100, 0.05)
options = SearchOptions(patterns="1", data_points=1, traffic=("uniform",), balancing=None,
                        screening=short, confirmation=short, budget="{budget}")
optimize(Dragonfly(1, 2, 1, 3), options, unit_cache=unit_cache_here())
"""


def loaded(program: str, *libraries: str) -> set[str]:
    """Run a program in a process of its own, and return which of the libraries it has loaded."""
    tell = f"import sys\nprint(*sorted({set(libraries)!r} & sys.modules.keys()))"
    ended = subprocess.run(
        [sys.executable, "-c", f"{program}\n{tell}"],
        cwd=_ROOT,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return set(ended.stdout.split())


_DRAW = """
from tvlb.plots import figure_of
figure_of({"probe": [{"expression": "all", "theta_mean": 0.5, "theta_sem": None}], "cut": 0.4})
"""


_DRAWING = ("matplotlib", "networkx", "plotly", "pyarrow")
_SERVING = ("alembic", "cma", "fastapi", "httpx", "sqlalchemy", "typer", "uvicorn")
# One after another in one process, what needs most last: to load all takes it seconds.
_STEPS = {
    "examining requests": "import tvlb.requests",
    "working": "import tvlb.jobs.worker, tvlb.jobs.tasks",
    "serving": "import api.app, tvlb.sweeps, tvlb.statistics, tvlb.cli.table",
    "drawing": _DRAW,
}


@pytest.fixture(scope="module")
def after() -> dict[str, set[str]]:
    """Return what is loaded of those libraries after each step."""
    libraries = {"scipy.sparse", *_DRAWING, *_SERVING}
    tell = f"import sys\nprint(*sorted({libraries!r} & sys.modules.keys()))"
    program = "\n".join(f"{one}\n{tell}" for one in _STEPS.values())
    ended = subprocess.run(
        [sys.executable, "-c", program], cwd=_ROOT, stdout=subprocess.PIPE, text=True, check=True
    )
    return {
        name: set(line.split())
        for name, line in zip(_STEPS, ended.stdout.splitlines(), strict=True)
    }


# Every process of a server would have 25 MB more, and every command take longer to begin.
def test_what_examines_requests_loads_neither_what_draws_nor_what_serves(
    after: dict[str, set[str]],
) -> None:
    assert not after["examining requests"]


def test_workers_begin_without_what_few_jobs_need(after: dict[str, set[str]]) -> None:
    assert not after["working"] & {"alembic", *_DRAWING}


def test_what_draws_nothing_does_not_load_what_draws(after: dict[str, set[str]]) -> None:
    assert "matplotlib" not in after["serving"]


def test_what_draws_loads_it(after: dict[str, set[str]]) -> None:
    assert "matplotlib" in after["drawing"]


@pytest.mark.slow
@pytest.mark.parametrize(("budget", "needed"), [(0, set[str]()), (4_000_000, {"cma"})])
def test_a_search_without_a_budget_proposes_nothing(budget: int, needed: set[str]) -> None:
    assert loaded(_SEARCH.format(budget=budget), "cma") == needed
