"""Connects the node to the guard of this machine: requests safe outputs, reports the e-stop,
receives which wills were carried out. Not here: the guard (guardd).
"""

import asyncio
import contextlib
import itertools
import socket
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ...lib import log
from ...lib.guard import wire

ANSWER_S = 1.0
_PAUSES_S = (0.1, 0.2, 0.5, 1.0)
_log = log.get("noded")


@dataclass(frozen=True, slots=True)
class CarriedOut:
    """The guard has made a role's outputs safe because its process did not; `failed` says what it
    could not write."""

    target: str
    why: str
    failed: str


class GuardLink:
    """Stays connected until closed; every request has a time limit."""

    def __init__(self, path: Path, on_event: Callable[[CarriedOut], None]) -> None:
        self._path = path
        self._on_event = on_event
        self._connection: socket.socket | None = None
        self._ready = asyncio.Event()
        self._numbers = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[str]] = {}
        self._is_stopped = False

    async def run(self) -> None:
        """Connect, listen, and connect again after growing pauses, until cancelled."""
        failures = 0
        while True:
            try:
                await self._follow()
            except (OSError, ValueError) as err:
                if failures == 0:
                    _log.warning("the guard does not answer", reason=err)
            finally:
                self._lost()
            await asyncio.sleep(_PAUSES_S[min(failures, len(_PAUSES_S) - 1)])
            failures += 1

    async def make_safe(self, target: str) -> str:
        """Have a role's outputs made safe; returns why that failed, or nothing."""
        number = next(self._numbers)
        answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._waiting[number] = answer
        try:
            async with asyncio.timeout(ANSWER_S):
                await self._ready.wait()
                self._send({"do": "make_safe", "target": target, "id": number})
                return await answer
        except TimeoutError:
            return "the guard of this machine does not answer"
        finally:
            del self._waiting[number]

    def stop(self, is_active: bool) -> None:
        """Report the e-stop; the guard checks that every role obeys it."""
        if is_active != self._is_stopped:
            self._is_stopped = is_active
            self._send({"do": "stop", "active": is_active})

    async def _follow(self) -> None:
        loop = asyncio.get_running_loop()
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.setblocking(False)
        try:
            await loop.sock_connect(connection, str(self._path))
            self._connection = connection
            self._send({"do": "watch"})
            self._send({"do": "stop", "active": self._is_stopped})
            self._ready.set()
            lines = wire.MessageSplitter()
            while data := await loop.sock_recv(connection, wire.LONGEST_BYTES):
                for message in lines.fed(data):
                    self._receive(message)
        finally:
            connection.close()

    def _lost(self) -> None:
        self._connection = None
        self._ready.clear()
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_result("the guard of this machine has ended")

    def _receive(self, message: dict[str, object]) -> None:
        failed = str(message.get("failed", ""))
        if message.get("event") == "carried_out":
            target, why = str(message.get("target", "")), str(message.get("why", ""))
            self._on_event(CarriedOut(target, why, failed))
        number = message.get("id")
        waiting = self._waiting.get(number) if isinstance(number, int) else None
        if waiting and not waiting.done():
            waiting.set_result(failed)

    def _send(self, message: dict[str, object]) -> None:
        if self._connection:
            with contextlib.suppress(OSError):  # its end is noticed where it is read
                wire.send(self._connection, message)
