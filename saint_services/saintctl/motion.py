"""`saintctl head`, `saintctl arms`, `saintctl tracks`: moves the robot, as one input of the router
among others: RC and whoever has the target alone come first. Not here: routes, and why nothing
moves (`saintctl route why`).
"""

import asyncio
import time
from typing import Annotated

import typer

from ..lib.api.routing import CommandReply
from .action import accepted, perform, show
from .connect import Place
from .console import AsJson, run

head = typer.Typer(help="Head: move, home, camera.", no_args_is_help=True)
arms = typer.Typer(help="Arms: move, home, gripper.", no_args_is_help=True)
tracks = typer.Typer(help="Tracks: drive, stop.", no_args_is_help=True)

REPEAT_S = 0.1  # a velocity holds for 0.3 s
_ASKED = "Asked for. Should it not move: saintctl route why {}."

Angle = Annotated[float | None, typer.Option(help="degrees")]
Share = Annotated[float | None, typer.Option(min=0.0, max=1.0, help="0 to 1")]
Speed = Annotated[float | None, typer.Option(min=0.0, max=1.0, help="Share of the top speed.")]
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
    """The axes that are named go there; the others stay."""
    wanted = {"pan": pan, "tilt": tilt, "roll": roll, "jaw": jaw, "speed": speed}
    wanted |= {"eye_pan": eye_pan, "eye_tilt": eye_tilt}
    accepted(context, "head", "move", as_json, _ASKED.format("head.pan"), **wanted)


@head.command("home")
def head_home(context: typer.Context, as_json: AsJson = False) -> None:
    """All axes to neutral."""
    accepted(context, "head", "home", as_json, _ASKED.format("head.pan"))


@head.command("camera")
def head_camera(
    context: typer.Context,
    state: Annotated[str, typer.Argument(metavar="on|off")],
    as_json: AsJson = False,
) -> None:
    """Switch the head's camera."""
    if state not in ("on", "off"):
        raise typer.BadParameter(f"{state!r} is neither on nor off")
    said = f"The camera was switched {state}."
    accepted(context, "head", "camera", as_json, said, enable=state == "on")


@arms.command("move")
def arm_move(
    context: typer.Context,
    arm: Side,
    positions: Annotated[
        list[str], typer.Argument(metavar="DEGREES...", help="joint_0 first; a dot: stays.")
    ],
    speed: Speed = None,
    as_json: AsJson = False,
) -> None:
    """Joints go to these angles. Negative ones after --: arms move left -- -20 . 15"""
    angles = [None if text == "." else _number(text) for text in positions]
    said = _ASKED.format(f"arms.{arm}.joint_0")
    accepted(context, "arms", "move", as_json, said, arm=arm, positions=angles, speed=speed)


@arms.command("home")
def arm_home(
    context: typer.Context,
    arm: Annotated[str, typer.Argument(metavar="ARM", help="left, right or both")] = "both",
    as_json: AsJson = False,
) -> None:
    """All joints to neutral."""
    accepted(context, "arms", "home", as_json, _ASKED.format("arms.left.joint_0"), arm=arm)


@arms.command("gripper")
def gripper(
    context: typer.Context,
    arm: Side,
    position: Annotated[float, typer.Argument(min=0.0, max=1.0, help="0 closed, 1 open")],
    force: Annotated[float | None, typer.Option(help="newtons, where the gripper can")] = None,
    as_json: AsJson = False,
) -> None:
    """Open or close."""
    said = _ASKED.format(f"arms.{arm}.gripper")
    wanted = {"arm": arm, "position": position, "force": force}
    accepted(context, "arms", "gripper", as_json, said, **wanted)


@tracks.command("drive")
def drive(
    context: typer.Context,
    linear: Annotated[float, typer.Argument(help="m/s, forward; negative ones after --")],
    angular: Annotated[float, typer.Argument(help="rad/s, to the left")] = 0.0,
    seconds: Annotated[float, typer.Option(min=0.1, max=60.0, help="Then it stops.")] = 1.0,
    as_json: AsJson = False,
) -> None:
    """Drive for a while. Ctrl-C, a lost connection or the end of the time stops."""
    reply = run(_drive(context.obj, linear, angular, seconds), as_json)
    said = f"Driven for {seconds:g} s. Did it not move: saintctl route why tracks.linear."
    show(reply, said, as_json)


@tracks.command("stop")
def stop(context: typer.Context, as_json: AsJson = False) -> None:
    """Zero velocity, as one input among others; what stops everything: saintctl estop set."""
    accepted(context, "tracks", "stop", as_json, "Asked for; an e-stop is saintctl estop set.")


async def _drive(place: Place, linear: float, angular: float, seconds: float) -> CommandReply:
    until_s, reply = time.monotonic() + seconds, CommandReply()
    try:
        while time.monotonic() < until_s:
            reply = await perform(
                place, "tracks", "drive", CommandReply, linear=linear, angular=angular
            )
            await asyncio.sleep(REPEAT_S)
    finally:
        await perform(place, "tracks", "stop", CommandReply)
    return reply


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is neither a number nor a dot") from None
