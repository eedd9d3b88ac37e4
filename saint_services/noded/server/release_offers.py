"""Requests from the server which release this node should run, and its address. Not here: whether
it is installed (lib/update), whether it is genuine (its signature, checked by the installer).
"""

import re
from collections.abc import Callable

from ...lib import log
from ...lib.api.orders import LONGEST_URL, LONGEST_VERSION, offer_in, offer_parts
from ...lib.bus import Bus
from ...lib.crypto import signing
from ...lib.errors import Code, SaintError
from ...lib.generated.saint_msgs import (
    FirmwareCheck_Request,
    FirmwareCheck_Response,
    FirmwareDownload_Request,
)
from ...lib.generated.topics import FIRMWARE_CHECK, FIRMWARE_DOWNLOAD
from ...lib.update.events import WantedRelease

_log = log.get("noded")
_CHECKSUM = re.compile(r"[0-9a-fA-F]{64}", re.ASCII)


class ReleaseOffers:
    """The server's releases for one node."""

    def __init__(
        self, bus: Bus, node_id: str, limit_s: float, server_key: Callable[[], str]
    ) -> None:
        self._bus = bus
        self._node_id = node_id
        self._limit_s = limit_s
        self._server_key = server_key  # of the server that the node belongs to; empty: none
        self._is_ignoring = False  # another device's replies; it is requested four times a second

    async def offer(self, version: str, *, is_any_wanted: bool) -> WantedRelease | None:
        """Request a newer release; with `is_any_wanted` the offered one, whatever runs, or without
        an offer and without a server the release that runs. Raises SaintError."""
        request = FirmwareCheck_Request(
            node_id=self._node_id,
            current_version=version,
            server_key=self._server_key(),
            challenge=signing.nonce(),
        )
        answer = await self._bus.call(FIRMWARE_CHECK, request, self._limit_s)
        if request.server_key and not _is_signed(request, answer):
            if not self._is_ignoring:
                _log.warning("another device's offer is ignored", version=answer.version[:40])
            self._is_ignoring = True
            message = "another device replied in place of this node's server"
            raise SaintError(Code.BUS_TIMEOUT, message)  # its server has not answered yet
        self._is_ignoring = False
        if answer.version and (answer.update_available or is_any_wanted):
            return checked_release(answer.version, answer.url, answer.checksum_sha256)
        if is_any_wanted and not request.server_key:  # a reset node; this reply is not signed
            return await self._named(version)
        return None

    async def _named(self, version: str) -> WantedRelease:
        request = FirmwareDownload_Request(node_id=self._node_id, version=version)
        answer = await self._bus.call(FIRMWARE_DOWNLOAD, request, self._limit_s)
        if not answer.success:
            raise SaintError(Code.REFUSED, f"the server refused: {answer.message[:200]}")
        return checked_release(version, answer.url, answer.checksum_sha256)


def _is_signed(request: FirmwareCheck_Request, answer: FirmwareCheck_Response) -> bool:
    try:
        parts = offer_parts(offer_in(request, answer))
    except ValueError:
        return False
    return signing.is_signed(request.server_key, answer.signature, *parts)


def checked_release(version: str, url: str, checksum: str) -> WantedRelease:
    """Check what a participant says about a release. Raises SaintError."""
    is_plain = url.isascii() and url.isprintable() and " " not in url
    if not is_plain or len(url) > LONGEST_URL or not url.startswith(("http://", "https://")):
        message = f"'{url[:80]}' is no address of a release"
        raise SaintError(Code.REQUEST_INVALID, message)
    if not version or len(version) > LONGEST_VERSION or not version.isprintable():
        raise SaintError(Code.REQUEST_INVALID, f"'{version[:40]}' is no version of a release")
    if checksum and not _CHECKSUM.fullmatch(checksum):
        raise SaintError(Code.REQUEST_INVALID, f"'{checksum[:80]}' is no SHA-256 checksum")
    return WantedRelease(version, url, checksum.lower())
