"""Motion commands of a client: head, arms, the base (tracks or a wagon), and any field by its name.
Positions in degrees, ratios 0 to 1, fields in the unit of the configuration.
"""

from typing import Annotated, Literal

from pydantic import AliasChoices, Field

from .. import Reply, Request
from ..endpoint import Nothing
from ..mapping import FiniteNumber
from ..routing import CommandReply
from . import WebRows

Ratio = Annotated[float, Field(ge=0.0, le=1.0, strict=True)]
Switch = Annotated[bool, Field(strict=True)]


class HeadMove(Request):
    """Axes of the head; an axis that is left out stays where it is."""

    pan: FiniteNumber | None = None  # degrees
    tilt: FiniteNumber | None = None  # degrees
    roll: FiniteNumber | None = None  # degrees
    jaw: Ratio | None = None
    eye_pan: FiniteNumber | None = None  # degrees
    eye_tilt: FiniteNumber | None = None  # degrees
    speed: Ratio | None = None  # of the joints' top speed


class ArmMove(Request):
    """Joint angles, joint_0 first; a null leaves that joint where it is."""

    arm: Literal["left", "right"]
    positions: list[FiniteNumber | None] = Field(min_length=1, max_length=16)  # degrees
    speed: Ratio | None = None  # of the joints' top speed


Metres = Annotated[float, Field(ge=-10.0, le=10.0, strict=True, allow_inf_nan=False)]


class HandMove(Request):
    """A place of the hand in the frame of base_link (REP 103): x forward, y left, z up. With one of
    the angles the hand also turns; those that are left out are 0."""

    arm: Literal["left", "right"]
    x: Metres  # metres
    y: Metres  # metres
    z: Metres  # metres
    roll: FiniteNumber | None = None  # degrees
    pitch: FiniteNumber | None = None  # degrees
    yaw: FiniteNumber | None = None  # degrees
    speed: Ratio | None = None  # of the joints' top speed


class HandReply(CommandReply):
    """The angles that the arm moves to, joint_0 first, in degrees."""

    positions: list[float] = []


class ArmHome(Request):
    """One arm, or both."""

    arm: Literal["left", "right", "both"] = "both"


class Gripper(Request):
    """A gripper's position: 0 is closed, 1 is open."""

    arm: Literal["left", "right"]
    position: Ratio
    force: FiniteNumber | None = None  # newtons


class Drive(Request):
    """One velocity set-point; it holds for 300 ms."""

    linear: FiniteNumber = 0.0  # m/s
    angular: FiniteNumber = 0.0  # rad/s


class Enable(Request):
    """On or off."""

    enable: Switch = Field(
        default=True, validation_alias=AliasChoices("enable", "enabled", "active")
    )


class PartsSet(Request):
    """Values of a target's fields by name, each in its unit. Positions and lights are held, a
    velocity or switch counts for 300 ms."""

    target: str = Field(pattern=r"^[a-z][a-z0-9_.]{0,63}$")  # "parts.face", "head"
    values: dict[str, FiniteNumber] = Field(min_length=1, max_length=128)


class PartsHome(Request):
    """The target whose positions go to neutral."""

    target: str = Field(pattern=r"^[a-z][a-z0-9_.]{0,63}$")


class CameraReply(Reply):
    """Whether the camera was requested; the topic "head" shows when pictures arrive."""

    camera_requested: bool | None = None
    camera_active: bool | None = None


HEAD, ARMS, TRACKS = WebRows("head"), WebRows("arms"), WebRows("tracks")
PARTS, BASE = WebRows("parts"), WebRows("base")
_MOTION = {"is_motion": True, "is_repeated": True}


def _switched(params: Enable, _: object) -> str:
    return f"The head's camera was switched {'on' if params.enable else 'off'}"


# fmt: off
HEAD_MOVE = HEAD.change(
    "move", HeadMove, CommandReply, "Move axes of the head to the given angles.", **_MOTION
)
HEAD_HOME = HEAD.change("home", Nothing, CommandReply, "Move all axes to neutral.", **_MOTION)
HEAD_CAMERA = HEAD.change(
    "camera", Enable, CameraReply,
    "Switch the head's camera; camera_active of the topic \"head\" shows when pictures arrive.",
    log=_switched,
)
ARM_MOVE = ARMS.change(
    "move", ArmMove, CommandReply, "Move the joints of an arm to the given angles.", **_MOTION
)
ARM_HAND = ARMS.change(
    "move_hand", HandMove, HandReply, "Move a hand to a place; refused where the arm cannot.",
    **_MOTION,
)
ARM_HOME = ARMS.change(
    "home", ArmHome, CommandReply, "Move all joints to neutral; grippers do not move.", **_MOTION
)
GRIPPER = ARMS.change("gripper", Gripper, CommandReply, "Open or close a gripper.", **_MOTION)
DRIVE = TRACKS.change("drive", Drive, CommandReply, "Drive at a velocity for 300 ms.", **_MOTION)
PARTS_SET = PARTS.change(
    "set", PartsSet, CommandReply, "Set fields of a target by name: parts of any kind.", **_MOTION
)
PARTS_HOME = PARTS.change(
    "home", PartsHome, CommandReply, "Move all positions of a target to neutral.", **_MOTION
)
STOP_TRACKS = TRACKS.change(
    "stop", Nothing, CommandReply, "Set the tracks' velocity to zero.", is_repeated=True
)
DRIVE_BASE = BASE.change(
    "drive", Drive, CommandReply, "Drive the base, tracks or a wagon, at a velocity for 300 ms.",
    **_MOTION,
)
STOP_BASE = BASE.change(
    "stop", Nothing, CommandReply, "Set the base's velocity to zero.", is_repeated=True
)
