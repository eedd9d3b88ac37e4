"""Who may talk to us: host names (against DNS rebinding), origins of pages, and how often somebody
may try to get in. Pure. Not here: users and tokens (users.py), who is signed in (signins.py).
"""

import ipaddress
import re
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import urlsplit

from ...lib.access.levels import Level
from ...lib.errors import Code, SaintError

FREE_TRIES = 5
LONGEST_WAIT_S = 60.0
FREE_TRIES_OF_ACCOUNT = 20  # from all addresses together
MOST_ADDRESSES = 1024


class RefusedError(SaintError):
    """Refused at the door; `reason` is the counter's name."""

    def __init__(self, reason: str, code: Code, message: str, *, fix: str = "") -> None:
        super().__init__(code, message, fix=fix)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Identity:
    """Who asks: a user, a token, somebody on this machine, or anyone where nobody is asked."""

    name: str
    level: Level
    via: Literal["session", "token", "socket", "open"]
    key: str = ""  # of the sign-in or the token


ANYONE = Identity("anyone", Level.ADMIN, "open")


_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[\w.-]+)(:[0-9]{1,5})?", re.ASCII)


def has_host_form(host: str) -> bool:
    """A name or an address, and perhaps a port: nothing that would mean more in a header."""
    return _HOST.fullmatch(host) is not None


def host_name(host: str) -> str:
    """The name in a Host header or origin's host part, without port and brackets."""
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    return host.rpartition(":")[0].lower() if ":" in host else host.lower()


def is_host_allowed(host: str, names: Collection[str]) -> bool:
    """An address, localhost, *.local or a configured name: nothing that a stranger's DNS serves."""
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
    """Programs send no Origin; a page's must be the host that it asks, or a configured one."""
    if origin is None or origin in origins:
        return True
    try:
        parts = urlsplit(origin)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and parts.netloc.lower() == host.lower()


def is_same_origin(origin: str | None, host: str, *, is_secure: bool) -> bool:
    """A page of this very server: nothing else may use what the browser keeps for it."""
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
class Throttle:
    """Wrong tries by key: after some free ones each costs twice the wait of the last."""

    free_tries: int = FREE_TRIES
    failures: dict[str, _Failures] = field(default_factory=dict)

    def wait_s(self, key: str, now_s: float) -> float:
        """How long it must wait before its next try."""
        known = self.failures.get(key)
        return max(0.0, known.free_at_s - now_s) if known else 0.0

    def failed(self, key: str, now_s: float) -> None:
        """One wrong try more."""
        count = self.failures[key].count + 1 if key in self.failures else 1
        over = count - self.free_tries
        wait = min(LONGEST_WAIT_S, 2.0 ** min(over, 10)) if over >= 0 else 0.0
        self.failures.pop(key, None)
        if len(self.failures) >= MOST_ADDRESSES:
            self.failures.pop(next(iter(self.failures)))  # the oldest
        self.failures[key] = _Failures(count, now_s + wait)

    def succeeded(self, key: str) -> None:
        """A right one: start anew."""
        self.failures.pop(key, None)


def network_of(address: str) -> str:
    """What one person has of addresses: of IPv6 a whole /64."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv6Address) and found.ipv4_mapped is None:
        return str(ipaddress.ip_network((found, 64), strict=False))
    return str(getattr(found, "ipv4_mapped", None) or found)


@dataclass(slots=True)
class Guard:
    """Guessing costs time: for each address, and for each account from all addresses together.
    From where an account's owner came in before, strangers who guess do not keep the owner out.
    """

    addresses: Throttle = field(default_factory=Throttle)
    accounts: Throttle = field(default_factory=lambda: Throttle(FREE_TRIES_OF_ACCOUNT))
    _at_home: dict[tuple[str, str], None] = field(default_factory=dict)

    def wait_s(self, address: str, now_s: float, account: str = "") -> float:
        """Before the next try; without an account: a token or a code."""
        network, account = network_of(address), account.lower()
        own_s = self.addresses.wait_s(network, now_s)
        if not account or (account, network) in self._at_home:
            return own_s
        return max(own_s, self.accounts.wait_s(account, now_s))

    def check(self, address: str, now_s: float, account: str = "") -> None:
        """Raises unauthorized while somebody must wait before the next try."""
        wait_s = self.wait_s(address, now_s, account)
        if wait_s > 0:
            text = f"too many wrong tries; try again in {wait_s:.0f} s"
            raise RefusedError("throttled", Code.UNAUTHORIZED, text)

    def failed(self, address: str, now_s: float, account: str = "") -> None:
        """Wrong."""
        network, account = network_of(address), account.lower()
        self.addresses.failed(network, now_s)
        if account and (account, network) not in self._at_home:
            self.accounts.failed(account, now_s)

    def succeeded(self, address: str, account: str = "") -> None:
        """Right."""
        network, account = network_of(address), account.lower()
        self.addresses.succeeded(network)
        if account:
            self.accounts.succeeded(account)
            self._at_home.pop((account, network), None)
            if len(self._at_home) >= MOST_ADDRESSES:
                self._at_home.pop(next(iter(self._at_home)))
            self._at_home[account, network] = None
