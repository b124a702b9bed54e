"""Small sweeps, computed in this process and kept in memory."""

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, ParamSpec, TypeVar, cast

from tests.search.here import Inline
from tests.service import quick_options
from tvlb.processes import Unit
from tvlb.requests import Answer, Question, SweepBody, request_key
from tvlb.sweeps import Stored

_P = ParamSpec("_P")
_Result = TypeVar("_Result")


def small_sweep(*topologies: str, **more: Any) -> SweepBody:
    """Return a sweep that takes a fraction of a second per point."""
    asked = {"topologies": topologies, "options": quick_options(100, 100, 0.1)}
    return SweepBody.model_validate(asked | more)


class Serial(Inline):
    """Computes units one at a time, whoever asks; some fail as told.

    Parameters
    ----------
    spoil : returns an exception for units that are to fail, else None; asked every time.
    """

    def __init__(self, spoil: Callable[[Unit[Any]], Exception | None] = lambda _: None) -> None:
        super().__init__()
        self._spoil = spoil

    def submit(
        self, fn: Callable[_P, _Result], /, *args: _P.args, **kwargs: _P.kwargs
    ) -> Future[_Result]:
        with self._one:
            error = self._spoil(cast("Unit[Any]", args[0]))
            if error is None:
                return super().submit(fn, *args, **kwargs)
        future: Future[_Result] = Future()
        future.set_exception(error)
        return future


class MemoryTables:
    """A store of tables in memory."""

    def __init__(self) -> None:
        self.tables: dict[str, Stored] = {}
        self.added: list[str] = []

    def check(self) -> None:
        pass

    def find(self, key: str) -> Stored | None:
        return self.tables.get(key)

    def add(self, body: Question, answer: Answer) -> None:
        table = answer.table
        more: dict[str, Any] = (
            {} if table is None else {"table_id": table.id, "read_table": lambda: table}
        )
        self.tables[request_key(body)] = Stored(answer.document, created_at=1.0, **more)
        self.added.append(request_key(body))
