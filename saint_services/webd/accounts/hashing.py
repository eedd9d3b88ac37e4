"""Hashes passwords in a thread, one at a time: each takes a core and 16 MB for a good part of a
second, and motion commands go first. Not here: rules for passwords (passwords.py).
"""

import asyncio
import secrets
from collections.abc import Callable
from functools import cache
from typing import TypeVar

from ...lib.errors import Code, SaintError
from . import passwords

T = TypeVar("T")

_MOST_WAITING = 8


class Hashing:
    """The queue of passwords to hash."""

    def __init__(self) -> None:
        self._turn = asyncio.Lock()
        self._waiting = 0

    async def hashed(self, password: str, name: str) -> str:
        """Hash a new password of a user; raises request_invalid for a weak one."""
        passwords.check_password(password, name)
        salt = secrets.token_bytes(passwords.SALT_BYTES)
        return await self._in_turn(lambda: passwords.hash_password(password, salt))

    async def is_right(self, password: str, stored: str | None) -> bool:
        """Return whether a password is right; an unknown user (None) takes as long as a
        wrong one.
        """
        return await self._in_turn(
            lambda: (
                passwords.is_password(password, stored or _unknown_password())
                and stored is not None
            )
        )

    async def _in_turn(self, work: Callable[[], T]) -> T:
        if self._waiting >= _MOST_WAITING:
            text = f"{self._waiting} users are signing in at this moment"
            raise SaintError(Code.REFUSED, text, fix="Try again in a few seconds.")
        self._waiting += 1
        try:
            async with self._turn:
                return await asyncio.to_thread(work)
        finally:
            self._waiting -= 1


@cache
def _unknown_password() -> str:
    """Return the hash of a password that nobody knows."""
    return passwords.hash_password(secrets.token_hex(), secrets.token_bytes(passwords.SALT_BYTES))
