"""The group "users" of the table of actions. Not here: what they do (users.py)."""

from typing import Any

from ...lib.access.levels import Level
from ...lib.api import Done
from ...lib.api import users as u
from ..api import messages as m
from . import users
from .action import Action, Quick

VIEWER, OPERATOR, ADMIN = Level


USERS: dict[str, Action[Any] | Quick[Any]] = {
    "list_users": Action(m.Nothing, users.list_users, u.UserList, needs=ADMIN),
    "add_user": Action(
        u.AddUser, users.add_user, Done, needs=ADMIN, log="User {name} was added as {role}"
    ),
    "remove_user": Action(
        u.UserParams, users.remove_user, Done, needs=ADMIN, log="User {name} was removed"
    ),
    "set_role": Action(
        u.SetRole, users.set_role, Done, needs=ADMIN, log="User {name} is {role} now"
    ),
    "set_password": Action(
        u.SetPassword, users.set_password, Done, needs=ADMIN, log="The password of {name} was set"
    ),
    "change_password": Action(
        u.ChangePassword,
        users.change_password,
        Done,
        needs=VIEWER,
        log="A user has changed the own password",
    ),
    "list_tokens": Action(m.Nothing, users.list_tokens, u.TokenList, needs=ADMIN),
    "add_token": Action(
        u.AddToken,
        users.add_token,
        u.NewToken,
        needs=ADMIN,
        log="Token {name} was made for a {role}",
    ),
    "renew_token": Action(
        u.TokenParams,
        users.renew_token,
        u.NewToken,
        needs=ADMIN,
        log="Token {token_id} was renewed",
    ),
    "revoke_token": Action(
        u.TokenParams, users.revoke_token, Done, needs=ADMIN, log="Token {token_id} was revoked"
    ),
    "list_sessions": Action(m.Nothing, users.list_sessions, u.SessionList, needs=VIEWER),
    "end_session": Action(
        u.SessionParams, users.end_session, Done, needs=VIEWER, log="Sign-in {session_id} was ended"
    ),
    "get_claim_code": Action(m.Nothing, users.get_claim_code, u.ClaimInfo, needs=ADMIN),
}
