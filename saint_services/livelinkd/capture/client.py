"""Finds phones in the capture mode and stays connected to them. Experimental, off by default. Not
here: the messages (session.py) and the frames (protocols/capture.py).
"""

import asyncio
import contextlib
from collections.abc import Callable
from functools import partial

from ...lib import clock, log
from ..protocols.capture import CaptureDecoder, answered_port, discovery
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
    """Connects to the phones of the settings, and to those that answer a discovery. `send` sends
    from our stream port: phones answer there too, so only one port must be open.
    """

    def __init__(
        self,
        port: int,
        decoder: CaptureDecoder,
        phones: list[Address],
        send: Callable[[bytes, Address], None] | None,
    ) -> None:
        self.connected: set[str] = set()
        self._port = port
        self._decoder = decoder
        self._named = list(phones)
        self._send = send
        self._log = log.get("livelinkd")
        self._tasks: dict[str, asyncio.Task[None]] = {}

    async def run(self) -> None:
        """Discover phones and keep connections, until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            for phone in self._named:
                self._connect(tasks, phone)
            if self._send is None:
                return
            self._decoder.on_discovery = partial(self._answered, tasks)
            while True:
                self._send(discovery(), (GROUP, DISCOVERY_PORT))
                await asyncio.sleep(DISCOVER_S)

    def _answered(self, tasks: asyncio.TaskGroup, data: bytes, ip: str) -> None:
        port = answered_port(data, CONTROL_PORT)
        if port is not None:
            self._connect(tasks, (ip, port))

    def _connect(self, tasks: asyncio.TaskGroup, phone: Address) -> None:
        if phone[0] in self._tasks or len(self._tasks) >= MAX_PHONES:
            return
        is_named = phone in self._named
        work = self._keep_connected(phone, again=is_named)
        task = self._tasks[phone[0]] = tasks.create_task(work, name=f"phone {phone[0]}")
        task.add_done_callback(lambda _: self._tasks.pop(phone[0], None))

    async def _keep_connected(self, phone: Address, again: bool) -> None:
        """Connect once to a discovered phone; to one of the settings again after each failure."""
        pause_s = FIRST_PAUSE_S
        while True:
            begun_s = clock.monotonic_s()
            try:
                await self._converse(phone)
            except (OSError, TimeoutError, WrongError) as err:
                reason = str(err) or type(err).__name__
                self._log.debug("connection to a phone failed", phone=phone[0], reason=reason)
            if phone[0] in self.connected:
                self.connected.discard(phone[0])
                self._log.info("phone disconnected", phone=phone[0])
            if not again:
                return
            long = clock.monotonic_s() - begun_s > LONGEST_PAUSE_S
            pause_s = FIRST_PAUSE_S if long else min(pause_s * 2, LONGEST_PAUSE_S)
            await asyncio.sleep(pause_s)

    async def _converse(self, phone: Address) -> None:
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
                writer.write(session.receive(data, now_s) + session.due(now_s))
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
            self._log.info("phone connected", phone=ip, subjects=len(session.subjects))
