"""What a sweep took: all that depends on the machine, the day, and on interruptions."""

# pyarrow has no type information.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false

import platform
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tvlb.documents import atomic_file
from tvlb.sweeps.points import PointResult

TIMINGS_NAME = "timings.parquet"
_STAGES = ("probe", "balance", "simulate", "search", "compare", "table", "route", "measure")
_SCHEMA = pa.schema(
    [
        pa.field("point", pa.int64(), nullable=False),
        pa.field("key", pa.string(), nullable=False),
        pa.field("name", pa.string(), nullable=False),
        # When the table was finished, in this run or an earlier one.
        pa.field("finished_at", pa.timestamp("ms", tz="UTC")),
        # The run that finished it: seconds of wall time; other points went on at the same time.
        *(pa.field(f"{stage}_seconds", pa.float64()) for stage in _STAGES),
        # The run that wrote this file.
        pa.field("host", pa.string(), nullable=False),
        pa.field("attempts", pa.int64(), nullable=False),
        # Why the point failed, in full.
        pa.field("detail", pa.string()),
        pa.field("seconds", pa.float64(), nullable=False),
        pa.field("units_computed", pa.int64()),
        pa.field("units_reused", pa.int64()),
        pa.field("estimated_cpu_seconds", pa.float64(), nullable=False),
    ]
)


def write_timings(results: Sequence[PointResult], directory: Path) -> None:
    """Write `timings.parquet`, a row per point; attempts are 0 where the table was there before."""
    table = pa.Table.from_pylist([_row(result) for result in results], schema=_SCHEMA)
    with atomic_file(directory / TIMINGS_NAME) as stream:
        pq.write_table(table, stream)


def _row(result: PointResult) -> dict[str, Any]:
    point, stored, units = result.point, result.stored, result.units
    documents = () if stored is None else (stored.document, *result.followed)
    timings = {stage: spent for one in documents for stage, spent in one.get("timings", {}).items()}
    return {
        "point": point.number,
        "key": point.key,
        "name": point.name,
        "finished_at": None if stored is None else datetime.fromtimestamp(stored.created_at, UTC),
        **{f"{stage}_seconds": timings.get(stage) for stage in _STAGES},
        "host": platform.node(),
        "attempts": result.attempts,
        "detail": result.detail,
        "seconds": result.seconds,
        "units_computed": None if units is None else units.computed,
        "units_reused": None if units is None else units.reused,
        "estimated_cpu_seconds": point.cost.cpu_seconds,
    }
