"""Switch sequences as CSV: one line per path, for simulators and routers that read lists.

The closing comment tells a complete file from one that was cut at the end of a line.
"""

import json
from pathlib import Path

from tvlb.documents import VERSION, files
from tvlb.table.route_files import RouteFormat, Routes


def _write(routes: Routes, path: Path) -> list[str]:
    lost = 0
    header = {
        "topology": str(routes.topology),
        "paths": str(routes.path_set),
        "min_share": routes.min_share,
        "loop_free": routes.loop_free,
        "version": VERSION,
    }
    with files.atomic_file(path) as stream:
        stream.write(b"# tvlb switch sequences\n")
        labels = {"labels": list(routes.topology.labels)} if routes.topology.labels else {}
        for name, value in {**header, **labels}.items():
            stream.write(f"# {name}: {json.dumps(value)}\n".encode())
        stream.write(b"source,target,kind,weight,switches\n")
        for source, found in enumerate(routes.of_sources()):
            lost += found.lost_pairs
            for target, *kinds in found.by_target():
                for kind, listed in zip(routes.kinds, kinds, strict=True):
                    for weight, switches in listed:
                        visited = " ".join(map(str, switches))
                        line = f"{source},{target},{kind},{weight!r},{visited}\n"
                        stream.write(line.encode())
        stream.write(b"# end of switch sequences\n")
    return routes.remarks(lost)


FORMAT = RouteFormat(
    name="sequences", suffixes=(".csv",), endings=("",), fixed_weights=False, write=_write
)
