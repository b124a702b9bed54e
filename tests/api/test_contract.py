"""The server keeps to its OpenAPI document, whatever is sent.

The long run, with all phases, is bench/contract.py.
"""

from pathlib import Path

import pytest

from tests.api.contract import run_schemathesis
from tests.service import new_token, running_server


@pytest.mark.slow
def test_schemathesis_finds_nothing(tmp_path: Path) -> None:
    data = tmp_path / "data"
    limits = ["--max-switches", "128", "--max-cpu-seconds", "20"]
    with running_server(data, "--require-tokens", *limits) as server:
        report = run_schemathesis(
            server.url,
            new_token(data),
            "--phases=examples,fuzzing,stateful",
            "--max-examples=3",
            "--seed=1",
            "--rate-limit=150/s",
        )
    assert report.code == 0, report.text
    assert report.cases > 150
