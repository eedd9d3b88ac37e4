"""Serves POST /releases on otad's own socket: the bundle as the body, its length announced. webd,
saintctl and the USB import send it. Not here: whether it is accepted (releases/ingest.py).
"""

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from ...lib.access import audit
from ...lib.access.audit import AuditRecord
from ...lib.access.person import HEADER, Person, SocketRequest, uid_of
from ...lib.api.firmware import UPLOAD, Release, Upload
from ...lib.errors import Code, SaintError
from ..releases.ingest import ReleaseIngest
from .http_server import HttpRoute

if TYPE_CHECKING:
    from aiohttp import web

CHECKSUM_HEADER = "X-Saint-Sha256"
SOURCE_HEADER = "X-Saint-Source"  # names a sender that is no user
USB_STICK = "usb-stick"
_CHUNK_BYTES = 256 << 10
_NO_STICKS = (
    "USB sticks are off in the update settings of the firmware page; switch them on and plug it "
    "in again, or upload the file"
)
_SHA256 = re.compile(r"[0-9a-f]{64}", re.ASCII)


class Uploads:
    """Handles the requests of the upload socket; each leaves one entry in the audit log."""

    def __init__(
        self,
        ingest: ReleaseIngest,
        stalled_after_s: float,
        add_entry: Callable[[AuditRecord], None],
        takes_sticks: Callable[[], bool],
    ) -> None:
        self._ingest = ingest
        self._stalled_after_s = stalled_after_s
        self._add_entry = add_entry
        self._takes_sticks = takes_sticks  # whether the owner wants releases of USB sticks

    @property
    def routes(self) -> list[HttpRoute]:
        return [HttpRoute("POST", "/releases", self._upload)]

    async def _upload(self, request: "web.Request") -> "web.StreamResponse":
        from aiohttp import web

        announced = Upload(
            size_bytes=request.content_length or 0,
            checksum_sha256=request.headers.get(CHECKSUM_HEADER, "")[:80].lower(),
        )
        release = await audit.recorded(
            self._add_entry, UPLOAD, _sender(request), announced, self._accepted(request, announced)
        )
        return web.json_response(text=release.model_dump_json())

    async def _accepted(self, request: "web.Request", announced: Upload) -> Release:
        if _is_from_stick(request) and not self._takes_sticks():
            err = SaintError(Code.REFUSED, _NO_STICKS)
            self._ingest.report_refusal(err)
            raise err
        if request.content_length is None:
            text = "the request has no Content-Length, so the size of the bundle is not known"
            raise SaintError(Code.REQUEST_INVALID, text)
        checksum = announced.checksum_sha256
        if checksum and not _SHA256.fullmatch(checksum):
            text = f"{CHECKSUM_HEADER} is {checksum!r}, not 64 hexadecimal digits"
            raise SaintError(Code.REQUEST_INVALID, text)
        return await self._ingest.add(self._chunks(request), announced.size_bytes, checksum)

    async def _chunks(self, request: "web.Request") -> AsyncIterator[bytes]:
        """Yield the body. Raises too_slow when the sender stalls, release_invalid when it
        disconnects."""
        from aiohttp import ClientError

        while True:
            try:
                async with asyncio.timeout(self._stalled_after_s):
                    chunk = await request.content.read(_CHUNK_BYTES)
            except TimeoutError as err:
                text = f"no data for {self._stalled_after_s:g} s; the upload is cancelled"
                raise SaintError(Code.TOO_SLOW, text, fix="Send the file again.") from err
            except (ClientError, ConnectionError) as err:
                text = "the upload was cut off"
                raise SaintError(Code.RELEASE_INVALID, text, fix="Send the file again.") from err
            if not chunk:
                return
            yield chunk


def _sender(request: "web.Request") -> Person:
    uid = uid_of(request.transport) if request.transport else None
    person = Person.of(SocketRequest(uid, request.headers.get(HEADER, "").encode()))
    return replace(person, source=USB_STICK) if _is_from_stick(request) else person


def _is_from_stick(request: "web.Request") -> bool:
    return request.headers.get(SOURCE_HEADER) == USB_STICK
