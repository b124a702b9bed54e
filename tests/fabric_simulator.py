"""Fabrics for tests: ibsim with its tools and OpenSM, where installed, and damaged files."""

import os
import random
import shutil
import subprocess
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from tests.jobs.processes import until
from tvlb.errors import InvalidInput

_TOOLS = ("ibsim", "ibsim-run", "ibnetdiscover", "opensm")
INSTALLED = all(map(shutil.which, _TOOLS))
_SECONDS = 60
_DAMAGED = 200
_Read = TypeVar("_Read")


def read_damaged(
    text: str, letters: str, read: Callable[[str], _Read]
) -> tuple[list[_Read], list[str]]:
    """Read a text with one other character, many times; return what was read and what was said."""
    chance, found, refused = random.Random(5), list[_Read](), list[str]()
    for _ in range(_DAMAGED):
        place = chance.randrange(len(text))
        try:
            found.append(read(text[:place] + chance.choice(letters) + text[place + 1 :]))
        except InvalidInput as error:
            refused.append(str(error))
    assert not any("\n" in one for one in refused)
    return found, refused


_SIZES = ("-N", "20000", "-S", "4000", "-P", "300000", "-L", "49151")


@dataclass(frozen=True)
class FabricSimulator:
    """A running ibsim.

    Attributes
    ----------
    folder : for files.
    socket : name of its sockets, by which programs find it.
    """

    folder: Path
    socket: str

    def run(self, *command: str, seconds: float = _SECONDS) -> bytes:
        """Run a tool of fabrics in the folder and return what it prints; raises TimeoutExpired."""
        environment = os.environ | {"IBSIM_SOCKNAME": self.socket, "OSM_TMP_DIR": str(self.folder)}
        done = subprocess.run(
            ["ibsim-run", *command],
            cwd=self.folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=seconds,
            check=False,
        )
        return done.stdout

    def discover(self) -> Path:
        """Return a file of what ibnetdiscover prints."""
        path = self.folder / "discovered"
        path.write_bytes(self.run("ibnetdiscover"))
        return path

    def manage(self, *options: str, seconds: float = _SECONDS) -> tuple[Path, str]:
        """Have OpenSM make tables once; return what it dumped and its log.

        Raises TimeoutExpired.
        """
        log = self.folder / "opensm.log"
        log.unlink(missing_ok=True)
        told = ("-f", str(log), "-D", "0x43", "--dump_files_dir", str(self.folder))
        self.run("opensm", "-o", "-r", *told, *options, seconds=seconds)
        return self.folder / "opensm-lfts.dump", log.read_text()


@contextmanager
def fabric_simulator(netlist: Path) -> Generator[FabricSimulator]:
    """Run ibsim on a netlist, whose folder its files go to."""
    socket = f"tvlb-{os.getpid()}"
    with (netlist.parent / "ibsim.log").open("wb") as log:
        process = subprocess.Popen(
            ["ibsim", "-s", "-n", *_SIZES, netlist.name],
            cwd=netlist.parent,
            env=os.environ | {"IBSIM_SOCKNAME": socket},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    try:
        sockets = Path("/proc/net/unix")
        until(lambda: process.poll() is not None or f"@{socket}:ctl" in sockets.read_text())
        assert process.poll() is None, (netlist.parent / "ibsim.log").read_text()
        yield FabricSimulator(netlist.parent, socket)
    finally:
        process.kill()
        process.wait()
