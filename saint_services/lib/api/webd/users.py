"""Users, tokens, sign-ins and the audit log."""

from ...access.levels import Level
from .. import Done
from ..endpoint import Nothing
from ..users import (
    AddToken,
    AddUser,
    AuditReply,
    ChangePassword,
    ClaimInfo,
    GetAuditLog,
    NewToken,
    RequireSignIn,
    SessionList,
    SessionParams,
    SetPassword,
    SetRole,
    TokenList,
    TokenParams,
    UserList,
    UserParams,
)
from . import WebRows
from .system import SYSTEM

USERS = WebRows("users")
_ADMIN = {"level": Level.ADMIN}
_VIEWER = {"level": Level.VIEWER}

# fmt: off
GET_AUDIT_LOG = SYSTEM.read(
    "get_audit_log", GetAuditLog, AuditReply,
    "List the audit log: sign-ins, motion, stops and changes, done and refused, newest first.",
    **_ADMIN,
)
LIST_USERS = USERS.read("list_users", Nothing, UserList, "List all users.", **_ADMIN)
ADD_USER = USERS.change(
    "add_user", AddUser, Done, "Add a user with a password.",
    log="User {name} was added as {role}", **_ADMIN,
)
REMOVE_USER = USERS.change(
    "remove_user", UserParams, Done, "Remove a user and sign the user out everywhere.",
    log="User {name} was removed", **_ADMIN,
)
SET_ROLE = USERS.change(
    "set_role", SetRole, Done, "Change the role of a user; it applies at once.",
    log="User {name} is now {role}", **_ADMIN,
)
SET_PASSWORD = USERS.change(
    "set_password", SetPassword, Done,
    "Set another password for a user and sign the user out everywhere.",
    log="The password of {name} was set", **_ADMIN,
)
CHANGE_PASSWORD = USERS.change(
    "change_password", ChangePassword, Done,
    "Change the caller's own password and sign out all other browsers of the caller.",
    log="A user changed their own password", **_VIEWER,
)
REQUIRE_SIGN_IN = USERS.change(
    "require_sign_in", RequireSignIn, Done,
    "Require a sign-in, or let everyone who reaches the robot be admin.",
    log="Required sign-in was set to {required}", **_ADMIN,
)
LIST_TOKENS = USERS.read(
    "list_tokens", Nothing, TokenList, "List all tokens, without their secrets.", **_ADMIN
)
ADD_TOKEN = USERS.change(
    "add_token", AddToken, NewToken, "Create a token for a program. Its secret is shown once.",
    log="Token {name} was created with the role {role}", **_ADMIN,
)
RENEW_TOKEN = USERS.change(
    "renew_token", TokenParams, NewToken,
    "Create another secret for a token; programs with the old one are disconnected at once.",
    log="Token {token_id} was renewed", **_ADMIN,
)
REVOKE_TOKEN = USERS.change(
    "revoke_token", TokenParams, Done,
    "Delete a token; programs that use it are disconnected at once.",
    log="Token {token_id} was revoked", **_ADMIN,
)
LIST_SESSIONS = USERS.read(
    "list_sessions", Nothing, SessionList,
    "List signed-in browsers: an admin sees all, others see their own.",
)
END_SESSION = USERS.change(
    "end_session", SessionParams, Done,
    "Sign a browser out: the caller's own, or any for an admin.",
    log="Sign-in {session_id} was ended", **_VIEWER,
)
GET_CLAIM_CODE = USERS.read(
    "get_claim_code", Nothing, ClaimInfo,
    "Get the code that creates the first admin; on the robot itself only.", **_ADMIN,
)
