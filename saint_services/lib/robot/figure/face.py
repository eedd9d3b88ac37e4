"""Draws a neck and a head with jaw, eyes, lids, brows and lips, as far as there are parts for them.
Sizes are those of a small head; turns are those of the field's words: pan left, tilt up, roll with
the right ear down; a jaw of 1 is open, a lid of 1 too, brows and lips go up.
"""

from collections.abc import Mapping

from ..urdf import Vector
from .builder import FigureBuilder, FigurePart, Share, motion_of
from .features import SIDES
from .urdf_text import BACKWARD, FORWARD, HERE, LEFT, RIGHT, UP, Drawn, JointMotion

Slots = Mapping[str, FigurePart]  # what each part is: "jaw", "eye_pan", "brow.left"
_JAW = Share(0.35)
_LID = Share(0.9)
_BROW = Share(0.02, is_turn=False, axis=UP)
_LIP = Share(0.4)
_TURN = Share(1.0)  # of a neck or an eye that goes from 0 to 1
_EYE_M = 0.022


def draw_face(builder: FigureBuilder, title: str, parent: str, xyz: Vector, slots: Slots) -> str:
    """Add a head on its neck; return the link of the head. Every part of `slots` gets a link."""
    neck = Drawn((0.04, 0.08), "metal", (0.0, 0.0, 0.04))
    at = _axis(builder, f"{title}_neck", slots.get("pan"), parent, xyz, UP, neck)
    if tilt := slots.get("tilt"):
        block = Drawn((0.06, 0.06, 0.04), "metal", (0.0, 0.0, 0.02))
        at = _axis(builder, "", tilt, at, (0.0, 0.0, 0.08), RIGHT, block)
        place = (0.0, 0.0, 0.04)
    else:
        place = (0.0, 0.0, 0.12)
    skull = Drawn((0.18, 0.16, 0.18), "face", (0.02, 0.0, 0.11))
    head = _axis(builder, f"{title}_head", slots.get("roll"), at, place, FORWARD, skull)
    jaw = Drawn((0.12, 0.12, 0.03), "body", (0.06, 0.0, -0.015))
    if part := slots.get("jaw"):
        motion = motion_of(part, LEFT, _JAW)
        builder.part(part, head, (0.0, 0.0, 0.02), motion, jaw)
    _eyes(builder, head, slots)
    for side in SIDES:
        _lids(builder, head, slots, side)
    _pair(builder, head, slots, "brow")
    _pair(builder, head, slots, "lip")
    return head


def _axis(
    builder: FigureBuilder,
    name: str,
    part: FigurePart | None,
    parent: str,
    xyz: Vector,
    axis: Vector,
    shape: Drawn,
) -> str:
    """Add a link that a part turns; without a part it is fixed."""
    if part is None:
        return builder.fixed(name, parent, xyz, shape)
    return builder.part(part, parent, xyz, motion_of(part, axis, _TURN), shape)


def _eyes(builder: FigureBuilder, head: str, slots: Slots) -> None:
    for side in SIDES:
        place = (0.11, 0.04 * _sign(side), 0.13)
        ball = Drawn((_EYE_M,), "eye", (0.004, 0.0, 0.0))
        axes = [
            (part, axis)
            for what, axis in (("eye_pan", UP), ("eye_tilt", RIGHT))
            if (part := slots.get(f"{what}.{side}") or slots.get(what))
        ]
        if not axes:
            builder.urdf.draw(head, Drawn((_EYE_M,), "eye", place))
        at = head
        for number, (part, axis) in enumerate(axes):
            shapes = [ball] if number == len(axes) - 1 else []
            at = _once(builder, part, at, place if number == 0 else HERE, axis, _TURN, shapes)


def _lids(builder: FigureBuilder, head: str, slots: Slots, side: str) -> None:
    """Add what is in front of an eye; it turns about the eye's middle."""
    place = (0.114, 0.04 * _sign(side), 0.13)
    for what, axis, height in (("lid_upper", RIGHT, 0.01), ("lid_lower", LEFT, -0.01)):
        if part := slots.get(f"{what}.{side}") or slots.get(what):
            shape = Drawn((0.006, 0.046, 0.018), "metal", (0.026, 0.0, height))
            _once(builder, part, head, place, axis, _LID, [shape])


def _pair(builder: FigureBuilder, head: str, slots: Slots, what: str) -> None:
    """Add two brows, or the corners of the mouth."""
    for side in SIDES:
        sign = _sign(side)
        part = slots.get(f"{what}.{side}") or slots.get(what)
        if part is None:
            continue
        if what == "brow":  # turns about its inner end
            axis, share = (FORWARD if sign > 0 else BACKWARD), _BROW
            place = (0.115, 0.015 * sign, 0.175)
            shape = Drawn((0.012, 0.05, 0.01), "body", (0.0, 0.025 * sign, 0.0))
        else:
            axis, share, place = RIGHT, _LIP, (0.085, 0.045 * sign, 0.055)
            shape = Drawn((0.03, 0.022, 0.01), "arm", (0.025, 0.0, 0.0))
        _once(builder, part, head, place, axis, share, [shape])


def _once(
    builder: FigureBuilder,
    part: FigurePart,
    parent: str,
    xyz: Vector,
    axis: Vector,
    share: Share,
    shapes: list[Drawn],
) -> str:
    """Add a part; the second time, as one of two eyes, a link that copies its motion."""
    motion: JointMotion | None = motion_of(part, axis, share)
    if (part.target, part.name) not in builder.links:
        return builder.part(part, parent, xyz, motion, *shapes)
    if motion is None:
        return builder.fixed(f"{part.title}_too", parent, xyz, *shapes)
    return builder.copy(part, parent, xyz, motion, *shapes)


def _sign(side: str) -> float:
    return 1.0 if side == "left" else -1.0
