"""The templates: which of ARKit's blend shapes moves which part, and in which step a person shows
it. Data only.

Left and right are those of the person, as in ARKit: eyeLookOutLeft is the left eye that looks to
the person's left. Signs are those of manifests/roles/parts_face.yaml: left, up, open are positive.
"""

from dataclasses import dataclass
from typing import Final, Literal

REST: Final = "rest"  # the first step of all templates


@dataclass(frozen=True, slots=True)
class StepWords:
    """A step in words."""

    title: str
    text: str
    seconds: float = 2.5


@dataclass(frozen=True, slots=True)
class Pull:
    """One input that moves a part from its rest towards a limit, an angle to both."""

    input: str
    step: str
    towards: Literal["low", "high", "both"]
    share: float = 1.0  # of the way to the limit; those that move in one step share it equally


@dataclass(frozen=True, slots=True)
class FaceTemplateEntry:
    """A template: a title and names of PULLS."""

    title: str
    parts: tuple[str, ...]


STEPS: Final[dict[str, StepWords]] = {
    REST: StepWords("Look straight", "Face the phone, relaxed, mouth closed. Keep still.", 3.0),
    "open": StepWords("Open your mouth", "As wide as you can."),
    "brows_up": StepWords("Brows up", "Raise both brows and hold them."),
    "brows_down": StepWords("Brows down", "Frown and hold it."),
    "left": StepWords("Look left", "Turn only your eyes to your left."),
    "right": StepWords("Look right", "Turn only your eyes to your right."),
    "up": StepWords("Look up", "Turn only your eyes up."),
    "down": StepWords("Look down", "Turn only your eyes down."),
    "blink": StepWords("Close your eyes", "Close them until the bar is full.", 3.0),
    "squint": StepWords("Squint", "As in bright sun."),
    "smile": StepWords("Smile", "Pull both corners of your mouth up."),
    "corners_down": StepWords("Corners down", "Pull both corners of your mouth down."),
    "nod": StepWords("Nod", "Raise your head, lower it, raise it again.", 4.0),
}


def _sided(side: str) -> dict[str, tuple[Pull, ...]]:
    name = side.lower()
    return {
        f"brow_{name}": (
            Pull("browInnerUp", "brows_up", "high"),
            Pull(f"browOuterUp{side}", "brows_up", "high"),
            Pull(f"browDown{side}", "brows_down", "low"),
        ),
        f"lid_upper_{name}": (Pull(f"eyeBlink{side}", "blink", "low"),),
        f"lid_lower_{name}": (Pull(f"eyeSquint{side}", "squint", "low"),),
        f"lip_{name}": (
            Pull(f"mouthSmile{side}", "smile", "high"),
            Pull(f"mouthFrown{side}", "corners_down", "low"),
        ),
    }


PULLS: Final[dict[str, tuple[Pull, ...]]] = {
    "jaw": (Pull("jawOpen", "open", "high"),),
    "eye_pan": (
        Pull("eyeLookOutLeft", "left", "high"),
        Pull("eyeLookInRight", "left", "high"),
        Pull("eyeLookInLeft", "right", "low"),
        Pull("eyeLookOutRight", "right", "low"),
    ),
    "eye_tilt": (
        Pull("eyeLookUpLeft", "up", "high"),
        Pull("eyeLookUpRight", "up", "high"),
        Pull("eyeLookDownLeft", "down", "low"),
        Pull("eyeLookDownRight", "down", "low"),
    ),
    **_sided("Left"),
    **_sided("Right"),
    "neck_tilt": (Pull("headPitch", "nod", "both"),),
}

TEMPLATES: Final[dict[str, FaceTemplateEntry]] = {
    "jaw": FaceTemplateEntry("Jaw only", ("jaw",)),
    "jaw_eyes": FaceTemplateEntry("Jaw and eyes", ("jaw", "eye_pan", "eye_tilt")),
    "face12": FaceTemplateEntry("12 servos", tuple(PULLS)),
}


def steps_of(parts: tuple[str, ...]) -> list[str]:
    """Return the steps that these parts need, in the order in which a person is led."""
    wanted = {pull.step for part in parts for pull in PULLS[part]} | {REST}
    return [step for step in STEPS if step in wanted]


def inputs_of(parts: tuple[str, ...], step: str) -> list[str]:
    """Return the inputs that a step measures: at rest all, else those that move in it."""
    pulls = [pull for part in parts for pull in PULLS[part] if step in (REST, pull.step)]
    return list(dict.fromkeys(pull.input for pull in pulls))
