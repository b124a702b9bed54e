"""What is kept of a search that is interrupted: the best table so far."""

import shlex
import sys
from pathlib import Path

from tvlb.cli.terminal import print_notice, print_written
from tvlb.documents import free_path
from tvlb.processes import Progress, Reporter
from tvlb.search import Candidate, SearchOptions, incomplete_table
from tvlb.table import write_table
from tvlb.topology import Topology


class Interim:
    """Watches a search, and writes its best table so far where it is interrupted.

    Parameters
    ----------
    network, options : of the search.
    store : where its pieces of work are kept, None if nowhere.
    """

    def __init__(self, network: Topology, options: SearchOptions, store: Path | None) -> None:
        self._network = network
        self._seed, self._rule = options.seed, options.config.rule
        self._store = store
        self._best: Candidate | None = None
        self._last: Progress | None = None

    def note(self, best: Candidate) -> None:
        """Take the best set so far."""
        self._best = best

    def told(self, report: Reporter) -> Reporter:
        """Return a reporter that also notes where the search is."""

        def both(event: Progress) -> None:
            self._last = event
            report(event)

        return both

    def keep(self, output: Path) -> None:
        """Write the best table so far beside `output`, or say that there is none; how to go on."""
        last, best = self._last, self._best
        where = "before its first stage" if last is None else _where(last)
        if best is None:
            print_notice(f"interrupted {where}: nothing was found yet")
        else:
            print_notice(f"interrupted {where}: writing the best table so far, {best.name}")
            path = free_path(output.with_name(f"{output.stem}.incomplete{output.suffix}"))
            table = incomplete_table(self._network, best, self._seed, where, self._rule)
            write_table(table, path)
            print_written(str(path))
        if self._store is None:
            print_notice("finished pieces of work are kept with --store DIR only")
        else:
            command = shlex.join(["tvlb", *sys.argv[1:]])
            print_notice(f"finished pieces of work are in {self._store}; to go on: {command}")


def _where(event: Progress) -> str:
    return f"in stage {event.stage}, {100 * event.done // max(event.total, 1)}% of it done"
