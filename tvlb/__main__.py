"""Entry of the command `tvlb` and of ``python -m tvlb``.

The command line is loaded here and not above, so that an interrupt while the libraries are being
imported ends in one line like any other.
"""

import sys
from importlib import import_module

__all__ = ["main"]


def main() -> int:
    """Run the command line; see `tvlb.cli.main`."""
    try:
        return import_module("tvlb.cli").main()
    except KeyboardInterrupt:
        print("tvlb: interrupted", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
