"""`saintctl user`: who may sign in on the robot's page, and how a new robot gets its owner."""

from datetime import datetime
from typing import Annotated

import typer

from ...lib.api import Done, Request
from ...lib.api.users import (
    AddUser,
    ClaimInfo,
    Role,
    SessionList,
    SessionParams,
    SetPassword,
    SetRole,
    UserList,
    UserParams,
)
from ..connect import tell
from ..console import AsJson, print_json, print_table, run

app = typer.Typer(
    help="Users: list, add, remove, password, role, sessions, sign-out, claim-code.",
    no_args_is_help=True,
)

NOTHING = Request()  # an action without params
Name = Annotated[str, typer.Argument(help="As it is typed at the sign-in.")]
RoleName = Annotated[str, typer.Option("--role", help="viewer, operator or admin")]
Password = Annotated[
    str,
    typer.Option(
        prompt=True, confirmation_prompt=True, hide_input=True, envvar="SAINT_PASSWORD",
        help="Asked for when it is left out; commands can be read by others.",
    ),
]  # fmt: skip


@app.command("list")
def show(context: typer.Context, as_json: AsJson = False) -> None:
    """Everybody who has a password."""
    reply = run(tell(context.obj, "webd", path("list_users"), NOTHING, UserList), as_json)
    if as_json:
        print_json(reply)
        return
    rows = [(user.name, user.role, day(user.made_s)) for user in reply.users]
    print_table(("name", "role", "since"), rows, "There is no user yet: saintctl user claim-code.")


@app.command("add")
def add(
    context: typer.Context,
    name: Name,
    password: Password,
    role: RoleName = "operator",
    as_json: AsJson = False,
) -> None:
    """Give somebody a name and a password. The first one must be admin and owns the robot."""
    body = AddUser(name=name, password=password, role=checked(role))
    _do(context, "add_user", body, as_json)


@app.command("remove")
def remove(context: typer.Context, name: Name, as_json: AsJson = False) -> None:
    """Take somebody's way in away; all browsers are signed out."""
    _do(context, "remove_user", UserParams(name=name), as_json)


@app.command("password")
def password(
    context: typer.Context, name: Name, password: Password, as_json: AsJson = False
) -> None:
    """Give somebody another password, also when the old one is forgotten."""
    _do(context, "set_password", SetPassword(name=name, password=password), as_json)


@app.command("role")
def role(
    context: typer.Context,
    name: Name,
    role: Annotated[str, typer.Argument(help="viewer, operator or admin")],
    as_json: AsJson = False,
) -> None:
    """Change what somebody may do, at once."""
    _do(context, "set_role", SetRole(name=name, role=checked(role)), as_json)


@app.command("sessions")
def sessions(context: typer.Context, as_json: AsJson = False) -> None:
    """Browsers that are signed in."""
    reply = run(tell(context.obj, "webd", path("list_sessions"), NOTHING, SessionList), as_json)
    if as_json:
        print_json(reply)
        return
    rows = [(s.id, s.user, s.via, s.address, day(s.made_s), s.browser) for s in reply.sessions]
    columns = ("session", "user", "by", "address", "since", "browser")
    print_table(columns, rows, "No browser is signed in.")


@app.command("sign-out")
def sign_out(
    context: typer.Context,
    session: Annotated[str, typer.Argument(help="As `user sessions` names it.")],
    as_json: AsJson = False,
) -> None:
    """Sign a browser out."""
    _do(context, "end_session", SessionParams(session_id=session), as_json)


@app.command("claim-code")
def claim_code(context: typer.Context, as_json: AsJson = False) -> None:
    """The code that makes the first admin on the page; told on the robot itself only."""
    reply = run(tell(context.obj, "webd", path("get_claim_code"), NOTHING, ClaimInfo), as_json)
    if as_json:
        print_json(reply)
    elif reply.is_claimed:
        print("This robot has an owner. Forgotten password: saintctl user password NAME.")
    else:
        print(reply.code)


def path(action: str) -> str:
    """Where webd answers that action of the group "users"."""
    return f"/api/v1/users/{action}"


def checked(word: str) -> Role:
    """Raises typer.BadParameter for what is no role."""
    if word not in ("viewer", "operator", "admin"):
        raise typer.BadParameter(f"{word!r} is no role: viewer, operator or admin")
    return word  # type: ignore[return-value]  # one of the three


def day(seconds: float) -> str:
    """In the terminal's own time."""
    return datetime.fromtimestamp(seconds).astimezone().strftime("%Y-%m-%d %H:%M")


def _do(context: typer.Context, action: str, body: Request, as_json: bool) -> None:
    reply = run(tell(context.obj, "webd", path(action), body, Done), as_json)
    if as_json:
        print_json(reply)
    else:
        print(f"{reply.message}.")
