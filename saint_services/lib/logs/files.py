"""Reads the launcher's log files: <folder>/<machine>-<program>.log and one older .log.1 each. All
machines of a simulated robot write to one folder.
"""

import asyncio
import heapq
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from pathlib import Path

from ..api.logs import LogFilter, LogLine, LogNames, LogPage, LogQuery
from ..errors import Code, SaintError
from .lines import Origin, is_wanted, launcher_lines, place_of

_MOST_BYTES = 512 << 10  # read per file, the newest
_LOOK_S = 0.3
_BEAT_S = 1.0
SCOPE = "The programs of all simulated machines, since their logs began."


class LauncherFiles:
    """All logs of a folder, or those of one machine."""

    def __init__(self, folder: Path, machine: str = "") -> None:
        self._folder = folder
        self._machine = machine

    def of_machine(self, name: str) -> "LauncherFiles":
        """Return the logs of one machine only."""
        return LauncherFiles(self._folder, name)

    async def page(self, query: LogQuery) -> LogPage:
        """Return one page, newest first."""
        try:
            before = place_of(query.before) if query.before else None
        except ValueError:
            message = f"{query.before[:60]!r} is no place in these logs"
            raise SaintError(Code.REQUEST_INVALID, message) from None
        machine = await asyncio.to_thread(self._named, query.node)
        wanted = query.model_copy(update={"node": machine})
        page = await asyncio.to_thread(self._page, wanted, before)
        lines = [_as_requested(line, machine, query.node) for line in page.lines]
        return page.model_copy(update={"lines": lines})

    async def names(self) -> LogNames:
        """Return the machines and programs that have logs."""
        origins = await asyncio.to_thread(lambda: [origin for _, origin in self._files()])
        return LogNames(
            sources=sorted({origin.source for origin in origins}),
            nodes=sorted({origin.node for origin in origins}),
            scope=SCOPE,
        )

    async def follow(self, wanted: LogFilter) -> AsyncGenerator[LogLine | None]:
        """Yield new lines."""
        machine = await asyncio.to_thread(self._named, wanted.node)
        on_machine = wanted.model_copy(update={"node": machine})
        tails = await asyncio.to_thread(self._tails)
        quiet_s = 0.0
        yield None
        while True:
            await asyncio.sleep(_LOOK_S)
            lines = await asyncio.to_thread(self._news, tails)
            quiet_s = 0.0 if lines else quiet_s + _LOOK_S
            for line in lines:
                if is_wanted(line, on_machine):
                    yield _as_requested(line, machine, wanted.node)
            if quiet_s >= _BEAT_S:
                quiet_s = 0.0
                yield None

    def _named(self, node: str) -> str:
        """Return the machine of a node: `sim_head`, as the registry calls it, runs on `head`. An
        empty page would look as if the node had written nothing.
        """
        machines = {origin.node for _, origin in self._files()}
        named = [each for each in machines if node == each or node.endswith(f"_{each}")]
        if not node or named:
            return max(named, key=len, default="")
        known = ", ".join(sorted(machines)) or "none"
        message = f"there are no logs of a machine {node[:60]!r}; there are logs of {known}"
        raise SaintError(Code.NOT_FOUND, message)

    def _files(self) -> list[tuple[Path, Origin]]:
        found = [(path, Origin.of(path.name)) for path in self._folder.glob("*-*.log*")]
        return [
            (path, origin)
            for path, origin in found
            if origin is not None and self._machine in ("", origin.node)
        ]

    def _page(self, query: LogQuery, before: tuple[int, str, int] | None) -> LogPage:
        matching = (
            line
            for path, origin in self._files()
            for line in _read(path, origin)
            if is_wanted(line, query) and (before is None or place_of(line.cursor) < before)
        )
        newest = heapq.nlargest(query.limit + 1, matching, key=lambda line: place_of(line.cursor))
        shown = newest[: query.limit]
        return LogPage(lines=shown, older=shown[-1].cursor if len(newest) > len(shown) else "")

    def _tails(self) -> dict[Path, "_FileTail"]:
        return {path: _FileTail.at_end(path) for path, _ in self._files() if path.suffix == ".log"}

    def _news(self, tails: dict[Path, "_FileTail"]) -> list[LogLine]:
        lines: list[LogLine] = []
        for path, origin in self._files():
            if path.suffix == ".log":
                lines += tails.setdefault(path, _FileTail()).read(path, origin)
        return sorted(lines, key=lambda line: place_of(line.cursor))


@dataclass(slots=True)
class _FileTail:
    """Read position in a file."""

    position: int = 0
    inode: int = 0

    @classmethod
    def at_end(cls, path: Path) -> "_FileTail":
        try:
            status = path.stat()
        except OSError:
            return cls()
        return cls(status.st_size, status.st_ino)

    def read(self, path: Path, origin: Origin) -> list[LogLine]:
        """Return the new complete lines."""
        try:
            status = path.stat()
            if status.st_ino != self.inode:  # the file was replaced
                self.position, self.inode = 0, status.st_ino
            if status.st_size <= self.position:
                return []
            with path.open("rb") as file:
                file.seek(self.position)
                data = file.read(_MOST_BYTES)
        except OSError:
            return []
        data = data[: data.rfind(b"\n") + 1]
        start, self.position = self.position, self.position + len(data)
        text = data.decode(errors="replace")
        return list(launcher_lines(text, origin, status.st_mtime, start))


def _as_requested(line: LogLine, machine: str, node: str) -> LogLine:
    return line if node in ("", machine) else line.model_copy(update={"node": node})


def _read(path: Path, origin: Origin) -> list[LogLine]:
    try:
        status = path.stat()
        with path.open("rb") as file:
            start = max(0, status.st_size - _MOST_BYTES)
            file.seek(start)
            data = file.read(_MOST_BYTES)
    except OSError:
        return []  # the file was just rotated
    if start:  # starts within a line
        cut = data.find(b"\n") + 1
        start, data = start + cut, data[cut:]
    if path.suffix == ".1":  # the newer file follows
        start -= 1 << 40
    return list(launcher_lines(data.decode(errors="replace"), origin, status.st_mtime, start))
