"""The audit log on the disk: two files of bounded size; the older one is deleted when the newer one
is full. A thread writes the lines, so that a stop never waits for a card.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from pathlib import Path

from ...lib import log
from ...lib.access.audit import AuditRecord, entries
from ...lib.clock import wall_s

LARGEST_BYTES = 512 << 10
_MOST_WAITING = 1000
_log = log.get("webd")


class AuditFile:
    """Holds entries until run() writes them."""

    def __init__(self, directory: Path) -> None:
        self.path = directory / "audit.jsonl"
        self._older = directory / "audit.jsonl.1"
        self._waiting: deque[AuditRecord] = deque(maxlen=_MOST_WAITING)
        self._has_news = asyncio.Event()
        self._turn = asyncio.Lock()
        self._is_failing = False

    def add(self, entry: AuditRecord) -> None:
        """Add an entry, which is written soon."""
        self._waiting.append(entry)
        self._has_news.set()

    def note(self, who: str, address: str, what: str, detail: str = "") -> None:
        """Add an entry of a sign-in or sign-out."""
        self.add(AuditRecord(wall_s(), who, "", address, what, detail))

    async def run(self) -> None:
        """Write new entries until cancelled."""
        while True:
            await self._has_news.wait()
            self._has_news.clear()
            await self.flush()

    async def flush(self) -> None:
        """Write all entries that wait; a disk that fails is logged once."""
        async with self._turn:
            lines = "".join(entry.line() for entry in self._waiting)
            self._waiting.clear()
            if not lines:
                return
            try:
                await asyncio.to_thread(self._append, lines)
                self._is_failing = False
            except OSError as err:
                if not self._is_failing:
                    _log.error("the audit log cannot be written", file=self.path, error=err)
                self._is_failing = True

    async def read(
        self, is_wanted: Callable[[AuditRecord], bool], offset: int, limit: int
    ) -> list[AuditRecord]:
        """Return a part of the entries, the newest first."""
        await self.flush()
        return await asyncio.to_thread(self._read, is_wanted, offset, limit)

    def _append(self, lines: str) -> None:
        if self.path.exists() and self.path.stat().st_size >= LARGEST_BYTES:
            self.path.replace(self._older)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(lines)

    def _read(
        self, is_wanted: Callable[[AuditRecord], bool], offset: int, limit: int
    ) -> list[AuditRecord]:
        found: list[AuditRecord] = []
        for path in (self._older, self.path):
            if path.exists():
                with path.open(encoding="utf-8", errors="replace") as file:
                    found += (entry for entry in entries(file) if is_wanted(entry))
        found.reverse()
        return found[offset : offset + limit]
