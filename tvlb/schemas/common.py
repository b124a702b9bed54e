"""What several documents have in common."""

from math import isfinite
from typing import Annotated, TypeVar

from pydantic import AfterValidator, BeforeValidator, Field
from pydantic.config import JsonDict
from pydantic.json_schema import SkipJsonSchema

from tvlb.documents import Document

__all__ = [
    "Count",
    "Cycles",
    "Figure",
    "Load",
    "NonNegative",
    "OptionalKey",
    "OrNull",
    "PathSetText",
    "PatternText",
    "Seconds",
    "Seed",
    "Share",
    "TopologyText",
    "Versions",
    "drop_default",
]

_Value = TypeVar("_Value")


def _refuse_null(value: _Value | None) -> _Value:
    if value is None:
        raise ValueError("leave the key out instead of null")
    return value


def _null_if_unknown(value: object) -> object:
    return None if isinstance(value, float) and not isfinite(value) else value


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
# What may be nan, because it does not exist, is null in a document.
OrNull = BeforeValidator(_null_if_unknown)
Figure = Annotated[float | None, OrNull]
NonNegative = Annotated[Annotated[float, Field(ge=0.0)] | None, OrNull]
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
