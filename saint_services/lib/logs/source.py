"""The interface of every log source, and following a source that can only return pages."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Protocol

from ..api.logs import MOST_LINES, LogFilter, LogLine, LogNames, LogPage, LogQuery
from ..errors import Code, SaintError


class LogSource(Protocol):
    """A source of log lines."""

    async def page(self, query: LogQuery) -> LogPage: ...

    async def names(self) -> LogNames: ...

    def follow(self, wanted: LogFilter) -> AsyncGenerator[LogLine | None]:
        """Yield lines after the first None; yields None now and then while there are none."""
        ...


_FINAL = (Code.UNAUTHORIZED, Code.FORBIDDEN)

RequestPage = Callable[[LogQuery], Awaitable[LogPage]]


async def follow_pages(
    request: RequestPage, wanted: LogFilter, period_s: float
) -> AsyncGenerator[LogLine | None]:
    """Yield new lines by requesting the newest page repeatedly. A source that fails for a while is
    requested again; the lines meanwhile follow then.
    """
    first = await request(LogQuery(**wanted.model_dump(), limit=1))
    seen = first.lines[0].cursor if first.lines else ""
    while True:
        yield None
        await asyncio.sleep(period_s)
        try:
            page = await request(LogQuery(**wanted.model_dump(), limit=MOST_LINES))
        except SaintError as err:
            if err.code in _FINAL:
                raise
            continue
        for line in reversed(_until(seen, page.lines)):
            yield line
        seen = page.lines[0].cursor if page.lines else seen


def _until(seen: str, lines: list[LogLine]) -> list[LogLine]:
    cursors = [line.cursor for line in lines]
    return lines[: cursors.index(seen)] if seen in cursors else lines
