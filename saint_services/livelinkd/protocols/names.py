"""The names of values: ARKit's shapes in one spelling, the range of each, and which texts from the
network may be a name at all.
"""

import math
import unicodedata
from functools import lru_cache
from typing import TypeGuard

LONGEST_NAME = 100  # characters; the router takes 128 with "livelink:" in front
LARGEST = 1e6  # of a value without a range of its own: far below what 32 bits hold

SHAPES = (
    "eyeBlinkLeft", "eyeLookDownLeft", "eyeLookInLeft", "eyeLookOutLeft", "eyeLookUpLeft",
    "eyeSquintLeft", "eyeWideLeft", "eyeBlinkRight", "eyeLookDownRight", "eyeLookInRight",
    "eyeLookOutRight", "eyeLookUpRight", "eyeSquintRight", "eyeWideRight", "jawForward",
    "jawLeft", "jawRight", "jawOpen", "mouthClose", "mouthFunnel", "mouthPucker", "mouthLeft",
    "mouthRight", "mouthSmileLeft", "mouthSmileRight", "mouthFrownLeft", "mouthFrownRight",
    "mouthDimpleLeft", "mouthDimpleRight", "mouthStretchLeft", "mouthStretchRight",
    "mouthRollLower", "mouthRollUpper", "mouthShrugLower", "mouthShrugUpper", "mouthPressLeft",
    "mouthPressRight", "mouthLowerDownLeft", "mouthLowerDownRight", "mouthUpperUpLeft",
    "mouthUpperUpRight", "browDownLeft", "browDownRight", "browInnerUp", "browOuterUpLeft",
    "browOuterUpRight", "cheekPuff", "cheekSquintLeft", "cheekSquintRight", "noseSneerLeft",
    "noseSneerRight", "tongueOut",
)  # fmt: skip
# Radians, about -1 to 1, as Live Link Face sends them.
ANGLES = (
    "headYaw", "headPitch", "headRoll", "leftEyeYaw", "leftEyePitch", "leftEyeRoll",
    "rightEyeYaw", "rightEyePitch", "rightEyeRoll",
)  # fmt: skip
FACE = SHAPES + ANGLES


def _spellings(name: str) -> set[str]:
    """ "eyeBlinkLeft" is also "EyeBlink_L" and "eye_blink_left"; all compare without case and _."""
    folded = name.lower()
    for side in ("left", "right"):
        if folded.endswith(side):
            return {folded, folded.removesuffix(side) + side[0]}
    return {folded}


_FOLDED = {spelling: name for name in FACE for spelling in _spellings(name)}
_RANGES = dict.fromkeys(SHAPES, (0.0, 1.0)) | dict.fromkeys(ANGLES, (-math.pi, math.pi))


@lru_cache(maxsize=2048)  # names come from the network
def arkit(name: str) -> str | None:
    """Return ARKit's name in our spelling ("EyeBlinkLeft", "eyeBlink_L"); None for other names."""
    return _FOLDED.get(name.lower().replace("_", ""))


def folded(name: str) -> str:
    """Return ARKit's name in our spelling; any other name unchanged."""
    return arkit(name) or name


def range_of(name: str) -> tuple[float, float]:
    """Return the range of values with this name."""
    return _RANGES.get(name, (-LARGEST, LARGEST))


@lru_cache(maxsize=2048)
def is_clean(text: str) -> bool:
    """Return True for text that may be shown: no control characters, no lone surrogates."""
    return text.isprintable() or not any(unicodedata.category(c) in ("Cc", "Cs") for c in text)


def is_name(text: object) -> TypeGuard[str]:
    """Return True for a valid name of a value or a bone."""
    return isinstance(text, str) and 0 < len(text) <= LONGEST_NAME and is_clean(text)


def number(value: object) -> float | None:
    """Return a JSON number within the limits; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if -LARGEST <= value <= LARGEST else None  # NaN is not within
