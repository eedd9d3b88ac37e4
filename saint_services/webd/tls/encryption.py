"""Switches encryption on and off while webd runs, and serves the authority's certificate at
/api/tls/ca.crt to devices that install it. Not here: creating certificates (authority.py).
"""

import asyncio
import ssl
from collections.abc import Awaitable, Callable, Sequence

from aiohttp import web

from ...lib import log
from ...lib.api.machine import TlsInfo
from ...lib.errors import SaintError
from ..server.handlers import RequestHandlers
from .authority import CertificateAuthority

_log = log.get("webd")
_CHECK_S = 5.0  # a new name or address is in force within seconds

Encrypt = Callable[[ssl.SSLContext | None], Awaitable[None]]


async def _nowhere(_: ssl.SSLContext | None) -> None:
    """Do nothing: the site is not open yet."""


class Encryption(RequestHandlers):
    """Encryption of the web server, and the request for the authority's certificate."""

    def __init__(self, authority: CertificateAuthority) -> None:
        self._authority = authority
        self._turn = asyncio.Lock()
        self.encrypt: Encrypt = _nowhere

    def routes(self) -> Sequence[web.RouteDef]:
        return [web.get("/api/tls/ca.crt", self.send_authority)]

    async def send_authority(self, _: web.Request) -> web.StreamResponse:
        """Send the authority's certificate, which is no secret."""
        return web.Response(
            text=await asyncio.to_thread(self._authority.authority),
            content_type="application/x-x509-ca-cert",
            headers={"Content-Disposition": 'attachment; filename="saint-ca.crt"'},
        )

    async def start(self) -> None:
        """Encrypt if it was switched on. A robot without a working certificate runs unencrypted."""
        if not await asyncio.to_thread(lambda: self._authority.is_enabled):
            return
        await self._renew()

    async def keep(self) -> None:
        """Keep the certificate up to date with the server's names and addresses, until
        cancelled.
        """
        while True:
            await asyncio.sleep(_CHECK_S)
            async with self._turn:
                if await asyncio.to_thread(self._authority.is_outdated):
                    await self._renew()

    async def _renew(self) -> None:
        try:
            await self.encrypt(await asyncio.to_thread(self._authority.context))
        except (SaintError, OSError, ssl.SSLError) as err:
            _log.error("encryption is switched on but does not work", error=err)

    async def info(self) -> TlsInfo:
        """Describe the certificate for users."""
        return await asyncio.to_thread(self._authority.info)

    async def enable(self) -> TlsInfo:
        """Switch encryption on; create authority and certificate where they are missing."""
        async with self._turn:
            await asyncio.to_thread(self._authority.enable)
            await self.encrypt(await asyncio.to_thread(self._authority.context))
        info = await self.info()
        _log.info("encryption is on", fingerprint=info.fingerprint)
        return info

    async def disable(self) -> TlsInfo:
        """Switch encryption off and delete the authority."""
        async with self._turn:
            await self.encrypt(None)
            await asyncio.to_thread(self._authority.disable)
        return await self.info()
