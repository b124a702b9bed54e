"""What several documents have in common."""

from math import isfinite
from typing import Annotated, Any, Generic, TypeVar

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, create_model
from pydantic.config import JsonDict
from pydantic.json_schema import SkipJsonSchema

from tvlb.documents import Document
from tvlb.topology import families

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
MeanHops = Annotated[
    Figure,
    Field(
        description="Mean network hops of a drawn VLB path over the pairs in different groups; "
        "null if none has one.",
    ),
]
Count = Annotated[int, Field(ge=0)]
Share = Annotated[float, Field(ge=0.0, le=1.0)]
Load = Annotated[float, Field(ge=0.0, le=1.0)]
Seconds = Annotated[float, Field(ge=0.0)]
Seed = Annotated[int, Field(ge=0, lt=2**63, description="Seed of everything drawn at random.")]


class _ByKind(Document, Generic[_Value]):
    # Kinds of families that were registered later.
    __pydantic_extra__: dict[str, _Value]  # pyright: ignore[reportIncompatibleVariableOverride]

    model_config = ConfigDict(extra="allow")


def by_kind(part: type[Document]) -> type[Document]:
    """Return a document with a part for each kind of link that the network has."""
    kinds = [family.topology.kinds for family in families().values()]
    texts = {name: text for one in kinds for name, text in zip(one.names, one.texts, strict=True)}
    fields: dict[str, Any] = {
        name: (OptionalKey[part], Field(default=None, description=text))
        for name, text in texts.items()
    }
    return create_model("ByKind", __base__=_ByKind[part], **fields)


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
