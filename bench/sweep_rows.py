"""The rows of a sweep as Markdown: what the chosen table gains over conventional UGAL.

::

    python -m bench.sweep_rows links-per-pair/results.parquet

Then the mean change of saturation by links per group pair, over the sizes; of a size the mean over
its wirings. Intervals are 95%: of a row over its patterns, of a mean over at least three sizes.
"""

# pyright: reportMissingTypeStubs=false

import argparse
import math
from itertools import groupby
from pathlib import Path
from typing import Any, cast

import numpy as np
import pyarrow.parquet as pq

from tvlb.statistics import estimate

Row = dict[str, Any]

_HEAD = (
    "network",
    "links per group pair",
    "nodes",
    "saturation, `all`",
    "chosen",
    "change of saturation",
    "change of latency",
)


def percent(mean: float, low: float, high: float) -> str:
    """Return a change with its interval."""
    return f"{100 * mean:+.1f}% ({100 * low:+.1f} to {100 * high:+.1f})"


def line(row: Row) -> str:
    """Return a row of the Markdown table."""
    changes = (
        percent(row[name], row[f"{name}_low"], row[f"{name}_high"])
        for name in ("saturation_gain", "latency_change")
    )
    cells = (
        row["topology"],
        f"{row['links_per_pair']:g}",
        f"{row['nodes']:,}",
        f"{row['saturation_all']:.4f}",
        f"`{row['chosen']}`",
        *changes,
    )
    return f"| {' | '.join(cells)} |"


def size(row: Row) -> tuple[int, ...]:
    """Return what networks of equal size have in common."""
    return tuple(row[name] for name in "pahg")


def by_links(rows: list[Row]) -> None:
    """Print the mean changes by links per group pair; rows come sorted by these."""
    for links, same in groupby(rows, key=lambda row: row["links_per_pair"]):
        sizes = [
            float(np.mean([row["saturation_gain"] for row in of_size]))
            for _, of_size in groupby(sorted(same, key=size), key=size)
        ]
        found = estimate(sizes)
        half = found.half_width() if len(sizes) > 2 else math.nan
        interval = "" if math.isnan(half) else f" +- {100 * half:.1f}"
        print(f"{links:g}: {100 * found.mean:+.1f}%{interval}, sizes: {len(sizes)}")


def main() -> None:
    """Print both."""
    parser = argparse.ArgumentParser()
    parser.add_argument("results", type=Path)
    read = cast("list[Row]", cast("Any", pq).read_table(parser.parse_args().results).to_pylist())
    rows = [row for row in read if row["saturation_gain"] is not None]
    rows.sort(key=lambda row: (-row["links_per_pair"], size(row)[::-1], row["topology"]))
    print(f"| {' | '.join(_HEAD)} |\n|{'---|' * len(_HEAD)}")
    for row in rows:
        print(line(row))
    print()
    by_links(rows)


if __name__ == "__main__":
    main()
