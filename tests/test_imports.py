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


# Processes take a second or two each: one imports all.
def test_what_draws_nothing_does_not_load_what_draws() -> None:
    modules = "api.app, tvlb.sweeps, tvlb.statistics, tvlb.jobs.worker, tvlb.cli.table"
    assert not loaded(f"import {modules}", "matplotlib")


def test_what_draws_loads_it() -> None:
    assert loaded(_DRAW, "matplotlib") == {"matplotlib"}


# Every process of a server would have 25 MB more, and every command take longer to begin.
def test_what_examines_requests_loads_neither_what_draws_nor_what_serves() -> None:
    drawing = ("matplotlib", "networkx", "plotly", "pyarrow")
    serving = ("alembic", "cma", "fastapi", "httpx", "sqlalchemy", "typer", "uvicorn")
    assert not loaded("import tvlb.requests", "scipy.sparse", *drawing, *serving)


def test_workers_begin_without_what_few_jobs_need() -> None:
    libraries = ("alembic", "matplotlib", "networkx", "plotly", "pyarrow")
    assert not loaded("import tvlb.jobs.worker, tvlb.jobs.tasks", *libraries)


@pytest.mark.slow
@pytest.mark.parametrize(("budget", "needed"), [(0, set[str]()), (1_000_000, {"cma"})])
def test_a_search_without_a_budget_proposes_nothing(budget: int, needed: set[str]) -> None:
    assert loaded(_SEARCH.format(budget=budget), "cma") == needed
