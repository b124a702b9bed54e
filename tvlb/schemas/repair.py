"""Document of `tvlb repair`."""

from typing import Self

from pydantic import Field

from tvlb.documents import Document, versions
from tvlb.schemas.common import Count, Load, NonNegative, OptionalKey
from tvlb.schemas.found import Judgement
from tvlb.schemas.settings import with_settings
from tvlb.search import Repaired, RepairOptions


class RepairParameters(with_settings(Document, RepairOptions)):
    """The options of a repair that decide what its comparison says."""


class RepairDocument(Document):
    """The table for what failures left, and what it is worth beside the old one."""

    topology: str = Field(description="What is left of the network.")
    table_id: str = Field(description="Id of the new table, SHA-256, hex.")
    expression: str = Field(description="Path set of both tables before balancing.")
    paths: Count = Field(description="Paths of the new table.")
    struck_paths: Count = Field(description="Paths of the old table that are down.")
    pairs_without_paths: Count = Field(
        description="Pairs of switches that are up and lost all VLB paths of the old table."
    )
    pairs_without_min_paths: Count = Field(
        description="Pairs of switches that are up and lost all MIN paths; they have others now."
    )
    ok: bool = Field(description="Whether the new table passed verification.")
    vcs_needed: Count = Field(description="Virtual channels that the new table needs.")
    deadlock_free: bool = Field(description="Whether no route of it can take part in a deadlock.")
    patterns: tuple[str, ...] = Field(description="Patterns of the comparison.")
    loads: tuple[Load, Load] = Field(
        description="Where latencies were compared, packets/cycle/node."
    )
    parameters: OptionalKey[RepairParameters] = Field(
        None, description="What was asked for, with the routers that were simulated."
    )
    judgements: tuple[Judgement, ...] = Field(
        description="The new table against the old one without dead paths, and against all paths."
    )
    timings: dict[str, NonNegative] = Field(description="Wall time by stage, seconds.")
    provenance: dict[str, str] = Field(description="Versions of the software that matters.")

    @classmethod
    def of(cls, repaired: Repaired) -> Self:
        """Return the document of a repair."""
        table, struck, report = repaired.table, repaired.struck, repaired.report
        held_out = repaired.held_out
        return cls.model_validate(
            {
                "topology": str(table.topology),
                "table_id": table.id,
                "expression": table.header.expression,
                "paths": report.paths,
                "struck_paths": struck.struck,
                "pairs_without_paths": struck.pairs_without_paths,
                "pairs_without_min_paths": struck.pairs_without_min_paths,
                "ok": report.ok,
                "vcs_needed": report.vcs_needed,
                "deadlock_free": not report.cycle,
                "patterns": [str(one) for one in held_out.workload.first_round],
                "loads": held_out.loads,
                "parameters": RepairParameters.model_validate(repaired.options),
                "judgements": [Judgement.of(one) for one in held_out.judgements],
                "timings": repaired.seconds,
                "provenance": versions(),
            }
        )
