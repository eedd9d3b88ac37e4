"""Port 443: closed politely while there is no certificate, encrypted once there is one. Not here:
the certificate (tls.py).
"""

import asyncio
import contextlib
import socket
import ssl
from collections.abc import Sequence

from aiohttp import web

from .connections import Connections
from .listening import Listening


class SecureSockets:
    """The listening sockets are the service manager's and stay open; copies of them are used."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._sockets: list[socket.socket] = []
        self._sites: list[Listening] = []
        self._is_turning_away = False

    def closed(self, sockets: Sequence[socket.socket]) -> None:
        """Who connects is told at once that nobody answers."""
        self._sockets = list(sockets)
        self._turn_away()

    async def serve(self, runner: web.AppRunner, context: ssl.SSLContext | None) -> None:
        """With this certificate from now on, or not at all."""
        for site in self._sites:
            await site.stop()
        self._sites = []
        if context is None:
            self._turn_away()
            return
        self._end_turning_away()
        for each in self._sockets:
            site = Listening(runner, each.dup(), self._connections, context=context)
            await site.start()
            self._sites.append(site)

    def close(self) -> None:
        """We are stopping; the sites end with their runner."""
        self._end_turning_away()
        for each in self._sockets:
            each.close()

    def _turn_away(self) -> None:
        loop = asyncio.get_running_loop()
        for each in self._sockets:
            each.setblocking(False)
            loop.add_reader(each.fileno(), self._refuse, each)
        self._is_turning_away = True

    def _end_turning_away(self) -> None:
        if self._is_turning_away:
            loop = asyncio.get_running_loop()
            for each in self._sockets:
                loop.remove_reader(each.fileno())
        self._is_turning_away = False

    def _refuse(self, listening: socket.socket) -> None:
        with contextlib.suppress(OSError):
            listening.accept()[0].close()
