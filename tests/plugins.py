"""Members of plug points that tests add from outside: to the compiled core, and to commands."""

import json
import os
import re
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


def installed(source: str, entry_point: str, packages: Path, name: str = "toy") -> dict[str, str]:
    """Install a module, and return variables under which that is so.

    Parameters
    ----------
    source : of the module.
    entry_point : its group and what it names, such as ``[tvlb.families] toy = toy``; or several,
        one a line.
    packages : a folder without such a module, made if there is none.
    name : of the module.
    """
    metadata = packages / f"{name}-1.0.dist-info"
    metadata.mkdir(parents=True)
    (packages / f"{name}.py").write_text(source)
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(entry_point.replace("] ", "]\n") + "\n")
    return found_in(packages)


def plugged_in(sources: Mapping[Path, ModuleType], folder: Path) -> dict[str, str]:
    """Compile members of registries of the core, and return variables that make them known.

    A file registers itself when its library is loaded, which an entry point asks for.

    Parameters
    ----------
    sources : files with the module that has the registry; it has to show
        `Registry<Member>::members`.
    folder : an empty one.
    """
    includes = [f"-I{_ROOT / headers}" for headers in ("tvlb/native", "sim_bridge/src")]
    compiler = [os.environ.get("CXX", "c++"), "-std=c++20", "-O1", "-shared", "-fPIC"]
    hidden = "-fvisibility=hidden"
    libraries: dict[str, str] = {}
    for source, core in sources.items():
        assert core.__file__ is not None
        library = folder / f"{source.stem}.so"
        linked = [source, core.__file__, "-o", library]
        subprocess.run([*compiler, hidden, *includes, *linked], check=True)
        libraries[source.stem.upper()] = str(library)
    lines = [f"{name} = {library!r}" for name, library in libraries.items()]
    points = [f"{name.lower()} = plugs:{name}" for name in libraries]
    group = "[tvlb.libraries] " + "\n".join(points)
    return installed("\n".join(lines), group, folder, "plugs")


def conforms(environment: dict[str, str], *names: str) -> None:
    """See that tests of `test_every_router.py` pass for members of these names."""
    # Expressions of pytest have brackets of their own.
    selected = " or ".join(name.partition("(")[0] for name in names)
    asked = [str(_ROOT / "tests/sim_bridge/test_every_router.py"), "-k", selected]
    ended = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-rp", *asked],
        cwd=_ROOT,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout
    passed = [line for line in ended.stdout.splitlines() if line.startswith("PASSED")]
    for name in names:
        assert any(re.search(rf"[\[-]{re.escape(name)}[\]-]", line) for line in passed), name


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
