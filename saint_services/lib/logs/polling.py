"""Following a log that can only be asked for pages: the newest one again and again, up to what was
seen.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable

from ..api.logs import MOST_LINES, LogFilter, LogLine, LogPage, LogQuery
from ..errors import Code, SaintError

_FINAL = (Code.UNAUTHORIZED, Code.FORBIDDEN)

AskPage = Callable[[LogQuery], Awaitable[LogPage]]


async def follow_pages(
    ask: AskPage, wanted: LogFilter, period_s: float
) -> AsyncGenerator[LogLine | None]:
    """Lines from now on. Whoever does not answer for a while is asked on: the lines meanwhile are
    there when it is back.
    """
    first = await ask(LogQuery(**wanted.model_dump(), limit=1))
    seen = first.lines[0].cursor if first.lines else ""
    while True:
        yield None
        await asyncio.sleep(period_s)
        try:
            page = await ask(LogQuery(**wanted.model_dump(), limit=MOST_LINES))
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
