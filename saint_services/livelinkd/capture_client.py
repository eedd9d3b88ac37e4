"""Finds phones in the capture mode and stays connected to them. Experimental, off by default. Not
here: what is said (capture_session.py), what arrives as frames (protocols/capture.py).
"""

import asyncio
import contextlib
import socket

from ..lib import clock, log
from .adapters import plain_address
from .capture_session import Session
from .protocols.capture import Capture, answered_port, discovery
from .protocols.frames import WrongError

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
    """All phones: those named, and those that answer."""

    def __init__(self, port: int, decoder: Capture, phones: list[Address], discover: bool) -> None:
        self.connected: set[str] = set()
        self._port = port
        self._decoder = decoder
        self._found = list(phones)
        self._discover = discover
        self._log = log.get("livelinkd")
        self._working: dict[str, asyncio.Task[None]] = {}

    async def work(self) -> None:
        """For as long as it runs."""
        async with asyncio.TaskGroup() as tasks:
            for phone in self._found:
                self._take(tasks, phone)
            if self._discover:
                with contextlib.ExitStack() as closing:
                    ear = closing.enter_context(_discoverer())
                    loop = asyncio.get_running_loop()
                    loop.add_reader(ear, self._answered, ear, tasks)
                    closing.callback(loop.remove_reader, ear)
                    while True:
                        with contextlib.suppress(OSError):  # no network yet
                            ear.sendto(discovery(), (GROUP, DISCOVERY_PORT))
                        await asyncio.sleep(DISCOVER_S)

    def _answered(self, ear: socket.socket, tasks: asyncio.TaskGroup) -> None:
        with contextlib.suppress(OSError):
            data, address = ear.recvfrom(2048)
            port = answered_port(data, CONTROL_PORT)
            if port is not None:
                self._take(tasks, (plain_address(address)[0], port))

    def _take(self, tasks: asyncio.TaskGroup, phone: Address) -> None:
        if phone[0] in self._working or len(self._working) >= MAX_PHONES:
            return
        is_named = phone in self._found
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
        session = Session(self._port)
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

    def _follow(self, ip: str, session: Session) -> None:
        self._decoder.learn(ip, session.subjects)
        if session.is_streaming and ip not in self.connected:
            self.connected.add(ip)
            self._log.info("phone streams", phone=ip, subjects=len(session.subjects))


def _discoverer() -> socket.socket:
    made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    made.setblocking(False)
    made.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, 1)
    return made
