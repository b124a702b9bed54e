"""The pattern language and traffic-matrix files."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tvlb.errors import InvalidInput
from tvlb.topology import Dragonfly, ListedTopology
from tvlb.traffic import MatrixPattern, Mixed, Shift, Type2, parse_pattern

TOPOLOGY = Dragonfly(2, 4, 2, 3)


@pytest.mark.parametrize(
    "text",
    [
        "uniform",
        "uniform(others)",
        "shift(2,0)",
        "adv(1)",
        "advr(1)",
        "dshift(2)",
        "dshift(2,1)",
        "type2",
        "type2(seed=1)",
        "permutation",
        "permutation(seed=3)",
        "mixed(75,25,shift(1,0))",
        "mixed(75,25,shift(1,0),seed=4)",
        "mixed(50,50,type2(seed=1),seed=4)",
        "tmixed(50,50,shift(1,0))",
        "tmixed(0,100,permutation)",
    ],
)
def test_str_parses_back(text: str) -> None:
    pattern = parse_pattern(text)
    assert str(pattern) == text
    assert parse_pattern(str(pattern)) == pattern


def test_blanks_do_not_matter() -> None:
    assert parse_pattern("  shift( 2 , 0 ) ") == Shift(2, 0)
    assert parse_pattern("mixed(75, 25, type2(seed=1), seed=2)") == Mixed(75, 25, Type2(1), 2)


@pytest.mark.parametrize(
    "text",
    ["", "shift", "shift()", "shift(1)", "shift(1,2,3)", "shift(1,0", "shift(1,0))", "shift(,1)",
     "uniform(1)", "uniform()", "uniform(seed=1)", "shift(1,0,seed=2)", "tornado", "type2(1)",
     "mixed(50,50)", "mixed(50,50,7)", "tmixed(50,50,shift(1,0),seed=1)", "shift(1,x)",
     "shift(1.5,0)", "mixed(50,50,shift(1,0)", "SHIFT(1,0)", "shift(1,9999999999)"],
)  # fmt: skip
def test_unknown_text_shows_the_grammar(text: str) -> None:
    with pytest.raises(InvalidInput, match=r"expected uniform\(others\), shift\(DG,DS\)"):
        parse_pattern(text)


@pytest.mark.parametrize("seed", ["", "x", "-1", "1.0", "9" * 19])
def test_seeds_are_plain_integers(seed: str) -> None:
    with pytest.raises(InvalidInput, match=r"seed .* is out of range"):
        parse_pattern(f"type2(seed={seed})")


@pytest.mark.parametrize("text", ["mixed(50,50,uniform)", "tmixed(9,91,mixed(1,99,shift(1,0)))"])
def test_the_adversarial_part_has_fixed_destinations(text: str) -> None:
    with pytest.raises(
        InvalidInput,
        match="is not shift, type2, adv, affine, alg2, dshift, node-shift, pair, permutation or "
        "switch-permutation",
    ):
        parse_pattern(text)


def matrix(tmp_path: Path, text: str) -> str:
    path = tmp_path / "traffic.csv"
    path.write_text(text)
    return str(path)


def test_a_matrix_is_read_sorted_and_prints_as_its_path(tmp_path: Path) -> None:
    path = matrix(tmp_path, "#level = node\n src, dst, rate\n3,1,0.5\n\n0,2, 0.25\n")
    pattern = parse_pattern(path)
    assert isinstance(pattern, MatrixPattern)
    assert pattern.entries == ((0, 2, 0.25), (3, 1, 0.5))
    assert (pattern.level, str(pattern)) == ("node", path)
    assert parse_pattern(str(pattern)) == pattern


def test_rows_become_distributions(tmp_path: Path) -> None:
    path = matrix(tmp_path, "# level=node\nsrc,dst,rate\n5,1,0.2\n5,2,0.6\n6,0,0\n")
    traffic = parse_pattern(path).resolve(TOPOLOGY, 0)
    assert traffic.table is not None
    assert np.flatnonzero(traffic.rate).tolist() == [5]
    assert traffic.rate[5] == pytest.approx(0.8)
    row = int(traffic.table.row_of_node[5])
    entries = slice(traffic.table.offset[row], traffic.table.offset[row + 1])
    assert traffic.table.target[entries].tolist() == [1, 2]
    assert traffic.table.probability[entries] == pytest.approx([0.25, 0.75])
    # Entries of rate 0 are no traffic.
    assert traffic.table.row_of_node[6] == -1


def test_row_sums_of_thirds_count_as_one(tmp_path: Path) -> None:
    third = 1 / 3
    path = matrix(tmp_path, f"# level=node\nsrc,dst,rate\n0,1,{third}\n0,2,{third}\n0,3,{third}\n")
    assert parse_pattern(path).resolve(TOPOLOGY, 0).rate[0] == pytest.approx(1.0)


def test_rows_may_sum_to_more_by_rounding_and_are_scaled(tmp_path: Path) -> None:
    # Seven entries of 1/7, of which six digits are written, sum to 1.000001.
    rows = "".join(f"0,{node},0.142858\n" for node in range(1, 8))
    path = matrix(tmp_path, f"# level=node\nsrc,dst,rate\n{rows}")
    traffic = parse_pattern(path).resolve(TOPOLOGY, 0)
    assert traffic.rate[0] == 1.0
    assert traffic.table is not None
    assert traffic.table.probability == pytest.approx([1 / 7] * 7)
    more = matrix(tmp_path, "# level=node\nsrc,dst,rate\n0,1,1.000011\n")
    with pytest.raises(InvalidInput, match=r"node 0 sends 1.000011 .* at most 1, and 1e-05"):
        parse_pattern(more).resolve(TOPOLOGY, 0)


def test_a_matrix_names_switches_as_their_owner_does(tmp_path: Path) -> None:
    # The second is called as the number of the third.
    network = ListedTopology([1, 1, 1], [[[0, 1], [1, 2]]], labels=["b", "2", "a"])
    named = matrix(tmp_path, "# level=switch\nsrc,dst,rate\na,2,0.5\nb,a,0.25\n")
    named_traffic = parse_pattern(named).resolve(network, 0)
    plain = ListedTopology([1, 1, 1], [[[0, 1], [1, 2]]])
    numbers = matrix(tmp_path, "# level=switch\nsrc,dst,rate\n0,2,0.25\n2,1,0.5\n")
    assert named_traffic.equals(parse_pattern(numbers).resolve(plain, 0))
    for text in ("c,a,1", "x y,0,1"):
        wrong = matrix(tmp_path, f"# level=switch\nsrc,dst,rate\n{text}\n")
        with pytest.raises(InvalidInput, match=r"is no switch of .* or a name such as 'b'"):
            parse_pattern(wrong).resolve(network, 0)


@given(st.lists(st.text('1203"#, aé-+', max_size=3), min_size=4, max_size=4))
@example(["a", "a", " b", "c "])
@example(["-0", "-0", "", ""])
@example(["1", "1", "01", "001"])
@example(["a, b", '"', "-1", "3000000000"])
def test_a_matrix_that_is_made_is_read_again_whatever_switches_are_called(
    labels: list[str],
) -> None:
    cables = [[[0, 1], [1, 2], [2, 3]]]
    network, plain = (ListedTopology([1] * 4, cables, labels=one) for one in (labels, ()))
    entries = [(one, 3 - one, (one + 1) / 8) for one in range(4)]
    made = MatrixPattern.between(network, entries)
    known = MatrixPattern.between(plain, entries).resolve(plain, 0)
    for one in (made, MatrixPattern.of(made.asked)):
        assert one.resolve(network, 0).equals(known)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "line 1: expected '# level=node' or '# level=switch'"),
        ("src,dst,rate\n", "line 1"),
        ("# level=group\nsrc,dst,rate\n", "line 1"),
        ("# level=node\n", "line 2: expected the header src,dst,rate"),
        ("# level=node\nsrc,rate,dst\n", "line 2"),
        ("# level=node\nsrc,dst,rate\n0,1\n", "line 3: expected src,dst,rate, got '0,1'"),
        ("# level=node\nsrc,dst,rate\n0,1,1,1\n", "line 3"),
        ("# level=node\nsrc,dst,rate\n0,1,1\n0,x,1\n", "line 4"),
        ("# level=node\nsrc,dst,rate\n0,1.0,1\n", "line 3"),
        ("# level=node\nsrc,dst,rate\n-1,1,1\n", "line 3: .* finite and not negative"),
        ("# level=node\nsrc,dst,rate\n0,1,-1\n", "line 3: .* finite and not negative"),
        ("# level=node\nsrc,dst,rate\n0,1,nan\n", "line 3: .* finite and not negative"),
        ("# level=node\nsrc,dst,rate\n0,1,inf\n", "line 3: .* finite and not negative"),
        ("# level=node\nsrc,dst,rate\n0,1,.1\n0,1,.2\n", "entry 0,1 appears more than once"),
    ],
)
def test_bad_matrix_files_name_the_line(text: str, complaint: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=complaint):
        parse_pattern(matrix(tmp_path, text))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("# level=node\nsrc,dst,rate\n24,1,0.5\n", "node 24 is not in .* allowed are 0..23"),
        ("# level=node\nsrc,dst,rate\n0,24,0.5\n", "node 24 is not in"),
        ("# level=switch\nsrc,dst,rate\n0,12,0.5\n", "switch 12 is not in .* allowed are 0..11"),
        ("# level=node\nsrc,dst,rate\n0,1,0.6\n0,2,0.6\n", "node 0 sends 1.2 .* at most 1"),
        ("# level=switch\nsrc,dst,rate\n3,1,2.5\n", "switch 3 sends 2.5 .* at most 2"),
    ],
)
def test_matrices_must_fit_the_topology(text: str, complaint: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=complaint):
        parse_pattern(matrix(tmp_path, text)).resolve(TOPOLOGY, 0)


def test_unreadable_matrix_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"cannot read traffic matrix .*none\.csv"):
        parse_pattern(str(tmp_path / "none.csv"))
    path = tmp_path / "binary.csv"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InvalidInput, match=r"binary\.csv: no text file"):
        parse_pattern(str(path))
