"""`saintctl user`: users and roles, signed-in browsers, the code that claims a robot."""

from datetime import datetime

import typer

from ...lib.api import Done
from ...lib.api.users import ClaimInfo, SessionList, UserList
from ...lib.api.webd.users import (
    ADD_USER,
    END_SESSION,
    GET_CLAIM_CODE,
    LIST_SESSIONS,
    LIST_USERS,
    REMOVE_USER,
    REQUIRE_SIGN_IN,
    SET_PASSWORD,
    SET_ROLE,
)
from ..console import print_table
from ..row_command import row_command

app = typer.Typer(
    help="Users: list, add, remove, password, role, sessions, sign-out, sign-in, claim-code.",
    no_args_is_help=True,
)

NAME = typer.Argument(help="The name used for signing in.")
PASSWORD = typer.Option(
    prompt=True, confirmation_prompt=True, hide_input=True, envvar="SAINT_PASSWORD",
    help="Prompted for when left out: other users of this machine can read arguments.",
)  # fmt: skip


@row_command(app, "list", LIST_USERS)
def print_users(reply: UserList) -> None:
    rows = [(user.name, user.role, day(user.made_s)) for user in reply.users]
    print_table(("name", "role", "since"), rows, "There is no user yet: saintctl user claim-code.")


def print_done(reply: Done) -> None:
    print(f"{reply.message}.")


OPERATOR = {"role": "operator"}
row_command(app, "add", ADD_USER, defaults=OPERATOR, name=NAME, password=PASSWORD)(print_done)
row_command(app, "remove", REMOVE_USER, name=NAME)(print_done)
row_command(app, "password", SET_PASSWORD, name=NAME, password=PASSWORD)(print_done)
row_command(app, "role", SET_ROLE, name=NAME, role=typer.Argument())(print_done)


@row_command(app, "sessions", LIST_SESSIONS)
def print_sessions(reply: SessionList) -> None:
    rows = [(s.id, s.user, s.via, s.address, day(s.made_s), s.browser) for s in reply.sessions]
    columns = ("session", "user", "by", "address", "since", "browser")
    print_table(columns, rows, "No browser is signed in.")


SESSION = typer.Argument(metavar="SESSION", help="See `user sessions`.")
row_command(app, "sign-out", END_SESSION, session_id=SESSION)(print_done)


row_command(app, "sign-in", REQUIRE_SIGN_IN, required=typer.Argument(metavar="yes|no"))(print_done)


@row_command(app, "claim-code", GET_CLAIM_CODE)
def print_claim_code(reply: ClaimInfo) -> None:
    if reply.is_claimed:
        print("This robot has an owner. Forgotten password: saintctl user password NAME.")
    else:
        print(reply.code)


def day(seconds: float) -> str:
    """Format seconds since 1970 in the terminal's time zone."""
    return datetime.fromtimestamp(seconds).astimezone().strftime("%Y-%m-%d %H:%M")
