"""What is written for CODES, by a checker of its own: the rules of docs/recipes/codes.md."""

import re
import shutil
import struct
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tvlb.cli import main
from tvlb.errors import InvalidInput
from tvlb.topology import (
    Dragonfly,
    ListedTopology,
    Topology,
    network_formats,
    parse_topology,
    write_network,
)

SMALL = Dragonfly(2, 4, 2, 9)
FORM = network_formats()["codes"]

Records = list[tuple[int, ...]]


def records(path: Path, numbers: int) -> Records | None:
    """Read a file of so many little-endian int32 each; None if it does not divide."""
    content = path.read_bytes()
    size = 4 * numbers
    if len(content) % size:
        return None
    return [
        struct.unpack(f"<{numbers}i", content[at : at + size])
        for at in range(0, len(content), size)
    ]


def settings(path: Path) -> dict[str, str]:
    return dict(re.findall(r'^ *([\w-]+)="([^"]*)";$', path.read_text(), re.MULTILINE))


def problems(stem: Path, topology: Topology) -> Iterator[str]:
    """Say what CODES would not take, or take for another network."""
    said = settings(stem.with_name(f"{stem.name}.conf"))
    a, g, p, h = (
        int(said[f"num_{name}"])
        for name in ("routers", "groups", "cns_per_router", "global_channels")
    )
    if said["repetitions"] != str(a * g):
        yield "the repetitions are not the routers"
    if {said["nw-lp"], said["modelnet_dragonfly_dally"]} != {str(p)}:
        yield "the terminals of a router are not its compute nodes"
    if said["modelnet_dragonfly_dally_router"] != "1":
        yield "a repetition is not one router"
    if (a * g, a * g * p) != (topology.num_switches, topology.num_nodes):
        yield "the sizes are those of another network"
    intra = records(stem.parent / said["intra-group-connections"], 3)
    inter = records(stem.parent / said["inter-group-connections"], 2)
    if intra is None or inter is None:
        yield "a file ends in the middle of a record"
        return
    yield from intra_problems(intra, a)
    yield from inter_problems(inter, a, g, h)
    rebuilt = [
        (group * a + source, group * a + target)
        for group in range(g)
        for source, target, _ in intra
    ]
    network = topology.network
    ours = zip(network.link_source.tolist(), network.link_target.tolist(), strict=True)
    if Counter([*rebuilt, *inter]) != Counter(ours):
        yield "the cables are those of another network"


def intra_problems(intra: Records, a: int) -> Iterator[str]:
    pairs = [(source, target) for source, target, _ in intra]
    if any(not 0 <= end < a for pair in pairs for end in pair):
        yield "intra: no such switch"
    if any(source == target for source, target in pairs):
        yield "intra: a switch is joined to itself"
    if len(set(pairs)) < len(pairs):
        yield "intra: a pair is listed twice"
    if any((target, source) not in pairs for source, target in pairs):
        yield "intra: a cable has one direction only"
    if pairs != sorted(pairs):
        yield "intra: the order of the ports"
    if any(kind != 0 for *_, kind in intra):
        yield "intra: a type other than 0"


def inter_problems(inter: Records, a: int, g: int, h: int) -> Iterator[str]:
    if any(not 0 <= end < a * g for pair in inter for end in pair):
        yield "inter: no such switch"
    if any(source // a == target // a for source, target in inter):
        yield "inter: a cable inside a group"
    counts = Counter(inter)
    if any(counts[target, source] != count for (source, target), count in counts.items()):
        yield "inter: a cable has one direction only"
    if max(Counter(source for source, _ in inter).values()) > h:
        yield "inter: more cables at a switch than it has ports"
    if inter != sorted(inter):
        yield "inter: the order of the ports"


@pytest.mark.parametrize("network", ["4,8,4,9", "2,4,2,9", "2,4,2,9,palmtree", "2,4,2,3"])
def test_what_is_written_passes(network: str, tmp_path: Path) -> None:
    topology = parse_topology(network)
    stem = tmp_path / "net"
    assert main(["export", network, "--to", "codes", "-o", str(stem)]) == 0
    assert list(problems(stem, topology)) == []
    assert {one.name for one in tmp_path.iterdir()} == {"net.intra", "net.inter", "net.conf"}


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files of a network."""
    folder = tmp_path_factory.mktemp("codes")
    write_network(SMALL, folder / "net", FORM)
    return folder


def _bytes(ending: str, change: Callable[[bytes], bytes]) -> Callable[[Path], None]:
    def spoil(stem: Path) -> None:
        path = stem.with_name(f"net{ending}")
        path.write_bytes(change(path.read_bytes()))

    return spoil


def _records(ending: str, change: Callable[[Records], object]) -> Callable[[Path], None]:
    numbers = 3 if ending == ".intra" else 2

    def spoil(stem: Path) -> None:
        path = stem.with_name(f"net{ending}")
        found = records(path, numbers)
        assert found is not None
        change(found)
        path.write_bytes(b"".join(struct.pack(f"<{numbers}i", *one) for one in found))

    return spoil


def _setting(name: str, value: str) -> Callable[[Path], None]:
    return _bytes(
        ".conf",
        lambda text: re.sub(rb'%s="\d+"' % name.encode(), f'{name}="{value}"'.encode(), text),
    )


def _swapped(content: bytes) -> bytes:
    return b"".join(content[at : at + 4][::-1] for at in range(0, len(content), 4))


# The first records: inside a group 0 -> 1; between groups 0 -> 4 and 0 -> 8.
FAULTS: dict[str, tuple[Callable[[Path], None], str]] = {
    "intra cut": (_bytes(".intra", lambda content: content[:-4]), "middle of a record"),
    "inter cut": (_bytes(".inter", lambda content: content[:-1]), "middle of a record"),
    "big-endian": (_bytes(".inter", _swapped), "inter: no such switch"),
    "joined to itself": (_records(".intra", lambda found: found.insert(0, (0, 0, 0))), "to itself"),
    "listed twice": (_records(".intra", lambda found: found.insert(0, found[0])), "listed twice"),
    "no such switch": (_records(".intra", lambda found: found.append((4, 0, 0))), "intra: no such"),
    "type": (_records(".intra", lambda found: found.__setitem__(0, (0, 1, 1))), "other than 0"),
    "intra, one way": (_records(".intra", lambda found: found.pop(0)), "intra: a cable has one"),
    "intra, order": (_records(".intra", lambda found: found.reverse()), "intra: the order"),
    "inter, one way": (_records(".inter", lambda found: found.pop(0)), "inter: a cable has one"),
    "inside a group": (
        _records(".inter", lambda found: found.extend([(34, 35), (35, 34)])),
        "inter: a cable inside a group",
    ),
    "too many ports": (
        _records(".inter", lambda found: found.extend([(0, 35), (35, 0)])),
        "more cables at a switch",
    ),
    "inter, order": (_records(".inter", lambda found: found.reverse()), "inter: the order"),
    "another wiring": (
        lambda stem: _palmtree(stem, stem.with_name("net.inter")),
        "the cables are those of another network",
    ),
    "groups": (_setting("num_groups", "8"), "repetitions are not the routers"),
    "terminals": (_setting("nw-lp", "1"), "terminals of a router"),
    "ports": (_setting("num_global_channels", "1"), "more cables at a switch"),
}


def _palmtree(stem: Path, inter: Path) -> None:
    other = stem.with_name("other")
    write_network(Dragonfly(2, 4, 2, 9, "palmtree"), other, FORM)
    other.with_name("other.inter").replace(inter)


@pytest.mark.parametrize("fault", FAULTS)
def test_the_checker_rejects(fault: str, written: Path, tmp_path: Path) -> None:
    shutil.copytree(written, tmp_path, dirs_exist_ok=True)
    spoil, complaint = FAULTS[fault]
    spoil(tmp_path / "net")
    found = list(problems(tmp_path / "net", SMALL))
    assert any(complaint in one for one in found), found


def test_what_cannot_be_held(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ring = ListedTopology([1, 1, 1], [[[0, 1], [1, 2], [2, 0]]])
    with pytest.raises(InvalidInput, match="has no groups of several switches; codes holds Dragon"):
        write_network(ring, tmp_path / "net", FORM)
    with pytest.raises(InvalidInput, match="cannot name files with quotes"):
        write_network(SMALL, tmp_path / 'a"b', FORM)
    assert list(tmp_path.iterdir()) == []
    # 8 ports of a group, 3 other groups: 2 cables each, and 2 ports of a group are left.
    assert main(["export", "2,4,2,4", "--to", "codes", "-o", str(tmp_path / "net")]) == 0
    assert "ports that are not connected" in capsys.readouterr().err
    assert list(problems(tmp_path / "net", Dragonfly(2, 4, 2, 4))) == []
