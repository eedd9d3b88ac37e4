"""Users and tokens: who there is, with which role, and what may be changed. Pure; secrets arrive as
hashes. Not here: where they are kept (adapters/vault.py), who is signed in (signins.py).
"""

import unicodedata
from collections.abc import Sequence
from typing import Self

from pydantic import BaseModel, ConfigDict, Field

from ...lib.access.levels import Level
from ...lib.api.users import Role, TokenId, TokenName, UserName
from ...lib.errors import Code, SaintError
from .passwords import is_same

MOST_USERS, MOST_TOKENS = 64, 64
FIRST_TOKEN = "first token"


class Kept(BaseModel):
    """A part of the state file."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class User(Kept):
    """Somebody with a password."""

    name: UserName
    role: Role
    password: str = Field(repr=False)
    made_s: float


class Token(Kept):
    """A program's way in; the secret itself was shown once."""

    id: TokenId
    name: TokenName
    role: Role
    digest: str = Field(repr=False)
    made_s: float
    used_s: float = 0.0


class Book(Kept):
    """Everybody. Each change is a new book."""

    users: tuple[User, ...] = ()
    tokens: tuple[Token, ...] = ()

    @property
    def is_claimed(self) -> bool:
        """The robot has an owner. The last admin cannot go, so it stays so."""
        return bool(self.users)

    def user(self, name: str) -> User | None:
        """Names differ by more than their case."""
        return next((u for u in self.users if u.name.lower() == name.lower()), None)

    def known_user(self, name: str) -> User:
        """Raises not_found."""
        if (found := self.user(name)) is None:
            raise SaintError(Code.NOT_FOUND, f"there is no user {name}")
        return found

    def known_token(self, token_id: str) -> Token:
        """Raises not_found."""
        for token in self.tokens:
            if token.id == token_id:
                return token
        raise SaintError(Code.NOT_FOUND, f"there is no token {token_id}")

    def token_of(self, digest: str) -> Token | None:
        """All are compared, so that the time tells nothing."""
        found = [token for token in self.tokens if is_same(token.digest, digest)]
        return found[0] if found else None

    def claimed_by(self, user: User) -> Self:
        """The first user, who is admin."""
        if self.is_claimed:
            text = "this robot has an owner already"
            raise SaintError(Code.CONFLICT, text, fix="Sign in, or ask an admin of this robot.")
        return self.with_user(user.model_copy(update={"role": "admin"}))

    def with_user(self, user: User) -> Self:
        """One more."""
        if self.user(user.name):
            raise SaintError(Code.CONFLICT, f"there is a user {user.name} already")
        _check_room(self.users, MOST_USERS, "users")
        return self.model_copy(update={"users": (*self.users, user)})

    def with_role(self, name: str, role: Role) -> Self:
        """Another role for a user."""
        user = self.known_user(name)
        return self._replaced(user, user.model_copy(update={"role": role}))

    def with_password(self, name: str, password: str) -> Self:
        """Another password for a user; the hash of it."""
        user = self.known_user(name)
        return self._replaced(user, user.model_copy(update={"password": password}))

    def without_user(self, name: str) -> Self:
        """One less."""
        return self._replaced(self.known_user(name), None)

    def with_token(self, token: Token) -> Self:
        """One more, or the same with another secret or time of use."""
        others = tuple(t for t in self.tokens if t.id != token.id)
        if any(other.name.lower() == token.name.lower() for other in others):
            raise SaintError(Code.CONFLICT, f"there is a token {token.name!r} already")
        _check_room(others, MOST_TOKENS, "tokens")
        tokens = sorted((*others, token), key=lambda each: (each.made_s, each.id))
        return self.model_copy(update={"tokens": tuple(tokens)})

    def without_token(self, token_id: str) -> Self:
        """One less."""
        gone = self.known_token(token_id)
        return self.model_copy(update={"tokens": tuple(t for t in self.tokens if t != gone)})

    def _replaced(self, old: User, new: User | None) -> Self:
        """Raises refused when nobody would be left who could change anything."""
        users = tuple(u for u in (new if u is old else u for u in self.users) if u is not None)
        if not any(user.role == Level.ADMIN.word for user in users):
            text = f"{old.name} is the only admin of this robot"
            raise SaintError(Code.REFUSED, text, fix="Make somebody else admin first.")
        return self.model_copy(update={"users": users})


def named(name: str) -> str:
    """A token's name as it is compared and shown: no control characters, no double spaces. Raises
    SaintError when nothing is left of it.
    """
    plain = "".join(" " if unicodedata.category(c).startswith("C") else c for c in name)
    words = plain.split()
    if not words:
        text = "the name has no letter that can be shown"
        raise SaintError(Code.REQUEST_INVALID, text, fix="Name what the token is for.")
    return " ".join(words)


def _check_room(have: Sequence[object], most: int, what: str) -> None:
    if len(have) >= most:
        raise SaintError(Code.REFUSED, f"there are {most} {what} already", fix="Remove one first.")
