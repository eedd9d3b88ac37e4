"""Stores users, tokens, sign-ins and the claim code in files: a change is on the disk before it
applies, and then the listener is notified. Not here: which changes are allowed (users.py), the
sender of a request (gate.py).
"""

import asyncio
import secrets
from collections.abc import Callable
from functools import partial
from pathlib import Path

from ...lib import log
from ...lib.access.levels import Level
from ...lib.api.users import Role
from ...lib.backup.sections import Section
from ...lib.clock import wall_s
from ...lib.errors import Code, SaintError
from ...lib.health import Health
from .. import state
from . import passwords
from .access import Guard, Identity, token_identity
from .hashing import Hashing
from .signins import SignIn, SignIns
from .users import FIRST_TOKEN, AccountBook, Token, User

_ID_BYTES, _SECRET_BYTES = 5, 32
_TIDY_PERIOD_S = 60.0
_USERS = "users"  # subject of the health issue
LOST_USERS = (
    "access.json and its copy cannot be read: all users and tokens of this robot are lost, and "
    "nobody can sign in. Restore a backup on the robot itself (saintctl backup restore), or claim "
    "the robot with the new code that its screen shows after a restart (saintctl user claim-code)"
)
_USED_STEP_S = 3600.0  # precision of a token's stored last use: each step is a write on the card

_log = log.get("webd")


class Vault:
    """All accounts; valid after open()."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._books = state.book_store(directory)
        self._signins = state.signin_store(directory)
        self._lock = asyncio.Lock()
        self._used: dict[str, float] = {}  # tokens, since they were last written
        self._code = ""
        self.health = Health("webd")  # the daemon puts its own here
        self.has_lost_users = False  # the robot had an owner, whose account is lost
        self.book = AccountBook()
        self.signins = self._stored_signins = SignIns()
        self.hashing = Hashing()
        self.guard = Guard()
        self.on_change: Callable[[], None] = lambda: None  # a session may be invalid now

    async def open(self) -> None:
        """Read all files."""
        await asyncio.to_thread(self._load)

    def _load(self) -> None:
        self.book = self._books.load()
        self.signins = self._stored_signins = self._signins.load()
        for store in (self._books, self._signins):
            if store.problem:
                self.health.raise_issue(store.problem.code, store.problem.message, store.path.name)
        is_damaged = self._books.problem is not None
        self._load_code(is_lost=is_damaged or state.has_lost_users(self._directory))

    def _load_code(self, *, is_lost: bool) -> None:
        self.has_lost_users = is_lost and not self.book.is_claimed
        if self.book.is_claimed:
            state.forget_code(self._directory)
            self.health.clear(Code.STATE_DAMAGED, _USERS)
        elif self.has_lost_users:
            self._code = state.load_code_after_loss(self._directory).value
            self.health.raise_issue(Code.STATE_DAMAGED, LOST_USERS, _USERS)
        else:
            code = state.load_code(self._directory)
            self._code = code.value
            if code.is_new:
                _log.info(
                    "this robot has no owner yet: its claim code is in a file", file=code.path
                )

    @property
    def claim_code(self) -> str:
        """The code that creates the first admin; empty once the robot has an owner."""
        return "" if self.book.is_claimed else self._code

    @property
    def opening_code(self) -> str:
        """The claim code while programs may use it as their token."""
        return "" if self.has_lost_users else self.claim_code

    # Identities

    def by_token(self, secret: str) -> Identity | None:
        """Return the identity of a token. Before there is an owner the claim code is a token too,
        because programs come first on some robots. A robot that had an owner is claimed with its
        new code, which is no token.
        """
        found = passwords.digest(secret)
        if self.opening_code and passwords.is_same(found, passwords.digest(self.claim_code)):
            return Identity(FIRST_TOKEN, Level.ADMIN, "token")
        token = self.book.token_of(found)
        if token is None:
            return None
        self._used[token.id] = wall_s()
        return token_identity(token.name, token.role, "token", token.id)

    def by_cookie(self, secret: str) -> Identity | None:
        """Return the signed-in user of a cookie."""
        now_s = wall_s()
        entry = self.signins.find(passwords.digest(secret), now_s)
        if entry is None:
            return None
        self.signins = self.signins.seen(entry, now_s)
        return self._signed_in(entry)

    def renewed(self, identity: Identity) -> Identity | None:
        """Return the identity by what is stored now; None when it is not valid any more."""
        if identity.via == "session":
            entries = (e for e in self.signins.entries if e.id == identity.key)
            entry = next(entries, None)
            return self._signed_in(entry) if entry and not entry.is_over(wall_s()) else None
        if identity.via == "token":
            return self._renewed_token(identity)
        return identity

    def _renewed_token(self, identity: Identity) -> Identity | None:
        if not identity.key:  # the claim code
            return identity if self.opening_code else None
        tokens = (token for token in self.book.tokens if token.id == identity.key)
        token = next(tokens, None)
        return token_identity(token.name, token.role, "token", token.id) if token else None

    def _signed_in(self, entry: SignIn) -> Identity | None:
        if entry.is_token:
            tokens = (token for token in self.book.tokens if token.id == entry.user)
            token = next(tokens, None)
            return token_identity(token.name, token.role, "session", entry.id) if token else None
        users = (user for user in self.book.users if user.name == entry.user)
        user = next(users, None)
        if user is None:
            return None
        return Identity(user.name, Level.of(user.role), "session", entry.id, is_person=True)

    def used_s(self, token: Token) -> float:
        """Return when a token was last used; 0: never."""
        return self._used.get(token.id, token.used_s)

    # Changes

    async def change(self, make: Callable[[AccountBook], AccountBook]) -> None:
        """Store the book that `make` returns; what `make` raises changes nothing."""
        async with self._lock:
            await self._store(make(self.book))
        self.on_change()

    async def replace(self, book: AccountBook) -> None:
        """Replace all users and tokens; every user has to sign in again."""
        await self._store_signins(lambda _: SignIns())
        async with self._lock:
            if not book.is_claimed:
                await asyncio.to_thread(state.give_up_claim, self._directory)
            await self._store(book)
            await asyncio.to_thread(self._load_code, is_lost=False)
        self.on_change()

    async def add_user(self, user: User) -> None:
        """Add a user; the first one owns the robot."""
        if self.book.is_claimed:
            await self.change(lambda book: book.with_user(user))
        else:
            await self.claim(user, keeps_code=False)

    async def add_token(self, name: str, role: Role) -> tuple[Token, str]:
        """Create a token; return it with its secret, which is stored nowhere."""
        secret = secrets.token_urlsafe(_SECRET_BYTES)
        token = Token(
            id=secrets.token_hex(_ID_BYTES),
            name=name,
            role=role,
            digest=passwords.digest(secret),
            made_s=wall_s(),
        )
        await self.change(lambda book: book.with_token(token))
        return token, secret

    async def renew_program(self, name: str, role: Role) -> str:
        """Give a program of the owner's a new token, its only one; return the secret."""
        await self.revoke_program(name)
        _, secret = await self.add_token(name, role)
        return secret

    async def revoke_program(self, name: str) -> None:
        """Delete the token of a program, if it has one; it is disconnected at once."""
        found = [token.id for token in self.book.tokens if token.name == name]
        for token_id in found:
            await self.change(partial(AccountBook.without_token, token_id=token_id))
            await self.sign_out(user=token_id, is_token=True)

    async def renew_token(self, token_id: str) -> tuple[Token, str]:
        """Create another secret for a token; programs with the old one are disconnected."""
        secret = secrets.token_urlsafe(_SECRET_BYTES)
        changes = {"digest": passwords.digest(secret), "made_s": wall_s(), "used_s": 0.0}
        token = self.book.known_token(token_id).model_copy(update=changes)
        self._used.pop(token_id, None)
        await self.sign_out(user=token_id, is_token=True)
        await self.change(lambda book: book.with_token(token))
        return token, secret

    async def claim(self, user: User, *, keeps_code: bool) -> None:
        """Add the first user and delete the code, unless programs keep using it as their token."""

        def make(book: AccountBook) -> AccountBook:
            claimed = book.claimed_by(user)
            if not keeps_code:
                return claimed
            token = Token(
                id=secrets.token_hex(_ID_BYTES),
                name=FIRST_TOKEN,
                role="admin",
                digest=passwords.digest(self._code),
                made_s=user.made_s,
            )
            return claimed.with_token(token)

        await self.change(make)
        await asyncio.to_thread(self._load_code, is_lost=False)

    async def sign_in(self, user: str, address: str, browser: str, *, is_token: bool) -> str:
        """Sign a browser in for a user, or a token by its id; return the secret of its cookie."""
        secret, now_s = secrets.token_urlsafe(_SECRET_BYTES), wall_s()
        entry = SignIn(
            id=secrets.token_hex(_ID_BYTES),
            digest=passwords.digest(secret),
            user=user,
            is_token=is_token,
            made_s=now_s,
            seen_s=now_s,
            address=address,
            browser=browser,
        )
        await self._store_signins(lambda now: now.with_entry(entry))
        return secret

    async def sign_out(
        self, *ids: str, user: str = "", is_token: bool = False, but: str = ""
    ) -> None:
        """End these sign-ins, or all of a user or a token except `but`."""
        await self._store_signins(
            lambda now: (
                now.without_user(user, is_token=is_token, but=but) if user else now.without(*ids)
            )
        )
        self.on_change()

    async def tidy(self) -> None:
        """Remove expired sign-ins and store when tokens were used, until cancelled."""
        while True:
            await asyncio.sleep(_TIDY_PERIOD_S)
            await self._store_signins(lambda now: now.current(wall_s()))
            async with self._lock:
                await self._store(self._with_uses(self.book))
            self.on_change()

    def _with_uses(self, book: AccountBook) -> AccountBook:
        for token in book.tokens:
            if (used_s := self.used_s(token)) - token.used_s > _USED_STEP_S:
                book = book.with_token(token.model_copy(update={"used_s": used_s}))
        return book

    async def _store(self, book: AccountBook) -> None:
        if book != self.book:
            await asyncio.to_thread(self._books.save, book)
            self.book = book

    async def _store_signins(self, make: Callable[[SignIns], SignIns]) -> None:
        async with self._lock:
            changed = make(self.signins)
            if changed != self._stored_signins:
                await asyncio.to_thread(self._signins.save, changed)
            self.signins = self._stored_signins = changed


def users_section(vault: Vault) -> Section[AccountBook]:
    """Return users and tokens as a part of a backup. It gives nobody access: passwords and secrets
    are hashes. Sign-ins and the claim code are left out.
    """

    async def current() -> AccountBook:
        return vault.book

    async def check(book: AccountBook) -> list[str]:
        if not book.users:
            return ["users: the backup has none; anyone with the claim code may claim the robot"]
        if not any(user.role == Level.ADMIN.word for user in book.users):
            text = "users: the backup has no admin, so nobody could change anything"
            raise SaintError(Code.REQUEST_INVALID, text, fix="Choose another backup.")
        return []

    return Section("users", AccountBook, 1, current, check, vault.replace)
