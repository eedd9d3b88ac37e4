"""An action of webd's table, asked for as the page asks for it. Not here: what other daemons answer
themselves (connect.py).
"""

from typing import Any, TypeVar

import typer
from pydantic import BaseModel, RootModel

from ..lib.api import Done
from ..lib.api.routing import CommandReply
from .connect import Place, tell
from .console import print_json, run

R = TypeVar("R", bound=BaseModel)


class Params(RootModel[dict[str, Any]]):
    """By name, as webd's documents tell them; webd checks them."""


async def perform(place: Place, group: str, action: str, reply: type[R], **params: object) -> R:
    """The reply. What is None is left out."""
    given = Params({name: value for name, value in params.items() if value is not None})
    return await tell(place, "webd", f"/api/v1/{group}/{action}", given, reply)


def done(context: typer.Context, group: str, action: str, as_json: bool, **params: object) -> None:
    """One that answers with a sentence."""
    reply = run(perform(context.obj, group, action, Done, **params), as_json)
    print_json(reply) if as_json else print(reply.message)


def accepted(
    context: typer.Context, group: str, action: str, as_json: bool, said: str, **params: object
) -> None:
    """One whose outcome is seen on the robot, not in the answer."""
    reply = run(perform(context.obj, group, action, CommandReply, **params), as_json)
    show(reply, said, as_json)


def show(reply: CommandReply, said: str, as_json: bool) -> None:
    """What was limited comes before the rest."""
    if as_json:
        print_json(reply)
        return
    for each in reply.limited:
        print(f"{each.text}.")
    print(said)
