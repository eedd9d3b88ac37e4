"""Serves clients that send lines over TCP; limits their number, their unread replies and the length
of a line.
"""

import asyncio
import json
import socket
from collections.abc import Callable
from typing import cast

from ...lib import clock
from .datagrams import plain_address

LONGEST_LINE_BYTES = 65_536
_MOST_UNREAD_BYTES = 4096  # of replies; a client that does not read them gets no more
_IDLE_S = 10.0  # a client without data for longer makes room for a new one

# Processes a line of a sender; returns why it was refused, or None.
TakeLine = Callable[[bytes, tuple[str, int]], str | None]


class LineServer:
    """Accepts clients and passes each line to `take`; replies to a refused one with the reason."""

    def __init__(self, take: TakeLine, refuse: Callable[[str, str], None], most: int) -> None:
        self.take = take
        self.refuse = refuse
        self.clients: set[_Client] = set()
        self.is_on = True
        self._most = most
        self._servers: list[asyncio.Server] = []

    async def open(self, sockets: list[socket.socket]) -> None:
        """Start accepting clients."""
        loop = asyncio.get_running_loop()
        for each in sockets:
            each.setblocking(False)
            self._servers.append(await loop.create_server(lambda: _Client(self), sock=each))

    def close(self) -> None:
        """Stop accepting, and disconnect all clients."""
        for server in self._servers:
            server.close()
        for client in tuple(self.clients):
            client.abort()

    def switch(self, is_on: bool) -> None:
        """Switch on or off; while off, every client is disconnected."""
        self.is_on = is_on
        if not is_on:
            for client in tuple(self.clients):
                client.abort()

    def has_room(self, now_s: float) -> bool:
        """Make room for one more client, if need be by disconnecting the longest idle one."""
        if len(self.clients) < self._most:
            return True
        longest = min(self.clients, key=lambda client: client.received_s)
        if now_s - longest.received_s < _IDLE_S:
            return False
        longest.abort()
        return True


class _Client(asyncio.Protocol):
    """One connection."""

    def __init__(self, server: LineServer) -> None:
        self.received_s = clock.monotonic_s()
        self._server = server
        self._transport: asyncio.Transport | None = None
        self._sender = ("", 0)
        self._begun = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)  # uvloop's is no subclass
        peer = transport.get_extra_info("peername") or ("", 0)
        self._sender = plain_address((str(peer[0]), int(peer[1])))
        if not self._server.is_on:
            self._end("lines are switched off")
        elif self._server.has_room(self.received_s):
            self._server.clients.add(self)
        else:
            self._end("too many clients are connected")

    def data_received(self, data: bytes) -> None:
        if self._transport is None or self._transport.is_closing():
            return
        self.received_s = clock.monotonic_s()
        *lines, self._begun = (self._begun + data).split(b"\n")
        for line in lines:
            if len(line) > LONGEST_LINE_BYTES:
                self._end("a line is too long")
                return
            if line.strip():
                self._answer(self._server.take(line, self._sender))
        if len(self._begun) > LONGEST_LINE_BYTES:
            self._end("a line is too long")

    def connection_lost(self, _: Exception | None) -> None:
        self._server.clients.discard(self)

    def abort(self) -> None:
        """Disconnect at once; unsent replies are lost."""
        self._server.clients.discard(self)
        if self._transport is not None:
            self._transport.abort()

    def _answer(self, reason: str | None) -> None:
        transport = self._transport
        if reason is None or transport is None:
            return
        if transport.get_write_buffer_size() < _MOST_UNREAD_BYTES:
            transport.write(json.dumps({"refused": reason}).encode() + b"\n")

    def _end(self, reason: str) -> None:
        self._begun = b""
        self._server.refuse(reason, self._sender[0])
        self._answer(reason)
        self._server.clients.discard(self)
        if self._transport is not None:
            self._transport.close()
