"""Entry of the command `tvlb` and of ``python -m tvlb``.

The command line is loaded here and not above, so that an interrupt while the libraries are being
imported ends in one line like any other.
"""

import os
import sys


def main() -> int:
    """Run the command line; see `tvlb.cli.main`."""
    # All processes that it starts are Python's, which else import from the working directory what
    # has the name of a standard module.
    os.environ["PYTHONSAFEPATH"] = "1"
    try:
        from tvlb.cli import main as run

        return run()
    except KeyboardInterrupt:
        print("tvlb: interrupted", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
