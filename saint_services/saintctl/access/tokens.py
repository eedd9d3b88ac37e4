"""`saintctl token`: tokens of programs, each with a role."""

from typing import Annotated

import typer

from ...lib.api import Done
from ...lib.api.endpoint import Endpoint, Nothing
from ...lib.api.users import NewToken, TokenList, TokenParams
from ...lib.api.webd.users import ADD_TOKEN, LIST_TOKENS, RENEW_TOKEN, REVOKE_TOKEN
from ...lib.errors import Code, SaintError
from ..connect import RobotAddress, request
from ..console import AsJson, print_json, print_table, run, sentence
from ..row_command import R, row_command
from .users import OPERATOR, day

app = typer.Typer(help="Tokens of programs: list, add, renew, revoke.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(help="Name or id of the token.")]


@row_command(app, "list", LIST_TOKENS)
def print_tokens(reply: TokenList) -> None:
    rows = [
        (t.name, t.role, t.id, day(t.made_s), day(t.used_s) if t.used_s else "never")
        for t in reply.tokens
    ]
    print_table(("name", "role", "id", "made", "last used"), rows, "There is no token yet.")


@row_command(app, "add", ADD_TOKEN, defaults=OPERATOR, name=typer.Argument())
def print_secret(reply: NewToken) -> None:
    print(reply.secret)


@app.command("renew", help=RENEW_TOKEN.text)
def renew(context: typer.Context, name: Name, as_json: AsJson = False) -> None:
    reply: NewToken = run(_request(context.obj, RENEW_TOKEN, name), as_json)
    print_json(reply) if as_json else print_secret(reply)


@app.command("revoke", help=REVOKE_TOKEN.text)
def revoke(context: typer.Context, name: Name, as_json: AsJson = False) -> None:
    reply: Done = run(_request(context.obj, REVOKE_TOKEN, name), as_json)
    print_json(reply) if as_json else print(sentence(reply.message))


async def _request(robot: RobotAddress, row: Endpoint[TokenParams, R], name: str) -> R:
    """Send the request of `row` for the token with this name or id."""
    reply = await request(robot, LIST_TOKENS, Nothing())
    for token in reply.tokens:
        if name.lower() in (token.id, token.name.lower()):
            return await request(robot, row, TokenParams(token_id=token.id))
    fix = "saintctl token list shows the tokens of this robot."
    raise SaintError(Code.NOT_FOUND, f"there is no token {name!r}", fix=fix)
