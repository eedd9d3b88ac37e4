"""Users and tokens with their roles, and the rules for changing them. Secrets arrive as hashes. Not
here: where they are stored (vault.py), sign-ins (signins.py).
"""

import unicodedata
from collections.abc import Sequence
from typing import Self

from pydantic import Field

from ...lib.access.levels import Level
from ...lib.api.users import Role, TokenId, TokenName, UserName
from ...lib.errors import Code, SaintError
from ...lib.strict import StrictModel
from .passwords import is_same

MOST_USERS, MOST_TOKENS = 64, 64
FIRST_TOKEN = "first token"


class StoredPart(StrictModel):
    """A part of the state file."""


class User(StoredPart):
    """A user with a password."""

    name: UserName
    role: Role
    password: str = Field(repr=False)
    made_s: float


class Token(StoredPart):
    """Access for a program; the secret itself was shown once."""

    id: TokenId
    name: TokenName
    role: Role
    digest: str = Field(repr=False)
    made_s: float
    used_s: float = 0.0


class AccountBook(StoredPart):
    """All users and tokens. Each change is a new book."""

    users: tuple[User, ...] = ()
    tokens: tuple[Token, ...] = ()

    @property
    def is_claimed(self) -> bool:
        """Whether the robot has an owner; the last admin cannot be removed, so this stays true."""
        return bool(self.users)

    def user(self, name: str) -> User | None:
        """Return a user by the name, in any case."""
        return next((u for u in self.users if u.name.lower() == name.lower()), None)

    def known_user(self, name: str) -> User:
        """Return a user; raises not_found."""
        if (found := self.user(name)) is None:
            raise SaintError(Code.NOT_FOUND, f"there is no user {name}")
        return found

    def known_token(self, token_id: str) -> Token:
        """Return a token; raises not_found."""
        for token in self.tokens:
            if token.id == token_id:
                return token
        raise SaintError(Code.NOT_FOUND, f"there is no token {token_id}")

    def token_of(self, digest: str) -> Token | None:
        """Return the token of a digest. All are compared, so that the time reveals nothing."""
        found = [token for token in self.tokens if is_same(token.digest, digest)]
        return found[0] if found else None

    def claimed_by(self, user: User) -> Self:
        """Add the first user as admin; raises conflict when there is one."""
        if self.is_claimed:
            text = "this robot has an owner already"
            raise SaintError(Code.CONFLICT, text, fix="Sign in, or ask an admin of this robot.")
        return self.with_user(user.model_copy(update={"role": "admin"}))

    def with_user(self, user: User) -> Self:
        """Add a user."""
        if self.user(user.name):
            raise SaintError(Code.CONFLICT, f"there is a user {user.name} already")
        _check_room(self.users, MOST_USERS, "users")
        return self.model_copy(update={"users": (*self.users, user)})

    def with_role(self, name: str, role: Role) -> Self:
        """Change the role of a user."""
        user = self.known_user(name)
        return self._replaced(user, user.model_copy(update={"role": role}))

    def with_password(self, name: str, password: str) -> Self:
        """Change the password of a user, given as its hash."""
        user = self.known_user(name)
        return self._replaced(user, user.model_copy(update={"password": password}))

    def without_user(self, name: str) -> Self:
        """Remove a user."""
        return self._replaced(self.known_user(name), None)

    def with_token(self, token: Token) -> Self:
        """Add a token, or replace it by one with another secret or time of use."""
        others = tuple(t for t in self.tokens if t.id != token.id)
        if any(other.name.lower() == token.name.lower() for other in others):
            raise SaintError(Code.CONFLICT, f"there is a token {token.name!r} already")
        _check_room(others, MOST_TOKENS, "tokens")
        tokens = sorted((*others, token), key=lambda each: (each.made_s, each.id))
        return self.model_copy(update={"tokens": tuple(tokens)})

    def without_token(self, token_id: str) -> Self:
        """Remove a token."""
        gone = self.known_token(token_id)
        return self.model_copy(update={"tokens": tuple(t for t in self.tokens if t != gone)})

    def _replaced(self, old: User, new: User | None) -> Self:
        """Replace a user; raises refused when no admin would be left."""
        users = tuple(u for u in (new if u is old else u for u in self.users) if u is not None)
        if not any(user.role == Level.ADMIN.word for user in users):
            text = f"{old.name} is the only admin of this robot"
            raise SaintError(Code.REFUSED, text, fix="Give another user the role admin first.")
        return self.model_copy(update={"users": users})


def named(name: str) -> str:
    """Return a token's name without control characters and double spaces. Raises SaintError when
    nothing is left of it.
    """
    plain = "".join(" " if unicodedata.category(c).startswith("C") else c for c in name)
    words = plain.split()
    if not words:
        text = "the name has no letter that can be shown"
        raise SaintError(
            Code.REQUEST_INVALID, text, fix="Type a name that says what the token is for."
        )
    return " ".join(words)


def _check_room(have: Sequence[object], most: int, what: str) -> None:
    if len(have) >= most:
        raise SaintError(Code.REFUSED, f"there are {most} {what} already", fix="Remove one first.")
