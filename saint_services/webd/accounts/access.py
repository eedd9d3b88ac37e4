"""Which requests webd accepts at all: host names (against DNS rebinding), origins of pages, and the
lock-out after failed sign-ins. Not here: users and tokens (users.py), sign-ins (signins.py).
"""

import ipaddress
import re
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import urlsplit

from ...lib.access.levels import Level
from ...lib.errors import Code, SaintError

FREE_ATTEMPTS = 5
LONGEST_WAIT_S = 60.0
FREE_ATTEMPTS_OF_ACCOUNT = 20  # from all addresses together
MOST_ADDRESSES = 1024


class RefusedError(SaintError):
    """A refused request; `reason` names its counter."""

    def __init__(self, reason: str, code: Code, message: str, *, fix: str = "") -> None:
        super().__init__(code, message, fix=fix)
        self.reason = reason


PROGRAM_PREFIX = "program:"  # of the names of tokens that webd makes for the owner's programs


@dataclass(frozen=True, slots=True)
class Identity:
    """The sender of a request: a user, a token, a user of this machine, or anyone where no sign-in
    is required. A program of the owner's is a viewer that may also move the robot, where its
    description says so: nothing else of an operator's rights, so it neither clears a stop nor
    changes what takes precedence over it.
    """

    name: str
    level: Level
    via: Literal["session", "token", "socket", "open"]
    key: str = ""  # of the sign-in or the token
    may_drive: bool = False  # beside its level
    is_person: bool = False  # who has signed in with a password of their own; no token has one

    @property
    def program(self) -> str:
        """The name of the program; empty for everyone else."""
        is_token = self.via in ("token", "session") and self.name.startswith(PROGRAM_PREFIX)
        return self.name.removeprefix(PROGRAM_PREFIX) if is_token else ""

    @property
    def may_move(self) -> bool:
        """Whether it may move the robot."""
        return self.may_drive or self.level >= Level.OPERATOR


def token_identity(name: str, role: str, via: Literal["session", "token"], key: str) -> Identity:
    """Return the identity of a token, by its name and role."""
    level = Level.of(role)
    if name.startswith(PROGRAM_PREFIX):
        return Identity(name, Level.VIEWER, via, key, may_drive=level >= Level.OPERATOR)
    return Identity(name, level, via, key)


ANYONE = Identity("anyone", Level.ADMIN, "open")


def level_of(identity: Identity, needs: Level, *, is_personal: bool) -> Level:
    """Return the level that a request needs of this sender: what only a person should do needs an
    admin of everyone else, so that no operator's token in a program can do it.
    """
    return Level.ADMIN if is_personal and not identity.is_person else needs


def not_enough(
    identity: Identity, needs: Level, what: str, *, is_personal: bool = False
) -> RefusedError:
    """Return the refusal of a request, `what`, that needs another role, or a person."""
    text = f"{identity.name} is {identity.level.word} here, {what} needs {needs.word}"
    fix = f"Ask an admin of this robot for the role {needs.word}."
    if is_personal and not identity.is_person:
        text = f"{what} is for a person; {identity.name} is a token with the role "
        text += identity.level.word
        fix = f"Sign in on the robot's page, or use a token with the role {needs.word}."
    return RefusedError("level", Code.FORBIDDEN, text, fix=fix)


_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[\w.-]+)(:[0-9]{1,5})?", re.ASCII)


def has_host_form(host: str) -> bool:
    """Return whether a Host header is a name or an address, and perhaps a port, without characters
    that have a meaning in other headers.
    """
    return _HOST.fullmatch(host) is not None


def host_name(host: str) -> str:
    """Return the name in a Host header or in the host part of an origin, without port and
    brackets.
    """
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    return host.rpartition(":")[0].lower() if ":" in host else host.lower()


def is_host_allowed(host: str, names: Collection[str]) -> bool:
    """Accept an address, localhost, *.local or a configured name: none that foreign DNS can
    serve.
    """
    if not has_host_form(host):
        return False
    name = host_name(host).removesuffix(".")
    if name == "localhost" or name.endswith((".local", ".localhost")) or name in names:
        return True
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def is_origin_allowed(origin: str | None, host: str, origins: Collection[str]) -> bool:
    """Accept programs, which send no Origin, and pages of the requested host or a
    configured one.
    """
    if origin is None or origin in origins:
        return True
    try:
        parts = urlsplit(origin)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and parts.netloc.lower() == host.lower()


def is_same_origin(origin: str | None, host: str, *, is_secure: bool) -> bool:
    """Return whether a page of this server sends the request; only such a page may use the
    cookie.
    """
    if origin is None:
        return False
    if is_secure:
        return origin.lower() == f"https://{host.lower()}"
    return is_origin_allowed(origin, host, ())


@dataclass(slots=True)
class _Failures:
    count: int
    free_at_s: float


@dataclass(slots=True)
class SignInThrottle:
    """Failed attempts by key: after some free ones each attempt doubles the wait."""

    free_attempts: int = FREE_ATTEMPTS
    failures: dict[str, _Failures] = field(default_factory=dict)

    def wait_s(self, key: str, now_s: float) -> float:
        """Return how long the key must wait before its next attempt."""
        known = self.failures.get(key)
        return max(0.0, known.free_at_s - now_s) if known else 0.0

    def failed(self, key: str, now_s: float) -> None:
        """Record a failed attempt."""
        count = self.failures[key].count + 1 if key in self.failures else 1
        over = count - self.free_attempts
        wait = min(LONGEST_WAIT_S, 2.0 ** min(over, 10)) if over >= 0 else 0.0
        self.failures.pop(key, None)
        if len(self.failures) >= MOST_ADDRESSES:
            self.failures.pop(next(iter(self.failures)))  # the oldest
        self.failures[key] = _Failures(count, now_s + wait)

    def succeeded(self, key: str) -> None:
        """Record a successful attempt, which clears the failed ones."""
        self.failures.pop(key, None)


def network_of(address: str) -> str:
    """Return the network that one person controls: the address, of IPv6 the whole /64."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv6Address) and found.ipv4_mapped is None:
        return str(ipaddress.ip_network((found, 64), strict=False))
    return str(getattr(found, "ipv4_mapped", None) or found)


@dataclass(slots=True)
class Guard:
    """Lock-out after failed sign-ins: per address, and per account from all addresses together. An
    address from which the account signed in before is exempt from the account's lock-out, so that
    attackers elsewhere cannot lock the owner out.
    """

    addresses: SignInThrottle = field(default_factory=SignInThrottle)
    accounts: SignInThrottle = field(
        default_factory=lambda: SignInThrottle(FREE_ATTEMPTS_OF_ACCOUNT)
    )
    _trusted: dict[tuple[str, str], None] = field(default_factory=dict)

    def wait_s(self, address: str, now_s: float, account: str = "") -> float:
        """Return the wait before the next attempt; an attempt with a token or a code has no
        account.
        """
        network, account = network_of(address), account.lower()
        own_s = self.addresses.wait_s(network, now_s)
        if not account or (account, network) in self._trusted:
            return own_s
        return max(own_s, self.accounts.wait_s(account, now_s))

    def check(self, address: str, now_s: float, account: str = "") -> None:
        """Raise unauthorized while the address or the account is locked out."""
        wait_s = self.wait_s(address, now_s, account)
        if wait_s > 0:
            text = f"too many failed attempts; try again in {wait_s:.0f} s"
            raise RefusedError("throttled", Code.UNAUTHORIZED, text)

    def failed(self, address: str, now_s: float, account: str = "") -> None:
        """Record a failed sign-in attempt."""
        network, account = network_of(address), account.lower()
        self.addresses.failed(network, now_s)
        if account and (account, network) not in self._trusted:
            self.accounts.failed(account, now_s)

    def succeeded(self, address: str, account: str = "") -> None:
        """Record a successful sign-in; its address is trusted for the account from now on."""
        network, account = network_of(address), account.lower()
        self.addresses.succeeded(network)
        if account:
            self.accounts.succeeded(account)
            self._trusted.pop((account, network), None)
            if len(self._trusted) >= MOST_ADDRESSES:
                self._trusted.pop(next(iter(self._trusted)))
            self._trusted[account, network] = None
