"""`tvlb health`, as supervisors ask it."""

from pathlib import Path

import pytest

from tests.jobs.processes import until, worker_process
from tests.service import Server
from tvlb.cli import main


def test_a_server_that_answers_is_well(server: Server) -> None:
    assert main(["health", "--url", server.url]) == 0


def test_no_server_is_unwell(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["health", "--url", "http://127.0.0.1:1"]) == 1
    assert "http://127.0.0.1:1 does not answer" in capsys.readouterr().err


def test_a_url_that_is_none_is_bad_input(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["health", "--url", "nonsense"]) == 2
    assert "nonsense" in capsys.readouterr().err


def test_workers_are_well_while_they_live(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    url = f"sqlite:///{tmp_path / 'jobs.sqlite3'}"
    asked = ["health", "--worker", "--database", url, "--data", str(tmp_path)]
    assert main(asked) == 1
    assert "the database does not answer" in capsys.readouterr().err
    with worker_process(url, tmp_path / "data") as worker:
        until(lambda: main(asked) == 0)
        worker.process.terminate()
        assert worker.process.wait(30) == 0
    assert main(asked) == 1
    assert "gives a sign of life" in capsys.readouterr().err
