"""Signing in and out with a browser: /api/session tells who it is, /api/claim makes the first
admin, /api/login and /api/logout are what they say. Not here: what a cookie lets in (gate.py).
"""

from collections.abc import Sequence
from typing import TypeVar

from aiohttp import web
from pydantic import BaseModel, Field

from ...lib.api import Request
from ...lib.api.users import LONGEST_PASSWORD, Account, UserName
from ...lib.clock import monotonic_s, wall_s
from ...lib.errors import Code, SaintError
from ..api import http_form
from ..robot.context import Robot
from ..server import bodies
from . import passwords
from .access import Identity
from .gate import Gate, address_of, cookie_name
from .signins import WHOLE_LIMIT_S
from .users import User

_LONGEST_BROWSER = 160
_LARGEST_BYTES = 8 << 10

B = TypeVar("B", bound=BaseModel)


class Claim(Request):
    """The first admin, made by whoever can read the robot's screen or log."""

    code: str = Field(max_length=256, repr=False)
    name: UserName
    password: str = Field(max_length=LONGEST_PASSWORD, repr=False)
    # Programs use the code as their token already: keep it as one.
    keeps_code: bool = False


class SignIn(Request):
    """A user with a password, or a token alone."""

    name: str = Field(default="", max_length=64)
    password: str = Field(default="", max_length=LONGEST_PASSWORD, repr=False)
    token: str = Field(default="", max_length=256, repr=False)


class Login:
    """Some of the site's requests."""

    def __init__(self, gate: Gate, robot: Robot) -> None:
        self._gate = gate
        self._audit = robot.audit
        self._robot = robot

    def routes(self) -> Sequence[web.RouteDef]:
        """Four."""
        return [
            web.get("/api/session", self.tell),
            web.post("/api/claim", self.claim),
            web.post("/api/login", self.login),
            web.post("/api/logout", self.logout),
        ]

    async def close(self) -> None:
        """Nothing stays open."""

    async def tell(self, request: web.Request) -> web.StreamResponse:
        """Who this browser is; what a page must ask for when it is nobody."""
        try:
            identity = self._gate.identify(request)
        except SaintError:
            identity = None
        return _json(self._told(identity, request))

    def _told(self, identity: Identity | None, request: web.Request) -> Account:
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
        """Makes the first admin and signs in."""
        self._gate.check_origin(request)
        asked = await _body(request, Claim)
        vault, address = self._gate.vault, address_of(request)
        if vault.book.is_claimed:
            text = "this robot has an owner already"
            raise SaintError(Code.CONFLICT, text, fix="Sign in, or ask an admin of this robot.")
        self._gate.guard.check(address, monotonic_s())
        if not vault.claim_code:  # an empty word must never be the right one
            raise SaintError(Code.REFUSED, "the claim code is not made yet", fix="Try again.")
        right, given = passwords.digest(vault.claim_code), passwords.digest(asked.code.strip())
        if not passwords.is_same(given, right):
            self._gate.guard.failed(address, monotonic_s())
            self._audit.note("", address, "claim refused", asked.name)
            fix = "The robot's screen shows it; so does `saintctl user claim-code` on the robot."
            raise SaintError(Code.UNAUTHORIZED, "the claim code is not right", fix=fix)
        kept = await self._gate.vault.hashing.hashed(asked.password, asked.name)
        user = User(name=asked.name, role="admin", password=kept, made_s=wall_s())
        await vault.claim(user, keeps_code=asked.keeps_code)
        self._gate.guard.succeeded(address, user.name)
        self._audit.note(user.name, address, "claimed this robot")
        return await self._signed_in(request, user.name)

    async def login(self, request: web.Request) -> web.StreamResponse:
        """By password or token; the answer brings the cookie."""
        self._gate.check_origin(request)
        asked = await _body(request, SignIn)
        if asked.token and not self._gate.is_open:
            identity = self._gate.by_token(address_of(request), asked.token.strip())
            if not identity.key:
                text = "the claim code signs nobody in: claim the robot with it"
                raise SaintError(Code.REFUSED, text, fix="Choose a name and a password first.")
            self._audit.note(identity.name, address_of(request), "signed in with a token")
            return await self._signed_in(request, identity.key, is_token=True)
        if not asked.name:  # nobody to work a password out for, which takes its time
            text = "neither a name nor a token was given"
            raise SaintError(Code.REQUEST_INVALID, text, fix="Say name and password, or a token.")
        user = await self._right_user(address_of(request), asked)
        self._audit.note(user.name, address_of(request), "signed in")
        return await self._signed_in(request, user.name)

    async def _right_user(self, address: str, asked: SignIn) -> User:
        gate = self._gate
        gate.guard.check(address, monotonic_s(), asked.name)
        # Counted before it is known: many tries at once are many tries.
        gate.guard.failed(address, monotonic_s(), asked.name)
        user = gate.vault.book.user(asked.name)
        is_right = await self._gate.vault.hashing.is_right(
            asked.password, user.password if user else None
        )
        if user is None or not is_right:
            self._audit.note(user.name if user else "", address, "sign-in refused")
            fix = "An admin can set another password; on the robot: saintctl user password NAME."
            raise SaintError(Code.UNAUTHORIZED, "name or password is not right", fix=fix)
        gate.guard.succeeded(address, asked.name)
        return user

    async def logout(self, request: web.Request) -> web.StreamResponse:
        """This browser is nobody from now on."""
        self._gate.check_origin(request)
        identity = self._gate.identify(request)
        if identity and identity.via == "session":
            await self._gate.vault.sign_out(identity.key)
            self._audit.note(identity.name, address_of(request), "signed out")
        answer = _json(self._told(None, request))
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
        answer = _json(self._told(vault.by_cookie(secret), request))
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
    found = http_form.from_body(model, await bodies.whole(request, _LARGEST_BYTES))
    assert isinstance(found, model)  # which the type checker cannot see
    return found


def _json(account: Account) -> web.Response:
    return web.Response(text=account.model_dump_json(), content_type="application/json")
