"""Figures as keys of documents, from their one declaration (`tvlb.languages.figures.Figure`)."""

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, create_model

from sim_bridge import jain_index
from tvlb.documents import Document
from tvlb.languages import Kind
from tvlb.languages.figures import ByLink, BySwitch, Figure, Named, Parts, Values, figures
from tvlb.requests.common import Figure as AnyNumber
from tvlb.requests.common import NonNegative, OptionalKey, OrNull, by_kind
from tvlb.requests.settings import written
from tvlb.topology import Topology


class Fairness(Document):
    """Traffic of every switch in the measured window."""

    min: float = Field(ge=0.0, description="Least of all switches, packets/cycle/node.")
    max: float = Field(ge=0.0, description="Most of all switches, packets/cycle/node.")
    jain_index: NonNegative = Field(
        description="Jain's fairness index, 1 if all are equal; null without traffic."
    )
    by_switch: tuple[float, ...] = Field(description="By switch id, packets/cycle/node.")

    @classmethod
    def of(cls, rates: NDArray[np.float64]) -> Self:
        """Describe float64 (switches,), packets/cycle/node."""
        jain = jain_index(rates)
        by_switch = tuple(rates.tolist())
        return cls(min=rates.min(), max=rates.max(), jain_index=jain, by_switch=by_switch)


class Spread(Document):
    """Load of the links of one kind; null where the network has none of it."""

    mean: AnyNumber = Field(description="Mean over the links, flits or phits/cycle.")
    max: AnyNumber = Field(description="Load of the busiest link, flits or phits/cycle.")

    @classmethod
    def of(cls, loads: NDArray[np.float64]) -> Self:
        """Describe float64 (links,), flits or phits/cycle."""
        known = len(loads) > 0
        return cls(mean=loads.mean() if known else None, max=loads.max() if known else None)


class LinkLoad(by_kind(Spread)):
    """Load of the links in the measured window."""

    by_link: tuple[float, ...] = Field(description="By link id, flits or phits/cycle.")

    @classmethod
    def of(cls, loads: NDArray[np.float64], topology: Topology) -> Self:
        """Describe float64 (links,), flits or phits/cycle."""
        kinds = topology.network.link_kind
        spreads = {
            name: Spread.of(loads[kinds == kind]) for kind, name in enumerate(topology.kinds.names)
        }
        return cls.model_validate({**spreads, "by_link": loads.tolist()})


def key_of(one: Figure) -> Any:
    """Return the key of a figure of a run: type and default, as pydantic takes them."""
    values = _values(one)
    if one.is_later:
        return OptionalKey[values], Field(default=None, description=one.described)
    return values, Field(description=one.described)


def _values(one: Figure) -> Any:
    """Return what values a key has."""
    match one.kind:
        case BySwitch():
            return Fairness
        case ByLink():
            return LinkLoad
        case Parts(declaring, name, many):
            part = part_of(declaring, name)
            return tuple[part, ...] if many else part
        case Named(kind):
            return dict[str, _or_null(written(kind), one)]
        case kind:
            return _array(kind, one)


def _array(kind: Kind, one: Figure) -> Any:
    if isinstance(kind, Values):
        return tuple[_array(kind.kind, one), ...]
    return _or_null(written(kind), one)


def _or_null(values: Any, one: Figure) -> Any:
    return values if one.null is None else Annotated[values | None, OrNull]


@cache
def part_of(declaring: Any, name: str) -> type[Document]:
    """Return the document of the instances of a dataclass that declares figures."""
    text = str(declaring.__doc__).partition("\n")[0]
    keys: Any = {key: key_of(one) for key, one in figures(declaring).items()}
    return create_model(name, __base__=Document, __doc__=text, __module__=__name__, **keys)


def there(told: Mapping[str, Any], known: Mapping[str, Figure]) -> dict[str, Any]:
    """Leave out the figures of later versions that something does not have."""
    later = {name for name, one in known.items() if one.is_later}
    return {name: value for name, value in told.items() if value is not None or name not in later}


def told_of(one: Figure, result: Any, topology: Topology) -> Any:
    """Return what the document of a figure of a result is made of."""
    value = getattr(result, one.name)
    match one.kind:
        case BySwitch():
            return Fairness.of(value)
        case ByLink():
            return LinkLoad.of(value, topology)
        case Values():
            return None if value is None else value.tolist()
        case Parts(declaring, many=False, of=of):
            part = value if of is None else of(result)
            known = figures(declaring).items()
            told = {name: told_of(each, part, topology) for name, each in known}
            return there(told, figures(declaring))
        case _:
            return value
