"""What a table holds, as plain data for printing and for JSON."""

from typing import Any

import numpy as np

from tvlb.paths import PathRows, repeats, revisits
from tvlb.table.compact import AnyTable, CompactTable
from tvlb.table.diversity import Spread, diversity
from tvlb.table.header import TableHeader
from tvlb.table.structure import first_invalid_row
from tvlb.table.table import Table


def summarise(table: AnyTable) -> dict[str, Any]:
    """Describe a table in a few numbers, such as `paths`, `mean_vlb_hops` and `switch_pairs`.

    Pairs of switches are those of switches that have paths, so of none that is down.
    Of a full table `weights_from` says what its draw weights follow from: expression, balancing or
    listed; `diversity` is the choice per inter-group pair; `revisiting_paths` visit a switch twice
    and `repeating_paths` the same switches as an earlier one of their pair, None if a row is no
    path.
    Of a compact one `paths` are those of the expression, before balancing.

    Raises
    ------
    InvalidInput : the rows cannot be told apart by switch pair.
    """
    if isinstance(table, CompactTable):
        return _compact(table)
    rows, header = table.rows, table.header
    joined = rows.topology.has_paths(rows.source, rows.target)
    counts, found = np.diff(rows.offset)[joined], diversity(rows)
    followed = first_invalid_row(rows) is None
    return {
        "id": table.id,
        "topology": str(table.topology),
        "expression": header.expression,
        "seed": header.seed,
        "version": header.version,
        **_incomplete(header),
        "switch_pairs": len(counts),
        "pairs_without_paths": int(np.count_nonzero(counts == 0)),
        "paths": len(rows),
        "revisiting_paths": int(revisits(rows).sum()) if followed else None,
        "repeating_paths": int(repeats(rows).sum()) if followed else None,
        "removed_by_balance": len(table.removed),
        "weights_from": _weight_source(table),
        "paths_by_hops": header.paths_by_hops,
        "mean_vlb_hops": header.mean_vlb_hops,
        "weights": _weights(rows),
        "diversity": {
            "pairs": found.pairs,
            "paths": _spread(found.paths),
            "first_links": _spread(found.first_links),
            "intermediates": _spread(found.intermediates),
        },
    }


def _incomplete(header: TableHeader) -> dict[str, Any]:
    return {} if header.incomplete is None else {"incomplete": header.incomplete}


def _weight_source(table: Table) -> str:
    match table.header.weights:
        case None:
            return "expression"
        case "listed":
            return "listed"
        case _:
            return "balancing"


def _spread(spread: Spread) -> dict[str, float]:
    return {"min": spread.minimum, "mean": spread.mean}


def _weights(rows: PathRows) -> dict[str, float | None]:
    """Return the extremes of the weights, None without paths, and the largest |sum - 1|."""
    sums = np.bincount(rows.pair_of_row, weights=rows.weight, minlength=len(rows.source))
    listed = sums[np.diff(rows.offset) > 0]
    return {
        "min": float(rows.weight.min()) if len(rows) else None,
        "max": float(rows.weight.max()) if len(rows) else None,
        "largest_sum_error": float(np.abs(listed - 1).max(initial=0.0)),
    }


def _compact(table: CompactTable) -> dict[str, Any]:
    header = table.header
    switches = int(np.count_nonzero(table.topology.is_end))
    record = header.compact
    assert record is not None
    return {
        "id": table.id,
        "form": "compact",
        "topology": str(table.topology),
        "expression": header.expression,
        "seed": header.seed,
        "version": header.version,
        **_incomplete(header),
        "switch_pairs": switches * (switches - 1),
        "paths": sum(header.paths_by_hops.values()),
        "paths_by_hops": header.paths_by_hops,
        "balance": None if record.balance is None else record.balance.model_dump(),
        "removed_besides": len(table.removed),
        "mean_vlb_hops": header.mean_vlb_hops,
        "sampled_pairs": record.sampled_pairs,
    }
