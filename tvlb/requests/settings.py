"""Settings as fields of requests and documents, from their one declaration."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING
from math import isfinite
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator, Field, create_model

from sim_bridge import SimulationConfig, VctConfig
from tvlb.balance import BalanceOptions
from tvlb.documents import WHOLE
from tvlb.languages import (
    Flag,
    Group,
    Kind,
    Names,
    NamesOrWhole,
    Number,
    Setting,
    Switch,
    Text,
    Texts,
    Whole,
    offered,
    settings,
)
from tvlb.requests.common import Document
from tvlb.requests.problems import InWords
from tvlb.requests.request import STRICT, Question
from tvlb.requests.texts import (
    JobText,
    LatenciesText,
    ObjectiveText,
    OneOf,
    OrderText,
    PatternText,
    TrafficText,
)
from tvlb.search import Windows as SimulatedWindows
from tvlb.search import shown_traffic

_Model = TypeVar("_Model", bound=BaseModel)
# Texts in small languages, by their setting.
_LONGEST_TEXT = 1000
_TEXTS: dict[str, Any] = {
    "objective": ObjectiveText,
    "traffic": TrafficText,
    "link_latencies": LatenciesText,
    "order": OrderText,
    "job": JobText,
    "pattern": PatternText,
}


def with_options(base: type[_Model], declaring: type) -> type[_Model]:
    """Return the model with the settings that can be asked for, by their names as options."""
    fields: dict[str, Any] = {
        name: (
            _described(_asked(one), one, one.unset),
            ... if one.default is MISSING else _usual(one),
        )
        for name, one in offered(declaring).items()
    }
    found = create_model(base.__name__, __base__=base, **fields)
    if issubclass(found, Question):
        found.declared = {**found.declared, **offered(declaring)}
    return found


def _usual(setting: Setting) -> Any:
    """Return the default of a field of a request."""
    kind, value = setting.kind, setting.kind.asked(setting.default)
    if value is not None and isinstance(kind, Group) and kind.declaring in _BODIES:
        return _BODIES[kind.declaring].model_validate(value)
    return value


def with_settings(base: type[_Model], declaring: type, names: Iterable[str] = ()) -> type[_Model]:
    """Return the model with these settings, all required; by default with all there are."""
    known = settings(declaring)
    return _documented(base, {name: (known[name], known[name].null) for name in names or known})


def with_asked(base: type[_Model], declaring: type) -> type[_Model]:
    """Return the model with the settings that can be asked for, as they were: null for unset."""
    return _documented(base, {name: (one, one.unset) for name, one in offered(declaring).items()})


def _documented(base: type[_Model], told: Mapping[str, tuple[Setting, str | None]]) -> type[_Model]:
    fields: dict[str, Any] = {
        name: _told(one, _described(written(one.kind), one, absent))
        for name, (one, absent) in told.items()
    }
    return create_model(base.__name__, __base__=base, **fields)


def _told(setting: Setting, values: Any) -> Any:
    """Return a field of a document: null where it is of an earlier version."""
    return (values, None) if setting.is_later else values


def _described(values: Any, setting: Setting, absent: str | None) -> Any:
    """Return the annotation of a field; `absent` is what a value left open stands for."""
    if isinstance(setting.kind, Text) and setting.kind.values is not None:
        return values
    if absent is None:
        return Annotated[values, Field(description=f"{setting.text}.")]
    if isinstance(setting.kind, Texts):
        return Annotated[values, Field(description=f"{setting.text}; empty for {absent}.")]
    return Annotated[values | None, Field(description=f"{setting.text}; null for {absent}.")]


def _asked(setting: Setting) -> Any:
    """Return what values a request may have."""
    match setting.kind:
        case Whole():
            values = Annotated[written(setting.kind), WHOLE, InWords(setting.checked)]
        case Names(names):
            values = Annotated[str, OneOf(names), InWords(setting.checked)]
        case NamesOrWhole(names, low, high) as kind:
            number = Annotated[int, Field(ge=low, le=high), WHOLE]
            values = Annotated[
                Annotated[str, OneOf(names)] | number,
                InWords(_refuser(setting.option or setting.name, kind)),
            ]
        case Number():
            values = Annotated[written(setting.kind), InWords(setting.checked)]
        case Text(values=values):
            values = values or _TEXTS.get(setting.name, _any_text(setting))
        case Texts(_, most):
            text = _TEXTS.get(setting.name, _any_text(setting))
            values = Annotated[tuple[text, ...], Field(max_length=most, strict=False)]
        case Switch():
            values = bool
        case Group(declaring, parse):
            values = Annotated[_BODIES[declaring], InWords(_parser(parse))]
        case _:
            values = written(setting.kind)
    return values


def _any_text(setting: Setting) -> Any:
    """Return the texts of a setting whose language requests do not know."""
    return Annotated[str, Field(max_length=_LONGEST_TEXT), InWords(setting.checked)]


def _parser(parse: Callable[[str], object]) -> Callable[[object], None]:
    """Refuse the text of a command line, where it is no good either, as that does."""

    def check(value: object) -> None:
        if isinstance(value, str):
            parse(value)

    return check


def _refuser(name: str, kind: NamesOrWhole) -> Callable[[object], None]:
    def refuse(value: object) -> None:
        raise kind.refused(name, value)

    return refuse


def written(kind: Kind) -> Any:
    """Return what values a document may have."""
    match kind:
        case Whole(low, high):
            values = Annotated[int, Field(**_ends(low, high))]
        case Number(low, high, above, below):
            values = Annotated[float, Field(**_ends(low, high, above=above, below=below))]
        case Names(names):
            values = names if isinstance(names, type) else Annotated[str, OneOf(names)]
        case NamesOrWhole(names):
            values = Annotated[str, Field(pattern=f"^({'|'.join(names)}|[0-9]+)$")]
        case Texts(_, most):
            shown = Annotated[str, BeforeValidator(shown_traffic)]
            values = Annotated[tuple[shown, ...], Field(max_length=most)]
        case Group(declaring):
            values = _DOCUMENTS[declaring]
        case Flag():
            values = bool
        case _:
            values = str
    return values


def _ends(low: float, high: float, *, above: bool = False, below: bool = False) -> dict[str, Any]:
    ends = {"gt" if above else "ge": low, "lt" if below else "le": high}
    return {name: end for name, end in ends.items() if isfinite(end)}


class _Strict(BaseModel):
    model_config = STRICT


class WindowsBody(with_options(_Strict, SimulatedWindows)):
    """How closely to simulate."""

    if TYPE_CHECKING:
        # Which options there are is known only when the program runs.
        def __init__(self, **asked: Any) -> None: ...

    def __str__(self) -> str:
        return ",".join(map(str, vars(self).values()))


_BODIES: dict[Any, Any] = {SimulatedWindows: WindowsBody}


class Windows(with_settings(Document, SimulatedWindows)):
    """How closely a figure was looked at."""


_WINDOWS = ("warmup_cycles", "measured_cycles", "stop_when_saturated", "interval")


class RouterSettings(
    with_settings(
        Document,
        SimulationConfig,
        (name for name in settings(SimulationConfig) if name not in _WINDOWS),
    )
):
    """Settings of the simulated routers; the defaults are Table 3 of the T-UGAL paper."""


class SimulationSettings(with_settings(RouterSettings, SimulationConfig, _WINDOWS)):
    """Settings of the simulated routers, with the windows."""


class VctSettings(with_settings(Document, VctConfig)):
    """Settings of the virtual cut-through router, with the window."""


class BalanceSettings(with_settings(Document, BalanceOptions)):
    """Thresholds and floors of balancing."""


_DOCUMENTS: dict[Any, Any] = {
    SimulatedWindows: Windows,
    SimulationConfig: RouterSettings,
    BalanceOptions: BalanceSettings,
}
