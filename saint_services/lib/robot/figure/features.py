"""Recognizes parts of a face and of a neck by their names. Pure."""

import re

_WORD = re.compile(r"[a-z]+")
_PAN, _TILT = {"pan", "yaw", "turn", "x"}, {"tilt", "pitch", "nod", "y"}
_LOWER = {"lower", "bottom", "low"}
_SIDES = {"left": "left", "l": "left", "right": "right", "r": "right"}
SIDES = ("left", "right")


def feature_of(name: str, *, is_head: bool) -> str:
    """Return what a part is: "jaw", "eye_pan", "brow.left"; empty for any other part. `is_head`: a
    part of the role head, whose pan is that of its neck."""
    words = set(_WORD.findall(name.lower()))
    side = next((f".{_SIDES[word]}" for word in sorted(words) if word in _SIDES), "")
    if words & {"brow", "eyebrow", "brows", "eyebrows"}:
        return f"brow{side}"
    if words & {"lid", "eyelid", "lids", "eyelids", "blink"}:
        return f"lid_{'lower' if words & _LOWER else 'upper'}{side}"
    if words & {"eye", "eyes", "eyeball"}:
        axis = axis_of(name)
        return f"eye_{axis}{side}" if axis in ("pan", "tilt") else ""
    if words & {"lip", "lips", "smile"}:
        return f"lip{side}"
    if words & {"jaw", "mouth", "chin"}:
        return "jaw"
    return axis_of(name) if is_head or words & {"neck", "head"} else ""


def axis_of(name: str) -> str:
    """Return the axis that a name says: "pan", "tilt", "roll", or none."""
    words = set(_WORD.findall(name.lower()))
    if words & _PAN:
        return "pan"
    if words & _TILT:
        return "tilt"
    return "roll" if "roll" in words else ""
