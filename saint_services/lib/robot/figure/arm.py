"""Draws an arm: boxes from the shoulder to the hand, one for each joint, and a gripper."""

from collections.abc import Sequence

from ..urdf import Vector
from .builder import FigureBuilder, FigurePart, Share, motion_of
from .urdf_text import FORWARD, HERE, LEFT, RIGHT, UP, Drawn

# About which axis each joint turns, and how far it is to the next: shoulder, elbow, wrist.
_AXES = (UP, RIGHT, RIGHT, FORWARD, RIGHT, FORWARD)
_LENGTHS_M = (0.0, 0.24, 0.12, 0.10, 0.06, 0.05)
_WIDTHS_M = (0.09, 0.06, 0.05, 0.05, 0.04, 0.04)
_COLOURS = ("metal", "arm")
_GRIP = Share(0.04, is_turn=False)
_TURN = Share(1.0)


def draw_arm(
    builder: FigureBuilder,
    parent: str,
    xyz: Vector,
    joints: Sequence[FigurePart],
    gripper: FigurePart | None,
) -> None:
    """Add an arm that reaches forward from its shoulder."""
    at, place = parent, xyz
    for number, part in enumerate(joints):
        axis = _AXES[number] if number < len(_AXES) else _AXES[4 + number % 2]
        length = _LENGTHS_M[min(number, len(_LENGTHS_M) - 1)]
        width = _WIDTHS_M[min(number, len(_WIDTHS_M) - 1)]
        shape = Drawn(
            (max(length, width), width, width), _COLOURS[number % 2], (length / 2.0, 0.0, 0.0)
        )
        at = builder.part(part, at, place, motion_of(part, axis, _TURN), shape)
        place = (length, 0.0, 0.0)
    if gripper is None:
        return
    if at == parent:
        at, place = builder.fixed(f"{gripper.title}_hand", parent, xyz), HERE
    x = place[0]
    # An angle of a gripper opens its finger as far as a share does: to the side of the thumb.
    finger = Drawn((0.06, 0.012, 0.02), "metal", (0.03, 0.0, 0.0))
    is_angle = bool(gripper.spec and gripper.spec.unit == "deg")
    motion = motion_of(gripper, UP if is_angle else LEFT, _GRIP)
    builder.part(gripper, at, (x, 0.008, 0.0), motion, finger)
    builder.urdf.draw(at, Drawn((0.06, 0.012, 0.02), "metal", (x + 0.03, -0.008, 0.0)))
