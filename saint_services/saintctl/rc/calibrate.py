"""`saintctl rc calibrate`: the guided calibration, in a terminal."""

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
from . import view as view

LOOK_S = 0.1  # how often to look whether a stick was moved
_ANSWERS = {"": "next", "s": "skip", "q": "cancel"}


class Lines:
    """What is typed, without keeping anybody waiting: a thread reads, the end is None."""

    def __init__(self, source: TextIO = sys.stdin) -> None:
        self._source = source
        self._loop = asyncio.get_running_loop()
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    async def next(self, limit_s: float | None = None) -> str | None:
        """The next line; raises TimeoutError when there is none in time."""
        async with asyncio.timeout(limit_s):
            return await self._lines.get()

    def _read(self) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody listens any more
            for line in self._source:
                self._loop.call_soon_threadsafe(self._lines.put_nowait, line.strip().lower())
            self._loop.call_soon_threadsafe(self._lines.put_nowait, None)


async def calibrate(rcd: Client, lines: Lines, say: Callable[[str], None] = print) -> bool:
    """Guides through all steps; whether the result was saved."""
    say("While this runs, the transmitter moves nothing. Enter goes on, s skips, q gives up.")
    info = await _send(rcd, "start")
    is_saved = False
    try:
        while info.step != "done":
            info = await _go_on(rcd, lines, info, say)
            if info.step == "idle":
                return False
        _show_result(info, say)
        say("Save this? y saves, anything else does not.")
        if await lines.next() == "y":
            await _send(rcd, "save")
            is_saved = True
    finally:
        if not is_saved:
            with contextlib.suppress(SaintError):  # it may have ended, or the daemon be gone
                await _send(rcd, "cancel")
    return is_saved


async def _go_on(
    rcd: Client, lines: Lines, info: CalibrationInfo, say: Callable[[str], None]
) -> CalibrationInfo:
    """Ask for what is to be done, and wait until it is, or until something is typed."""
    say(info.text)
    while True:
        try:
            typed = await lines.next(LOOK_S if info.step == "directions" else None)
        except TimeoutError:
            now = await rcd.request(rc.GET_CALIBRATION, Nothing())
            if now != info:
                return now
            continue
        step = "cancel" if typed is None else _ANSWERS.get(typed, "")
        if not step:
            say("Enter goes on, s skips, q gives up.")
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
