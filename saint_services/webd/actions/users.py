"""Users, tokens, sign-ins and the audit log as actions. Not here: where they are stored
(accounts/vault.py).
"""

from dataclasses import asdict
from typing import Literal

from ...lib.access.audit import AuditRecord
from ...lib.access.levels import Level
from ...lib.api import Done
from ...lib.api import users as u
from ...lib.api.endpoint import Nothing
from ...lib.api.webd import users as rows
from ...lib.clock import monotonic_s, wall_s
from ...lib.errors import Code, SaintError
from ..accounts.access import PROGRAM_PREFIX
from ..accounts.signins import SignIn
from ..accounts.users import Token, User, named
from ..robot.context import RobotContext
from .act import Acts, Caller

ACTS = Acts()


@ACTS.bind(rows.LIST_USERS)
async def list_users(robot: RobotContext, caller: Caller, __: Nothing) -> u.UserList:
    users = [u.UserInfo(name=x.name, role=x.role, made_s=x.made_s) for x in robot.vault.book.users]
    return u.UserList(users=users, is_required=caller.identity.via != "open")


@ACTS.bind(rows.ADD_USER)
async def add_user(robot: RobotContext, _: Caller, params: u.AddUser) -> Done:
    vault = robot.vault
    if vault.claim_code and params.role != "admin":
        text = "this robot has no admin yet"
        raise SaintError(Code.REFUSED, text, fix="Give the first user the role admin.")
    hashed = await vault.hashing.hashed(params.password, params.name)
    user = User(name=params.name, role=params.role, password=hashed, made_s=wall_s())
    await vault.add_user(user)
    return Done(message=f"{user.name} is {user.role}")


@ACTS.bind(rows.REMOVE_USER)
async def remove_user(robot: RobotContext, _: Caller, params: u.UserParams) -> Done:
    user = robot.vault.book.known_user(params.name)
    await robot.vault.change(lambda book: book.without_user(user.name))
    await robot.vault.sign_out(user=user.name)
    return Done(message=f"{user.name} was removed")


@ACTS.bind(rows.SET_ROLE)
async def set_role(robot: RobotContext, _: Caller, params: u.SetRole) -> Done:
    await robot.vault.change(lambda book: book.with_role(params.name, params.role))
    return Done(message=f"{params.name} is {params.role}")


@ACTS.bind(rows.SET_PASSWORD)
async def set_password(robot: RobotContext, _: Caller, params: u.SetPassword) -> Done:
    user = robot.vault.book.known_user(params.name)
    hashed = await robot.vault.hashing.hashed(params.password, user.name)
    await robot.vault.change(lambda book: book.with_password(user.name, hashed))
    await robot.vault.sign_out(user=user.name)
    return Done(message=f"{user.name} has another password")


@ACTS.bind(rows.CHANGE_PASSWORD)
async def change_password(robot: RobotContext, caller: Caller, params: u.ChangePassword) -> Done:
    vault, who = robot.vault, caller.identity
    user = vault.book.user(who.name) if who.via == "session" else None
    if user is None:
        text = f"{who.name} has no password here"
        raise SaintError(Code.REFUSED, text, fix="Sign in with a name and a password.")
    vault.guard.check(caller.address, monotonic_s(), user.name)
    # Counted before it is compared: many attempts at once are many attempts.
    vault.guard.failed(caller.address, monotonic_s(), user.name)
    if not await vault.hashing.is_right(params.old_password, user.password):
        raise SaintError(Code.FORBIDDEN, "the old password is wrong", fix="Type it again.")
    vault.guard.succeeded(caller.address, user.name)
    hashed = await vault.hashing.hashed(params.password, user.name)
    await vault.change(lambda book: book.with_password(user.name, hashed))
    await vault.sign_out(user=user.name, but=who.key)
    return Done(message="the password was changed")


@ACTS.bind(rows.REQUIRE_SIGN_IN)
async def require_sign_in(robot: RobotContext, _: Caller, params: u.RequireSignIn) -> Done:
    own = robot.upkeep.own
    await own.save(own.saved.model_copy(update={"sign_in_required": params.required}))
    if not params.required:
        return Done(message="No sign-in is required: everyone who reaches the robot is admin")
    if robot.vault.claim_code:
        text = "a sign-in is required; the code on the server's screen creates the first admin"
        return Done(message=text)
    return Done(message="A sign-in is required")


@ACTS.bind(rows.LIST_TOKENS)
async def list_tokens(robot: RobotContext, _: Caller, __: Nothing) -> u.TokenList:
    return u.TokenList(tokens=[_token(robot, token) for token in robot.vault.book.tokens])


@ACTS.bind(rows.ADD_TOKEN)
async def add_token(robot: RobotContext, _: Caller, params: u.AddToken) -> u.NewToken:
    name = named(params.name)
    if name.lower().startswith(PROGRAM_PREFIX):
        text = f"names that begin with {PROGRAM_PREFIX} belong to programs on the server"
        raise SaintError(Code.REQUEST_INVALID, text, fix="Choose another name.")
    token, secret = await robot.vault.add_token(name, params.role)
    return u.NewToken(token=_token(robot, token), secret=secret)


@ACTS.bind(rows.RENEW_TOKEN)
async def renew_token(robot: RobotContext, _: Caller, params: u.TokenParams) -> u.NewToken:
    token, secret = await robot.vault.renew_token(params.token_id)
    return u.NewToken(token=_token(robot, token), secret=secret)


@ACTS.bind(rows.REVOKE_TOKEN)
async def revoke_token(robot: RobotContext, _: Caller, params: u.TokenParams) -> Done:
    token = robot.vault.book.known_token(params.token_id)
    await robot.vault.change(lambda book: book.without_token(token.id))
    await robot.vault.sign_out(user=token.id, is_token=True)
    return Done(message=f"the token {token.name!r} was revoked")


@ACTS.bind(rows.LIST_SESSIONS)
async def list_sessions(robot: RobotContext, caller: Caller, _: Nothing) -> u.SessionList:
    entries = _endable(robot, caller)
    infos = [_session(robot, caller, entry) for entry in entries if not entry.is_over(wall_s())]
    return u.SessionList(sessions=infos)


@ACTS.bind(rows.END_SESSION)
async def end_session(robot: RobotContext, caller: Caller, params: u.SessionParams) -> Done:
    for entry in _endable(robot, caller):
        if entry.id == params.session_id:
            await robot.vault.sign_out(entry.id)
            return Done(message=f"{entry.user} was signed out there")
    raise SaintError(Code.NOT_FOUND, f"no browser with the number {params.session_id} is signed in")


@ACTS.bind(rows.GET_CLAIM_CODE)
async def get_claim_code(robot: RobotContext, caller: Caller, _: Nothing) -> u.ClaimInfo:
    if caller.identity.via != "socket":
        text = "the claim code is shown on the robot itself only"
        raise SaintError(Code.FORBIDDEN, text, fix="Log in there: saintctl user claim-code.")
    vault = robot.vault
    return u.ClaimInfo(is_claimed=vault.book.is_claimed, code=vault.claim_code)


@ACTS.bind(rows.GET_AUDIT_LOG)
async def get_audit_log(robot: RobotContext, _: Caller, params: u.GetAuditLog) -> u.AuditReply:
    word = params.search.lower()

    def is_wanted(entry: AuditRecord) -> bool:
        texts = (entry.who, entry.address, entry.what, entry.detail, entry.refused)
        return bool(entry.what) and (not word or any(word in text.lower() for text in texts))

    found = await robot.audit.read(is_wanted, params.offset, params.limit)
    return u.AuditReply(entries=[u.AuditEntry.model_validate(asdict(entry)) for entry in found])


def _endable(robot: RobotContext, caller: Caller) -> list[SignIn]:
    """Return the sign-ins that the caller may end."""
    who, entries = caller.identity, list(robot.vault.signins.entries)
    if who.level >= Level.ADMIN:
        return entries
    mine = {(e.user, e.is_token) for e in entries if who.via == "session" and e.id == who.key}
    return [entry for entry in entries if (entry.user, entry.is_token) in mine]


def _token(robot: RobotContext, token: Token) -> u.TokenInfo:
    used_s = robot.vault.used_s(token)
    return u.TokenInfo(
        id=token.id, name=token.name, role=token.role, made_s=token.made_s, used_s=used_s
    )


def _session(robot: RobotContext, caller: Caller, entry: SignIn) -> u.SessionInfo:
    via: Literal["password", "token"] = "token" if entry.is_token else "password"
    names = {token.id: token.name for token in robot.vault.book.tokens}
    return u.SessionInfo(
        **entry.model_dump(include={"id", "made_s", "seen_s", "address", "browser"}),
        user=names.get(entry.user, entry.user),
        via=via,
        is_own=caller.identity.key == entry.id,
    )
