"""Bad input of the commands of the service: exit code 2, one line that names the value, no work."""

from pathlib import Path

import pytest

from tvlb.cli import main

CASES = [
    (["serve", "--port", "70000"], "70000"),
    (["serve", "--port", "http"], "http"),
    (["serve", "--host", "256.1.1.1"], "256.1.1.1"),
    (["serve", "--max-switches", "0"], "--max-switches 0"),
    (["serve", "--max-cpu-seconds", "nan"], "nan"),
    (["serve", "--max-jobs", "-1"], "--max-jobs -1"),
    (["serve", "--max-jobs-per-token", "0"], "--max-jobs-per-token 0"),
    (["serve", "--requests-per-second", "0"], "--requests-per-second 0"),
    (["serve", "--no-worker", "--workers", "2"], "--no-worker"),
    (["serve", "--database", "mysql://x/y"], "mysql"),
    (["serve", "--data", "/proc/tvlb"], "/proc/tvlb"),
    (["worker", "--drain-seconds", "-1"], "-1"),
    (["worker", "--hang-seconds", "9"], "--hang-seconds 9.0 is out of range: 10..86400"),
    (["worker", "--hang-cpu-seconds", "nan"], "--hang-cpu-seconds nan"),
    (["worker", "--workers", "0"], "0"),
    (["worker", "--database", "nonsense"], "expected sqlite:///FILE or postgresql://"),
    (["token", "create", "x", "--days", "4000"], "4000"),
    (["token", "revoke", "000000000000"], "000000000000"),
]


@pytest.mark.parametrize(("arguments", "named"), CASES)
def test_bad_input(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    named: str,
) -> None:
    monkeypatch.setenv("TVLB_DATA", str(tmp_path / "data"))
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert len(captured.err.splitlines()) == 1
    assert named in captured.err
