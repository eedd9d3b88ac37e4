"""Sign-in and sign-out of a browser: /api/session, /api/claim (creates the first admin),
/api/login, /api/logout. Not here: the check of the cookie (gate.py).
"""

from collections.abc import Sequence
from typing import TypeVar

from aiohttp import web
from pydantic import BaseModel, Field

from ...lib.api import Request
from ...lib.api.users import LONGEST_PASSWORD, Account, UserName
from ...lib.clock import monotonic_s, wall_s
from ...lib.errors import Code, SaintError
from .. import logic
from ..robot.context import RobotContext
from ..server import bodies
from ..server.handlers import RequestHandlers
from . import passwords
from .access import Identity
from .gate import Gate, address_of, cookie_name
from .signins import WHOLE_LIMIT_S
from .users import User

_LONGEST_BROWSER = 160
_LARGEST_BYTES = 8 << 10

B = TypeVar("B", bound=BaseModel)


class ClaimRobot(Request):
    """The first admin, created by a user who can read the robot's screen or log."""

    code: str = Field(max_length=256, repr=False)
    name: UserName
    password: str = Field(max_length=LONGEST_PASSWORD, repr=False)
    # Keep the code as a token, because programs already use it as one.
    keeps_code: bool = False


class SignInRequest(Request):
    """A user with a password, or a token alone."""

    name: str = Field(default="", max_length=64)
    password: str = Field(default="", max_length=LONGEST_PASSWORD, repr=False)
    token: str = Field(default="", max_length=256, repr=False)


class Login(RequestHandlers):
    """The requests of the sign-in page."""

    def __init__(self, gate: Gate, robot: RobotContext) -> None:
        self._gate = gate
        self._audit = robot.audit
        self._robot = robot

    def routes(self) -> Sequence[web.RouteDef]:
        return [
            web.get("/api/session", self.describe),
            web.post("/api/claim", self.claim),
            web.post("/api/login", self.login),
            web.post("/api/logout", self.logout),
        ]

    async def describe(self, request: web.Request) -> web.StreamResponse:
        """Describe the signed-in user, or what a page needs to offer a sign-in."""
        try:
            identity = self._gate.identify(request)
        except SaintError:
            identity = None
        return _json(self._account(identity, request))

    def _account(self, identity: Identity | None, request: web.Request) -> Account:
        return Account(
            robot=self._robot.roles.name,
            is_claimed=self._gate.vault.book.is_claimed,
            has_lost_users=self._gate.vault.has_lost_users,
            is_secure=request.secure,
            user=identity.name if identity else "",
            level=identity.level.word if identity else "",
            via=identity.via if identity else "",
        )

    async def claim(self, request: web.Request) -> web.StreamResponse:
        """Create the first admin and sign in."""
        self._gate.check_origin(request)
        given = await _body(request, ClaimRobot)
        vault, address = self._gate.vault, address_of(request)
        if vault.book.is_claimed:
            text = "this robot has an owner already"
            raise SaintError(Code.CONFLICT, text, fix="Sign in, or ask an admin of this robot.")
        self._gate.guard.check(address, monotonic_s())
        if not vault.claim_code:  # an empty code must never be the right one
            raise SaintError(Code.REFUSED, "the claim code is not ready yet", fix="Try again.")
        right, typed = passwords.digest(vault.claim_code), passwords.digest(given.code.strip())
        if not passwords.is_same(typed, right):
            self._gate.guard.failed(address, monotonic_s())
            self._audit.note("", address, "claim refused", given.name)
            fix = "The robot's screen shows it; so does `saintctl user claim-code` on the robot."
            raise SaintError(Code.UNAUTHORIZED, "the claim code is wrong", fix=fix)
        hashed = await self._gate.vault.hashing.hashed(given.password, given.name)
        user = User(name=given.name, role="admin", password=hashed, made_s=wall_s())
        await vault.claim(user, keeps_code=given.keeps_code)
        self._gate.guard.succeeded(address, user.name)
        self._audit.note(user.name, address, "claimed this robot")
        return await self._signed_in(request, user.name)

    async def login(self, request: web.Request) -> web.StreamResponse:
        """Sign in by password or token; the reply brings the cookie."""
        self._gate.check_origin(request)
        given = await _body(request, SignInRequest)
        if given.token and not self._gate.is_open:
            identity = self._gate.by_token(address_of(request), given.token.strip())
            if not identity.key:
                text = "the claim code is no sign-in: claim the robot with it"
                raise SaintError(Code.REFUSED, text, fix="Choose a name and a password first.")
            self._audit.note(identity.name, address_of(request), "signed in with a token")
            return await self._signed_in(request, identity.key, is_token=True)
        if not given.name:  # no user whose password could be checked, which takes its time
            text = "neither a name nor a token was given"
            raise SaintError(Code.REQUEST_INVALID, text, fix="Type name and password, or a token.")
        user = await self._right_user(address_of(request), given)
        self._audit.note(user.name, address_of(request), "signed in")
        return await self._signed_in(request, user.name)

    async def _right_user(self, address: str, given: SignInRequest) -> User:
        gate = self._gate
        gate.guard.check(address, monotonic_s(), given.name)
        # Counted before it is compared: many attempts at once are many attempts.
        gate.guard.failed(address, monotonic_s(), given.name)
        user = gate.vault.book.user(given.name)
        is_right = await self._gate.vault.hashing.is_right(
            given.password, user.password if user else None
        )
        if user is None or not is_right:
            self._audit.note(user.name if user else "", address, "sign-in refused")
            fix = "An admin can set another password; on the robot: saintctl user password NAME."
            raise SaintError(Code.UNAUTHORIZED, "name or password is wrong", fix=fix)
        gate.guard.succeeded(address, given.name)
        return user

    async def logout(self, request: web.Request) -> web.StreamResponse:
        """Sign this browser out."""
        self._gate.check_origin(request)
        identity = self._gate.identify(request)
        if identity and identity.via == "session":
            await self._gate.vault.sign_out(identity.key)
            self._audit.note(identity.name, address_of(request), "signed out")
        answer = _json(self._account(None, request))
        answer.del_cookie(
            cookie_name(request), httponly=True, samesite="Strict", secure=request.secure
        )
        return answer

    async def _signed_in(
        self, request: web.Request, user: str, *, is_token: bool = False
    ) -> web.StreamResponse:
        vault = self._gate.vault
        browser = request.headers.get("User-Agent", "")[:_LONGEST_BROWSER]
        if old := self._gate.by_cookie(request):
            await vault.sign_out(old.key)
        secret = await vault.sign_in(user, address_of(request), browser, is_token=is_token)
        answer = _json(self._account(vault.by_cookie(secret), request))
        answer.set_cookie(
            cookie_name(request),
            secret,
            max_age=int(WHOLE_LIMIT_S),
            httponly=True,
            samesite="Strict",
            secure=request.secure,
        )
        return answer


async def _body(request: web.Request, model: type[B]) -> B:
    return logic.from_body(model, await bodies.whole(request, _LARGEST_BYTES))


def _json(account: Account) -> web.Response:
    return web.Response(text=account.model_dump_json(), content_type="application/json")
