"""Decides what the lights of the console show to people who stand too far off to read its display.
Each state of the robot has a colour and a pattern of its own, so that colour alone carries nothing.
Pure. Not here: the strips (adapters.py).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

Colour = tuple[int, int, int]  # red, green, blue, 0 to 255

_DARK: Colour = (0, 0, 0)
_RED: Colour = (255, 0, 0)
_ORANGE: Colour = (255, 80, 0)
_GREEN: Colour = (0, 255, 0)
_BLUE: Colour = (0, 60, 255)
_WHITE: Colour = (200, 200, 200)


class Pattern(Enum):
    """How lights change: all at 2 Hz or slower, well below the 3 flashes a second that may hurt
    (WCAG 2.3.1)."""

    STEADY = "all lit"
    BLINKS = "all lit, all dark"
    HALVES = "one half, then the other"
    WANDERS = "every third one, wandering"
    ONE = "the first one, lit and dark"


class LightSignal(Enum):
    """A state of the robot: colour, pattern, and seconds between two steps of the pattern."""

    ESTOP = _RED, Pattern.BLINKS, 0.25
    FAULT = _ORANGE, Pattern.HALVES, 0.5
    NO_SERVER = _WHITE, Pattern.ONE, 1.0
    DRIVEN = _BLUE, Pattern.WANDERS, 0.3
    READY = _GREEN, Pattern.STEADY, 1.0


@dataclass(frozen=True, slots=True)
class LightInputs:
    """What the signal depends on."""

    is_estop: bool
    has_router: bool
    has_fault: bool
    is_driven: bool


def signal(inputs: LightInputs) -> LightSignal:
    """Choose the signal of the most urgent state."""
    if inputs.is_estop:
        return LightSignal.ESTOP
    if inputs.has_fault:
        return LightSignal.FAULT
    if not inputs.has_router:
        return LightSignal.NO_SERVER
    return LightSignal.DRIVEN if inputs.is_driven else LightSignal.READY


def picture(shown: LightSignal, count: int, brightness: float, now_s: float) -> Sequence[Colour]:
    """Return the colours of `count` lights now; `brightness`, 0 to 1, scales each colour."""
    colour, pattern, stay_s = shown.value
    step = int(now_s / stay_s)
    lit = _dimmed(colour, brightness)
    return [lit if _is_lit(pattern, place, count, step) else _DARK for place in range(count)]


def next_step_s(shown: LightSignal, now_s: float) -> float:
    """Return when the picture changes next."""
    stay_s = shown.value[2]
    return (int(now_s / stay_s) + 1) * stay_s


def _is_lit(pattern: Pattern, place: int, count: int, step: int) -> bool:
    match pattern:
        case Pattern.STEADY:
            return True
        case Pattern.BLINKS:
            return step % 2 == 0
        case Pattern.HALVES:
            return (2 * place < count) == (step % 2 == 0)
        case Pattern.WANDERS:
            return (place - step) % 3 == 0
        case Pattern.ONE:
            return place == 0 and step % 2 == 0


def _dimmed(colour: Colour, brightness: float) -> Colour:
    red, green, blue = (round(part * brightness) for part in colour)
    return red, green, blue
