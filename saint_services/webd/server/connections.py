"""Adds to a connection of webd: the client's network, whether a request may have waited for the end
of a stall, and which connection is closed when there are too many. Not here: time limits and bounds
(lib/http_connections.py), what a request means (site.py), its body (bodies.py).
"""

import asyncio
import socket
from collections import Counter
from typing import Any

from aiohttp import web

from ...lib.clock import monotonic_s
from ...lib.http_connections import HttpConnection, HttpConnections
from ...lib.stall import StallWatch
from ..accounts.access import network_of

MOST_CONNECTIONS = 448  # in addition to the WebSockets; a process has 1024 descriptors
STOP_PATH = b"/estop"


class WebConnection(HttpConnection):
    """One connection of a browser or a program."""

    headers = HttpConnection.headers | {"Server": "SAINT.OS"}
    malformed_fix = (
        "Correct the program that sends it; /api/openapi.json describes the valid requests."
    )

    def __init__(self, connections: "WebConnections", server: web.Server, **options: Any) -> None:
        super().__init__(connections, server, **options)
        self._stalls = connections.stalls
        self.network = ""  # of the client; empty: this machine's control socket
        # Accepted, or received bytes, right after a stall: they may have waited for its end.
        self.is_old = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        peer = transport.get_extra_info("peername")
        bare: socket.socket = transport.get_extra_info("socket")
        if bare.family != socket.AF_UNIX and peer:
            self.network = network_of(str(peer[0]))
        self._note_stall()
        super().connection_made(transport)

    def data_received(self, data: bytes) -> None:
        self._note_stall()
        super().data_received(data)

    def _note_stall(self) -> None:
        self.is_old = self.is_old or self._stalls.is_stalled(monotonic_s())

    def complete(self, answer: web.StreamResponse) -> None:
        if self.is_old:
            answer.force_close()  # the next connection is fresh

    @property
    def says_stop(self) -> bool:
        """Whether the bytes that wait to be read are a request for the stop."""
        return STOP_PATH in self.peeked()


class WebConnections(HttpConnections[WebConnection]):
    """All open connections."""

    def __init__(self, counters: Counter[str], websockets: int, stalls: StallWatch) -> None:
        super().__init__(counters, MOST_CONNECTIONS + websockets)
        self.stalls = stalls

    def surplus(
        self, connections: list[WebConnection], newest: WebConnection
    ) -> WebConnection | None:
        """Return a connection of the network that has most of them: one without any request so far
        before one that had some, the oldest first. One whose request is arriving, which may be a
        stop, stays.
        """
        remote = [each for each in connections if each.network]
        if not remote:
            return None
        [(network, _)] = Counter(each.network for each in remote).most_common(1)
        crowd = [each for each in remote if each.network == network]
        waiting = [each for each in crowd if each.is_waiting and each is not newest]
        for each in sorted(waiting, key=lambda each: each.has_served):
            if not each.has_bytes:
                return each
        for each in waiting:
            if not each.says_stop:
                return each
        return crowd[-1]


def is_old(request: web.Request) -> bool:
    """Return whether the request may have waited while webd was stalled."""
    connection = request.protocol
    assert isinstance(connection, WebConnection)
    return connection.is_old
