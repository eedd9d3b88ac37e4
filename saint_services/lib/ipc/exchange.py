"""One request to a daemon and its answer, on a connection of its own: the daemon may be another
process at the next request. HTTP itself is h11's. Not here: what errors mean (ipc_client.py).
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

_LARGEST_ANSWER_BYTES = 16 << 20
_READ_BYTES = 64 << 10
_AS_GIVEN = "/?%:@!$&'()*+,;=~"  # callers write paths as in a URL, parts in quotes already


Ends = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class Place(Protocol):
    """Where a daemon is asked, and what each request to it begins with."""

    @property
    def name(self) -> str:
        """The daemon's."""

    @property
    def where(self) -> str:
        """For people: "at <this>"."""

    @property
    def prefix(self) -> str:
        """Before each path."""

    @property
    def headers(self) -> list[tuple[str, str]]:
        """Of each request."""

    async def open(self) -> Ends:
        """A new connection; raises OSError."""


@dataclass(frozen=True, slots=True)
class SocketPlace:
    """A daemon's unix socket."""

    path: Path
    prefix: str = ""

    @property
    def name(self) -> str:
        """The daemon's."""
        return self.path.stem

    @property
    def where(self) -> str:
        """For people."""
        return str(self.path)

    @property
    def headers(self) -> list[tuple[str, str]]:
        """Of each request."""
        return [("Host", "localhost")]

    async def open(self) -> Ends:
        """A new connection."""
        return await asyncio.open_unix_connection(str(self.path))


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked."""

    method: str
    target: str
    body: bytes | None
    headers: tuple[tuple[str, str], ...] = ()


class Exchange:
    """Sends the question; the answer is read either whole or by lines. Raises OSError and
    h11.RemoteProtocolError for everything that goes wrong.
    """

    def __init__(self, place: Place, ends: Ends) -> None:
        self._place = place
        self._reader, self._writer = ends
        self._http = h11.Connection(h11.CLIENT, max_incomplete_event_size=LARGEST_HEAD_BYTES)
        self._rest = bytearray()  # of a line
        self.status = 0

    @classmethod
    @contextlib.asynccontextmanager
    async def connected(cls, place: Place) -> "AsyncGenerator[Exchange]":
        """A new connection, closed at the end."""
        exchange = cls(place, await place.open())
        try:
            yield exchange
        finally:
            exchange.close()

    def close(self) -> None:
        """At once: the daemon cancels what it still does."""
        self._writer.transport.abort()

    async def ask(self, question: Question) -> None:
        """Send it and await the status."""
        headers = [*self._place.headers, *question.headers, ("Connection", "close")]
        if question.body is not None:
            headers.append(("Content-Type", "application/json"))
            headers.append(("Content-Length", str(len(question.body))))
        target = quote(self._place.prefix + question.target, safe=_AS_GIVEN)
        request = h11.Request(method=question.method, target=target, headers=headers)
        self._send(request)
        if question.body:
            self._send(h11.Data(data=question.body))
        self._send(h11.EndOfMessage())
        await self._writer.drain()
        event = await self._event()
        while isinstance(event, h11.InformationalResponse):
            event = await self._event()
        if isinstance(event, h11.Response):
            self.status = event.status_code

    async def whole(self) -> bytes:
        """The rest of the answer."""
        collected = bytearray()
        while data := await self._data():
            collected += data
            if len(collected) > _LARGEST_ANSWER_BYTES:
                raise h11.RemoteProtocolError("the answer is too long")
        return bytes(collected)

    async def line(self) -> bytes:
        """The next line; empty at the end."""
        while (end := self._rest.find(b"\n")) < 0:
            if len(self._rest) > LARGEST_BODY_BYTES:
                raise h11.RemoteProtocolError("a line of the answer is too long")
            data = await self._data()
            if not data:
                end = len(self._rest)  # a last line without its end
                break
            self._rest += data
        line = bytes(self._rest[: end + 1])
        del self._rest[: end + 1]
        return line

    async def _data(self) -> bytes:
        """A piece of the body; empty at its end."""
        event = await self._event()
        return bytes(event.data) if isinstance(event, h11.Data) else b""

    async def _event(self) -> object:
        while (event := self._http.next_event()) is h11.NEED_DATA:
            self._http.receive_data(await self._reader.read(_READ_BYTES))
        if isinstance(event, h11.ConnectionClosed) and self.status == 0:
            raise ConnectionResetError("closed without an answer")
        return event

    def _send(self, event: h11.Event) -> None:
        if data := self._http.send(event):
            self._writer.write(data)
