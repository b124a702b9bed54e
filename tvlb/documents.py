"""Plain data for JSON: numbers that do not exist (nan) become null."""

import math
from collections.abc import Iterable, Mapping
from typing import cast

import numpy as np

__all__ = ["plain"]


def plain(value: object) -> object:
    """Turn a value into what `json` can write: lists, dicts, text and finite numbers."""
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
