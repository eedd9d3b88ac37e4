"""What every place with logs can do."""

from collections.abc import AsyncGenerator
from typing import Protocol

from ..api.logs import LogFilter, LogLine, LogNames, LogPage, LogQuery


class LogSource(Protocol):
    """One place with logs."""

    async def page(self, query: LogQuery) -> LogPage: ...

    async def names(self) -> LogNames: ...

    def follow(self, wanted: LogFilter) -> AsyncGenerator[LogLine | None]:
        """Lines from the first None on; None now and then while there are none."""
        ...
