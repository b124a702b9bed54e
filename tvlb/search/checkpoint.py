"""Stages of a search that are kept when they are finished, so that it can be taken up again."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from tvlb.errors import TvlbError
from tvlb.progress import Progress, Reporter, silent
from tvlb.provenance import VERSION

__all__ = ["Checkpoints", "Codec", "Stages"]

_DIGEST_BYTES = 32

_Result = TypeVar("_Result")


class Checkpoints(Protocol):
    """Where the finished stages of one request are kept.

    Names are short: lower-case letters, digits and hyphens.
    """

    def load(self, name: str) -> bytes | None:
        """Return what was saved under this name for the same request, None without."""
        ...

    def save(self, name: str, data: bytes) -> None:
        """Keep `data` under this name; durable when it returns."""
        ...


@dataclass(frozen=True)
class Codec(Generic[_Result]):
    """How the result of a stage is kept.

    Attributes
    ----------
    encode, decode : to bytes and back, exactly.
    units : units of work that a result stands for, for progress.
    """

    encode: Callable[[_Result], bytes]
    decode: Callable[[bytes], _Result]
    units: Callable[[_Result], int]


class Stages:
    """Computes stages, or takes them from checkpoints.

    Parameters
    ----------
    checkpoints : None to compute everything and keep nothing.
    report : told of stages that need not be computed.

    Notes
    -----
    A checkpoint counts only for the version of tvlb that made it, and if it is whole. Errors of
    `Checkpoints` are passed on.
    """

    def __init__(self, checkpoints: Checkpoints | None = None, report: Reporter = silent) -> None:
        self._checkpoints = checkpoints
        self._report = report

    def run(self, stage: str, codec: Codec[_Result], compute: Callable[[], _Result]) -> _Result:
        """Return the result of a stage, named as in its progress events."""
        if self._checkpoints is None:
            return compute()
        name = stage.replace(" ", "-")
        kept = _decoded(name, self._checkpoints.load(name), codec)
        if kept is not None:
            units = codec.units(kept)
            self._report(Progress(stage, units, units))
            return kept
        result = compute()
        self._checkpoints.save(name, _seal(name, codec.encode(result)))
        return result


def _decoded(name: str, sealed: bytes | None, codec: Codec[_Result]) -> _Result | None:
    data = None if sealed is None else sealed[_DIGEST_BYTES:]
    if data is None or sealed != _seal(name, data):
        return None
    try:
        return codec.decode(data)
    except (IndexError, KeyError, TypeError, ValueError, TvlbError):
        # Whole, but not as this program writes it: versions in development share a number.
        return None


def _seal(name: str, data: bytes) -> bytes:
    """Put a digest in front: a damaged figure might well decode."""
    return hashlib.sha256(f"{VERSION} {name} ".encode() + data).digest() + data
