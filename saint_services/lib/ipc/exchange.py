"""Carries one HTTP request to a daemon and its reply, on a connection of its own: the daemon may be
another process at the next request. h11 implements HTTP. Not here: what errors mean (client.py).
"""

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol
from urllib.parse import quote

import h11

from .wire import LARGEST_BODY_BYTES, LARGEST_HEAD_BYTES

_LARGEST_REPLY_BYTES = 16 << 20
_READ_BYTES = 64 << 10
_AS_GIVEN = "/?%:@!$&'()*+,;=~"  # callers pass URL paths whose parts are quoted already


Ends = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class DaemonAddress(Protocol):
    """How to reach a daemon, and what every request to it starts with."""

    @property
    def name(self) -> str:
        """Name of the daemon."""

    @property
    def where(self) -> str:
        """Where the daemon listens, for messages: "at <where>"."""

    @property
    def prefix(self) -> str:
        """Prefix of each path."""

    @property
    def headers(self) -> list[tuple[str, str]]:
        """Headers of each request."""

    async def open(self) -> Ends:
        """Open a new connection; raises OSError."""


@dataclass(frozen=True, slots=True)
class SocketAddress:
    """The unix socket of a daemon."""

    path: Path
    prefix: str = ""

    @property
    def name(self) -> str:
        """Name of the daemon."""
        return self.path.stem

    @property
    def where(self) -> str:
        return str(self.path)

    @property
    def headers(self) -> list[tuple[str, str]]:
        """Headers of each request."""
        return [("Host", "localhost")]

    async def open(self) -> Ends:
        return await asyncio.open_unix_connection(str(self.path))


@dataclass(frozen=True, slots=True)
class OutgoingRequest:
    """A request before it is sent."""

    method: str
    target: str
    body: bytes | None
    headers: tuple[tuple[str, str], ...] = ()


class Exchange:
    """Sends a request and reads the reply, either whole or line by line. Every failure is an
    OSError or an h11.RemoteProtocolError.
    """

    def __init__(self, address: DaemonAddress, ends: Ends) -> None:
        self._address = address
        self._reader, self._writer = ends
        self._http = h11.Connection(h11.CLIENT, max_incomplete_event_size=LARGEST_HEAD_BYTES)
        self._rest = bytearray()  # received after the last complete line
        self.status = 0

    @classmethod
    @contextlib.asynccontextmanager
    async def connected(cls, address: DaemonAddress) -> "AsyncGenerator[Exchange]":
        """Open a connection that is closed on exit."""
        exchange = cls(address, await address.open())
        try:
            yield exchange
        finally:
            exchange.close()

    def close(self) -> None:
        """Abort the connection; the daemon cancels the pending request."""
        self._writer.transport.abort()

    async def send(self, outgoing: OutgoingRequest) -> None:
        """Send the request and wait for the HTTP status."""
        headers = [*self._address.headers, *outgoing.headers, ("Connection", "close")]
        if outgoing.body is not None:
            headers.append(("Content-Type", "application/json"))
            headers.append(("Content-Length", str(len(outgoing.body))))
        target = quote(self._address.prefix + outgoing.target, safe=_AS_GIVEN)
        request = h11.Request(method=outgoing.method, target=target, headers=headers)
        self._send(request)
        if outgoing.body:
            self._send(h11.Data(data=outgoing.body))
        self._send(h11.EndOfMessage())
        await self._writer.drain()
        event = await self._event()
        while isinstance(event, h11.InformationalResponse):
            event = await self._event()
        if isinstance(event, h11.Response):
            self.status = event.status_code

    async def whole(self) -> bytes:
        """Read the rest of the reply."""
        collected = bytearray()
        while data := await self._data():
            collected += data
            if len(collected) > _LARGEST_REPLY_BYTES:
                raise h11.RemoteProtocolError(
                    f"the reply is longer than {_LARGEST_REPLY_BYTES} bytes"
                )
        return bytes(collected)

    async def line(self) -> bytes:
        """Read the next line; empty at the end."""
        while (end := self._rest.find(b"\n")) < 0:
            if len(self._rest) > LARGEST_BODY_BYTES:
                raise h11.RemoteProtocolError(
                    f"a line of the reply is longer than {LARGEST_BODY_BYTES} bytes"
                )
            data = await self._data()
            if not data:
                end = len(self._rest)  # the last line has no line break
                break
            self._rest += data
        line = bytes(self._rest[: end + 1])
        del self._rest[: end + 1]
        return line

    async def _data(self) -> bytes:
        """Read a chunk of the body; empty at its end."""
        event = await self._event()
        return bytes(event.data) if isinstance(event, h11.Data) else b""

    async def _event(self) -> object:
        while (event := self._http.next_event()) is h11.NEED_DATA:
            self._http.receive_data(await self._reader.read(_READ_BYTES))
        if isinstance(event, h11.ConnectionClosed) and self.status == 0:
            raise ConnectionResetError("the connection was closed without a reply")
        return event

    def _send(self, event: h11.Event) -> None:
        if data := self._http.send(event):
            self._writer.write(data)
