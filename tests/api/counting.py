"""A process beside the server that counts how many calls it has at once."""

import asyncio
from typing import Any

from api.side_process import SideProcess


class CountingProcess(SideProcess):
    """Calls functions here, and lets whoever waits go on meanwhile.

    Attributes
    ----------
    most : calls at once, so far.
    """

    def __init__(self) -> None:
        super().__init__(print)
        self._running = 0
        self.most = 0

    async def call(self, seconds: float, function: Any, *given: Any) -> Any:
        """See `SideProcess.call`."""
        self._running += 1
        self.most = max(self.most, self._running)
        await asyncio.sleep(0)
        self._running -= 1
        return function(*given)
