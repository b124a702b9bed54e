"""The document of a whole search: `tvlb table --json`."""

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Annotated, Literal, Self

from pydantic import ConfigDict, Field

from tvlb.balance import unbalanced
from tvlb.documents import Document
from tvlb.requests.balance import Balance
from tvlb.requests.common import (
    Count,
    Load,
    MeanHops,
    OptionalKey,
    PathSetText,
    Seconds,
    Seed,
    TopologyText,
    Versions,
)
from tvlb.requests.examples import example
from tvlb.requests.found import Balancing, FoundSearch, UgalDocument
from tvlb.requests.probe import Curve
from tvlb.requests.settings import with_settings
from tvlb.requests.validation import CurvePoint, Decision, SimulatedSet
from tvlb.requests.verdict import VerdictDocument
from tvlb.search import SearchOptions, TableResult, budget_text
from tvlb.topology import TopologyMetadata, metadata_type

if TYPE_CHECKING:
    Metadata = TopologyMetadata
else:
    Metadata = metadata_type()


class TableSummary(Document):
    """The chosen table."""

    id: str = Field(pattern="^[0-9a-f]{64}$", description="SHA-256 of the content, hex.")
    form: Literal["full", "compact"] = Field(
        description="Whether the table lists its rows, or holds rule, seed and removed paths."
    )
    expression: PathSetText
    mean_vlb_hops: MeanHops
    paths: Count = Field(
        description="Paths of all switch pairs; before balancing where that saw only a sample."
    )
    removed_by_balance: Count | None = Field(
        description="Paths that balancing removed; null where it saw only a sample of the pairs."
    )
    balancing: Balancing
    sampled_pairs: Count | None = Field(
        description="Switch pairs that mean_vlb_hops is of; null for all."
    )
    ugal: OptionalKey[UgalDocument] = Field(
        None, description="Rule of UGAL that the table is for; absent of the published one."
    )

    @classmethod
    def of(cls, result: TableResult) -> Self:
        """Describe the table that a search ended with."""
        header = result.table.header
        compact, removed = header.compact, _removed_by_balance(result)
        return cls(
            id=result.table.id,
            form="full" if compact is None else "compact",
            expression=header.expression,
            mean_vlb_hops=header.mean_vlb_hops,
            paths=result.verdict.paths,
            removed_by_balance=removed,
            balancing=None if result.chosen is None else result.chosen.form,
            sampled_pairs=None if compact is None else compact.sampled_pairs,
            **({} if header.ugal is None else {"ugal": UgalDocument(**header.ugal.model_dump())}),
        )


def _removed_by_balance(result: TableResult) -> int | None:
    """Count removed paths; None where balancing only saw a sample."""
    report = None if result.chosen is None else result.chosen.balance_report
    if report is None:
        return 0
    return report.removed if report.sampled_pairs is None else None


class Timings(Document):
    """Wall time of each stage, seconds; stages of the other method are left out."""

    probe: Seconds = Field(description="Step 1, the throughput model, seconds.")
    balance: Seconds = Field(
        description="Choosing the candidates, and balancing them by the paper's method, seconds."
    )
    simulate: OptionalKey[Seconds] = Field(
        None, description="Screening, confirmation and curves of the paper's method, seconds."
    )
    search: OptionalKey[Seconds] = Field(
        None, description="The search for weighted sets, balancing included, seconds."
    )
    compare: OptionalKey[Seconds] = Field(
        None, description="Judging what a search found, and curves, seconds."
    )
    table: Seconds = Field(description="Building the table, seconds.")


class SearchParameters(with_settings(Document, SearchOptions)):
    """The options of the search that decide its result."""

    seed: Seed

    @classmethod
    def of(cls, result: TableResult) -> Self:
        """Describe the options of a search, with the defaults of its method filled in."""
        options = result.options
        budget = budget_text(options.budget, result.topology, options.searched)
        return cls.model_validate(replace(options.resolved(), budget=budget))


class Provenance(Versions):
    """Versions of the software, and the options of the search."""

    parameters: SearchParameters


class Work(Document):
    """What was computed, in units that do not depend on the machine."""

    programs: Count = Field(description="Path sets times the patterns that each was modelled for.")
    flit_hops: Count = Field(description="Links traversed by flits in all simulations.")
    cycles: Count = Field(description="Simulated cycles of all simulations.")


class _Found(Document):
    topology: TopologyText
    table: TableSummary
    topology_metadata: Metadata = Field(description="What the network amounts to.")


# The keys of the last base come first.
class TableDocument(Curve, _Found):
    """A T-VLB table and how it was found."""

    model_config = ConfigDict(json_schema_extra={"examples": [example("search"), example("table")]})

    candidates: tuple[SimulatedSet, ...] = Field(
        description="The simulated sets, in order; what a search found comes first."
    )
    merged: dict[str, str] = Field(
        description="Path sets left out because they mean the paths of another: that other set, "
        "by the expression left out."
    )
    baseline: SimulatedSet = Field(description="The conventional set; on a Dragonfly `all`.")
    decision: Decision
    reference_load: Load = Field(
        description="Load at which latencies are compared, packets/cycle/node."
    )
    verdict: OptionalKey[VerdictDocument] = Field(
        None, description="What follows from all this; absent in documents of earlier versions."
    )
    curves: dict[str, tuple[CurvePoint, ...]] = Field(
        description="Latency-load curves of `all` and of the chosen set, by name."
    )
    balance: Balance = Field(description="What balancing did to the chosen set.")
    search: FoundSearch | None = Field(
        description="What a search for weighted sets found; null for the paper's method."
    )
    timings: Timings
    work: Work
    provenance: Provenance

    @classmethod
    def of(cls, result: TableResult) -> Self:
        """Describe a whole search."""
        validation, chosen = result.validation, result.chosen
        report = None if chosen is None else chosen.balance_report
        return cls.model_validate(
            {
                "topology": str(result.topology),
                "table": TableSummary.of(result),
                "topology_metadata": result.topology.metadata,
                **cls.figures(result.probe, result.options.tolerance),
                "candidates": [
                    SimulatedSet.of(simulated, validation, candidate.mean_hops, candidate)
                    for candidate, simulated in zip(
                        result.candidates, validation.candidates, strict=True
                    )
                ],
                "merged": result.merged,
                "baseline": SimulatedSet.of(validation.baseline, validation, result.baseline_hops),
                "decision": {
                    **asdict(validation.decision),
                    "reason": result.verdict.text[0],
                },
                "verdict": VerdictDocument.of(result.verdict),
                "reference_load": validation.reference_load,
                "curves": validation.curves,
                "balance": Balance.of(report or unbalanced(result.table.base_set)),
                "search": None if result.found is None else FoundSearch.of(result.found),
                "timings": result.timings,
                "work": result.work,
                "provenance": {**result.provenance, "parameters": SearchParameters.of(result)},
            }
        )


# Lists of one type: checkers of schemas know no others.
_Place = Annotated[tuple[float, ...], Field(min_length=2, max_length=2)]
_Label = Annotated[tuple[float | str, ...], Field(min_length=3, max_length=3)]


class LinkUsage(Document):
    """The directed links of a network by link id, and how much the routes of a table use them.

    The links inside groups come first. In networks without groups every switch is one of its own.
    """

    topology: str
    groups: int
    switches_per_group: int
    first_global_link: int = Field(description="Link id of the first link between groups.")
    places: tuple[_Place, ...] = Field(
        default=(),
        description="Where a picture has each switch: x and y from the top left corner of a square "
        "of side 1. Empty for a ring of groups, each a ring of switches.",
    )
    labels: tuple[_Label, ...] = Field(
        default=(), description="What is written beside such places: x, y and text."
    )
    where: tuple[str, ...] = Field(
        default=(), description="Of each switch its group, column or label; may be empty."
    )
    src: tuple[int, ...] = Field(description="Source switch of every link.")
    dst: tuple[int, ...] = Field(description="Target switch of every link.")
    usage: tuple[float, ...] = Field(
        description="Usage over the mean of the links of the same kind in use, when every switch "
        "pair draws its VLB paths equally often, or by the routes of all pairs of nodes in a "
        "forwarding table."
    )
    sampled_pairs: int | None = Field(
        description="Number of switch pairs between groups that usage was taken from; null for all."
    )
