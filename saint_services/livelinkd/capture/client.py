"""Finds phones in the capture mode and stays connected to them. Experimental, off by default. Not
here: what is said (capture_session.py), what arrives as frames (protocols/capture.py).
"""

import asyncio
import contextlib
from collections.abc import Callable
from functools import partial

from ...lib import clock, log
from ..protocols.capture import Capture, answered_port, discovery
from ..protocols.frames import WrongError
from .session import CaptureSession

GROUP, DISCOVERY_PORT = "239.255.137.139", 27838
CONTROL_PORT = 14785
DISCOVER_S = 3.0
FIRST_PAUSE_S, LONGEST_PAUSE_S = 1.0, 10.0
MAX_PHONES = 8
_CONNECT_S = 5.0
_TICK_S = 0.5
_CHUNK_BYTES = 65_536

Address = tuple[str, int]


class CaptureClient:
    """All phones: those named, and those that answer. `send` is our stream port's: phones answer
    there too, so that one port is all that has to be open.
    """

    def __init__(
        self,
        port: int,
        decoder: Capture,
        phones: list[Address],
        send: Callable[[bytes, Address], None] | None,
    ) -> None:
        self.connected: set[str] = set()
        self._port = port
        self._decoder = decoder
        self._named = list(phones)
        self._send = send
        self._log = log.get("livelinkd")
        self._working: dict[str, asyncio.Task[None]] = {}

    async def work(self) -> None:
        """For as long as it runs."""
        async with asyncio.TaskGroup() as tasks:
            for phone in self._named:
                self._take(tasks, phone)
            if self._send is None:
                return
            self._decoder.on_discovery = partial(self._answered, tasks)
            while True:
                self._send(discovery(), (GROUP, DISCOVERY_PORT))
                await asyncio.sleep(DISCOVER_S)

    def _answered(self, tasks: asyncio.TaskGroup, data: bytes, ip: str) -> None:
        port = answered_port(data, CONTROL_PORT)
        if port is not None:
            self._take(tasks, (ip, port))

    def _take(self, tasks: asyncio.TaskGroup, phone: Address) -> None:
        if phone[0] in self._working or len(self._working) >= MAX_PHONES:
            return
        is_named = phone in self._named
        work = self._stay(phone, again=is_named)
        task = self._working[phone[0]] = tasks.create_task(work, name=f"phone {phone[0]}")
        task.add_done_callback(lambda _: self._working.pop(phone[0], None))

    async def _stay(self, phone: Address, again: bool) -> None:
        """One phone that answers comes again by answering; one that was named is tried for ever."""
        pause_s = FIRST_PAUSE_S
        while True:
            begun_s = clock.monotonic_s()
            try:
                await self._talk(phone)
            except (OSError, TimeoutError, WrongError) as err:
                reason = str(err) or type(err).__name__
                self._log.debug("phone is not connected", phone=phone[0], reason=reason)
            if phone[0] in self.connected:
                self.connected.discard(phone[0])
                self._log.info("phone has gone", phone=phone[0])
            if not again:
                return
            long = clock.monotonic_s() - begun_s > LONGEST_PAUSE_S
            pause_s = FIRST_PAUSE_S if long else min(pause_s * 2, LONGEST_PAUSE_S)
            await asyncio.sleep(pause_s)

    async def _talk(self, phone: Address) -> None:
        async with asyncio.timeout(_CONNECT_S):
            reader, writer = await asyncio.open_connection(*phone)
        session = CaptureSession(self._port)
        try:
            writer.write(session.begin(clock.monotonic_s()))
            while True:
                data = b""
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(_TICK_S):
                        data = await reader.read(_CHUNK_BYTES)
                        if not data:
                            return
                now_s = clock.monotonic_s()
                writer.write(session.heard(data, now_s) + session.due(now_s))
                self._follow(phone[0], session)
                async with asyncio.timeout(_CONNECT_S):
                    await writer.drain()
        finally:
            with contextlib.suppress(OSError, WrongError):
                writer.write(session.end())
            writer.close()

    def _follow(self, ip: str, session: CaptureSession) -> None:
        self._decoder.learn(ip, session.subjects)
        if session.is_streaming and ip not in self.connected:
            self.connected.add(ip)
            self._log.info("phone streams", phone=ip, subjects=len(session.subjects))
