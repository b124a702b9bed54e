"""What studies of stability can be asked for, as a JSON body."""

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self

from pydantic import ConfigDict, Field

from tvlb.documents import WHOLE
from tvlb.languages import made
from tvlb.schemas.requests import Load, Request, Seed
from tvlb.schemas.settings import with_options
from tvlb.schemas.texts import OneOf, PatternText, VcsText
from tvlb.search import (
    VCT_ROUTING_NAMES,
    VCT_ROUTINGS,
    Cost,
    LongRun,
    StabilityCase,
    checked_cases,
    parse_vcs,
    stability_cases,
    stability_cost,
)
from tvlb.topology import Topology, described
from tvlb.traffic import Pattern, parse_named_pattern

_MOST_VCS = 64


class _Cases(Request):
    """What is simulated."""

    pattern: PatternText = "uniform"
    routing: Annotated[
        tuple[Annotated[str, OneOf(VCT_ROUTING_NAMES)], ...],
        Field(
            min_length=1,
            max_length=len(VCT_ROUTINGS),
            strict=False,
            description="Routings of the router vct; every one is run with every choice of "
            "virtual channels.",
        ),
    ] = (VCT_ROUTINGS[1],)
    vcs: Annotated[
        tuple[VcsText, ...],
        Field(min_length=1, max_length=_MOST_VCS, strict=False, description="Virtual channels."),
    ] = ("ladder",)
    load: Annotated[Load, Field(description="Offered load, phits/cycle/node, 0..1.")] = 1.0


class StabilityBody(with_options(_Cases, LongRun)):
    """Run a network under full load for long, and tell whether throughput lasts."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "topology": "hyperx(4,4,4)",
                    "pattern": "dshift(1)",
                    "routing": ["valiant(minlast)"],
                    "vcs": ["2phases:4", "reuse"],
                }
            ]
        }
    )
    kind: ClassVar[str] = "stability"

    seed: Seed = 0
    seeds: Annotated[int, Field(ge=1, le=1000, description="Runs of each case."), WHOLE] = 1
    until_collapse: Annotated[
        bool,
        Field(
            description="End a run as soon as it is sure to be of category 3; categories are the "
            "same."
        ),
    ] = False

    if TYPE_CHECKING:
        # Which options there are is known only when the program runs.
        def __init__(self, **asked: Any) -> None: ...

    def traffic(self) -> Pattern:
        """Return the traffic pattern."""
        return parse_named_pattern(self.pattern)

    def cases(self) -> list[StabilityCase]:
        """Return the cases, by virtual channels and then by routing."""
        return stability_cases(made(LongRun, dict(self)), self.routing, self.vcs)

    def _resolved(self, network: Topology) -> Self:
        traffic = self.traffic()
        known = list(
            checked_cases(
                network, self.cases(), traffic, load=self.load, seed=self.seed, seeds=self.seeds
            )
        )
        routings = len(self.routing)
        return self.model_copy(
            update={
                "topology": described(network),
                "pattern": str(traffic),
                "routing": tuple(case.routing for case in known[:routings]),
                "vcs": tuple(
                    _vcs_text(text, known[place * routings : (place + 1) * routings])
                    for place, text in enumerate(self.vcs)
                ),
            }
        )

    def _cost(self, network: Topology) -> Cost:
        return stability_cost(network, self.cases(), self.load, self.seeds)


def _vcs_text(text: str, cases: list[StabilityCase]) -> str:
    """Write virtual channels with their number, unless routings need different ones."""
    policy, _ = parse_vcs(text)
    counts = {case.config.vc_count for case in cases}
    return f"{policy}:{counts.pop()}" if len(counts) == 1 else policy
