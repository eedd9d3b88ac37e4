"""Finds the daemons: on this machine by their sockets, or on another one through its webd."""

from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from ..lib.api.endpoint import Endpoint
from ..lib.config.validation import faults
from ..lib.errors import Code, SaintError
from ..lib.ipc import Client
from ..lib.machine.service_manager import Directories
from .console import fail, run
from .server import RemoteDaemon, Server

P = TypeVar("P", bound=BaseModel)
Reply = TypeVar("Reply", bound=BaseModel)
Place = str | Server  # a directory of sockets (empty: found by itself), or a server elsewhere

TIMEOUT_S = 30.0  # an adoption waits for a node, a first request for its daemon to start


def existing(given: str) -> str:
    """What --run names; a folder that is not there is told before any daemon is looked for."""
    if given and not Path(given).is_dir():
        raise SaintError(
            Code.DAEMON_UNREACHABLE,
            f"there is no folder {given}",
            fix="Name the folder of the daemons' sockets, or leave out --run (and SAINT_RUN).",
        )
    return given


def runtime_directory(given: Place) -> Path:
    """`given`, else the `make run` of this checkout, else /run/saint."""
    if isinstance(given, Server):
        raise SaintError(
            Code.REFUSED,
            f"this works only on the robot's own machine, not through {given.address}",
            fix="Leave --server out, or log in there.",
        )
    if given:
        return Path(given)
    places = Directories.from_environment()
    simulated = places.share / ".run" / "current"
    for place in (simulated, places.runtime):
        if place.is_dir():
            return place.resolve()
    raise SaintError(
        Code.DAEMON_UNREACHABLE,
        f"no robot runs here: neither {simulated} nor {places.runtime} exists",
        fix="Start one with make run, name the directory of the sockets with --run, "
        "or a robot's address with --server.",
    )


def client(given: Place, daemon: str) -> Client:
    """A connection to one daemon."""
    if isinstance(given, Server):
        return Client(RemoteDaemon(given, daemon))
    return Client(runtime_directory(given) / f"{daemon}.sock")


async def do(given: Place, row: Endpoint[P, Reply], params: P) -> Reply:
    """What the daemon of this row answers."""
    async with client(given, row.daemon) as connection:
        return await connection.request(row, params)


def asked(given: Place, row: Endpoint[P, Reply], as_json: bool = False, **fields: object) -> Reply:
    """The same for a command that does nothing else; a refusal ends the program."""
    return run(do(given, row, wish(row.params, as_json, **fields)), as_json)


def wish(params: type[P], as_json: bool = False, **fields: object) -> P:
    """The parameters of a row; fields that are None are left out where they may be. A
    wrong one ends the program with a sentence.
    """
    needed = {name for name, field in params.model_fields.items() if field.is_required()}
    found = {name: value for name, value in fields.items() if value is not None or name in needed}
    try:
        return params.model_validate(found)
    except ValidationError as err:
        text = str(faults(err, params, found, noun="option")[0])
        raise fail(SaintError(Code.REQUEST_INVALID, text), as_json) from None


async def do_or_error(given: Place, row: Endpoint[P, Reply], params: P) -> Reply | SaintError:
    """The same, but a daemon that does not answer is a value."""
    try:
        return await do(given, row, params)
    except SaintError as err:
        return err


async def ask(given: Place, daemon: str, path: str, reply: type[Reply]) -> Reply:
    """GET one reply of one daemon."""
    async with client(given, daemon) as connection:
        return await connection.get(path, reply, timeout_s=TIMEOUT_S)


async def ask_or_error(
    given: Place, daemon: str, path: str, reply: type[Reply]
) -> Reply | SaintError:
    """The same, but a daemon that does not answer is a value, for overviews."""
    try:
        return await ask(given, daemon, path, reply)
    except SaintError as err:
        return err


async def tell(given: Place, daemon: str, path: str, body: BaseModel, reply: type[Reply]) -> Reply:
    """POST one request to one daemon."""
    async with client(given, daemon) as connection:
        return await connection.post(path, body, reply, timeout_s=TIMEOUT_S)
