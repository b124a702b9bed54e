"""The simulator's settings as fields of requests and documents, from their one declaration."""

from collections.abc import Iterable
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, Field, create_model

from tvlb.documents import WHOLE
from tvlb.schemas.common import Document
from tvlb.schemas.texts import OneOf
from tvlb.search import Setting, SimulationConfig, settings

__all__ = ["RouterSettings", "SimulationSettings", "with_options"]

_Model = TypeVar("_Model", bound=BaseModel)


def with_options(base: type[_Model]) -> type[_Model]:
    """Return the model with the settings that can be asked for, by their names as options."""
    default = SimulationConfig()
    asked: dict[str, Any] = {
        setting.option: (_asked(setting), _plain(getattr(default, name)))
        for name, setting in settings().items()
        if setting.option is not None
    }
    return create_model(base.__name__, __base__=base, **asked)


def _with_settings(base: type[_Model], names: Iterable[str]) -> type[_Model]:
    """Return the model with these settings, all required."""
    known = settings()
    written: dict[str, Any] = {name: _written(known[name]) for name in names}
    return create_model(base.__name__, __base__=base, **written)


def _asked(setting: Setting) -> Any:
    if isinstance(setting.values, type):
        if setting.unset is None:
            return Annotated[str, OneOf(setting.values), Field(description=f"{setting.text}.")]
        name = Annotated[str, OneOf(setting.values)]
        return Annotated[name | None, Field(description=_with_null(setting))]
    low, high = _range(setting)
    if setting.unset is None:
        return Annotated[int, Field(ge=low, le=high, description=f"{setting.text}."), WHOLE]
    number = Annotated[int, Field(ge=low, le=high), WHOLE]
    return Annotated[number | None, Field(description=_with_null(setting))]


def _written(setting: Setting) -> Any:
    if setting.values is None:
        return Annotated[bool, Field(description=f"{setting.text}.")]
    if isinstance(setting.values, type):
        # What is left open is filled in before a document is written.
        return Annotated[setting.values, Field(description=f"{setting.text}.")]
    low, high = _range(setting)
    if setting.unset is None:
        return Annotated[int, Field(ge=low, le=high, description=f"{setting.text}.")]
    return Annotated[int | None, Field(ge=low, le=high, description=_with_null(setting))]


def _range(setting: Setting) -> tuple[int, int]:
    assert isinstance(setting.values, tuple)
    return setting.values


def _with_null(setting: Setting) -> str:
    return f"{setting.text}; null for {setting.unset}."


def _plain(value: object) -> object:
    return str(value) if isinstance(value, str) else value


_WINDOWS = ("warmup_cycles", "measured_cycles", "stop_when_saturated")


class RouterSettings(
    _with_settings(Document, (name for name in settings() if name not in _WINDOWS))
):
    """Settings of the simulated routers; the defaults are Table 3 of the T-UGAL paper."""


class SimulationSettings(_with_settings(RouterSettings, _WINDOWS)):
    """Settings of the simulated routers, with the windows."""
