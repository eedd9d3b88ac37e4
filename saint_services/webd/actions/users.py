"""Users, tokens, who is signed in, and what the audit log tells."""

from dataclasses import asdict
from typing import Any, Literal

from ...lib.access.audit import AuditRecord
from ...lib.access.levels import Level
from ...lib.api import Done
from ...lib.api import users as u
from ...lib.clock import monotonic_s, wall_s
from ...lib.errors import Code, SaintError
from ..accounts.signins import SignIn
from ..accounts.users import Token, User, named
from ..api import messages as m
from ..robot.context import Robot
from .caller import Caller

Data = dict[str, Any]


async def list_users(robot: Robot, caller: Caller, __: m.Nothing) -> Data:
    """Everybody with a password."""
    users = [u.UserInfo(name=x.name, role=x.role, made_s=x.made_s) for x in robot.vault.book.users]
    is_required = caller.identity.via != "open"
    return u.UserList(users=users, is_required=is_required).model_dump(mode="json")


async def add_user(robot: Robot, _: Caller, params: u.AddUser) -> Data:
    """Gives somebody a name and a password."""
    vault = robot.vault
    if vault.claim_code and params.role != "admin":
        text = "this robot has no admin yet"
        raise SaintError(Code.REFUSED, text, fix="Make the first user admin.")
    kept = await vault.hashing.hashed(params.password, params.name)
    user = User(name=params.name, role=params.role, password=kept, made_s=wall_s())
    await vault.add_user(user)
    return _done(f"{user.name} is {user.role}")


async def remove_user(robot: Robot, _: Caller, params: u.UserParams) -> Data:
    """Takes somebody's way in away; signed out everywhere at once."""
    user = robot.vault.book.known_user(params.name)
    await robot.vault.change(lambda book: book.without_user(user.name))
    await robot.vault.sign_out(user=user.name)
    return _done(f"{user.name} is removed")


async def set_role(robot: Robot, _: Caller, params: u.SetRole) -> Data:
    """Another role for a user, at once."""
    await robot.vault.change(lambda book: book.with_role(params.name, params.role))
    return _done(f"{params.name} is {params.role}")


async def set_password(robot: Robot, _: Caller, params: u.SetPassword) -> Data:
    """Another password for a user, who must sign in anew everywhere."""
    user = robot.vault.book.known_user(params.name)
    kept = await robot.vault.hashing.hashed(params.password, user.name)
    await robot.vault.change(lambda book: book.with_password(user.name, kept))
    await robot.vault.sign_out(user=user.name)
    return _done(f"{user.name} has another password")


async def change_password(robot: Robot, caller: Caller, params: u.ChangePassword) -> Data:
    """Another password for the caller; all other browsers are signed out."""
    vault, who = robot.vault, caller.identity
    user = vault.book.user(who.name) if who.via == "session" else None
    if user is None:
        text = f"{who.name} has no password here"
        raise SaintError(Code.REFUSED, text, fix="Sign in with a name and a password.")
    vault.guard.check(caller.address, monotonic_s(), user.name)
    vault.guard.failed(caller.address, monotonic_s(), user.name)  # until it is known to be right
    if not await vault.hashing.is_right(params.old_password, user.password):
        raise SaintError(Code.FORBIDDEN, "the old password is not right", fix="Type it again.")
    vault.guard.succeeded(caller.address, user.name)
    kept = await vault.hashing.hashed(params.password, user.name)
    await vault.change(lambda book: book.with_password(user.name, kept))
    await vault.sign_out(user=user.name, but=who.key)
    return _done("the password is changed")


async def list_tokens(robot: Robot, _: Caller, __: m.Nothing) -> Data:
    """All tokens, without their secrets."""
    tokens = [_token(robot, token) for token in robot.vault.book.tokens]
    return u.TokenList(tokens=tokens).model_dump(mode="json")


async def add_token(robot: Robot, _: Caller, params: u.AddToken) -> Data:
    """A token for a program. Its secret is told this once."""
    token, secret = await robot.vault.add_token(named(params.name), params.role)
    return u.NewToken(token=_token(robot, token), secret=secret).model_dump(mode="json")


async def renew_token(robot: Robot, _: Caller, params: u.TokenParams) -> Data:
    """Another secret for a token; what still uses the old one is out at once."""
    token, secret = await robot.vault.renew_token(params.token_id)
    return u.NewToken(token=_token(robot, token), secret=secret).model_dump(mode="json")


async def revoke_token(robot: Robot, _: Caller, params: u.TokenParams) -> Data:
    """Takes a program's way in away, at once."""
    token = robot.vault.book.known_token(params.token_id)
    await robot.vault.change(lambda book: book.without_token(token.id))
    await robot.vault.sign_out(user=token.id, is_token=True)
    return _done(f"the token {token.name!r} is revoked")


async def list_sessions(robot: Robot, caller: Caller, _: m.Nothing) -> Data:
    """Browsers that are signed in: an admin sees all, others their own."""
    entries = _own(robot, caller)
    infos = [_session(robot, caller, entry) for entry in entries if not entry.is_over(wall_s())]
    return u.SessionList(sessions=infos).model_dump(mode="json")


async def end_session(robot: Robot, caller: Caller, params: u.SessionParams) -> Data:
    """Signs a browser out: one's own, or anybody's for an admin."""
    for entry in _own(robot, caller):
        if entry.id == params.session_id:
            await robot.vault.sign_out(entry.id)
            return _done(f"{entry.user} is signed out there")
    raise SaintError(Code.NOT_FOUND, f"no browser with the number {params.session_id} is signed in")


async def get_claim_code(robot: Robot, caller: Caller, _: m.Nothing) -> Data:
    """The code that makes the first admin; told on the robot itself only."""
    if caller.identity.via != "socket":
        text = "the claim code is told on the robot itself only"
        raise SaintError(Code.FORBIDDEN, text, fix="Log in there: saintctl user claim-code.")
    vault = robot.vault
    info = u.ClaimInfo(is_claimed=vault.book.is_claimed, code=vault.claim_code)
    return info.model_dump(mode="json")


async def get_audit_log(robot: Robot, _: Caller, params: u.GetAuditLog) -> Data:
    """Who came in, took control, stopped the robot or changed what others rely on."""
    word = params.search.lower()

    def is_wanted(entry: AuditRecord) -> bool:
        texts = (entry.who, entry.address, entry.what, entry.detail, entry.refused)
        return bool(entry.what) and (not word or any(word in text.lower() for text in texts))

    found = await robot.audit.read(is_wanted, params.offset, params.limit)
    entries = [u.AuditEntry.model_validate(asdict(entry)) for entry in found]
    return u.AuditReply(entries=entries).model_dump(mode="json")


def _own(robot: Robot, caller: Caller) -> list[SignIn]:
    """What the caller may end."""
    who, entries = caller.identity, list(robot.vault.signins.entries)
    if who.level >= Level.ADMIN:
        return entries
    mine = {(e.user, e.is_token) for e in entries if who.via == "session" and e.id == who.key}
    return [entry for entry in entries if (entry.user, entry.is_token) in mine]


def _token(robot: Robot, token: Token) -> u.TokenInfo:
    used_s = robot.vault.used_s(token)
    return u.TokenInfo(
        id=token.id, name=token.name, role=token.role, made_s=token.made_s, used_s=used_s
    )


def _session(robot: Robot, caller: Caller, entry: SignIn) -> u.SessionInfo:
    via: Literal["password", "token"] = "token" if entry.is_token else "password"
    names = {token.id: token.name for token in robot.vault.book.tokens}
    return u.SessionInfo(
        **entry.model_dump(include={"id", "made_s", "seen_s", "address", "browser"}),
        user=names.get(entry.user, entry.user),
        via=via,
        is_own=caller.identity.key == entry.id,
    )


def _done(message: str) -> Data:
    return Done(message=message).model_dump(mode="json")
