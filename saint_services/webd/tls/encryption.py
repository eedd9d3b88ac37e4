"""Encryption as people meet it: switched on and off while webd runs, and the certificate of the
authority at /api/tls/ca.crt for whoever wants to trust it. Not here: how it is made (tls.py).
"""

import asyncio
import ssl
from collections.abc import Awaitable, Callable, Sequence

from aiohttp import web

from ...lib import log
from ...lib.api.machine import TlsInfo
from ...lib.errors import SaintError
from .authority import Tls

_log = log.get("webd")
_LOOK_S = 5.0  # a new name or address is in force within seconds

Encrypt = Callable[[ssl.SSLContext | None], Awaitable[None]]


async def _nowhere(_: ssl.SSLContext | None) -> None:
    """Before the site is open."""


class Trust:
    """Some of the site's requests, and what the actions about encryption do."""

    def __init__(self, tls: Tls) -> None:
        self._tls = tls
        self._turn = asyncio.Lock()
        self.encrypt: Encrypt = _nowhere

    def routes(self) -> Sequence[web.RouteDef]:
        """One. A certificate is no secret."""
        return [web.get("/api/tls/ca.crt", self.give)]

    async def close(self) -> None:
        """Nothing stays open."""

    async def give(self, _: web.Request) -> web.StreamResponse:
        """The authority, as all systems take it."""
        return web.Response(
            text=await asyncio.to_thread(self._tls.authority),
            content_type="application/x-x509-ca-cert",
            headers={"Content-Disposition": 'attachment; filename="saint-ca.crt"'},
        )

    async def start(self) -> None:
        """As it was left. A robot whose certificate cannot be made works on without."""
        if not await asyncio.to_thread(lambda: self._tls.is_enabled):
            return
        await self._renew()

    async def keep(self) -> None:
        """Other names and addresses of the server come into the certificate while webd runs."""
        while True:
            await asyncio.sleep(_LOOK_S)
            async with self._turn:
                if await asyncio.to_thread(self._tls.is_outdated):
                    await self._renew()

    async def _renew(self) -> None:
        try:
            await self.encrypt(await asyncio.to_thread(self._tls.context))
        except (SaintError, OSError, ssl.SSLError) as err:
            _log.error("encryption is switched on but does not work", error=err)

    async def info(self) -> TlsInfo:
        """For people."""
        return await asyncio.to_thread(self._tls.info)

    async def enable(self) -> TlsInfo:
        """From now on; makes what is missing."""
        async with self._turn:
            await asyncio.to_thread(self._tls.enable)
            await self.encrypt(await asyncio.to_thread(self._tls.context))
        info = await self.info()
        _log.info("encryption is on", fingerprint=info.fingerprint)
        return info

    async def disable(self) -> TlsInfo:
        """From now on, and the authority is forgotten."""
        async with self._turn:
            await self.encrypt(None)
            await asyncio.to_thread(self._tls.disable)
        return await self.info()
