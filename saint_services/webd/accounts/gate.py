"""Identifies the sender of each request and each WebSocket: a user of the control socket, a token
or a signed-in browser. Not here: the level of each action (lib/api), signing in (login.py).
"""

import ipaddress
import pwd
import socket
import struct

from aiohttp import web

from ...lib.access.levels import Level
from ...lib.access.person import Person
from ...lib.clock import monotonic_s
from ...lib.errors import Code
from ..audit.audit_file import AuditFile
from ..audit.record import entry
from ..config import Config
from ..upkeep.own_settings import OwnSettings
from .access import (
    ANYONE,
    Identity,
    RefusedError,
    is_origin_allowed,
    is_same_origin,
    level_of,
    not_enough,
)
from .vault import Vault

_SAFE = {"GET", "HEAD", "OPTIONS"}
_BEARER = "Bearer "
_CREDENTIALS = struct.Struct("3i")  # pid, uid, gid: unix(7), SO_PEERCRED


class Gate:
    """The check of every request that is no page."""

    def __init__(self, config: Config, vault: Vault, audit: AuditFile, own: OwnSettings) -> None:
        self._origins = config.origins
        self._audit = audit
        self.vault = vault
        self._is_required = config.auth.required
        self._own = own
        self.guard = vault.guard

    @property
    def is_open(self) -> bool:
        """Whether no sign-in is required. The page's setting counts before webd.yaml's."""
        chosen = self._own.saved.sign_in_required
        return not (self._is_required if chosen is None else chosen)

    def admit(
        self, request: web.Request, needs: Level, what: str = "", *, is_personal: bool = False
    ) -> Identity:
        """Return the sender; raises unauthorized when the sender is unknown, forbidden when the
        role is not enough. `what` names a request that changes something: its refusal is logged.
        """
        if request.method not in _SAFE:
            self.check_origin(request)
        identity = self.identify(request)
        if identity is None:
            text = "this request needs a sign-in or a token (Authorization: Bearer)"
            raise RefusedError("no_token", Code.UNAUTHORIZED, text)
        needs = level_of(identity, needs, is_personal=is_personal)
        if identity.level < needs:
            refusal = not_enough(identity, needs, what or "this request", is_personal=is_personal)
            if what:
                person = person_of(identity, request)
                self._audit.add(entry(person, what, refused=refusal.message))
            raise refusal
        return identity

    def check_origin(self, request: web.Request) -> None:
        """Refuse pages of other sites: they must not use this robot's cookie."""
        origin = request.headers.get("Origin")
        if not is_origin_allowed(origin, request.host, self._origins):
            text = f"pages of {origin} may not use this robot"
            raise RefusedError("origin", Code.FORBIDDEN, text)

    def identify(self, request: web.Request) -> Identity | None:
        """Return the sender by what the request carries; None when it carries nothing valid."""
        if (local := _peer(request)) is not None:
            return local
        header = request.headers.get("Authorization", "")
        if self.is_open and not header.startswith(_BEARER):
            return ANYONE
        if header.startswith(_BEARER):
            return self.by_token(address_of(request), header.removeprefix(_BEARER).strip())
        return self.by_cookie(request)

    def by_cookie(self, request: web.Request) -> Identity | None:
        """Return the sender by the cookie, which counts from our own pages only: the browser adds
        it to requests of any page.
        """
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
        """Return the sender by a token; raises unauthorized for a wrong one and for an address that
        is locked out. A valid token never waits, even if another program at its address retries an
        old one: it may bring a stop, and a secret of this length is not found by guessing.
        """
        found, now_s = self.vault.by_token(given), monotonic_s()
        if self.is_open:  # a program of the owner's stays one
            return found if found and found.program else ANYONE
        if found is None:
            self.guard.check(address, now_s)
            self.guard.failed(address, now_s)
            raise RefusedError("wrong_token", Code.UNAUTHORIZED, "the token is wrong")
        if self.guard.wait_s(address, now_s) <= 0:
            self.guard.succeeded(address)
        return found

    def renewed(self, identity: Identity | None) -> Identity | None:
        """Return the identity by what is stored now; None when it is not valid any more."""
        if identity is None or identity.via == ANYONE.via:
            return identity if self.is_open else None
        return self.vault.renewed(identity)


def cookie_name(request: web.Request) -> str:
    """Return the cookie's name; browsers accept __Host- from TLS only, for the whole host only."""
    return "__Host-saint" if request.secure else "saint"


def address_of(request: web.Request) -> str:
    """Return where the request comes from, for people."""
    return request.remote or "this machine"


def person_of(identity: Identity, request: web.Request, source: str = "webd") -> Person:
    """Return the sender as the logs and the other daemons name it."""
    return Person(identity.name, identity.level.word, address_of(request), source)


def is_private(request: web.Request) -> bool:
    """Return whether nobody between the two ends can read the request: it is encrypted, or from
    this machine.
    """
    if request.secure or not request.remote:
        return True
    try:
        return ipaddress.ip_address(request.remote).is_loopback
    except ValueError:
        return False


def _peer(request: web.Request) -> Identity | None:
    """Return the user at the other end of the control socket, whose file mode limits who can
    connect; None for other sockets.
    """
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
