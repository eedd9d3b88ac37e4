"""Which socket belongs to which format: those passed in, own ones where nothing was passed in at
all. Not here: what is done with a datagram.
"""

import asyncio
import socket
from functools import partial
from typing import Protocol

from ...lib import clock, log
from ...lib.api.livelink import FormatInfo
from ...lib.stall import StallWatch
from ..config import Config, Format
from ..logic import Address
from ..protocols import Refused, ifacialmocap
from ..senders.limits import SHUT_OUT, TOO_FAST, Floods, Refusals
from ..senders.phones import PhonePolling
from .datagrams import Datagrams, open_tcp, open_udp
from .lines import LineServer
from .sockets import FormatSockets

PULSE_S = 0.25  # how often silent phones and floods are looked after
STALL_S = 0.5  # between two of these; the router lets go of a face after as long
OLD = Refused("it waited while livelinkd stood still")
LARGEST_BYTES = {"llf": 2048, "ifacialmocap": ifacialmocap.LARGEST_BYTES}  # of a datagram
_LARGEST_BYTES = 65_535


class DatagramReceiver(Protocol):
    """Who gets what arrives."""

    refusals: Refusals
    asking: PhonePolling

    def take(self, format: str, data: bytes, address: Address) -> str | None: ...

    def publish_changed(self) -> None: ...


def formats_of(config: Config) -> dict[str, Format]:
    """All formats that have a listener, by name."""
    formats = config.formats
    return {
        "llf": formats.llf,
        "json": formats.json_,
        "vmc": formats.vmc,
        "ifacialmocap": formats.ifacialmocap,
        "lines": formats.lines,
        "capture": formats.capture,
    }


class Listeners:
    """All sockets."""

    def __init__(self, config: Config, daemon: DatagramReceiver) -> None:
        self._config = config
        self._daemon = daemon
        self._readers: dict[str, list[Datagrams]] = {}
        self._floods: dict[str, Floods] = {}
        self._log = log.get("livelinkd")
        self._lines: LineServer | None = None
        self._doors: dict[str, FormatSockets] = {}
        self._heard_at: dict[str, list[str]] = {}  # of the formats that are on
        self._stalls = StallWatch(STALL_S)

    def take(self, passed: dict[str, list[socket.socket]]) -> None:
        """The sockets that are there; nothing is heard before it is switched on."""
        for name, settings in formats_of(self._config).items():
            if passed and name != "capture":
                self._doors[name] = FormatSockets(passed.get(name, []))
            else:
                opens = open_tcp if name == "lines" else open_udp
                make = partial(opens, self._config.address, settings.port)
                self._doors[name] = FormatSockets([], make)

    async def switch(self, name: str, is_on: bool) -> None:
        """Listen to this format, or hear nothing of it any more."""
        door = self._doors[name]
        if is_on and name not in self._heard_at:
            sockets = door.open()
            self._heard_at[name] = [_told(each) for each in sockets]
            await self._listen(name, sockets)
        elif not is_on:
            self._heard_at.pop(name, None)
            door.shut()
            await self._silence(name)

    def told(self) -> list[FormatInfo]:
        """What is on, and where."""
        on = self._heard_at
        return [
            FormatInfo(format=name, enabled=name in on, addresses=on.get(name, []))
            for name in self._doors
        ]

    def send(self, format: str, data: bytes, address: Address) -> None:
        """From the format's own port; nothing when it is off."""
        for reader in self._readers.get(format, [])[:1]:
            reader.send(data, address)

    async def look_after(self) -> None:
        """Ask the phones that want to be asked, and hear again who was shut out, for as long as it
        runs.
        """
        while True:
            now_s = clock.monotonic_s()
            self._stalls.beat(now_s)
            for address in self._daemon.asking.due(now_s):
                self.send("ifacialmocap", ifacialmocap.REQUEST, address)
            for name, floods in self._floods.items():
                if floods.over(now_s):
                    self._shield(name)
            await asyncio.sleep(PULSE_S)

    def close(self) -> None:
        for reader in (each for several in self._readers.values() for each in several):
            reader.close()
        if self._lines is not None:
            self._lines.close()
        for door in self._doors.values():
            door.close()

    async def _silence(self, name: str) -> None:
        for reader in self._readers.pop(name, []):
            reader.close()
        self._floods.pop(name, None)
        if name != "lines":
            return
        if self._doors[name].is_passed:
            if self._lines is None:
                await self._listen(name, self._doors[name].open())
            assert self._lines is not None
            self._lines.switch(False)  # who connects is sent away, and not left without a word
        elif self._lines is not None:
            self._lines.close()
            self._lines = None

    def _shield(self, name: str) -> None:
        for reader in self._readers[name]:
            reader.shut_out(self._floods[name].senders)

    async def _listen(self, name: str, sockets: list[socket.socket]) -> None:
        daemon = self._daemon

        def drop(address: Address) -> str:
            daemon.refusals.count(OLD, address[0])
            return OLD.reason

        def take_line(line: bytes, address: Address) -> str | None:
            if self._stalls.is_stalled(clock.monotonic_s()):
                return drop(address)
            return daemon.take(name, line, address)

        floods = self._floods[name] = Floods()

        def take(data: bytes, address: Address) -> None:
            reason = daemon.take(name, data, address)
            if reason is TOO_FAST.reason and floods.count(address[0], clock.monotonic_s()):
                daemon.refusals.count(SHUT_OUT, address[0])
                self._log.warning("a sender floods", sender=address[0], format=name)
                self._shield(name)

        if name == "lines" and self._lines is not None:
            for each in sockets:
                each.close()  # it listens already, and sends everybody away
            self._lines.switch(True)
            return
        if name == "lines":
            most = self._config.formats.lines.clients

            def refuse(reason: str, ip: str) -> None:
                daemon.refusals.count(Refused(reason), ip)

            self._lines = LineServer(take_line, refuse, most)
            await self._lines.open(sockets)
            return
        after = daemon.publish_changed if name == "vmc" else None
        largest = LARGEST_BYTES.get(name, _LARGEST_BYTES)
        buffer = self._config.receive_buffer_bytes
        self._readers[name] = [
            Datagrams(each, buffer, largest, take, after, self._stalls, drop) for each in sockets
        ]


def _told(sock: socket.socket) -> str:
    kind = "tcp" if sock.type == socket.SOCK_STREAM else "udp"
    host, port = sock.getsockname()[:2]
    return f"{kind} {f'[{host}]' if ':' in host else host}:{port}"
