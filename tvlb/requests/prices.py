"""Prices of switches and cables, as sweeps have them."""

from typing import Annotated, Any, Self

from pydantic import AfterValidator, BaseModel, Field, model_validator

from tvlb.designs import PriceList, Rate
from tvlb.errors import InvalidInput
from tvlb.languages import one_of
from tvlb.requests.problems import refusal
from tvlb.requests.request import STRICT
from tvlb.topology import families

_LINEAR = ("fixed", "per_port")
_MOST_PORTS = 100_000

Amount = Annotated[float, Field(ge=0, le=10**12, allow_inf_nan=False)]


def _rate(given: dict[str, float]) -> dict[str, float]:
    if set(given) <= set(_LINEAR):
        return {name: given.get(name, 0.0) for name in _LINEAR}
    for key in given:
        if not (key.isascii() and key.isdigit() and 1 <= int(key[:9]) <= _MOST_PORTS):
            raise refusal(
                InvalidInput(
                    f'"{key}" is no number of ports 1..{_MOST_PORTS:,}; expected fixed and '
                    "per_port, or prices by number of ports, such as { 32 = 9000, 64 = 16000 }"
                )
            )
    return {str(int(key)): given[key] for key in sorted(given, key=int)}


def _kinds(given: dict[str, float]) -> dict[str, float]:
    known = {kind for family in families().values() for kind in family.topology.kinds.names}
    for kind in given:
        if kind not in known:
            allowed = one_of(sorted(known))
            raise refusal(InvalidInput(f'"{kind}" is no kind of cables; expected {allowed}'))
    return dict(sorted(given.items()))


_RATE: Any = {
    "propertyNames": {"pattern": f"^({'|'.join(_LINEAR)}|[0-9]{{1,6}})$"},
    "examples": [{"fixed": 1000, "per_port": 150}, {"32": 9000, "64": 16000}],
}
ByRadix = Annotated[
    dict[str, Amount],
    Field(min_length=1, max_length=100, json_schema_extra=_RATE),
    AfterValidator(_rate),
]
ByKind = Annotated[
    dict[str, Amount],
    Field(min_length=1, max_length=20, examples=[{"local": 60, "global": 400}]),
    AfterValidator(_kinds),
]


class Prices(BaseModel):
    """What switches and cables cost and draw.

    Figures of switches are linear in the radix, or those of the smallest listed radix that has
    enough ports; figures of cables are by kind.
    """

    model_config = STRICT

    currency: Annotated[
        str,
        Field(max_length=10, pattern=r"^[^\x00-\x1f\x7f]*$", description="What prices are in."),
    ] = ""
    switch: Annotated[ByRadix, Field(description="Price of a switch by its radix.")]
    cable: Annotated[ByKind, Field(description="Price of a cable by its kind.")]
    switch_watts: Annotated[
        ByRadix | None, Field(description="Watts of a switch by its radix.")
    ] = None
    cable_watts: Annotated[
        ByKind | None, Field(description="Watts of a cable by its kind; none by default.")
    ] = None

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.cable_watts is not None and self.switch_watts is None:
            raise refusal(InvalidInput("cable_watts are given without switch_watts"))
        return self

    def listed(self) -> PriceList:
        """Return them as a value."""
        return PriceList(
            self.currency,
            _rate_of(self.switch),
            self.cable,
            None if self.switch_watts is None else _rate_of(self.switch_watts),
            self.cable_watts or {},
        )


def _rate_of(given: dict[str, float]) -> Rate:
    if set(given) == set(_LINEAR):
        return Rate(given["fixed"], given["per_port"])
    return Rate(models=tuple((int(ports), figure) for ports, figure in given.items()))
