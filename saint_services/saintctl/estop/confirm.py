"""Changes that take away what stops the robot: says which, asks, and repeats the request with their
names. Not here: what such a change is (routerd), who may make it (webd).
"""

import asyncio
import sys
from collections.abc import Awaitable, Callable
from typing import Annotated, TypeVar
from urllib.parse import urlencode

import typer
from pydantic import BaseModel

from ...lib.api.endpoint import Endpoint
from ...lib.api.routing import Confirming
from ...lib.errors import Code, SaintError
from ..connect import Place, do, wish
from ..console import run

P = TypeVar("P", bound=Confirming)
R = TypeVar("R", bound=BaseModel)
T = TypeVar("T")

RemoveStop = Annotated[
    list[str] | None,
    typer.Option(
        "--remove-stop",
        metavar="NAME",
        help="Confirm that this may stop the robot no longer; as often as there are names.",
    ),
]


async def confirmed(send: Callable[[list[str]], Awaitable[T]], given: list[str] | None) -> T:
    """Send a change with the names that were given; at a terminal ask for those that are missing.
    Raises stop_changed when not all are confirmed.
    """
    try:
        return await send(given or [])
    except SaintError as err:
        if err.code is not Code.STOP_CHANGED or not await asyncio.to_thread(_is_wanted, err):
            raise _explained(err) from None
        return await send(list(err.names))


async def do_confirmed(place: Place, row: Endpoint[P, R], params: P, given: list[str] | None) -> R:
    """The same for a row of lib/api, whose parameters have `confirm`."""

    async def send(names: list[str]) -> R:
        return await do(place, row, params.model_copy(update={"confirm": names}))

    return await confirmed(send, given)


def asked_confirmed(
    place: Place,
    row: Endpoint[P, R],
    given: list[str] | None,
    as_json: bool,
    **fields: object,
) -> R:
    """The same for a command that does nothing else."""
    params = wish(row.params, as_json, **fields)
    return run(do_confirmed(place, row, params, given), as_json)


def query(names: list[str]) -> str:
    """What to add to a path of webd's backups."""
    return f"?{urlencode({'confirm': ','.join(names)})}" if names else ""


def _is_wanted(err: SaintError) -> bool:
    if not sys.stdin.isatty():
        return False
    print(f"Careful: {err.message}.", file=sys.stderr)
    return typer.confirm("Change that all the same?", default=False, err=True)


def _explained(err: SaintError) -> SaintError:
    if err.code is not Code.STOP_CHANGED:
        return err
    options = " ".join(f"--remove-stop {name}" for name in err.names)
    fix = f"Nothing was changed. To do it all the same, as admin, add: {options}"
    return SaintError(err.code, err.message, fix=fix, names=err.names)
