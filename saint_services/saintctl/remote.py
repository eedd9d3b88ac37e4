"""A robot elsewhere on the network: its address and token as the user gave them, and the way to its
daemons through its webd.
"""

import asyncio
import ssl
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from ..lib.errors import Code, SaintError

_CONNECT_LIMIT_S = 10.0
_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class RemoteRobot:
    """The webd of another robot, and the token that requests carry."""

    host: str
    port: int
    token: str = field(default="", repr=False)
    tls: ssl.SSLContext | None = field(default=None, repr=False)

    @classmethod
    def at(cls, url: str, token: str = "", ca: str = "") -> "RemoteRobot":
        """Parse "http://saint-server.local:8080" or a bare name; `ca` is a file with its CA.
        Raises request_invalid.
        """
        try:
            parts = urlsplit(url if "://" in url else f"http://{url}")
            port = parts.port
        except ValueError as err:
            raise _not_an_address(url) from err
        is_whole = parts.path in ("", "/") and not parts.query and not parts.username
        if parts.scheme not in _PORTS or not parts.hostname or not is_whole:
            raise _not_an_address(url)
        tls = _context(ca) if parts.scheme == "https" else None
        return cls(parts.hostname, port or _PORTS[parts.scheme], token, tls)

    @property
    def address(self) -> str:
        """Host and port as they stand in a URL."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"

    @property
    def headers(self) -> list[tuple[str, str]]:
        """Headers of each request."""
        authorization = [("Authorization", f"Bearer {self.token}")] if self.token else []
        return [("Host", self.address), *authorization]

    async def open(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Connect within 10 s. Raises unauthorized for a certificate that is not trusted, else
        daemon_unreachable.
        """
        try:
            async with asyncio.timeout(_CONNECT_LIMIT_S):
                return await asyncio.open_connection(self.host, self.port, ssl=self.tls)
        except ssl.SSLCertVerificationError as err:
            raise SaintError(
                Code.UNAUTHORIZED,
                f"the certificate of {self.address} is not trusted: {err.verify_message}",
                fix="Fetch the robot's CA from its settings page and name the file with --ca.",
            ) from err
        except OSError as err:
            reason = getattr(err, "strerror", None) or "no answer came in time"
            raise SaintError(
                Code.DAEMON_UNREACHABLE,
                f"no robot answers at {self.address}: {reason}",
                fix="Is it switched on, on this network, and is this its address? "
                "Its own names end in .local.",
            ) from err


@dataclass(frozen=True, slots=True)
class RemoteDaemon:
    """One daemon of a remote robot: webd itself, or another daemon through it."""

    robot: RemoteRobot
    name: str

    @property
    def where(self) -> str:
        """The address, for messages."""
        return self.robot.address

    @property
    def prefix(self) -> str:
        """The part of the URL before each path of the daemon."""
        return "" if self.name == "webd" else f"/api/v1/daemon/{self.name}"

    @property
    def headers(self) -> list[tuple[str, str]]:
        """Headers of each request."""
        return self.robot.headers

    async def open(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Connect to the robot's webd."""
        return await self.robot.open()


def _context(ca: str) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=ca or None)
    except OSError as err:
        text = f"{ca} holds no certificate that can be read: {err.strerror or err}"
        raise SaintError(Code.REQUEST_INVALID, text, fix="Name a file in PEM form.") from err


def _not_an_address(url: str) -> SaintError:
    text = f"{url!r} is not the address of a robot"
    return SaintError(
        Code.REQUEST_INVALID, text, fix="Write it like http://saint-server.local:8080."
    )
