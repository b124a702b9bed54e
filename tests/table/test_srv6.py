"""Segment lists of SRv6: what is written is what was asked for, arrives, and is checked."""

import json
from collections import defaultdict
from collections.abc import Callable
from ipaddress import IPv6Address
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tvlb.cli import main
from tvlb.errors import InvalidInput
from tvlb.forwarding import route
from tvlb.guarantee import static
from tvlb.paths import parse_expression, sender_pairs
from tvlb.table import (
    ForwardingTable,
    Routes,
    audit_of,
    exported_paths,
    route_formats,
    write_table,
)
from tvlb.table.route_files.srv6 import Srv6Settings
from tvlb.table.segments import SegmentReport, audited_segments, read_segments
from tvlb.topology import Failures, ListedTopology, Topology, parse_topology, without

SRV6 = route_formats()["srv6"]
PARALLEL = {
    "switches": 4,
    "endpoints": [2, 2, 2, 0],
    "links": [[0, 1], [1, 2], [2, 3], [3, 0], [0, 2], [0, 2]],
}
Document = dict[str, Any]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Lists of dfly(2,4,2,3) with 8 slots."""
    path = tmp_path_factory.mktemp("srv6") / "d.srv6"
    routes = Routes(parse_expression("short(2,3)", parse_topology("2,4,2,3")), 0.25)
    SRV6.write(routes, path, settings=Srv6Settings(entries=8))
    return path


@pytest.fixture(scope="module")
def parallel(tmp_path_factory: pytest.TempPathFactory) -> Topology:
    path = tmp_path_factory.mktemp("network") / "n.json"
    path.write_text(json.dumps(PARALLEL))
    return parse_topology(str(path))


def asked_of(routes: Routes) -> dict[tuple[int, int], dict[tuple[int, ...], float]]:
    """Return the shares of the switch sequences of each pair with nodes, by a plain account."""
    found: dict[tuple[int, int], dict[tuple[int, ...], float]] = defaultdict(
        lambda: defaultdict(float)
    )
    nodes = routes.topology.switch_nodes
    for source, of_source in enumerate(routes.of_sources()):
        for target, minimal, detours in of_source.by_target():
            if nodes[source] and nodes[target]:
                for weight, switches in (*minimal, *detours):
                    found[source, target][switches] += weight
    return found


def checked(path: Path) -> SegmentReport:
    report = audited_segments(str(path))
    assert report.problems == ()
    return report


@pytest.mark.parametrize("entries", [1, 8, 64])
def test_shares_are_as_asked_and_slots_the_nearest_whole_ones(entries: int, tmp_path: Path) -> None:
    routes = Routes(parse_expression("all", parse_topology("dfly(1,3,2,4)")), 0.3)
    path = tmp_path / "t.srv6"
    SRV6.write(routes, path, settings=Srv6Settings(entries=entries))
    read, asked = read_segments(path), asked_of(routes)
    assert read.lists.keys() == asked.keys()
    moved: list[float] = []
    for pair, listed in read.lists.items():
        wanted = asked[pair]
        assert sum(wanted.values()) == pytest.approx(1, abs=1e-9)
        shares = {one.switches: one.share for one in listed}
        for switches, share in shares.items():
            assert share == pytest.approx(wanted[switches], abs=1e-9)
        slots = {one.switches: one.weight for one in listed}
        assert sum(slots.values()) == entries
        for switches, share in wanted.items():
            assert abs(slots.get(switches, 0) - entries * share) < 1
        moved.append(
            sum(max(0, slots.get(each, 0) / entries - one) for each, one in wanted.items())
        )
    assert read.told.moved_mean == pytest.approx(np.mean(moved))
    assert read.told.moved_most == pytest.approx(max(moved))
    report = checked(path)
    assert report.floor is not None
    assert read.told.floor_asked is not None
    assert report.floor == pytest.approx(read.told.floor)


def test_the_floor_is_that_of_the_worst_permutation(tmp_path: Path) -> None:
    # A ring of three, by MIN alone: each of six links carries what one switch sends to one other.
    # Two nodes a switch: under a shift all send along one way round.
    topology = ListedTopology([2] * 3, [[[0, 1], [1, 2], [2, 0]]])
    path = tmp_path / "t.srv6"
    SRV6.write(Routes(parse_expression("none", topology), 1.0), path, settings=Srv6Settings())
    assert read_segments(path).told.floor_asked == checked(path).floor == pytest.approx(0.5)
    # Nothing was left out, so what was asked can be found again.
    document = json.loads(path.read_text())
    document["told"]["floor_asked"] = 0.9
    path.write_text(json.dumps(document))
    assert audited_segments(str(path)).problems == (
        "the file tells another floor_asked: 1, first 0.5 found",
    )


def test_a_switch_without_nodes_has_no_lists(tmp_path: Path) -> None:
    topology = ListedTopology([2, 2, 0], [[[0, 1], [1, 2], [2, 0]]])
    path = tmp_path / "t.srv6"
    SRV6.write(Routes(parse_expression("none", topology), 1.0), path, settings=Srv6Settings())
    assert checked(path).pairs == 2
    document = json.loads(path.read_text())
    document["lists"]["2"] = {"0": document["lists"]["1"]["0"]}
    path.write_text(json.dumps(document))
    assert audited_segments(str(path)).problems == (
        "a list of a switch without nodes: 1, first 2 -> 0",
    )


def test_an_address_names_the_switches_from_the_second_on(written: Path) -> None:
    document = json.loads(written.read_text())
    entries = document["lists"]["0"]["4"]
    (direct,) = [one for one in entries if one[2] == [0, 4]]
    assert direct[3] == ["5f00:0:5::"]
    for _, _, switches, (address,) in entries:
        named = [f"{one + 1:x}" for one in switches[1:]]
        assert int(IPv6Address(address)) == int(IPv6Address(":".join(["5f00:0", *named]) + "::"))
    assert checked(written).second_address == 0


def test_seven_links_take_a_second_address(tmp_path: Path) -> None:
    path = tmp_path / "t.srv6"
    routes = Routes(parse_expression("none", parse_topology("torus(1,14)")), 1.0)
    said = SRV6.write(routes, path, settings=Srv6Settings())
    lists = read_segments(path).lists
    assert len(lists[0, 6][0].addresses) == 1
    assert lists[0, 6][0].switches == tuple(range(7))
    assert {len(one.addresses) for one in lists[0, 7]} == {2}
    # Of 13 destinations of a switch the opposite one takes seven links, either way.
    assert checked(path).second_address_share == pytest.approx(1 / 13)
    assert any("a second address" in one for one in said)
    SRV6.write(routes, path, settings=Srv6Settings(decapsulation="dt46"))
    assert {len(one.addresses) for one in read_segments(path).lists[0, 6]} == {2}
    assert checked(path).second_address_share == pytest.approx(3 / 13)
    wide = Srv6Settings(locator_block="fc00:1::/48", identifier_bits=8)
    SRV6.write(routes, path, settings=wide)
    assert checked(path).second_address == 0


def test_parallel_cables_are_named_by_adjacency(parallel: Topology, tmp_path: Path) -> None:
    path = tmp_path / "t.srv6"
    said = SRV6.write(
        Routes(parse_expression("none", parallel), 1.0), path, settings=Srv6Settings(entries=2)
    )
    document = json.loads(path.read_text())
    assert [one[:2] for one in document["adjacencies"]] == [
        [0, 0xE000],
        [0, 0xE001],
        [2, 0xE000],
        [2, 0xE001],
    ]
    # The last switch removes the header, so that it is named behind the adjacency.
    assert [one[3] for one in document["lists"]["0"]["2"]] == [
        ["5f00:0:e000:3::"],
        ["5f00:0:e001:3::"],
    ]
    assert [one[0] for one in document["lists"]["0"]["2"]] == [1, 1]
    assert document["lists"].keys() == {"0", "1", "2"}
    assert "parallel cables are named by adjacency: 4 directed links" in said
    checked(path)
    failures = tmp_path / "down.json"
    failures.write_text('{"links": [[0, 2]]}')
    (problem,) = audited_segments(str(path), without=str(failures)).problems
    assert problem.startswith("a cable that is down: 2, first 0 to 2 of 0 -> 2")


def test_forwarding_tables_are_written_with_the_cables_they_take(
    parallel: Topology, tmp_path: Path
) -> None:
    routed = route(parallel).forwarding
    table = ForwardingTable.of(routed, "psssp")
    path = tmp_path / "t.srv6"
    SRV6.write(Routes(exported_paths(table)), path, settings=Srv6Settings())
    checked(path)
    links = routed.links()
    listed = {one.addresses for one in read_segments(path).lists[0, 2]}
    own = np.flatnonzero(parallel.network.node_switch == 2)
    assert len(listed) == len(set(links[own, 0].tolist()))


def test_a_split_keeps_the_floor_that_it_promises(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    table = static("dfly(2,4,2,3)", "<=4", hops=1.9).table
    write_table(table, "t.json")
    assert main(["export", "t.json", "--to", "srv6", "--entries", "2048", "-o", "t.srv6"]) == 0
    read = read_segments("t.srv6")
    assert read.told.floor_asked == pytest.approx(table.header.floor, rel=1e-5)
    assert checked(Path("t.srv6")).floor == pytest.approx(table.header.floor, rel=1e-2)
    source, target = sender_pairs(table.topology)
    assert read.lists.keys() == set(zip(source.tolist(), target.tolist(), strict=True))
    assert all(sum(one.share for one in some) > 1 - 1e-2 for some in read.lists.values())
    capsys.readouterr()
    for option in (["--min-share", "0.5"], ["--pattern", "uniform"]):
        assert main(["export", "t.json", "--to", "srv6", *option, "-o", "u.srv6"]) == 2
        assert "a table that fixes all weights" in capsys.readouterr().err


def _long(document: Document) -> Any:
    """Return a list of four links."""
    return next(one for one in document["lists"]["0"]["4"] if len(one[2]) == 5)


def _identifiers(entry: Any) -> list[str]:
    return entry[3][0].removeprefix("5f00:0:").removesuffix("::").split(":")


def _set(entry: Any, identifiers: list[str], block: str = "5f00:0:") -> None:
    entry[3] = [f"{block}{':'.join(identifiers)}::"]


def _no_neighbour(document: Document) -> None:
    entry = _long(document)
    first, *others = _identifiers(entry)
    _set(entry, ["c", *others])
    assert first != "c"


def _other_way(document: Document) -> None:
    """Lead by other switches to the same one."""
    one, other = [each for each in document["lists"]["0"]["4"] if len(each[2]) >= 4][:2]
    one[3] = other[3] = one[3]


def _unknown(document: Document) -> None:
    entry = _long(document)
    _set(entry, ["4d2", *_identifiers(entry)[1:]])


def _same_identifier(document: Document) -> None:
    document["nodes"][7] = document["nodes"][3]


def _wrong_order(document: Document) -> None:
    entry = _long(document)
    first, second, *others = _identifiers(entry)
    _set(entry, [second, first, *others])


def _one_too_many(document: Document) -> None:
    entry = _long(document)
    _set(entry, [*_identifiers(entry), "6"])


def _named_twice(document: Document) -> None:
    entry = _long(document)
    _set(entry, [*_identifiers(entry), _identifiers(entry)[-1]])


def _wrong_block(document: Document) -> None:
    entry = _long(document)
    _set(entry, _identifiers(entry), "5f00:1:")


def _weights(document: Document) -> None:
    document["lists"]["3"]["9"][0][0] += 1


def _left_out(document: Document) -> None:
    del document["lists"]["3"]["9"]


def _ends_early(document: Document) -> None:
    entry = _long(document)
    _set(entry, _identifiers(entry)[:-1])


def _told(document: Document) -> None:
    document["told"]["floor"] = 0.9


def _share(document: Document) -> None:
    """Ask for less of one list."""
    document["lists"]["3"]["9"][0][1] *= 1 - 1e-4


def _asked(document: Document) -> None:
    document["told"]["floor_asked"] = 0.9


def _behind_nothing(document: Document) -> None:
    _long(document)[3] += ["::", "2001:db8::1"]


def _nothing(document: Document) -> None:
    _long(document)[3] = ["::"]


def _loop_free(document: Document) -> None:
    document["srv6"]["loop_free"] = True


@pytest.mark.parametrize(
    ("plant", "found"),
    [
        (_no_neighbour, "no cable to the next switch: 1, first 0 to 11 of 0 -> 4"),
        (_other_way, "a packet that takes another way: 1, first 0 -> 4, "),
        (_unknown, "an unknown identifier: 1, first 0x4d2 at switch 0 of 0 -> 4"),
        (_same_identifier, "two switches with one identifier: 1, first 0x4 of 3 and 7"),
        (_wrong_order, "no cable to the next switch: 1, first 0 to "),
        (_one_too_many, "a packet that ends at another switch: 1, first 0 -> 4 at 5"),
        (_named_twice, "the switch itself is named: 1, first 4 of 0 -> 4"),
        (_wrong_block, "an address outside 5f00::/32: 1, first 5f00:1:"),
        (_weights, "weights that do not sum: 1, first 3 -> 9: 9 of 8"),
        (_left_out, "a pair without a list: 1, first 3 -> 9"),
        (_ends_early, "a packet that ends at another switch: 1, first 0 -> 4 at "),
        (_told, "the file tells another floor: 1, first 0."),
        (_share, "the file tells another unlisted: 1, first "),
        (_asked, "the file tells another floor_asked: 1, first 0."),
        (_behind_nothing, "an address outside 5f00::/32: 1, first :: of 0 -> 4"),
        (_nothing, "an address outside 5f00::/32: 1, first :: of 0 -> 4"),
        (_loop_free, "a switch visited twice, by a file without such paths: "),
    ],
)
def test_planted_faults_are_found(
    plant: Callable[[Document], None], found: str, written: Path, tmp_path: Path
) -> None:
    document = json.loads(written.read_text())
    plant(document)
    path = tmp_path / "t.srv6"
    path.write_text(json.dumps(document))
    problems = audited_segments(str(path)).problems
    assert any(one.startswith(found) for one in problems), problems


def test_cables_that_are_down_and_adjacencies_of_others_are_found(
    parallel: Topology, written: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    failures = tmp_path / "down.json"
    failures.write_text('{"links": [[0, 4]]}')
    assert main(["verify", str(written), "--without", str(failures)]) == 1
    assert "a cable that is down: " in capsys.readouterr().out
    path = tmp_path / "t.srv6"
    SRV6.write(Routes(parse_expression("none", parallel), 1.0), path, settings=Srv6Settings())
    document = json.loads(path.read_text())
    document["lists"]["1"]["2"][0][3] = ["5f00:0:e001:3::"]
    path.write_text(json.dumps(document))
    problems = audited_segments(str(path)).problems
    assert "an adjacency of another switch: 1, first 0xe001 at switch 1 of 1 -> 2" in problems
    document["lists"]["1"]["2"][0][3] = ["5f00:0:3::"]
    document["lists"]["0"]["2"][0][3] = ["5f00:0:e000::"]
    document["lists"]["0"]["2"][1][3] = ["5f00:0:3::"]
    path.write_text(json.dumps(document))
    problems = audited_segments(str(path)).problems
    assert any(one.startswith("an adjacency is the last identifier") for one in problems)
    assert any(one.startswith("several cables, and none is named") for one in problems)


def test_identifiers_of_switches_name_nothing_else(parallel: Topology, tmp_path: Path) -> None:
    path = tmp_path / "t.srv6"
    routes = Routes(parse_expression("none", parallel), 1.0)
    SRV6.write(routes, path, settings=Srv6Settings(decapsulation="dt46"))
    good = path.read_text()
    for key, place, where in (("adjacencies", (0, 1), "0"), ("functions", (2,), "2")):
        document = json.loads(good)
        part = document[key]
        for step in place[:-1]:
            part = part[step]
        part[place[-1]] = 2
        path.write_text(json.dumps(document))
        problems = audited_segments(str(path)).problems
        found = f"an identifier of switches names a cable or function: 1, first 0x2 of {where}"
        assert found in problems
    document = json.loads(good)
    document["adjacencies"] += [document["adjacencies"][0]]
    path.write_text(json.dumps(document))
    with pytest.raises(InvalidInput, match=r"link [0-9]+ has two adjacencies"):
        read_segments(path)


def test_any_json_of_the_same_is_read(written: Path, tmp_path: Path) -> None:
    document = json.loads(written.read_text())
    path = tmp_path / "t.srv6"
    for text in (json.dumps(document, indent=1), json.dumps(document, sort_keys=True)):
        path.write_text(text)
        assert audit_of(str(path)) is SRV6.audit
        assert audited_segments(str(path)).problems == ()
    path.write_text(written.read_text().replace('"lists": {', '"lists": {"0": {},', 1))
    with pytest.raises(InvalidInput, match="the key '0' is there twice"):
        read_segments(path)


def test_more_failures_of_a_degraded_network_are_listed_all_at_once(
    parallel: Topology, tmp_path: Path
) -> None:
    path, down = tmp_path / "t.srv6", tmp_path / "down.json"
    left = without(parallel, Failures(links=((2, 3),)))
    SRV6.write(Routes(parse_expression("none", left), 1.0), path, settings=Srv6Settings())
    checked(path)
    down.write_text('{"links": [[0, 1], [2, 3]]}')
    (problem,) = audited_segments(str(path), without=str(down)).problems
    assert problem.startswith("a cable that is down: 2, first 0 to 1 of 0 -> 1")
    down.write_text('{"links": [[0, 1]]}')
    with pytest.raises(InvalidInput, match="what is down has to be listed all at once"):
        audited_segments(str(path), without=str(down))


@pytest.mark.parametrize(
    ("key", "value", "complaint"),
    [
        ("nodes", [1, 2], "nodes: expected a list of 12"),
        ("nodes", [0] * 12, "identifier 0 is out of range: 1..65535"),
        ("adjacencies", [[0, 57344, 0, 9]], "link 0 leads from switch 0 to 1, not from 0 to 9"),
        ("functions", [1], "functions: expected a list of 0"),
        ("lists", {"0": {"99": []}}, "switch 99 is out of range: 0..11"),
        ("lists", {"00": {}}, "switch '00' is out of range: 0..11"),
        ("lists", {"3": {"3": []}}, "lists from switch 3 to itself"),
        ("lists", {"0": {"1": [[1, 10**400, [0, 1], ["::"]]]}}, "00' is no number of 0..1"),
        ("lists", {"0": {"1": [[1, 1, [0, 1], ["::%a"]]]}}, "'::%a' is no IPv6 address"),
        ("lists", {"0": {"1": [[9, 1, [0, 1], ["::"]]]}}, "0 -> 1: weight 9 is out of range: 0..8"),
        ("lists", {"0": {"1": [[8, 1, [0, 1], ["x"]]]}}, "0 -> 1: 'x' is no IPv6 address"),
        ("told", {}, "moved_mean: Field required"),
        ("more", 1, "expected an object with srv6, nodes, adjacencies, functions, lists, told"),
    ],
)
def test_a_damaged_file_is_refused_in_a_line(
    key: str, value: object, complaint: str, written: Path, tmp_path: Path
) -> None:
    document = json.loads(written.read_text())
    document[key] = value
    path = tmp_path / "t.srv6"
    path.write_text(json.dumps(document))
    assert audit_of(str(path)) is SRV6.audit
    with pytest.raises(InvalidInput) as error:
        read_segments(path)
    assert complaint in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--entries", "0"], "--entries 0 is out of range: 1..65535"),
        (["--entries", "x"], "'x' is not an integer"),
        (
            ["--identifier-bits", "5"],
            "--identifier-bits 5 name at most 27 switches, and dfly(2,4,2,9) has 36",
        ),
        (["--identifier-bits", "3"], "--identifier-bits 3 is out of range: 4..32"),
        (
            ["--locator-block", "ff02::/32"],
            "--locator-block ff02::/32: expected a prefix of addr",
        ),
        (["--locator-block", "fe80::/32"], "--locator-block fe80::/32: expected a prefix of addr"),
        (["--locator-block", "::ffff:0:0/96"], "a prefix of addresses that routers forward"),
        (["--locator-block", "here"], "--locator-block 'here': expected an IPv6 prefix"),
        (
            ["--locator-block", "5f00::1/32"],
            "--locator-block '5f00::1/32': expected an IPv6 prefix",
        ),
        (
            ["--locator-block", "5f00::/120"],
            "--locator-block 5f00::/120 and --identifier-bits 16 are 136 bits of the 128",
        ),
        (["--decapsulation", "psp"], "--decapsulation 'psp': choose one of usd, dt46"),
        (["--to", "sst", "--entries", "8"], "--entries has no meaning for format sst"),
        (["--min-share", "2"], "--min-share 2 is out of range: 0..1"),
        (["--merge-parallel"], "--merge-parallel has no meaning for format srv6"),
    ],
)
def test_bad_input_is_told_in_a_line(
    options: list[str], complaint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / ("t" if "sst" in options else "t.srv6")
    assert main(["export", "2,4,2,9", "-o", str(target), *options]) == 2
    said = capsys.readouterr().err
    assert complaint in said
    assert said.count("\n") == 1
    assert not target.exists()


def test_parallel_cables_need_identifiers(tmp_path: Path) -> None:
    topology = ListedTopology([1, 1], [[[0, 1]] * 3])
    routes = Routes(parse_expression("none", topology), 1.0)
    with pytest.raises(InvalidInput, match="name at most 2 parallel cables of a switch, and"):
        SRV6.settled({"identifier_bits": 4}, topology)
    settled = SRV6.settled({"identifier_bits": 5}, topology)
    SRV6.write(routes, tmp_path / "t.srv6", **settled)
    checked(tmp_path / "t.srv6")


def test_options_of_other_files_are_refused(
    written: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["verify", str(written), "--vcs", "won"]) == 2
    assert "--vcs is given, which has no meaning for segment lists" in capsys.readouterr().err
