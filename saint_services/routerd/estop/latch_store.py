"""Stores the e-stop latch in a thread: the stop itself never waits for a disk, the reply to it
does. Clears the latch in an order that leaves it active if the process crashes at any point.
"""

import asyncio
from collections.abc import Callable
from dataclasses import replace

from ...lib import log
from ...lib.clock import monotonic_s
from ...lib.errors import Code, SaintError
from ...lib.health import Health
from ...lib.stall import StallWatch
from ..inputs.late_requests import check_in_time
from ..logic import Router
from ..state import decode_latch, encode_latch
from .latch import Latch
from .latch_file import LatchFile

RETRY_S = 5.0
ANSWER_S = 0.8  # a disk that hangs delays the reply for at most this long
_log = log.get("routerd")


class LatchStore:
    """Writes the newest latch to the file, again after RETRY_S if that fails."""

    def __init__(self, health: Health, file: LatchFile, latch: Latch) -> None:
        self._health = health
        self._file = file
        self._latch = latch
        self._changed = asyncio.Event()
        self._changed.set()  # stored at every start: a disk that fails is found before a press
        self._saving = asyncio.Lock()
        self._newest = 1
        self._stored = 0
        self._fault = ""

    @property
    def problem(self) -> str:
        """Why the newest latch is not stored; empty when it is."""
        if self._stored == self._newest:
            return ""
        return self._fault or f"storing it takes longer than {ANSWER_S:g} s"

    def put(self, latch: Latch) -> None:
        """Store this latch soon; return at once."""
        self._latch = latch
        self._newest += 1
        self._changed.set()

    async def work(self) -> None:
        """Store every change, until stopped."""
        while True:
            await self._changed.wait()
            if not await self.save():
                await asyncio.sleep(RETRY_S)

    async def save(self) -> bool:
        """Store now if the latch has changed; return whether it is stored."""
        async with self._saving:
            if self._stored == self._newest:
                return True
            number, latch = self._newest, self._latch
            try:
                await asyncio.to_thread(_write, self._file, latch)
            except SaintError as err:
                self._fault = err.message
                self._health.raise_issue(Code.ESTOP_NOT_STORED, err.message)
                return False
            self._stored, self._fault = number, ""
            if number == self._newest:
                self._changed.clear()
        self._health.clear(Code.ESTOP_NOT_STORED)
        return True

    async def settled(self) -> str:
        """Wait until the newest latch is stored, at most ANSWER_S; return why it is not, or ""."""
        number = self._newest
        saving = asyncio.ensure_future(self.save())
        done, _ = await asyncio.wait([saving], timeout=ANSWER_S)
        for each in done:
            each.result()
        return "" if self._stored >= number else self.problem


def _write(file: LatchFile, latch: Latch) -> None:
    """Write the latch. A press that cannot be stored must not be undone by a restart: a file that
    still records "not stopped" is removed then, and a missing one counts as a stop.
    """
    try:
        file.write(encode_latch(latch))
    except SaintError:
        if latch.active and not _is_read_as_stop(file):
            file.spoil()
        raise


def _is_read_as_stop(file: LatchFile) -> bool:
    try:
        content = file.read()
        if content.payload is None or content.problem:
            return True
        return decode_latch(content.payload).active
    except (FileNotFoundError, SaintError):
        return True


class LatchClearing:
    """Clears the latch on request of a person who has seen every press."""

    def __init__(
        self, router: Router, store: LatchStore, stalls: StallWatch, settle: Callable[[], None]
    ) -> None:
        self._router = router
        self._store = store
        self._stalls = stalls
        self._settle = settle
        self._one = asyncio.Lock()

    async def clear(self, source: str, generation: int) -> str:
        """Store the next generation as still active, clear the latch, store that. If the process
        dies in between, it starts stopped, and no generation is used twice. Return why the clear
        is not stored, or "". Raises SaintError refused, and nothing changes.
        """
        check_in_time(self._stalls, "the e-stop stays active")
        async with self._one:
            if not self._router.latch.active:
                return ""
            self._router.check_clear(generation, monotonic_s())
            latch = self._router.latch
            self._store.put(replace(latch, generation=latch.following))
            if problem := await self._store.settled():
                raise SaintError(
                    Code.REFUSED,
                    f"the e-stop stays active: its clear cannot be stored: {problem}",
                    fix="Check the disk or the card of the server, then clear the e-stop again.",
                )
            self._router.clear_estop(source, generation, monotonic_s())
            self._settle()
            return await self._store.settled()
