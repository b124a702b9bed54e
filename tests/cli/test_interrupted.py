"""What a slip does not lose: tables without a name, and searches that are interrupted."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tvlb.cli import main
from tvlb.processes import Progress, Reporter
from tvlb.table import read_table, summarise, verify

_QUICK = [
    "table", "1,2,2,3", "--workers", "1", "--patterns", "1", "--data-points", "1",
    "--screening", "200,200,0.05", "--confirmation", "200,200,0.05",
]  # fmt: skip
_SEARCH = [*_QUICK, "--budget", "0", "--traffic", "shift(1,0)"]
_PAPER = [*_QUICK, "--method", "paper", "--simulated-patterns", "2"]


pytestmark = pytest.mark.usefixtures("table_here")


@pytest.fixture
def interrupt(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Let Ctrl-C come when a stage reports for the second time."""

    def at(stage: str) -> None:
        seen: list[str] = []

        def report(event: Progress) -> None:
            seen.append(event.stage)
            if seen.count(stage) == 2:
                raise KeyboardInterrupt

        @contextmanager
        def display() -> Generator[Reporter]:
            yield report

        monkeypatch.setattr("tvlb.cli.table.progress_display", display)

    return at


def test_a_table_without_a_name_gets_one_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("dfly-1-2-2-3.parquet", "dfly-1-2-2-3-2.parquet"):
        assert main([*_SEARCH, "--store", "kept"]) == 0
        assert f"table written to {name}" in capsys.readouterr().err
    first, second = sorted(Path().glob("*.parquet"))
    assert first.read_bytes() == second.read_bytes()
    assert read_table("dfly-1-2-2-3.parquet").header.incomplete is None


@pytest.mark.parametrize(
    ("asked", "stage"), [(_SEARCH, "search"), (_SEARCH, "compare"), (_PAPER, "confirm")]
)
def test_the_best_table_so_far_is_kept(
    asked: list[str],
    stage: str,
    interrupt: Callable[[str], None],
    capsys: pytest.CaptureFixture[str],
) -> None:
    interrupt(stage)
    assert main([*asked, "-o", "t.json", "--store", "kept"]) == 130
    said = capsys.readouterr().err
    table = read_table("t.incomplete.json")
    assert not Path("t.json").exists()
    assert verify(table).ok
    where = table.header.incomplete
    assert where is not None
    assert where.startswith(f"in stage {stage}, ")
    assert summarise(table)["incomplete"] == where
    assert f"interrupted {where}: writing the best table so far, " in said
    assert "finished pieces of work are in kept; to go on: tvlb" in said
    assert main(["show", "t.incomplete.json"]) == 0
    assert f"incomplete: {where}" in capsys.readouterr().out


def test_nothing_was_found_yet(
    interrupt: Callable[[str], None], capsys: pytest.CaptureFixture[str]
) -> None:
    interrupt("probe")
    assert main(_SEARCH) == 130
    said = capsys.readouterr().err
    assert "tvlb: interrupted in stage probe, 100% of it done: nothing was found yet" in said
    assert "kept with --store DIR only" in said
    assert list(Path().iterdir()) == []
