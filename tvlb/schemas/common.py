"""What several documents have in common."""

from typing import Annotated, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from pydantic.config import JsonDict
from pydantic.json_schema import SkipJsonSchema

from tvlb.search import Decide, Warmup
from tvlb.virtual_channels import VcScheme

__all__ = [
    "Count",
    "Cycles",
    "Document",
    "Load",
    "OptionalKey",
    "PathSetText",
    "PatternText",
    "RouterSettings",
    "Seconds",
    "Seed",
    "Share",
    "SimulationSettings",
    "TopologyText",
    "Versions",
    "drop_default",
]

_Value = TypeVar("_Value")


class Document(BaseModel):
    """A document, or a part of one: immutable, and with no keys but those named."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def _refuse_null(value: _Value | None) -> _Value:
    if value is None:
        raise ValueError("leave the key out instead of null")
    return value


def drop_default(schema: JsonDict) -> None:
    """Take the null that stands for an absent key out of a JSON schema."""
    schema.pop("default", None)


# A key that some documents lack. Its value is never null; None stands for the absent key.
OptionalKey = Annotated[
    _Value | SkipJsonSchema[None],
    AfterValidator(_refuse_null),
    Field(json_schema_extra=drop_default),
]

TopologyText = Annotated[
    str,
    Field(description="Topology, as it is parsed, or the path of a topology file."),
]
PathSetText = Annotated[
    str,
    Field(description="VLB path set: an expression, such as <=4+60%, or the path of a table."),
]
PatternText = Annotated[
    str,
    Field(description="Traffic pattern, as it is parsed, or the path of a traffic matrix."),
]
Count = Annotated[int, Field(ge=0)]
Cycles = Annotated[int, Field(ge=0)]
Share = Annotated[float, Field(ge=0.0, le=1.0)]
Load = Annotated[float, Field(ge=0.0, le=1.0)]
Seconds = Annotated[float, Field(ge=0.0)]
Seed = Annotated[int, Field(ge=0, lt=2**63, description="Seed of everything drawn at random.")]


class Versions(Document):
    """Versions of the software that the figures depend on."""

    python: str = Field(description="Version of the interpreter.")
    tvlb: str = Field(description="Version of tvlb.")
    highspy: str = Field(description="Version of the LP solver HiGHS.")
    numpy: str = Field(description="Version of NumPy.")
    pulp: str = Field(description="Version of PuLP, the interface to other LP solvers.")
    pyarrow: str = Field(description="Version of PyArrow, which writes Parquet files.")
    cma: OptionalKey[str] = Field(
        default=None, description="Version of pycma, which proposes weighted path sets."
    )


class RouterSettings(Document):
    """Settings of the simulated routers; the defaults are Table 3 of the T-UGAL paper."""

    warmup: Warmup = Field(description="Whether the warm-up is fixed or ends when a run is steady.")
    drain_limit_cycles: Cycles = Field(
        description="Most cycles after the measured window to wait for its packets."
    )
    vc_scheme: VcScheme = Field(description="How the virtual channel rises along a route.")
    vc_count: int | None = Field(
        ge=1, le=8, description="Virtual channels per port; null for what the scheme needs."
    )
    buffer_flits: int = Field(ge=1, description="Buffer of one input port and VC, flits.")
    local_latency: int = Field(ge=1, description="Latency of local links, cycles.")
    global_latency: int = Field(ge=1, description="Latency of global links, cycles.")
    speedup: int = Field(ge=1, description="Internal switch steps per cycle.")
    threshold: int = Field(description="UGAL's bias towards MIN, flits.")
    decide: Decide = Field(description="When the source decides on the route of a packet.")
    traced_packets: Count = Field(description="Measured packets to trace per run.")


class SimulationSettings(RouterSettings):
    """Settings of the simulated routers, with the windows."""

    warmup_cycles: Cycles = Field(
        description="Cycles before the measured window; with a detected warm-up, at most so many."
    )
    measured_cycles: int = Field(ge=1, description="Cycles of the measured window.")
    stop_when_saturated: bool = Field(
        description="Whether a run ends as soon as it is certain to be saturated."
    )
