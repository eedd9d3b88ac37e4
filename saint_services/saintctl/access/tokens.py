"""`saintctl token`: how programs come in, each with a role of its own."""

from typing import Annotated

import typer

from ...lib.api import Done
from ...lib.api.users import AddToken, NewToken, TokenList, TokenParams
from ...lib.errors import Code, SaintError
from ..connect import Place, tell
from ..console import AsJson, print_json, print_table, run
from .users import NOTHING, RoleName, checked, day, path

app = typer.Typer(help="Tokens of programs: list, add, renew, revoke.", no_args_is_help=True)

Name = Annotated[
    str, typer.Argument(help="What uses it: workshop-panel. Renew, revoke: its id too.")
]


@app.command("list")
def show(context: typer.Context, as_json: AsJson = False) -> None:
    """All tokens, without their secrets."""
    reply = run(tell(context.obj, "webd", path("list_tokens"), NOTHING, TokenList), as_json)
    if as_json:
        print_json(reply)
        return
    rows = [
        (t.name, t.role, t.id, day(t.made_s), day(t.used_s) if t.used_s else "never")
        for t in reply.tokens
    ]
    print_table(("name", "role", "id", "made", "last used"), rows, "There is no token yet.")


@app.command("add")
def add(
    context: typer.Context, name: Name, role: RoleName = "operator", as_json: AsJson = False
) -> None:
    """Make a token. Its secret is printed once, and is kept nowhere."""
    body = AddToken(name=name, role=checked(role))
    _print(run(tell(context.obj, "webd", path("add_token"), body, NewToken), as_json), as_json)


@app.command("renew")
def renew(context: typer.Context, name: Name, as_json: AsJson = False) -> None:
    """Give a token another secret; the old one is refused at once."""
    _print(run(_renew(context.obj, name), as_json), as_json)


@app.command("revoke")
def revoke(context: typer.Context, name: Name, as_json: AsJson = False) -> None:
    """Take a program's way in away, at once."""
    reply = run(_revoke(context.obj, name), as_json)
    if as_json:
        print_json(reply)
    else:
        print(f"{reply.message}.")


async def _renew(place: Place, name: str) -> NewToken:
    body = TokenParams(token_id=await _id(place, name))
    return await tell(place, "webd", path("renew_token"), body, NewToken)


async def _revoke(place: Place, name: str) -> Done:
    body = TokenParams(token_id=await _id(place, name))
    return await tell(place, "webd", path("revoke_token"), body, Done)


async def _id(place: Place, name: str) -> str:
    """Of the token that is called so, or that has this id."""
    reply = await tell(place, "webd", path("list_tokens"), NOTHING, TokenList)
    for token in reply.tokens:
        if name.lower() in (token.id, token.name.lower()):
            return token.id
    fix = "saintctl token list shows what there is."
    raise SaintError(Code.NOT_FOUND, f"there is no token {name!r}", fix=fix)


def _print(reply: NewToken, as_json: bool) -> None:
    if as_json:
        print_json(reply)
    else:
        print(reply.secret)
