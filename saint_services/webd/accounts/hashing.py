"""Works passwords out beside the loop, one at a time: each takes a core and 16 MB for a good part
of a second, and motion commands go first. Not here: what a password must be (passwords.py).
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
    """Of one webd."""

    def __init__(self) -> None:
        self._turn = asyncio.Lock()
        self._waiting = 0

    async def hashed(self, password: str, name: str) -> str:
        """Of a new password of that user; raises request_invalid for a bad one."""
        passwords.check_password(password, name)
        salt = secrets.token_bytes(passwords.SALT_BYTES)
        return await self._in_turn(lambda: passwords.hash_password(password, salt))

    async def is_right(self, password: str, kept: str | None) -> bool:
        """None, for a user who is not known, takes as long as a wrong password."""
        return await self._in_turn(
            lambda: passwords.is_password(password, kept or _nobodys()) and kept is not None
        )

    async def _in_turn(self, work: Callable[[], T]) -> T:
        if self._waiting >= _MOST_WAITING:
            text = f"{self._waiting} people are signing in at this moment"
            raise SaintError(Code.REFUSED, text, fix="Try again in a few seconds.")
        self._waiting += 1
        try:
            async with self._turn:
                return await asyncio.to_thread(work)
        finally:
            self._waiting -= 1


@cache
def _nobodys() -> str:
    """A password that nobody knows."""
    return passwords.hash_password(secrets.token_hex(), secrets.token_bytes(passwords.SALT_BYTES))
