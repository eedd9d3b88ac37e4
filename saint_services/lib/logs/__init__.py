"""Where the lines of all programs are read: on a robot from the journal, in a simulation from the
files of its launcher. Not here: writing them (lib/log.py), who may read them (webd).
"""

import os
from collections.abc import AsyncGenerator, Mapping
from pathlib import Path
from typing import Protocol

from ..api.logs import LogFilter, LogLine, LogNames, LogPage, LogQuery
from .files import LauncherFiles
from .journal import Journal

__all__ = ["LogSource", "source_at"]

FOLDER_VARIABLE = "SAINT_LOG_DIR"  # set by the launcher


class LogSource(Protocol):
    """One place with logs."""

    async def page(self, query: LogQuery) -> LogPage: ...

    async def names(self) -> LogNames: ...

    def follow(self, wanted: LogFilter) -> AsyncGenerator[LogLine | None]:
        """Lines from the first None on; None now and then while there are none."""
        ...


def source_at(runtime: Path, environment: Mapping[str, str] = os.environ) -> LogSource:
    """The logs of the robot whose sockets lie in `runtime`."""
    named = environment.get(FOLDER_VARIABLE, "")
    # The launcher's folders: <robot>/<machine>/run and <robot>/log.
    folder = Path(named) if named else runtime.resolve().parent.parent / "log"
    if named or next(folder.glob("*-*.log"), None) is not None:
        return LauncherFiles(folder)
    return Journal()
