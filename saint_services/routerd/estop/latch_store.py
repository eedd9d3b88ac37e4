"""Stores the e-stop latch beside the loop: the stop itself never waits for a disk, its confirmation
does. Clears it in the order in which a crash at any point leaves it stopped.
"""

import asyncio
from collections.abc import Callable
from dataclasses import replace

from ...lib import log
from ...lib.clock import monotonic_s
from ...lib.errors import Code, SaintError
from ...lib.health import Health
from ..logic import Router
from ..state import decode_latch, encode_latch
from .latch import Latch
from .latch_file import LatchFile

RETRY_S = 5.0
ANSWER_S = 0.8  # a disk that hangs does not keep the answer for longer
_log = log.get("routerd")


class LatchStore:
    """The newest latch that was given to keep(), on its way to the file."""

    def __init__(self, health: Health, file: LatchFile, latch: Latch) -> None:
        self._health = health
        self._file = file
        self._latch = latch
        self._changed = asyncio.Event()
        self._changed.set()  # every start stores: a disk that cannot is found before a press
        self._saving = asyncio.Lock()
        self._kept = 1
        self._stored = 0
        self._fault = ""

    @property
    def problem(self) -> str:
        """Why the newest latch is not stored; empty when it is."""
        if self._stored == self._kept:
            return ""
        return self._fault or f"storing it takes longer than {ANSWER_S:g} s"

    def keep(self, latch: Latch) -> None:
        """Store this latch soon; returns at once."""
        self._latch = latch
        self._kept += 1
        self._changed.set()

    async def work(self) -> None:
        """Store what changed, until stopped."""
        while True:
            await self._changed.wait()
            if not await self.save():
                await asyncio.sleep(RETRY_S)

    async def save(self) -> bool:
        """Store now if something changed; waits for a save under way."""
        async with self._saving:
            if self._stored == self._kept:
                return True
            kept, latch = self._kept, self._latch
            try:
                await asyncio.to_thread(_write, self._file, latch)
            except SaintError as err:
                self._fault = err.message
                self._health.raise_issue(Code.ESTOP_NOT_STORED, err.message)
                return False
            self._stored, self._fault = kept, ""
            if kept == self._kept:
                self._changed.clear()
        self._health.clear(Code.ESTOP_NOT_STORED)
        return True

    async def settled(self) -> str:
        """Wait until the newest latch is stored and checked; why it is not, or nothing."""
        kept = self._kept
        saving = asyncio.ensure_future(self.save())
        done, _ = await asyncio.wait([saving], timeout=ANSWER_S)
        for each in done:
            each.result()
        return "" if self._stored >= kept else self.problem


def _write(file: LatchFile, latch: Latch) -> None:
    """Write the latch. A press that cannot be stored must not be undone by a restart: the file that
    would say "not stopped" is removed then, and a missing one counts as a stop.
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
    """Clears the latch for a person who has seen every press."""

    def __init__(self, router: Router, store: LatchStore, settle: Callable[[], None]) -> None:
        self._router = router
        self._store = store
        self._settle = settle
        self._one = asyncio.Lock()

    async def clear(self, source: str, generation: int) -> str:
        """Check, store the next generation as still stopped, release, store the release: whenever
        the process dies between, it starts stopped and no generation is used twice. Returns why
        the release is not stored, or nothing. Raises SaintError refused, and nothing changes.
        """
        async with self._one:
            if not self._router.latch.active:
                return ""
            self._router.check_clear(generation, monotonic_s())
            latch = self._router.latch
            self._store.keep(replace(latch, generation=latch.following))
            if problem := await self._store.settled():
                raise SaintError(
                    Code.REFUSED,
                    f"the e-stop stays: its release cannot be stored: {problem}",
                    fix="Check the disk or the card of the server, then clear the e-stop again.",
                )
            self._router.clear_estop(source, generation, monotonic_s())
            self._settle()
            return await self._store.settled()
