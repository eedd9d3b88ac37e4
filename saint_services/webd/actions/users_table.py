"""The group "users" of the table of actions. Not here: what they do (users.py)."""

from typing import Any

from ...lib.api import Done
from ...lib.api import users as u
from ...lib.levels import Level
from .. import messages as m
from . import users
from .action import Action, Quick

VIEWER, OPERATOR, ADMIN = Level


def _anyone(_: object) -> Level:
    """It changes something, so it is no reading action; everybody may do it to himself."""
    return VIEWER


USERS: dict[str, Action[Any] | Quick[Any]] = {
    "list_users": Action(m.Nothing, users.list_users, u.UserList, needs=ADMIN),
    "add_user": Action(u.AddUser, users.add_user, Done, needs=ADMIN),
    "remove_user": Action(u.UserParams, users.remove_user, Done, needs=ADMIN),
    "set_role": Action(u.SetRole, users.set_role, Done, needs=ADMIN),
    "set_password": Action(u.SetPassword, users.set_password, Done, needs=ADMIN),
    "change_password": Action(
        u.ChangePassword, users.change_password, Done, needs=VIEWER, raises_to=_anyone
    ),
    "list_tokens": Action(m.Nothing, users.list_tokens, u.TokenList, needs=ADMIN),
    "add_token": Action(u.AddToken, users.add_token, u.NewToken, needs=ADMIN),
    "renew_token": Action(u.TokenParams, users.renew_token, u.NewToken, needs=ADMIN),
    "revoke_token": Action(u.TokenParams, users.revoke_token, Done, needs=ADMIN),
    "list_sessions": Action(m.Nothing, users.list_sessions, u.SessionList, needs=VIEWER),
    "end_session": Action(
        u.SessionParams, users.end_session, Done, needs=VIEWER, raises_to=_anyone
    ),
    "get_claim_code": Action(m.Nothing, users.get_claim_code, u.ClaimInfo, needs=ADMIN),
}
