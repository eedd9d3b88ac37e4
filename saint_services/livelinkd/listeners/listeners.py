"""Opens and switches the listeners of all formats: on sockets passed in, else on own ones."""

import asyncio
import socket
from functools import partial
from typing import Protocol

from ...lib import clock, log
from ...lib.api.livelink import FormatInfo
from ...lib.stall import StallWatch
from ..config import Config, FormatSettings
from ..logic import Address
from ..protocols import Refused, ifacialmocap
from ..senders.limits import SHUT_OUT, TOO_FAST, Floods, Refusals
from ..senders.phones import PhonePolling
from .datagrams import Datagrams, open_tcp, open_udp
from .lines import LineServer
from .sockets import FormatSockets

PERIOD_S = 0.25  # of polling phones and checking floods
STALL_S = 0.5  # between two of these: the router's time-out for a face
OLD = Refused("the datagram waited while livelinkd was stalled")
LARGEST_BYTES = {"llf": 2048, "ifacialmocap": ifacialmocap.LARGEST_BYTES}  # of a datagram
_LARGEST_BYTES = 65_535


class DatagramReceiver(Protocol):
    """Receives the datagrams of all listeners."""

    refusals: Refusals
    phones: PhonePolling

    def take(self, format: str, data: bytes, address: Address) -> str | None: ...

    def publish_changed(self) -> None: ...


def formats_of(config: Config) -> dict[str, FormatSettings]:
    """Return the settings of all formats that have a listener, by name."""
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
    """Listeners of all formats."""

    def __init__(self, config: Config, daemon: DatagramReceiver) -> None:
        self._config = config
        self._daemon = daemon
        self._readers: dict[str, list[Datagrams]] = {}
        self._floods: dict[str, Floods] = {}
        self._log = log.get("livelinkd")
        self._lines: LineServer | None = None
        self._sockets: dict[str, FormatSockets] = {}
        self._addresses: dict[str, list[str]] = {}  # by format, of those that are on
        self._stalls = StallWatch(STALL_S)

    def take(self, passed: dict[str, list[socket.socket]]) -> None:
        """Assign sockets to formats; none is read before it is switched on."""
        for name, settings in formats_of(self._config).items():
            if passed and name != "capture":
                self._sockets[name] = FormatSockets(passed.get(name, []))
            else:
                opens = open_tcp if name == "lines" else open_udp
                make = partial(opens, self._config.address, settings.port)
                self._sockets[name] = FormatSockets([], make)

    async def switch(self, name: str, is_on: bool) -> None:
        """Start or stop listening for a format."""
        sockets = self._sockets[name]
        if is_on and name not in self._addresses:
            opened = sockets.open()
            self._addresses[name] = [_address(each) for each in opened]
            await self._listen(name, opened)
        elif not is_on:
            self._addresses.pop(name, None)
            sockets.pause()
            await self._stop(name)

    def formats(self) -> list[FormatInfo]:
        """List the formats, and the addresses of those that are on."""
        on = self._addresses
        return [
            FormatInfo(format=name, enabled=name in on, addresses=on.get(name, []))
            for name in self._sockets
        ]

    def send(self, format: str, data: bytes, address: Address) -> None:
        """Send from the format's own port; do nothing while it is off."""
        for reader in self._readers.get(format, [])[:1]:
            reader.send(data, address)

    async def run(self) -> None:
        """Request streams of silent phones and end filters of floods, until cancelled."""
        while True:
            now_s = clock.monotonic_s()
            self._stalls.beat(now_s)
            for address in self._daemon.phones.due(now_s):
                self.send("ifacialmocap", ifacialmocap.REQUEST, address)
            for name, floods in self._floods.items():
                if floods.over(now_s):
                    self._filter_floods(name)
            await asyncio.sleep(PERIOD_S)

    def close(self) -> None:
        for reader in (each for several in self._readers.values() for each in several):
            reader.close()
        if self._lines is not None:
            self._lines.close()
        for sockets in self._sockets.values():
            sockets.close()

    async def _stop(self, name: str) -> None:
        for reader in self._readers.pop(name, []):
            reader.close()
        self._floods.pop(name, None)
        if name != "lines":
            return
        if self._sockets[name].is_passed:
            if self._lines is None:
                await self._listen(name, self._sockets[name].open())
            assert self._lines is not None
            self._lines.switch(False)  # clients are disconnected with the reason
        elif self._lines is not None:
            self._lines.close()
            self._lines = None

    def _filter_floods(self, name: str) -> None:
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
                self._log.warning(
                    "sender floods, its datagrams are dropped", sender=address[0], format=name
                )
                self._filter_floods(name)

        if name == "lines" and self._lines is not None:
            for each in sockets:
                each.close()  # it listens already, and disconnects clients
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


def _address(sock: socket.socket) -> str:
    kind = "tcp" if sock.type == socket.SOCK_STREAM else "udp"
    host, port = sock.getsockname()[:2]
    return f"{kind} {f'[{host}]' if ':' in host else host}:{port}"
