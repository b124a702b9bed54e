"""Members of plug points that tests add from outside: to the compiled core, and to commands."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType

_ROOT = Path(__file__).parents[1]

# Several commands in one process, which takes a second to load what they need.
_COMMANDS = """
import json, sys
from contextlib import redirect_stdout
from io import StringIO
from tvlb.cli import main

printed = []
for arguments in json.load(sys.stdin):
    with redirect_stdout(StringIO()) as stream:
        if main(arguments):
            sys.exit(1)
    printed.append(stream.getvalue())
json.dump(printed, sys.stdout)
"""


def found_in(packages: Path) -> dict[str, str]:
    """Return variables under which Python finds a folder of packages."""
    before = os.environ.get("PYTHONPATH")
    return {"PYTHONPATH": f"{packages}{os.pathsep}{before}" if before else str(packages)}


def installed(source: str, entry_point: str, packages: Path) -> dict[str, str]:
    """Install a module `toy`, and return variables under which that is so.

    Parameters
    ----------
    source : of the module.
    entry_point : its group and what it names, such as ``[tvlb.families] toy = toy``.
    packages : an empty folder, made if there is none.
    """
    metadata = packages / "toy-1.0.dist-info"
    metadata.mkdir(parents=True)
    (packages / "toy.py").write_text(source)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: toy\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(entry_point.replace("] ", "]\n") + "\n")
    return found_in(packages)


def plugged_in(sources: Mapping[Path, ModuleType], folder: Path) -> dict[str, str]:
    """Compile members of registries of the core, and return variables that make them known.

    A file registers itself when its library is loaded, which every Python process under these
    variables does when it starts.

    Parameters
    ----------
    sources : files with the module that has the registry; it has to show
        `Registry<Member>::members`.
    folder : an empty one.
    """
    includes = [f"-I{_ROOT / headers}" for headers in ("tvlb/native", "sim_bridge/src")]
    compiler = [os.environ.get("CXX", "c++"), "-std=c++20", "-O1", "-shared", "-fPIC"]
    hidden = "-fvisibility=hidden"
    loads = ["import ctypes", ""]
    for source, core in sources.items():
        assert core.__file__ is not None
        library = folder / f"{source.stem}.so"
        linked = [source, core.__file__, "-o", library]
        subprocess.run([*compiler, hidden, *includes, *linked], check=True)
        loads.append(f"ctypes.CDLL({str(library)!r})")
    (folder / "sitecustomize.py").write_text("\n".join(loads))
    return found_in(folder)


def tvlb_each(
    environment: dict[str, str], place: Path, commands: Sequence[Sequence[str]]
) -> list[str]:
    """Return what each of several commands prints in a folder."""
    ended = subprocess.run(
        [sys.executable, "-c", _COMMANDS],
        input=json.dumps(commands),
        cwd=place,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)
