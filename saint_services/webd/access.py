"""Who may talk to us: host names (against DNS rebinding), origins of pages, tokens and how often
one may try. Pure. Not here: where the token is kept (state.py).
"""

import hmac
import ipaddress
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import urlsplit

from .levels import Level

FREE_TRIES = 5
LONGEST_WAIT_S = 60.0
MOST_ADDRESSES = 1024


@dataclass(frozen=True, slots=True)
class Identity:
    """Who asks: a user, a token, somebody on this machine, or anyone where nobody is asked."""

    name: str
    level: Level
    via: Literal["session", "token", "socket", "open"]


def host_name(host: str) -> str:
    """The name in a Host header or origin's host part, without port and brackets."""
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    return host.rpartition(":")[0].lower() if ":" in host else host.lower()


def is_host_allowed(host: str, names: Collection[str]) -> bool:
    """An address, localhost, *.local or a configured name: nothing that a stranger's DNS serves."""
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


def is_token(given: str, right: str) -> bool:
    """Compared in constant time; an empty token is never right."""
    return bool(right) and hmac.compare_digest(given.encode("utf-8", "replace"), right.encode())


@dataclass(slots=True)
class _Failures:
    count: int
    free_at_s: float


@dataclass(slots=True)
class Throttle:
    """Wrong tokens by address: after some free tries each costs twice the wait of the last."""

    failures: dict[str, _Failures] = field(default_factory=dict)

    def wait_s(self, address: str, now_s: float) -> float:
        """How long this address must wait before its next try."""
        known = self.failures.get(address)
        return max(0.0, known.free_at_s - now_s) if known else 0.0

    def failed(self, address: str, now_s: float) -> None:
        """One wrong token more."""
        count = self.failures[address].count + 1 if address in self.failures else 1
        over = count - FREE_TRIES
        wait = min(LONGEST_WAIT_S, 2.0 ** min(over, 10)) if over >= 0 else 0.0
        self.failures.pop(address, None)
        if len(self.failures) >= MOST_ADDRESSES:
            self.failures.pop(next(iter(self.failures)))  # the oldest
        self.failures[address] = _Failures(count, now_s + wait)

    def succeeded(self, address: str) -> None:
        """The right one: start anew."""
        self.failures.pop(address, None)
