"""Finds the daemons' sockets: on a robot, in a checkout, or where the user says."""

from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel

from ..lib.errors import Code, SaintError
from ..lib.ipc import Client
from ..lib.sd import Directories

Reply = TypeVar("Reply", bound=BaseModel)

TIMEOUT_S = 30.0  # an adoption waits for a node, a first request for its daemon to start


def runtime_directory(given: str) -> Path:
    """`given`, else the `make run` of this checkout, else /run/saint."""
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
        fix="Start one with make run, or name the directory of the sockets with --run.",
    )


def client(given: str, daemon: str) -> Client:
    """A connection to one daemon's socket."""
    return Client(runtime_directory(given) / f"{daemon}.sock")


async def ask(given: str, daemon: str, path: str, reply: type[Reply]) -> Reply:
    """GET one reply of one daemon."""
    async with client(given, daemon) as connection:
        return await connection.get(path, reply, timeout_s=TIMEOUT_S)


async def ask_or_error(
    given: str, daemon: str, path: str, reply: type[Reply]
) -> Reply | SaintError:
    """The same, but a daemon that does not answer is a value, for overviews."""
    try:
        return await ask(given, daemon, path, reply)
    except SaintError as err:
        return err


async def tell(given: str, daemon: str, path: str, body: BaseModel, reply: type[Reply]) -> Reply:
    """POST one request to one daemon."""
    async with client(given, daemon) as connection:
        return await connection.post(path, body, reply, timeout_s=TIMEOUT_S)
