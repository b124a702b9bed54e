"""The topology language and topology files."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tvlb.errors import InvalidInput
from tvlb.table import parse_path_set
from tvlb.topology import ARRANGEMENTS, FROM_FILE, Dragonfly, ListedTopology, parse_topology

CABLES = [[0, 3], [0, 3], [1, 4], [1, 6], [2, 7], [5, 8]]
FILE: dict[str, Any] = {"p": 2, "a": 3, "h": 2, "g": 3, "links": CABLES}


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("4,8,4,9", "dfly(4,8,4,9)"),
        ("dfly(4,8,4,9)", "dfly(4,8,4,9)"),
        (" dfly( 4 , 8,4, 9 ) ", "dfly(4,8,4,9)"),
        ("dfly(4,8,4,9,absolute)", "dfly(4,8,4,9)"),
        ("4,8,4,9,palmtree", "dfly(4,8,4,9,palmtree)"),
        ("dfly(2,4,2,9,circulant)", "dfly(2,4,2,9,circulant)"),
    ],
)
def test_text_has_one_canonical_form(text: str, canonical: str) -> None:
    assert str(parse_topology(text)) == canonical


@settings(max_examples=30, deadline=None, derandomize=True)
@given(st.integers(1, 4), st.integers(1, 4), st.integers(1, 3), st.data())
def test_str_parses_back(p: int, a: int, h: int, data: st.DataObject) -> None:
    g = data.draw(st.integers(2, a * h + 1))
    topology = Dragonfly(p, a, h, g, data.draw(st.sampled_from([*ARRANGEMENTS])))
    assert parse_topology(str(topology)) == topology


@pytest.mark.parametrize(
    "text",
    ["", "4,8,4", "4,8,4,9,9", "dfly(4,8,4,9", "4,8,4,9)", "a,b,c,d", "4;8;4;9", "klein(4,4)",
     "4.0,8,4,9", "4,8,4,9,", "fly(4,8,4,9)", "topology.txt"],
)  # fmt: skip
def test_unknown_text_shows_the_grammar(text: str) -> None:
    with pytest.raises(InvalidInput, match=r"expected p,a,h,g\[,arrangement\], dfly\("):
        parse_topology(text)


def test_the_grammar_of_a_family_is_shown_where_it_is_named() -> None:
    said = r"K2 '1' .*; expected torus\(P,K1\[,K2\].*\), such as torus\(4,8,8\), or the path of a"
    with pytest.raises(InvalidInput, match=said):
        parse_topology("torus(4,8,1)")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("0,4,2,3", r"p '0' is out of range: integers 1\.\."),
        ("2,4,2,-9", r"g '-9' is out of range: integers 2\.\."),
        ("2,4,2,99", "g=99 is out of range"),
        ("2,4,2,99999999999999999999", "g '99999999999999999999' is out of range"),
        ("2,4,2,9,spiral", "arrangement 'spiral' is unknown; choose one of absolute"),
    ],
)
def test_values_out_of_range_are_named(text: str, complaint: str) -> None:
    with pytest.raises(InvalidInput, match=complaint):
        parse_topology(text)


def test_a_file_lists_its_cables(tmp_path: Path) -> None:
    path = tmp_path / "machine.json"
    path.write_text(json.dumps(FILE))
    topology = parse_topology(str(path))
    assert isinstance(topology, Dragonfly)
    assert topology.cables.tolist() == CABLES
    assert topology.arrangement == FROM_FILE
    # Groups 0-1 have three cables, two of them parallel, 0-2 two and 1-2 one.
    assert topology.links_per_group_pair == (1, 3)
    assert topology.unconnected_ports == 9 * 2 - 12
    assert int(topology.network.link_ordinal.max()) == 1


def test_the_order_and_direction_of_cables_do_not_matter(tmp_path: Path) -> None:
    path = tmp_path / "machine.json"
    path.write_text(json.dumps({**FILE, "links": [[y, x] for x, y in reversed(CABLES)]}))
    assert parse_topology(str(path)) == Dragonfly.from_cables(2, 3, 2, 3, CABLES)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("", "EOF while parsing"),
        ("{", "EOF while parsing"),
        ("[]", "should be an object"),
        (json.dumps({**FILE, "links": [[0, 3.5]]}), "links.0.1: "),
        (json.dumps({**FILE, "links": [[0, 3, 5]]}), "links.0"),
        (json.dumps({**FILE, "links": [["0", 3]]}), "links.0.0: "),
        (json.dumps({**FILE, "p": "2"}), "p: Input should be a valid integer"),
        (json.dumps({**FILE, "q": 2}), "q: Extra inputs"),
        (
            json.dumps({key: FILE[key] for key in "pahg"}),
            "the key 'links' is missing; expected p",
        ),
        (json.dumps({**FILE, "links": [[0, 1]]}), "joins two switches of one group"),
        (json.dumps({**FILE, "links": [[0, 99]]}), "link end 99 is not a switch id"),
        (json.dumps({**FILE, "links": [[0, 10**30]]}), "pairs of integers"),
        (json.dumps({**FILE, "links": [[0, 3]]}), "without a direct link"),
        (json.dumps({**FILE, "links": []}), "list of"),
        (json.dumps({**FILE, "g": 1}), "g: Input should be greater than or equal to 2"),
    ],
)
def test_malformed_files_name_the_first_problem(
    content: str, complaint: str, tmp_path: Path
) -> None:
    path = tmp_path / "machine.json"
    path.write_text(content)
    with pytest.raises(InvalidInput, match=complaint):
        parse_topology(str(path))


def test_missing_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"cannot read topology file .*none.json: No such file"):
        parse_topology(str(tmp_path / "none.json"))


def test_what_is_no_file_and_no_family_is_called_so() -> None:
    for text in ("lab", "nets/lab-2"):
        with pytest.raises(InvalidInput, match=f"'{text}': there is no such file, nor a family"):
            parse_topology(text)


def test_too_long_paths_are_not_the_fault_of_a_path_set() -> None:
    row = ListedTopology([1] * 40, [[[one, one + 1] for one in range(39)]])
    with pytest.raises(InvalidInput, match=r": a MIN path has more than 32 hops$"):
        parse_path_set("none", row)
