"""How long to keep asking a server that does not answer, or answers that it cannot now."""

import random
import time
from collections.abc import Callable

from tvlb.errors import ServerProblem, Unreachable

_FIRST_PAUSE_SECONDS = 0.1
_LONGEST_PAUSE_SECONDS = 5.0

Notice = Callable[[str], None]


def unheard(text: str) -> None:
    """Ignore a notice."""


class Backoff:
    """Decides whether a request is repeated, and waits until then.

    A server that never answered is given up at once: its address may be wrong. One that did is
    taken to be restarting.

    Parameters
    ----------
    url : the server, for people.
    timeout : seconds of silence after which a server is given up; None for never.
    notice : told what is waited for.
    """

    def __init__(self, url: str, timeout: float | None, notice: Notice) -> None:
        self._url = url
        self._timeout = timeout
        self._notice = notice
        self._known = False
        self._away_since: float | None = None
        self._pause = _FIRST_PAUSE_SECONDS
        self._said: str | None = None

    def reached(self) -> None:
        """Take note that the server began to answer."""
        self._known = True
        if self._away_since is not None:
            self._away_since = None
            self._say("the server answers again")

    def reset(self) -> None:
        """Take note that something was received, so that the next failure is a new one."""
        self._pause = _FIRST_PAUSE_SECONDS
        self._said = None

    def wait_for_server(self, reason: str) -> None:
        """Wait because there was no answer, or only a part of it.

        Raises
        ------
        Unreachable : the server was never reached, or has been silent for too long.
        """
        if not self._known:
            raise Unreachable(f"cannot reach {self._url}: {reason}")
        moment = time.monotonic()
        if self._away_since is None:
            self._away_since = moment
            self._say(f"the server is away ({reason}); trying again until it is back")
        silence = moment - self._away_since
        if self._timeout is not None and silence + self._pause > self._timeout:
            raise Unreachable(f"{self._url} does not answer any more: {reason}")
        # Not all clients of a server that comes back shall ask in the same moment.
        time.sleep(self._pause * random.uniform(0.5, 1.0))
        self._pause = min(2 * self._pause, _LONGEST_PAUSE_SECONDS)

    def wait_as_told(self, problem: ServerProblem) -> None:
        """Wait because the server said so; raises the problem if it did not."""
        if problem.retry_after is None:
            raise problem
        self._say(f"{problem.detail}; trying again until the server accepts")
        time.sleep(max(problem.retry_after, _FIRST_PAUSE_SECONDS))

    def _say(self, text: str) -> None:
        if text != self._said:
            self._said = text
            self._notice(text)
