"""Sends requests to daemons: to their sockets here, or through the webd of another robot."""

from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from ..lib.api.endpoint import Endpoint
from ..lib.config.validation import faults
from ..lib.errors import Code, SaintError
from ..lib.health import HealthReport
from ..lib.ipc import Client
from ..lib.machine.service_manager import Directories
from .console import fail, run
from .remote import RemoteDaemon, RemoteRobot

P = TypeVar("P", bound=BaseModel)
Reply = TypeVar("Reply", bound=BaseModel)
RobotAddress = (
    str | RemoteRobot
)  # a directory of sockets (empty: the default one), or another robot

_HEALTH_LIMIT_S = 30.0  # the request may have to start the daemon first


def existing_directory(given: str) -> str:
    """Return `given`, the argument of --run. Raises daemon_unreachable when it does not exist."""
    if given and not Path(given).is_dir():
        raise SaintError(
            Code.DAEMON_UNREACHABLE,
            f"there is no folder {given}",
            fix="Name the folder of the daemons' sockets, or leave out --run (and SAINT_RUN).",
        )
    return given


def runtime_directory(robot: RobotAddress) -> Path:
    """Return the directory of the daemons' sockets: `robot`, else the `make run` of this checkout,
    else /run/saint.
    """
    if isinstance(robot, RemoteRobot):
        raise SaintError(
            Code.REFUSED,
            f"this works only on the robot's own machine, not through {robot.address}",
            fix="Leave --server out, or log in there.",
        )
    if robot:
        return Path(robot)
    directories = Directories.from_environment()
    simulated = directories.share / ".run" / "current"
    for directory in (simulated, directories.runtime):
        if directory.is_dir():
            return directory.resolve()
    raise SaintError(
        Code.DAEMON_UNREACHABLE,
        f"no robot runs here: neither {simulated} nor {directories.runtime} exists",
        fix="Start one with make run, name the directory of the sockets with --run, "
        "or a robot's address with --server.",
    )


def client(robot: RobotAddress, daemon: str) -> Client:
    """Return a client of one daemon."""
    if isinstance(robot, RemoteRobot):
        return Client(RemoteDaemon(robot, daemon))
    return Client(runtime_directory(robot) / f"{daemon}.sock")


async def request(robot: RobotAddress, row: Endpoint[P, Reply], params: P) -> Reply:
    """Send the request of a row and return the reply of its daemon."""
    async with client(robot, row.daemon) as connection:
        return await connection.request(row, params)


async def request_or_error(
    robot: RobotAddress, row: Endpoint[P, Reply], params: P
) -> Reply | SaintError:
    """Send the request of a row; return an error of the daemon instead of raising it."""
    try:
        return await request(robot, row, params)
    except SaintError as err:
        return err


async def health_or_error(robot: RobotAddress, daemon: str) -> HealthReport | SaintError:
    """Return the health report of a daemon, or the error that its request ended with."""
    try:
        async with client(robot, daemon) as connection:
            return await connection.get("/health", HealthReport, timeout_s=_HEALTH_LIMIT_S)
    except SaintError as err:
        return err


def run_request(
    robot: RobotAddress, row: Endpoint[P, Reply], as_json: bool = False, **fields: object
) -> Reply:
    """Send the request of a row with these parameters; end the program when it is refused."""
    return run(request(robot, row, checked_params(row.params, as_json, **fields)), as_json)


def checked_params(params: type[P], as_json: bool = False, **fields: object) -> P:
    """Return the parameters of a row; end the program with a sentence when one is wrong. A field
    that is None gets its default.
    """
    needed = {name for name, field in params.model_fields.items() if field.is_required()}
    found = {name: value for name, value in fields.items() if value is not None or name in needed}
    try:
        return params.model_validate(found)
    except ValidationError as err:
        text = str(faults(err, params, found, noun="option")[0])
        raise fail(SaintError(Code.REQUEST_INVALID, text), as_json) from None
