"""What becomes JSON: documents with named keys, and plain data of any sort."""

import math
from collections.abc import Iterable, Mapping
from typing import Any, cast

import numpy as np
from pydantic import BaseModel, BeforeValidator, ConfigDict


def _whole(value: object) -> object:
    """Take 2.0 for 2: to JSON they are the same number."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


WHOLE = BeforeValidator(_whole)
"""Of an integer in a document that others write."""


class Document(BaseModel):
    """A document, or a part of one: immutable, and with no keys but those named.

    Made from JSON, or from a result of the library: its attributes with the names of the keys.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", from_attributes=True, defer_build=True)

    def plain(self) -> dict[str, Any]:
        """Return what `json` can write, without the keys that are absent."""
        return self.model_dump(mode="json", exclude_unset=True)


def link_kinds(usage: Mapping[str, Any]) -> list[str]:
    """Return the kinds of links of which a document tells the usage."""
    return [
        name
        for name, one in usage.items()
        if isinstance(one, Mapping) and "percentiles_after" in one
    ]


def plain(value: object) -> object:
    """Turn a value into what `json` can write; numbers that do not exist (nan) become null."""
    if isinstance(value, np.ndarray):
        return plain(cast("np.ndarray[tuple[int], np.dtype[np.float64]]", value).tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        items = cast("Mapping[object, object]", value).items()
        return {str(key): plain(item) for key, item in items}
    if isinstance(value, list | tuple):
        return [plain(item) for item in cast("Iterable[object]", value)]
    return value
