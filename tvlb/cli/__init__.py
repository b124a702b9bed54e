"""The command line `tvlb`: one module per command, thin wrappers over the Python interface."""

from tvlb.cli.app import main

__all__ = ["main"]
