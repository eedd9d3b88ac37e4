"""Listening sockets whose connections are webd's own (connections.py) instead of aiohttp's, also
those of port 443, which is closed until there is a certificate. Not here: the certificate (tls/).
"""

import asyncio
import contextlib
import logging
import socket
import ssl
from collections.abc import Sequence
from typing import Any

from aiohttp import web

from ...lib.http_connections import LINGER_S, REQUEST_LIMIT_S
from .connections import WebConnection, WebConnections

HANDSHAKE_LIMIT_S = 10.0  # of TLS
ACCEPT_AT_ONCE = 64  # in one turn of the loop: the surplus is closed before the next ones come
BACKLOG = 256  # waiting in the kernel; together with the open ones fewer than 1024 files

# Nothing is decompressed: bodies.py refuses compressed bodies.
_OPTIONS: dict[str, Any] = {
    "access_log": None,
    "auto_decompress": False,
    "keepalive_timeout": 2 * REQUEST_LIMIT_S,  # webd's own limit is shorter
    "lingering_time": LINGER_S,
    "logger": logging.getLogger("saint.webd.http"),
}


class Listening(web.SockSite):
    """One listening socket with webd's own connections."""

    def __init__(
        self,
        runner: web.AppRunner,
        listening: socket.socket,
        connections: WebConnections,
        *,
        context: ssl.SSLContext | None = None,
    ) -> None:
        super().__init__(runner, listening, ssl_context=context)
        self._connections = connections

    async def start(self) -> None:
        await web.BaseSite.start(self)
        server = self._runner.server
        assert server is not None
        limit_s = HANDSHAKE_LIMIT_S if self._ssl_context else None
        self._server = await asyncio.get_running_loop().create_server(
            lambda: WebConnection(self._connections, server, **_OPTIONS),
            sock=self._sock,
            ssl=self._ssl_context,
            ssl_handshake_timeout=limit_s,
            backlog=ACCEPT_AT_ONCE,
        )
        self._sock.listen(BACKLOG)  # connections without a request must not fill it


class SecureSockets:
    """Port 443: closed at once without a certificate, encrypted with one. The listening sockets are
    the service manager's and stay open; copies of them are used.
    """

    def __init__(self, connections: WebConnections) -> None:
        self._connections = connections
        self._sockets: list[socket.socket] = []
        self._sites: list[Listening] = []
        self._is_rejecting = False

    def reject(self, sockets: Sequence[socket.socket]) -> None:
        """Close every new connection on these sockets at once."""
        self._sockets = list(sockets)
        self._reject_all()

    async def serve(self, runner: web.AppRunner, context: ssl.SSLContext | None) -> None:
        """Serve with this certificate from now on; None: close every new connection."""
        for site in self._sites:
            await site.stop()
        self._sites = []
        if context is None:
            self._reject_all()
            return
        self._stop_rejecting()
        for each in self._sockets:
            site = Listening(runner, each.dup(), self._connections, context=context)
            await site.start()
            self._sites.append(site)

    def close(self) -> None:
        """Close the sockets because webd stops; the sites end with their runner."""
        self._stop_rejecting()
        for each in self._sockets:
            each.close()

    def _reject_all(self) -> None:
        loop = asyncio.get_running_loop()
        for each in self._sockets:
            each.setblocking(False)
            loop.add_reader(each.fileno(), self._reject, each)
        self._is_rejecting = True

    def _stop_rejecting(self) -> None:
        if self._is_rejecting:
            loop = asyncio.get_running_loop()
            for each in self._sockets:
                loop.remove_reader(each.fileno())
        self._is_rejecting = False

    def _reject(self, listening: socket.socket) -> None:
        with contextlib.suppress(OSError):
            listening.accept()[0].close()
