"""Adds ARKit's shapes for those of VRM avatars (A, I, U, E, O, Blink, Joy ...), so that a route for
faces works with both. A shape that the sender sends itself is never replaced.
"""

from collections.abc import Mapping

# VRM 0 and VRM 1 names, without case and signs -> ARKit's names and how much of each.
_BLINKS = (("eyeBlinkLeft", 1.0), ("eyeBlinkRight", 1.0))
_MEANT: dict[str, tuple[tuple[str, float], ...]] = {
    "a": (("jawOpen", 1.0),),
    "i": (("jawOpen", 0.2), ("mouthStretchLeft", 0.6), ("mouthStretchRight", 0.6)),
    "u": (("jawOpen", 0.2), ("mouthPucker", 1.0)),
    "e": (("jawOpen", 0.4), ("mouthStretchLeft", 0.4), ("mouthStretchRight", 0.4)),
    "o": (("jawOpen", 0.6), ("mouthFunnel", 0.8)),
    "blink": _BLINKS,
    "blinkl": _BLINKS[:1],
    "blinkr": _BLINKS[1:],
    "joy": (("mouthSmileLeft", 1.0), ("mouthSmileRight", 1.0)),
    "angry": (("browDownLeft", 1.0), ("browDownRight", 1.0)),
    "sorrow": (("browInnerUp", 1.0), ("mouthFrownLeft", 0.8), ("mouthFrownRight", 0.8)),
    "surprised": (("browInnerUp", 0.8), ("eyeWideLeft", 1.0), ("eyeWideRight", 1.0)),
}
_ALIASES = {
    "aa": "a", "ih": "i", "ou": "u", "ee": "e", "oh": "o", "blinkleft": "blinkl",
    "blinkright": "blinkr", "happy": "joy", "sad": "sorrow",
}  # fmt: skip


def _meant(name: str) -> tuple[tuple[str, float], ...]:
    plain = name.lower().replace("_", "")
    return _MEANT.get(_ALIASES.get(plain, plain), ())


def completed(shapes: Mapping[str, float]) -> dict[str, float]:
    """Return the shapes as sent, then the ARKit shapes they map to; the strongest counts."""
    found = dict(shapes)
    for name, value in shapes.items():
        for target, share in _meant(name):
            if target not in shapes:
                found[target] = max(found.get(target, 0.0), value * share)
    return found
