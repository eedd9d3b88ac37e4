"""Serves pages of this machine's log to its server, small and rate limited: reading a journal takes
a Pi a second. Not here: whether the order is genuine (trust.py), how lines are read (lib/logs).
"""

import asyncio

from ...lib.api.logs import LogLine, LogPage, LogQuery
from ...lib.api.orders import LONGEST_LOG_BYTES
from ...lib.clock import monotonic_s
from ...lib.errors import Code, SaintError
from ...lib.logs import LogSource

PAGES_AT_ONCE = 8  # then one each second
MOST_WAITING = 3
_PAUSE_S = 1.0


class LogPages:
    """Reads one page at a time."""

    def __init__(self, source: LogSource) -> None:
        self._source = source
        self._reading = asyncio.Lock()
        self._waiting = 0
        self._spent_s = -float("inf")  # when the limit allows a further page

    async def page(self, query: LogQuery) -> LogPage:
        """Read a page that fits into one reply. Raises SaintError above the rate limit."""
        now_s = monotonic_s()
        spent_s = max(self._spent_s, now_s) + _PAUSE_S
        if self._waiting >= MOST_WAITING or spent_s - now_s > PAGES_AT_ONCE * _PAUSE_S:
            text = "too many requests for the log of this node"
            raise SaintError(Code.REFUSED, text, fix="Try again in a few seconds.")
        self._spent_s = spent_s
        self._waiting += 1
        try:
            async with self._reading:
                return fitted(await self._source.page(query), LONGEST_LOG_BYTES)
        finally:
            self._waiting -= 1


def fitted(page: LogPage, most_bytes: int) -> LogPage:
    """Return the newest lines of a page; `older` leads to those that do not fit."""
    lines: list[LogLine] = []
    size_bytes = 0
    for line in page.lines:
        size_bytes += len(line.model_dump_json().encode()) + 1
        if lines and size_bytes > most_bytes:
            return LogPage(lines=lines, older=lines[-1].cursor)
        lines.append(line)
    return page
