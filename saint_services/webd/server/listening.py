"""A listening socket whose connections are ours (connections.py) instead of aiohttp's, and what
aiohttp is told about them. Not here: which sockets there are (site.py, secure_sockets.py).
"""

import asyncio
import logging
import socket
import ssl
from typing import Any

from aiohttp import web

from ...lib.http_connections import LINGER_S, REQUEST_LIMIT_S
from .connections import Connection, Connections

HANDSHAKE_LIMIT_S = 10.0  # of TLS
ACCEPT_AT_ONCE = 64  # in one turn of the loop: the surplus is ended before the next ones come
BACKLOG = 256  # that wait for it in the kernel; with those that are open fewer than 1024 files

# Nothing is unpacked: a few bytes may become more than the memory holds (bodies.py says so).
_OPTIONS: dict[str, Any] = {
    "access_log": None,
    "auto_decompress": False,
    "keepalive_timeout": 2 * REQUEST_LIMIT_S,  # ours ends it before
    "lingering_time": LINGER_S,
    "logger": logging.getLogger("saint.webd.http"),
}


class Listening(web.SockSite):
    """One listening socket whose connections are ours instead of aiohttp's."""

    def __init__(
        self,
        runner: web.AppRunner,
        listening: socket.socket,
        crowd: Connections,
        *,
        context: ssl.SSLContext | None = None,
    ) -> None:
        super().__init__(runner, listening, ssl_context=context)
        self._crowd = crowd

    async def start(self) -> None:
        await web.BaseSite.start(self)
        server = self._runner.server
        assert server is not None
        limit_s = HANDSHAKE_LIMIT_S if self._ssl_context else None
        self._server = await asyncio.get_running_loop().create_server(
            lambda: Connection(self._crowd, server, **_OPTIONS),
            sock=self._sock,
            ssl=self._ssl_context,
            ssl_handshake_timeout=limit_s,
            backlog=ACCEPT_AT_ONCE,
        )
        self._sock.listen(BACKLOG)  # a crowd that begins no request must not fill it
