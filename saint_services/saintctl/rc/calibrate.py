"""`saintctl rc calibrate`: the guided calibration of all channels in a terminal."""

import asyncio
import contextlib
import sys
import threading
from collections.abc import Callable
from typing import TextIO

from ...lib.api import rc
from ...lib.api.endpoint import Nothing
from ...lib.api.rc import CalibrationInfo, CalibrationStep
from ...lib.errors import Code, SaintError
from ...lib.ipc import Client
from ..console import print_table
from . import view

PERIOD_S = 0.1  # between two requests of the calibration's state
_ANSWERS = {"": "next", "s": "skip", "q": "cancel"}


class Lines:
    """Reads typed lines in a thread, so that the event loop is not blocked; the end is None."""

    def __init__(self, source: TextIO = sys.stdin) -> None:
        self._source = source
        self._loop = asyncio.get_running_loop()
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    async def next(self, limit_s: float | None = None) -> str | None:
        """Return the next line. Raises TimeoutError after `limit_s`."""
        async with asyncio.timeout(limit_s):
            return await self._lines.get()

    def _read(self) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed
            for line in self._source:
                self._loop.call_soon_threadsafe(self._lines.put_nowait, line.strip().lower())
            self._loop.call_soon_threadsafe(self._lines.put_nowait, None)


async def calibrate(rcd: Client, lines: Lines, say: Callable[[str], None] = print) -> bool:
    """Guide the user through all steps. Return True when the result was saved."""
    say("While this runs, the transmitter moves nothing. Enter continues, s skips, q cancels.")
    info = await _send(rcd, "start")
    is_saved = False
    try:
        while info.step != "done":
            info = await _next_step(rcd, lines, info, say)
            if info.step == "idle":
                return False
        _show_result(info, say)
        say("Save this? Type y to save, anything else to discard.")
        if await lines.next() == "y":
            await _send(rcd, "save")
            is_saved = True
    finally:
        if not is_saved:
            with contextlib.suppress(SaintError):  # it may have ended, or the daemon has
                await _send(rcd, "cancel")
    return is_saved


async def _next_step(
    rcd: Client, lines: Lines, info: CalibrationInfo, say: Callable[[str], None]
) -> CalibrationInfo:
    """Print the instruction and wait until it is followed or a line is typed."""
    say(info.text)
    while True:
        try:
            typed = await lines.next(PERIOD_S if info.step == "directions" else None)
        except TimeoutError:
            now = await rcd.request(rc.GET_CALIBRATION, Nothing())
            if now != info:
                return now
            continue
        step = "cancel" if typed is None else _ANSWERS.get(typed, "")
        if not step:
            say("Enter continues, s skips, q cancels.")
            continue
        try:
            return await _send(rcd, step)
        except SaintError as err:
            if err.code is not Code.REFUSED:
                raise
            say(f"{err.message}. {err.fix}")


async def _send(rcd: Client, step: str) -> CalibrationInfo:
    body = CalibrationStep.model_validate({"step": step})
    return await rcd.request(rc.CALIBRATION, body)


def _show_result(info: CalibrationInfo, say: Callable[[str], None]) -> None:
    for line in view.findings(info):
        say(line)
    rows = view.channel_rows(info.proposal)
    print_table(view.CHANNEL_COLUMNS, rows, "No channel was moved: nothing would be set.")
