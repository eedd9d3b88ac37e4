"""`saintctl head`, `arms`, `base`, `tracks`, `parts`: moves the robot as one input of the router
among others: RC and a source with exclusive control have precedence. Not here: routes, and why
nothing moves (`saintctl route why`).
"""

import asyncio
import time
from typing import Annotated, Any, TypeVar

import typer

from ..lib.api import Reply
from ..lib.api.endpoint import Endpoint
from ..lib.api.routing import CommandReply
from ..lib.api.webd.motion import (
    ARM_HAND,
    ARM_HOME,
    ARM_MOVE,
    DRIVE,
    DRIVE_BASE,
    GRIPPER,
    HEAD_CAMERA,
    HEAD_HOME,
    HEAD_MOVE,
    PARTS_HOME,
    PARTS_SET,
    STOP_BASE,
    STOP_TRACKS,
)
from .connect import RobotAddress, checked_params, request
from .console import AsJson, print_json, run

R = TypeVar("R", bound=Reply)

head = typer.Typer(help="Head: move, home, camera.", no_args_is_help=True)
arms = typer.Typer(help="Arms: move, home, gripper.", no_args_is_help=True)
parts = typer.Typer(help="Parts of any kind by name: set, home.", no_args_is_help=True)
tracks = typer.Typer(help="Tracks: drive, stop.", no_args_is_help=True)
base = typer.Typer(help="Base, tracks or a wagon: drive, stop.", no_args_is_help=True)

REPEAT_S = 0.1  # a velocity holds for 0.3 s
_REQUESTED = "Requested. If nothing moves: saintctl route why {}."

Angle = Annotated[float | None, typer.Option(help="degrees")]
Share = Annotated[float | None, typer.Option(min=0.0, max=1.0, help="0 to 1")]
Speed = Annotated[float | None, typer.Option(min=0.0, max=1.0, help="Share of the top speed.")]
Forward = Annotated[float, typer.Argument(help="m/s, forward; negative ones after --")]
Turning = Annotated[float, typer.Argument(help="rad/s, to the left")]
Seconds = Annotated[float, typer.Option(min=0.1, max=60.0, help="Then it stops.")]
DriveRows = tuple[Endpoint[Any, CommandReply], Endpoint[Any, CommandReply]]  # drive, stop
Side = Annotated[str, typer.Argument(metavar="ARM", help="left or right")]


@head.command("move")
def head_move(
    context: typer.Context,
    pan: Angle = None,
    tilt: Angle = None,
    roll: Angle = None,
    jaw: Share = None,
    eye_pan: Angle = None,
    eye_tilt: Angle = None,
    speed: Speed = None,
    as_json: AsJson = False,
) -> None:
    """Move the named axes; the others stay."""
    params = {"pan": pan, "tilt": tilt, "roll": roll, "jaw": jaw, "speed": speed}
    params |= {"eye_pan": eye_pan, "eye_tilt": eye_tilt}
    _command(context, HEAD_MOVE, as_json, _REQUESTED.format("head.pan"), **params)


@head.command("home")
def head_home(context: typer.Context, as_json: AsJson = False) -> None:
    """Move all axes to neutral."""
    _command(context, HEAD_HOME, as_json, _REQUESTED.format("head.pan"))


@head.command("camera")
def head_camera(
    context: typer.Context,
    state: Annotated[str, typer.Argument(metavar="on|off", help="on or off")],
    as_json: AsJson = False,
) -> None:
    """Switch the head's camera on or off."""
    if state not in ("on", "off"):
        raise typer.BadParameter(f"{state!r} is neither on nor off")
    text = f"The camera was switched {state}."
    _command(context, HEAD_CAMERA, as_json, text, enable=state == "on")


@arms.command("move")
def arm_move(
    context: typer.Context,
    arm: Side,
    positions: Annotated[
        list[str],
        typer.Argument(metavar="DEGREES...", help="joint_0 first; a dot leaves a joint as it is."),
    ],
    speed: Speed = None,
    as_json: AsJson = False,
) -> None:
    """Move joints to these angles. Negative angles after --: arms move left -- -20 . 15"""
    angles = [None if text == "." else _number(text) for text in positions]
    text = _REQUESTED.format(f"arms.{arm}.joint_0")
    _command(context, ARM_MOVE, as_json, text, arm=arm, positions=angles, speed=speed)


@arms.command("hand")
def arm_hand(
    context: typer.Context,
    arm: Side,
    place: Annotated[
        tuple[float, float, float],
        typer.Argument(metavar="X Y Z", help="metres from base_link: forward, left, up"),
    ],
    roll: Angle = None,
    pitch: Angle = None,
    yaw: Angle = None,
    speed: Speed = None,
    as_json: AsJson = False,
) -> None:
    """Move the hand to a place. Negative numbers after --: arms hand right -- 0.4 -0.2 0.5"""
    text = _REQUESTED.format(f"arms.{arm}.joint_0")
    params = {"arm": arm, "roll": roll, "pitch": pitch, "yaw": yaw, "speed": speed}
    params |= dict(zip("xyz", place, strict=True))
    _command(context, ARM_HAND, as_json, text, **params)


@arms.command("home")
def arm_home(
    context: typer.Context,
    arm: Annotated[str, typer.Argument(metavar="ARM", help="left, right or both")] = "both",
    as_json: AsJson = False,
) -> None:
    """Move all joints to neutral."""
    _command(context, ARM_HOME, as_json, _REQUESTED.format("arms.left.joint_0"), arm=arm)


@arms.command("gripper")
def gripper(
    context: typer.Context,
    arm: Side,
    position: Annotated[float, typer.Argument(min=0.0, max=1.0, help="0 closed, 1 open")],
    force: Annotated[
        float | None, typer.Option(help="newtons, for grippers that support it")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Open or close a gripper."""
    text = _REQUESTED.format(f"arms.{arm}.gripper")
    params = {"arm": arm, "position": position, "force": force}
    _command(context, GRIPPER, as_json, text, **params)


@parts.command("set")
def parts_set(
    context: typer.Context,
    target: Annotated[str, typer.Argument(help="parts.face, or head for parts beside its own")],
    values: Annotated[list[str], typer.Argument(metavar="NAME=VALUE...", help="in its unit")],
    seconds: Annotated[
        float | None, typer.Option(min=0.1, max=60.0, help="Hold velocities and switches so long.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Set fields by name. Without --seconds a velocity or a switch counts for 0.3 s."""
    wanted = dict(_named(text) for text in values)
    reply = run(_set(context.obj, target, wanted, seconds or 0.0), as_json)
    _print(reply, _REQUESTED.format(f"{target}.{next(iter(wanted))}"), as_json)


@parts.command("home")
def parts_home(
    context: typer.Context,
    target: Annotated[str, typer.Argument(help="parts.face")],
    as_json: AsJson = False,
) -> None:
    """Move all positions of a target to neutral."""
    text = "Requested. If nothing moves: saintctl route list."
    _command(context, PARTS_HOME, as_json, text, target=target)


def _add_drive_and_stop(app: typer.Typer, rows: DriveRows, name: str, field: str) -> None:
    """Add the commands that drive the tracks, or whichever base the robot has, and stop it."""

    @app.command(
        "drive",
        help="Drive for a time. Ctrl-C, a lost connection or the end of the time stops "
        f"the {name}.",
    )
    def drive(
        context: typer.Context,
        linear: Forward,
        angular: Turning = 0.0,
        seconds: Seconds = 1.0,
        as_json: AsJson = False,
    ) -> None:
        reply = run(_drive(context.obj, rows, linear, angular, seconds), as_json)
        text = f"Driven for {seconds:g} s. If nothing moved: saintctl route why {field}."
        _print(reply, text, as_json)

    @app.command(
        "stop",
        help="Request zero velocity, as one input among others. To stop everything: "
        "saintctl estop set.",
    )
    def stop(context: typer.Context, as_json: AsJson = False) -> None:
        text = "Requested. To stop everything: saintctl estop set."
        _command(context, rows[1], as_json, text)


_add_drive_and_stop(tracks, (DRIVE, STOP_TRACKS), "tracks", "tracks.linear")
_add_drive_and_stop(base, (DRIVE_BASE, STOP_BASE), "base", "TARGET.linear")


async def _set(
    robot: RobotAddress, target: str, values: dict[str, float], seconds: float
) -> CommandReply:
    end_s = time.monotonic() + seconds
    reply = await _request(robot, PARTS_SET, target=target, values=values)
    while time.monotonic() < end_s:
        await asyncio.sleep(REPEAT_S)
        reply = await _request(robot, PARTS_SET, target=target, values=values)
    return reply


async def _drive(
    robot: RobotAddress,
    rows: DriveRows,
    linear: float,
    angular: float,
    seconds: float,
) -> CommandReply:
    drive, stop = rows
    end_s, reply = time.monotonic() + seconds, CommandReply()
    try:
        while time.monotonic() < end_s:
            reply = await _request(robot, drive, linear=linear, angular=angular)
            await asyncio.sleep(REPEAT_S)
    finally:
        await _request(robot, stop)
    return reply


def _command(
    context: typer.Context,
    row: Endpoint[Any, R],
    as_json: bool,
    text: str,
    **params: object,
) -> None:
    """Request a motion and print which limits apply, then `text`."""
    _print(run(_request(context.obj, row, **params), as_json), text, as_json)


async def _request(robot: RobotAddress, row: Endpoint[Any, R], **params: object) -> R:
    """Send a motion command; parameters that are None get their default."""
    return await request(robot, row, checked_params(row.params, False, **params))


def _print(reply: Reply, text: str, as_json: bool) -> None:
    if as_json:
        print_json(reply)
        return
    for each in reply.limited if isinstance(reply, CommandReply) else ():
        print(f"{each.text}.")
    print(text)


def _named(text: str) -> tuple[str, float]:
    name, equals, value = text.partition("=")
    if not equals:
        raise typer.BadParameter(f"{text!r} is not NAME=VALUE")
    return name, _number(value)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is neither a number nor a dot") from None
