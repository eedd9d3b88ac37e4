"""Who sends a request, and whether that is enough for it: somebody on the control socket, a token,
or a browser that is signed in. Every request that is no page passes here, and every WebSocket.
Not here: which level an action needs (actions/), signing in (login.py).
"""

import ipaddress
import pwd
import socket
import struct

from aiohttp import web

from ...lib.access.audit import AuditRecord
from ...lib.access.levels import Level
from ...lib.clock import monotonic_s, wall_s
from ...lib.errors import Code
from ..audit.audit_file import AuditFile
from ..config import Config
from .access import ANYONE, Identity, RefusedError, is_origin_allowed, is_same_origin
from .vault import Vault

_SAFE = {"GET", "HEAD", "OPTIONS"}
_BEARER = "Bearer "
_CREDENTIALS = struct.Struct("3i")  # pid, uid, gid: unix(7), SO_PEERCRED


class Gate:
    """Knows all ways in."""

    def __init__(self, config: Config, vault: Vault, audit: AuditFile) -> None:
        self._origins = config.origins
        self._audit = audit
        self.vault = vault
        self.is_open = not config.auth.required  # nobody is asked who he is
        self.guard = vault.guard

    def admit(self, request: web.Request, needs: Level, *, is_action: bool = False) -> Identity:
        """Who asks; raises unauthorized when that is not known, forbidden when it is not enough.
        What changes something is told in the audit log; actions are told when they were done.
        """
        identity = self._admitted(request, needs)
        if request.method not in _SAFE and not is_action:
            what = f"{request.method} {request.path}"
            level = identity.level.word
            self._audit.add(AuditRecord(wall_s(), identity.name, level, address_of(request), what))
        return identity

    def check_origin(self, request: web.Request) -> None:
        """Pages of others must not use what the browser knows about this robot."""
        origin = request.headers.get("Origin")
        if not is_origin_allowed(origin, request.host, self._origins):
            text = f"pages of {origin} may not use this robot"
            raise RefusedError("origin", Code.FORBIDDEN, text)

    def _admitted(self, request: web.Request, needs: Level) -> Identity:
        if request.method not in _SAFE:
            self.check_origin(request)
        identity = self.identify(request)
        if identity is None:
            text = "this needs somebody who is signed in, or a token (Authorization: Bearer)"
            raise RefusedError("no_token", Code.UNAUTHORIZED, text)
        if identity.level < needs:
            raise not_enough(identity, needs)
        return identity

    def identify(self, request: web.Request) -> Identity | None:
        """By what the request carries; None when it carries nothing that counts."""
        if (local := _peer(request)) is not None:
            return local
        if self.is_open:
            return ANYONE
        header = request.headers.get("Authorization", "")
        if header.startswith(_BEARER):
            return self.by_token(address_of(request), header.removeprefix(_BEARER).strip())
        return self.by_cookie(request)

    def by_cookie(self, request: web.Request) -> Identity | None:
        """The browser adds it to whatever asks; only our own pages may make use of that."""
        secret = request.cookies.get(cookie_name(request))
        if not secret:
            return None
        is_reading = request.method in _SAFE and "Upgrade" not in request.headers
        origin = request.headers.get("Origin")
        if not (is_reading and origin is None) and not is_same_origin(
            origin, request.host, is_secure=request.secure
        ):
            return None
        return self.vault.by_cookie(secret)

    def by_token(self, address: str, given: str) -> Identity:
        """Raises unauthorized when it is not right, or when this address has tried too often. A
        right one never waits, whoever retries an old one at the same address: it may bring a stop,
        and a secret of this length is not found by trying.
        """
        if self.is_open:
            return ANYONE
        found, now_s = self.vault.by_token(given), monotonic_s()
        if found is None:
            self.guard.check(address, now_s)
            self.guard.failed(address, now_s)
            raise RefusedError("wrong_token", Code.UNAUTHORIZED, "the token is not right")
        if self.guard.wait_s(address, now_s) <= 0:
            self.guard.succeeded(address)
        return found

    def again(self, identity: Identity | None) -> Identity | None:
        """Whether somebody who came in may stay, and as what."""
        return identity and self.vault.again(identity)


def not_enough(identity: Identity, needs: Level) -> RefusedError:
    """What to say to somebody who may less than that."""
    text = f"{identity.name} is {identity.level.word} here, this needs {needs.word}"
    fix = "Ask an admin of this robot for that role."
    return RefusedError("level", Code.FORBIDDEN, text, fix=fix)


def cookie_name(request: web.Request) -> str:
    """Browsers take the second from TLS only, for the whole host only."""
    return "__Host-saint" if request.secure else "saint"


def address_of(request: web.Request) -> str:
    """Where the request comes from, as people read it."""
    return request.remote or "this machine"


def is_private(request: web.Request) -> bool:
    """Return whether nobody between the two ends can read the request: it is encrypted, or of this
    machine."""
    if request.secure or not request.remote:
        return True
    try:
        return ipaddress.ip_address(request.remote).is_loopback
    except ValueError:
        return False


def _peer(request: web.Request) -> Identity | None:
    """The user at the other end of the control socket; its file says who may connect at all."""
    transport = request.transport
    bare = transport.get_extra_info("socket") if transport else None
    if bare is None or bare.family != socket.AF_UNIX:
        return None
    if not hasattr(socket, "SO_PEERCRED"):  # macOS
        return Identity("this machine", Level.ADMIN, "socket")
    raw = bare.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    _, uid, _ = _CREDENTIALS.unpack(raw)
    try:
        name = pwd.getpwuid(uid).pw_name
    except KeyError:
        name = f"uid {uid}"
    return Identity(name, Level.ADMIN, "socket")
