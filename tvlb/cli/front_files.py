"""The tables of a front as files beside the main one, and the document that lists them."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tvlb.cli.terminal import print_written
from tvlb.documents import atomic_file
from tvlb.errors import InvalidInput
from tvlb.search import MOST_ON_FRONT


def _point_path(output: str, number: int) -> Path:
    path = Path(output)
    return path.with_name(f"{path.stem}.front-{number}{path.suffix}")


def _list_path(output: str) -> Path:
    path = Path(output)
    return path.with_name(f"{path.stem}.front.json")


def check_front(output: str) -> None:
    """Raise InvalidInput if one of the files beside `output` could not be written.

    Parameters
    ----------
    output : the main table, which can be written.
    """
    for path in (_list_path(output), *(_point_path(output, 1 + i) for i in range(MOST_ON_FRONT))):
        if path.is_dir():
            raise InvalidInput(f"cannot write {path}: it is a directory")


def write_front(
    document: Mapping[str, Any], output: str, save: Callable[[int, Path], None]
) -> None:
    """Write the tables of a front, and last the document that lists them.

    Parameters
    ----------
    document : of the search.
    output : the main table.
    save : writes the table of a point, counted from 1, to a path, complete or not at all.

    Notes
    -----
    Files of an earlier front with more points stay; the document lists those that count.
    """
    search = document["search"]
    points: list[dict[str, Any]] = []
    for number, point in enumerate(search["front"], 1):
        path = _point_path(output, number)
        save(number, path)
        print_written(str(path))
        points.append({"file": path.name, "table_id": point["table_id"], **point})
    listed = {
        "topology": document["topology"],
        "patterns": [each["pattern"] for each in document["baseline"]["per_pattern"]],
        "loads": search["loads"],
        "front": points,
        "provenance": document["provenance"],
    }
    path = _list_path(output)
    with atomic_file(path) as stream:
        stream.write(f"{json.dumps(listed, indent=2, allow_nan=False)}\n".encode())
    print_written(str(path))
