"""Sweep files: every bad file is refused with one line that says where and why."""

import re
from pathlib import Path

import pytest

from tvlb.designs import quantity_names
from tvlb.errors import InvalidInput
from tvlb.languages import one_of
from tvlb.requests import SweepBody, read_sweep_file
from tvlb.requests.sweep_file import MAX_BYTES
from tvlb.requests.toml_lines import find_line
from tvlb.topology import (
    ListedTopology,
    Listing,
    families,
    named_families,
    sized_families,
    topology_forms,
)

_DOCS = Path(__file__).parents[2] / "docs"
_NAMES = (
    "p, a, h, g, radix, switches, nodes, cables, global_cables, local_cables, links_per_pair, "
    "cost, cost_per_node, watts"
)
_OPTIONS = (
    "method, search, judge, objective, budget, traffic, patterns, tolerance, balance, loop_free, "
    "vcs, vc_count, buffer, local_latency, global_latency, link_latencies, speedup, ugal_rule, "
    "queue, threshold, vlb_factor, candidates, decide, screening, confirmation, finalists, "
    "data_points, simulated_patterns"
)
_GENERATOR = '[[generators]]\np = 2\na = 4\nh = 2\ng = "max"\n'
_SLIM_FLIES = '[[generators]]\nfamily = "slimfly"\nq = "3..5"\n'
_KINDS = one_of(sorted({kind for one in families().values() for kind in one.topology.kinds.names}))
_PRICES = """topologies = ["4,8,4,9"]
[prices]
switch = { fixed = 1000, per_port = 150 }
cable = { local = 60, global = 400 }
"""


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return Path("sweep.toml")


def problem(path: Path) -> str:
    with pytest.raises(InvalidInput) as caught:
        read_sweep_file(path)
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            _GENERATOR + _GENERATOR + 'constraints = ["nodez < 3"]',
            f':11: generators[1].constraints[0]: unknown name "nodez"; use one of {_NAMES}',
        ),
        (
            _GENERATOR + 'constraints = [\n    "nodes < 300",\n    "p + h",\n]',
            ':6: generators[0].constraints[1]: "p + h" is a number; compare it with another, as in '
            "nodes <= 20000",
        ),
        (
            "# seed = 1\n\nseed = 1",
            ":3: seed: unknown key; use one of name, topologies, generators, arrangements, "
            "routings, seeds, options, compute, prices",
        ),
        (
            f"{_GENERATOR}nodes = 3",
            ":6: generators[0].nodes: unknown key; use one of family, p, a, h, g, constraints",
        ),
        ("[options]\nseed = 1", f":2: options.seed: unknown key; use one of {_OPTIONS}"),
        ("\n[[generators]]\np = 4\n", ':2: generators[0]: the key "a" is missing'),
        (
            "[[generators]]\np = '8..2'",
            ':2: generators[0].p: the range "8..2" is empty: its last value is below its first',
        ),
        (
            _SLIM_FLIES + "a = 3",
            ":4: generators[0].a: unknown key; use one of family, q, p, constraints",
        ),
        (
            _SLIM_FLIES + 'constraints = ["h > 2"]',
            ':4: generators[0].constraints[0]: unknown name "h"; use one of q, p, radix, switches, '
            "nodes, cables, global_cables, local_cables, degree, cost, cost_per_node, watts",
        ),
        (
            _SLIM_FLIES.replace('"3..5"', '"3..max"'),
            ':3: generators[0].q: "3..max" is no range of q, which has no "max"',
        ),
        (
            _SLIM_FLIES.replace('"3..5"', '"3..60"'),
            ":3: generators[0].q: 60 is out of range: 3..53",
        ),
        (
            _SLIM_FLIES + "p = [4, 129]",
            ":4: generators[0].p: 129 is out of range: 1..128",
        ),
        (
            _SLIM_FLIES.replace('q = "3..5"', "p = 4"),
            ':1: generators[0]: the key "q" is missing',
        ),
        (
            _SLIM_FLIES.replace("slimfly", "moore"),
            f":1: generators[0]: family 'moore': expected {one_of(sized_families())}",
        ),
        (
            "[[generators]]\np = [4, true]",
            ":2: generators[0].p: expected a whole number, a list of them, or a text such as "
            '"2..8"',
        ),
        (
            _GENERATOR.replace('"max"', "[]"),
            ':5: generators[0].g: the list is empty; expected a whole number or "max", a list of '
            'them, or a text such as "3..max"',
        ),
        (
            'topologies = [\n  "4,8,4,9",\n  "machine.mat",\n]',
            ":1: topologies[1]: topology 'machine.mat': 'machine.mat' is no name with arguments "
            f"in brackets; expected {topology_forms()}, such as "
            + one_of([one.example for one in named_families().values()]),
        ),
        (
            "topologies = [4]",
            ":1: topologies[0]: expected a text such as 4,8,4,9 or keys with values, not 4",
        ),
        (
            "[[topologies]]\np = 1\na = 2\nh = 1\ng = 1\nlinks = []",
            ":5: topologies[0].g: expected a whole number 2..1000000000, not 1",
        ),
        (
            "[[topologies]]\np = 1\na = 2\nh = 1\ng = 3\nlinks = [[0, 3], [1]]",
            ":6: topologies[0].links[1]: expected a list of 2 values, not 1",
        ),
        (
            'arrangements = ["absolute", "spiral"]',
            ':1: arrangements[1]: expected "absolute", "palmtree", "relative", "circulant" or '
            '"consecutive", not "spiral"',
        ),
        (
            'routings = ["ugal"]',
            ':1: routings[0]: expected "ugal-l", "ugal-g" or "par", not "ugal"',
        ),
        ("seeds = []", ":1: seeds: expected a list of 1..1000 values, not 0"),
        ("seeds = 3", ":1: seeds: expected a list of 1..1000 values, not 3"),
        (
            "seeds = [0, -1]",
            ":1: seeds[1]: seed -1 is out of range: 0..2^63-1",
        ),
        (
            "[options]\npatterns = 'most'",
            ":2: options: patterns 'most': expected auto, all or a number of patterns, "
            "1..1,000,000,000",
        ),
        (
            _PRICES.replace("per_port = 150", '"3x" = 150'),
            ':3: prices.switch: "fixed" is no number of ports 1..100,000; expected fixed and '
            "per_port, or prices by number of ports, such as { 32 = 9000, 64 = 16000 }",
        ),
        (
            _PRICES.replace("60", "-1"),
            ":4: prices.cable.local: expected a number 0..1000000000000, not -1",
        ),
        (
            _PRICES.replace("local", "optical"),
            f':4: prices.cable: "optical" is no kind of cables; expected {_KINDS}',
        ),
        ("[prices]\nswitch = { 32 = 9000 }", ':1: prices: the key "cable" is missing'),
        (
            f"{_PRICES}watts = 3",
            ":5: prices.watts: unknown key; use one of currency, switch, cable, switch_watts, "
            "cable_watts",
        ),
        (
            f"{_PRICES}cable_watts = {{ local = 1 }}",
            ":2: prices: cable_watts are given without switch_watts",
        ),
        (
            "[options]\nobjective = 'speed'",
            ":2: options.objective: unknown objective 'speed': expected saturation, "
            "latency@LOAD, worst-pattern, guaranteed or front",
        ),
        (
            "[options]\nbudget = -1",
            ":2: options: budget -1: expected small, default, large or a number of flit-hops, "
            "0..1,000,000,000,000,000",
        ),
        (
            "[options]\ntraffic = ['shift(1,0)', 'm.csv']",
            ":2: options.traffic[1]: pattern 'm.csv': a request cannot name a file",
        ),
        (
            "[options]\nfinalists = 3",
            ":1: options: finalists 3 has no meaning for method search",
        ),
        (
            "[options]\nmethod = 'paper'\ntraffic = ['uniform']",
            ":1: options: traffic uniform has no meaning for method paper",
        ),
        (
            "options = { finalists = 101 }",
            ":1: options: finalists 101 is out of range: 1..100",
        ),
        (
            "options.tolerance = 1.0",
            ":1: options: tolerance 1.0 is out of range: 0 to below 1",
        ),
        (
            "[options.screening]\nwarmup = 1\nmeasured = 1\ngrid = nan",
            ":4: options.screening: grid nan is out of range: 0.0001..0.1",
        ),
        (
            "[options.screening]\nwarmup = 1",
            ':1: options.screening: the key "measured" is missing',
        ),
        ("[options]\nbalance = 1", ":2: options.balance: expected true or false, not 1"),
        (
            "name = 'two\\nlines'".replace("'", '"'),
            ":1: name: the name has control characters, such as line breaks",
        ),
        (
            "[[topologies]]\np = 1\na = 2\nh = 1\ng = 3\nlinks = [[0, 'x']]",
            ':6: topologies[0].links[0][1]: expected a whole number, not "x"',
        ),
        ("options = 3", ":1: options: expected keys with values, not 3"),
        (
            f"name = '{'x' * 101}'",
            f':1: name: expected a text of at most 100 characters, not "{"x" * 59}...',
        ),
        (
            "name = 2026-01-01",
            ':1: name: expected a text of at most 100 characters, not "2026-01-01"',
        ),
        ("seeds = [0]\nseeds = [1]\n", ":2:12: the file is not TOML: Cannot overwrite a value"),
        (
            "\nseeds 3",
            ":2:7: the file is not TOML: Expected '=' after a key in a key/value pair",
        ),
        ("seeds = [0,\n", ":2: the file is not TOML: Invalid value, at its end"),
        ("seeds = " + "[" * 5000, ": lists or tables are nested too deeply"),
    ],
)
def test_bad_files(written: Path, text: str, expected: str) -> None:
    written.write_text(text)
    assert problem(written) == f"sweep.toml{expected}"


def test_a_file_that_is_not_utf8(written: Path) -> None:
    written.write_bytes(b"# one\nname = '\xff'")
    assert problem(written) == "sweep.toml:2: the file is not UTF-8"


def test_a_file_that_is_too_large(written: Path) -> None:
    written.write_bytes(b"#" * (MAX_BYTES + 1))
    assert problem(written) == (
        "sweep file sweep.toml: the file is larger than 1,048,576 bytes, the most that is read"
    )


def test_a_file_that_is_not_there(written: Path) -> None:
    assert problem(written) == "cannot read sweep file sweep.toml: No such file or directory"
    written.mkdir()
    assert problem(written) == "cannot read sweep file sweep.toml: Is a directory"


def test_texts_that_look_like_keys_are_no_lines() -> None:
    # Line 2 is inside a text; the key is in line 5.
    assert find_line("name = '''\nseeds = 3\n'''\n\nseeds = 4\n", ("seeds",)) == 5
    assert find_line("a = [\n[1],\n[2]]\n[b]\nc = 1", ("b", "c")) == 5


def test_no_line_rather_than_a_slow_one() -> None:
    text = "".join(f"key{number} = {number}\n" for number in range(1000))
    assert find_line(text, ("key100",)) == 101
    assert find_line(text, ("key900",)) is None
    assert find_line(text, ("other",)) is None
    assert find_line("#" * 100_000 + "\nkey = 1", ("key",)) is None


@pytest.mark.parametrize("number", ["9" * 5000, "0x" + "f" * 5000])
def test_numbers_with_thousands_of_digits(written: Path, number: str) -> None:
    written.write_text(f"seeds = [{number}]\n")
    assert problem(written) == "sweep.toml: a number has too many digits"


def test_a_byte_order_mark(written: Path) -> None:
    written.write_bytes(b"\xef\xbb\xbf" + b'topologies = ["4,8,4,9"]\n')
    assert read_sweep_file(written).topologies == ("dfly(4,8,4,9)",)


def test_line_ends_of_windows(written: Path) -> None:
    written.write_bytes(b"name = 'x'\r\nseeds = 4\r\n")
    assert problem(written).startswith("sweep.toml:2: seeds: ")


def test_everything_in_one_file(written: Path) -> None:
    written.write_text(
        """
        name = "everything"
        topologies = ["4,8,4,9"]
        arrangements = ["palmtree"]
        routings = ["par"]
        seeds = [1, 2]
        [[generators]]
        p = 2
        a = [4, 6]
        h = "2..3"
        g = "3..max step 2"
        constraints = ["a == 2*h"]
        [options]
        tolerance = 0.1
        screening = { warmup = 100, measured = 200, grid = 0.02 }
        """
    )
    assert read_sweep_file(written) == SweepBody.model_validate(
        {
            "name": "everything",
            "topologies": ["4,8,4,9"],
            "arrangements": ["palmtree"],
            "routings": ["par"],
            "seeds": [1, 2],
            "generators": [
                {"p": "2", "a": "4,6", "h": "2..3", "g": "3..max step 2", "constraints": ["a==2*h"]}
            ],
            "options": {
                "tolerance": 0.1,
                "screening": {"warmup": 100, "measured": 200, "grid": 0.02},
            },
        }
    )


@pytest.mark.parametrize("name", ["sweep-links-per-pair", "sweep-procurement", "sweep-families"])
def test_the_documentation_shows_the_examples_and_their_points(name: str) -> None:
    path = _DOCS / "examples" / f"{name}.toml"
    page = f"{(_DOCS / 'sweeps.md').read_text()}\n"
    assert _indented(path.read_text()) in page
    points = read_sweep_file(path).points()
    lines = [f"{point.topology} {point.routing} seed {point.seed}" for point in points]
    assert f"\n\n{_indented(chr(10).join(lines))}\n\n" in page


def test_the_documentation_has_every_parameter_and_quantity() -> None:
    page = (_DOCS / "sweeps.md").read_text()
    table = page[page.index("### Generators") : page.index("### Options")]
    for name, family in sized_families().items():
        assert family.sizing is not None
        for one in (name, *quantity_names(family.sizing)):
            assert f"`{one}`" in table


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" if line else "" for line in text.strip().split("\n"))


def test_files_of_networks_are_read_from_the_folder_of_the_sweep(tmp_path: Path) -> None:
    folder = tmp_path / "sweeps"
    folder.mkdir()
    (folder / "ring.edges").write_text("# endpoints 2\n0 1\n1 2\n2 0\n")
    (folder / "dfly.json").write_text('{"p":1,"a":2,"h":1,"g":2,"links":[[1,3],[0,2]]}')
    sweep = folder / "sweep.toml"
    sweep.write_text('topologies = ["ring.edges", "dfly.json", "2,4,2,5"]')
    ring, dragonfly, named = read_sweep_file(sweep).topologies
    assert isinstance(ring, Listing)
    assert ring.build() == ListedTopology([2] * 3, [[[0, 1], [1, 2], [2, 0]]])
    assert str(dragonfly) == "dfly(1,2,1,2,file)"
    assert named == "dfly(2,4,2,5)"
    sweep.write_text('seeds = [0]\ntopologies = ["2,4,2,5",\n "none.graphml"]')
    where = re.escape(f"{sweep}:2: topologies[1]: cannot read topology file {folder}/none.graphml")
    with pytest.raises(InvalidInput, match=where):
        read_sweep_file(sweep)
