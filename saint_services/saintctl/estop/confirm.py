"""Confirmation of changes after which a switch, button or route no longer stops the robot: shows
their names, prompts for a confirmation, and repeats the request. Not here: which changes these are
(routerd).
"""

import asyncio
import sys
from collections.abc import Awaitable, Callable
from typing import Annotated, TypeVar
from urllib.parse import urlencode

import typer
from pydantic import BaseModel

from ...lib.api.endpoint import CONFIRM, Endpoint
from ...lib.errors import Code, SaintError
from ..connect import RobotAddress, request

P = TypeVar("P", bound=BaseModel)
R = TypeVar("R", bound=BaseModel)
T = TypeVar("T")

RemoveStop = Annotated[
    list[str] | None,
    typer.Option(
        "--remove-stop",
        metavar="NAME",
        help="Confirm that NAME no longer stops the robot. Repeatable.",
    ),
]


async def confirmed(send: Callable[[list[str]], Awaitable[T]], given: list[str] | None) -> T:
    """Send a change with the names that were given; at a terminal ask for those that are missing.
    Raises stop_changed when not all are confirmed.
    """
    try:
        return await send(given or [])
    except SaintError as err:
        if err.code is not Code.STOP_CHANGED or not await asyncio.to_thread(_is_confirmed, err):
            raise _explained(err) from None
        return await send(list(err.names))


async def request_confirmed(
    robot: RobotAddress, row: Endpoint[P, R], params: P, given: list[str] | None
) -> R:
    """Send the request of a row whose parameters have `confirm`, as `confirmed` does."""

    async def send(names: list[str]) -> R:
        return await request(robot, row, params.model_copy(update={CONFIRM: names}))

    return await confirmed(send, given)


def query(names: list[str]) -> str:
    """Return the query string that confirms these names to webd's backups."""
    return f"?{urlencode({CONFIRM: ','.join(names)})}" if names else ""


def _is_confirmed(err: SaintError) -> bool:
    if not sys.stdin.isatty():
        return False
    print(f"Careful: {err.message}.", file=sys.stderr)
    return typer.confirm("Make this change anyway?", default=False, err=True)


def _explained(err: SaintError) -> SaintError:
    if err.code is not Code.STOP_CHANGED:
        return err
    options = " ".join(f"--remove-stop {name}" for name in err.names)
    fix = f"Nothing was changed. To make the change anyway, as an admin, add: {options}"
    return SaintError(err.code, err.message, fix=fix, names=err.names)
