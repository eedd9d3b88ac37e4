"""Hashes of passwords and secrets: scrypt for what people choose, a plain digest for what webd
generates, which cannot be guessed. hash_password and is_password take a good part of a second: use
asyncio.to_thread.
"""

import base64
import binascii
import hashlib
import hmac
import unicodedata
from dataclasses import dataclass

from ...lib.errors import Code, SaintError

SHORTEST = 8
SALT_BYTES = 16
_KEY_BYTES = 32
_MOST_MEMORY_BYTES = 64 << 20


@dataclass(frozen=True, slots=True)
class Cost:
    """scrypt's N (as a power of two), r and p. OWASP's table of equal strengths has N = 2^14, p = 5
    for 16 MB: a Pi has processor time to spare rather than memory.
    """

    log_n: int = 14
    r: int = 8
    p: int = 5

    @property
    def is_bearable(self) -> bool:
        """Whether a sign-in at this cost delays no other one for long."""
        most = _HIGHEST
        return self.log_n <= most.log_n and self.r <= most.r and self.p <= most.p


COST = Cost()
_HIGHEST = Cost(log_n=17, r=16, p=16)  # a backup may bring any text in the place of a hash


def check_password(password: str, name: str) -> None:
    """Raise request_invalid for a password that would be guessed first."""
    if len(password) < SHORTEST:
        text = f"the password has {len(password)} characters, at least {SHORTEST} are needed"
        raise SaintError(Code.REQUEST_INVALID, text, fix="Three or four words make a good one.")
    if len(set(password)) < 4 or password.lower() == name.lower():
        text = "the password is too easy to guess"
        raise SaintError(Code.REQUEST_INVALID, text, fix="Three or four words make a good one.")


def hash_password(password: str, salt: bytes, cost: Cost = COST) -> str:
    """Return what is stored: "scrypt$14$8$5$salt$key"."""
    fields = (
        str(cost.log_n),
        str(cost.r),
        str(cost.p),
        _text(salt),
        _text(_key(password, salt, cost)),
    )
    return "$".join(("scrypt", *fields))


def is_password(given: str, stored: str) -> bool:
    """Compare a password with a stored hash in constant time; a malformed hash matches nothing."""
    try:
        kind, log_n, r, p, salt, key = stored.split("$")
        cost = Cost(int(log_n), int(r), int(p))
        if not cost.is_bearable:
            return False
        right = base64.b64decode(key, validate=True)
        found = _key(given, base64.b64decode(salt, validate=True), cost)
    except (ValueError, binascii.Error, OverflowError):
        return False
    return kind == "scrypt" and hmac.compare_digest(found, right)


def digest(secret: str) -> str:
    """Return the digest of a token, a session or a code."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()


def is_same(one: str, other: str) -> bool:
    """Compare two digests in constant time."""
    return hmac.compare_digest(one.encode(), other.encode())


def _key(password: str, salt: bytes, cost: Cost) -> bytes:
    # The same password typed on another keyboard may come in other characters (RFC 8265).
    data = unicodedata.normalize("NFC", password).encode("utf-8", "replace")
    return hashlib.scrypt(
        data, salt=salt, n=1 << cost.log_n, r=cost.r, p=cost.p,
        maxmem=_MOST_MEMORY_BYTES, dklen=_KEY_BYTES,
    )  # fmt: skip


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()
