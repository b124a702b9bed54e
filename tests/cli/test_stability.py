"""`tvlb stability` on a small network: its document, its table, its figure, and going on."""

import json
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from tests.search.here import Inline
from tvlb.cli import main
from tvlb.requests.kinds.stability import StabilityDocument

pytestmark = pytest.mark.usefixtures("in_process")

SHORT = ("stability", "hyperx(2,3,3)", "--pattern", "dshift(1)", "--cycles", "100000")


def _json(capsys: pytest.CaptureFixture[str], *options: str) -> dict[str, Any]:
    assert main([*SHORT, *options, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_the_document_has_every_case(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    figure = tmp_path / "figure.svg"
    document = _json(
        capsys, "--vcs", "ladder", "--vcs", "2phases:4", "--seeds", "2", "--figure", str(figure)
    )
    StabilityDocument.model_validate_json(json.dumps(document))
    cases = document["stability"]
    shown = [(one["config"]["vc_policy"], one["config"]["vc_count"]) for one in cases]
    assert shown == [("ladder", 4), ("2phases", 4)]
    assert {one["config"]["measured_cycles"] for one in cases} == {100_000}
    assert [one["category"] for one in cases] == [1, 1]
    assert not document["until_collapse"]
    arguments = [one["deadlock_proof"]["argument"] for one in cases]
    assert arguments == ["the VC rises with every link", "MIN routes close no circle"]
    for case in cases:
        assert [run["seed"] for run in case["runs"]] == [0, 1]
        for run in case["runs"]:
            assert len(run["series"]) == 100
            assert 0.3 < run["lowest"] <= run["level"] <= run["peak"] < 0.8
    drawn = figure.read_text()
    assert "valiant(minfirst), 2phases, 4 VCs: category 1" in drawn
    assert main(["plot", str(figure)]) == 2


def test_what_limits_the_runs_is_told(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    network = {"switches": 3, "endpoints": [2, 4, 2], "links": [[0, 1], [1, 2], [0, 2]]}
    (tmp_path / "uneven.json").write_text(json.dumps(network))
    windows = ("--pattern", "affine(1,1)", "--cycles", "100000", "--link-latencies", "link=30")
    assert main(["stability", str(tmp_path / "uneven.json"), *windows, "--json"]) == 0
    captured = capsys.readouterr()
    buffers, idle = json.loads(captured.out)["warnings"]
    assert buffers.startswith("an input buffer of 64 phits is below the credit round trip of link")
    assert idle.startswith("2 of 8 nodes do not send under affine(1,1): ")
    assert all(f"tvlb: warning: {text}" in captured.err for text in (buffers, idle))


def test_the_table_says_what_the_categories_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*SHORT, "--routing", "ugal-l", "--threshold", "8"]) == 0
    assert "ugal-l by threshold 8" in capsys.readouterr().out
    assert main([*SHORT, "--routing", "valiant(minlast)"]) == 0
    shown = capsys.readouterr().out
    assert "valiant(minlast)" in shown
    assert "Low: 10,000" in shown
    assert (
        "No deadlock, valiant(minlast), ladder with 4 VCs or more: the VC rises with every" in shown
    )


def test_a_study_goes_on_from_what_is_kept(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = _json(capsys, "--store", str(tmp_path / "store"))
    computed: list[object] = []

    class Counting(Inline):
        def submit(self, *arguments: Any, **more: Any) -> Any:
            computed.append(arguments)
            return super().submit(*arguments, **more)

    def counting(_: int) -> Counting:
        return Counting()

    executors = import_module("tvlb.cli.executors")
    monkeypatch.setattr(executors, "local_workers", counting)
    again = _json(capsys, "--store", str(tmp_path / "store"), "--seeds", "2")
    assert again["stability"][0]["runs"][0] == first["stability"][0]["runs"][0]
    assert len(computed) == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--vcs", "ladder:3"), "vc_count 3 is too few: ladder needs at least 4 here"),
        (("--vcs", "ladder:x"), "vcs 'ladder:x': expected POLICY or POLICY:COUNT, COUNT 1..16"),
        (("--vcs", "won"), "vcs 'won': choose one of ladder, reuse, 2phases, any"),
        (("--routing", "table"), "unknown routing 'table' of router vct"),
        (("--cycles", "99999"), "cycles 99999 is out of range: 100000..100000000"),
        (("--input-buffer", "40"), "is not 1 to 127 packets of 16 phits"),
        (("--load", "1.5"), "1.5"),
        (("--load", "0"), "load 0 is too low: 0 packets in 10,000 cycles tell nothing"),
        (("--load", "0.1"), "at least 2,000 are needed"),
        (("--vcs", "ladder:" + "1" * 5000), "expected POLICY or POLICY:COUNT, COUNT 1..16"),
        (("--seeds", "0"), "seeds 0"),
        (("--pattern", "adv(1)"), "adv(1) is no pattern of hyperx(2,3,3)"),
        (("--figure", "figure.doc"), ".doc"),
    ],
)
def test_bad_input_is_one_line(
    options: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*SHORT, *options]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert message in err
