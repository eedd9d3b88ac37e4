"""Makes mappings of what was measured: where a movement begins and ends, whether it was one at all,
and which filter the noise needs. Pure.

Rules, all of them tested against numbers that were worked out by hand:

1. A movement begins 3 deviations of the noise, at least 0.02, beyond the middle at rest. It ends at
   the 95th percentile of its step, for an angle that falls at the 5th.
2. It counts from 0.15 of a shape, 0.1 rad of an angle, and from 6 deviations of the noise.
3. Noise that moves the part by at most 0.25 % of its range (standard deviation) needs no filter. A
   step of a PCA9685 is 0.8 % of a usual servo's range.
4. Other noise gets a one-euro filter whose cut-off at rest leaves 0.25 %. First-order smoothing
   with weight w lets sqrt(w / (2 - w)) of white noise pass; at n samples a second w is
   2 pi f / (n + 2 pi f). With r, the square of 0.25 % by the noise, w is 2 r / (1 + r) and f is
   n w / (2 pi (1 - w)), within 0.3 and 10 Hz.
5. Its beta is 5: at one full range a second the cut-off is 5 Hz higher. The speed of the noise
   itself raises it too: noise of 1 % leaves 0.5 %, of 2 % 0.7 %.
"""

from dataclasses import dataclass
from itertools import pairwise
from math import pi
from typing import Final

from ...lib.api.mapping import Mapping, Point
from ...lib.api.measurement import MeasuredValue, Measurement
from ...lib.role_config.model import FieldSpec
from .templates import Pull

START_DEVIATIONS: Final = 3.0
LEAST_START: Final = 0.02
LEAST_TRAVEL: Final = {"shape": 0.15, "angle": 0.1}
LEAST_DEVIATIONS: Final = 6.0
JITTER: Final = 0.0025  # of the part's range
SLOWEST_HZ, FASTEST_HZ = 0.3, 10.0
BETA: Final = 5.0
LEAST_FRAMES: Final = 15  # half a second of the slowest phone
LEAST_TRACKED: Final = 0.8

NOT_SENT: Final = "The phone sends nothing. Start the capture app, then measure again."
NOT_SEEN: Final = "The phone does not see your face. Face the camera in good light, then try again."


@dataclass(frozen=True, slots=True)
class Travel:
    """From where to where an input moves a part; an angle does so from `start` over `rest`."""

    start: float
    end: float
    rest: float | None = None


def unseen(measured: Measurement) -> str:
    """Return why these frames show no face; empty: they do."""
    if measured.frames < LEAST_FRAMES:
        return NOT_SENT
    return NOT_SEEN if measured.tracked < LEAST_TRACKED * measured.frames else ""


def travel(pull: Pull, rest: MeasuredValue, moved: MeasuredValue) -> Travel | None:
    """Return the movement; None if there was hardly one."""
    noise = max(rest.noise, moved.noise) if pull.towards == "both" else rest.noise
    least = LEAST_TRAVEL["angle" if pull.towards == "both" else "shape"]
    least = max(least, LEAST_DEVIATIONS * noise)
    if pull.towards == "both":
        is_moved = moved.high - rest.middle >= least and rest.middle - moved.low >= least
        return Travel(moved.low, moved.high, rest.middle) if is_moved else None
    if moved.high - rest.middle < least:
        return None
    return Travel(rest.middle + max(START_DEVIATIONS * rest.noise, LEAST_START), moved.high)


def hardly(pull: Pull, rest: MeasuredValue, moved: MeasuredValue) -> str:
    """Say how little an input moved."""
    if pull.towards == "both":
        return f"{pull.input} stayed within {moved.low:.2f} and {moved.high:.2f}"
    return f"{pull.input} went from {rest.middle:.2f} to {moved.high:.2f}"


def cutoff_hz(noise: float, rate_hz: float) -> float | None:
    """Return the cut-off at rest for noise in shares of the part's range; None: no filter."""
    if noise <= JITTER:
        return None
    ratio = (JITTER / noise) ** 2
    weight = 2.0 * ratio / (1.0 + ratio)
    found = rate_hz * weight / (2.0 * pi * (1.0 - weight))
    return round(min(max(found, SLOWEST_HZ), FASTEST_HZ), 2)


@dataclass(frozen=True, slots=True)
class InputNoise:
    """Noise of an input at rest, and how often it comes."""

    deviation: float
    rate_hz: float


def mapping(
    pull: Pull, way: Travel, to: str, field: FieldSpec, noise: InputNoise
) -> Mapping | None:
    """Return the mapping without an offset; None where the part has no way to go."""
    points, scale = _line(pull, way, field)
    span = field.limits[1] - field.limits[0]
    if not scale or span <= 0.0:
        return None
    slope = max(abs((y1 - y0) / (x1 - x0)) for (x0, y0), (x1, y1) in pairwise(points))
    given: dict[str, object] = {"from": pull.input, "to": to, "curve": "points", "points": points}
    cutoff = cutoff_hz(noise.deviation * slope * abs(scale) / span, noise.rate_hz)
    if cutoff is not None:
        given |= {"filter": "one_euro", "cutoff_hz": cutoff, "beta": BETA}
    return Mapping.model_validate(given | {"scale": float(f"{scale:.6g}")})


def _line(pull: Pull, way: Travel, field: FieldSpec) -> tuple[list[Point], float]:
    """Return points and the scale after them: shares of the way that the input moves the part."""
    low, high = field.limits
    start, end = round(way.start, 4), round(way.end, 4)
    if way.rest is None:
        limit = high if pull.towards == "high" else low
        return [(start, 0.0), (end, 1.0)], pull.share * (limit - field.neutral)
    span = high - low
    below, above = (low - field.neutral) / span, (high - field.neutral) / span
    middle = (round(way.rest, 4), 0.0)
    return [(start, round(below, 6)), middle, (end, round(above, 6))], pull.share * span
