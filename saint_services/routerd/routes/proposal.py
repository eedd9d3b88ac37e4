"""Proposes a mapping from the ranges of an input and an output: a full stick is the full range.
Pure.
"""

import re
from math import degrees
from typing import Final

from ...lib.api.mapping import Mapping
from ...lib.api.routing import ProposedMapping, ProposeMapping
from ...lib.config.spelling import hint_or_all
from ...lib.errors import Code, SaintError
from ...lib.role_config.model import FieldSpec
from ..fields.targets import RobotTargets
from .checks import ESTOP

STICK: Final = (-1.0, 1.0)
SHAPE: Final = (0.0, 1.0)  # of a face: brows, lids, jaw
DEADZONE: Final = 0.05  # sticks do not return exactly to the middle
_ANGLE = re.compile(r"(head|leftEye|rightEye)(Yaw|Pitch|Roll)$")  # in about a radian


def propose(robot: RobotTargets, request: ProposeMapping) -> ProposedMapping:
    """Return the mapping; raise SaintError request_invalid for an unknown output or an empty range
    of the input.
    """
    if request.output == ESTOP:
        return _reply(request, {"to": ESTOP, "mode": "switch"}, "0.5 and more stops the robot")
    target, _, name = request.output.rpartition(".")
    known = [f"{each}.{field}" for each, fields in robot.fields.items() for field in fields]
    if request.output not in known:
        words = f"output {request.output!r} is not known{hint_or_all(request.output, known)}"
        raise SaintError(Code.REQUEST_INVALID, words)
    field = robot.fields[target][name]
    low, high = _range(request)
    if low >= high:
        raise SaintError(Code.REQUEST_INVALID, f"low must be below high, not {low:g} and {high:g}")
    gain = _own_gain(request, field.unit)
    scale, offset = _line(low, high, field) if gain is None else (gain, 0.0)
    more: dict[str, object] = {"to": name, "scale": _short(scale), "offset": _short(offset)}
    if request.source == "rc" and field.kind == "velocity":
        more["deadzone"] = DEADZONE
    ends = [min(max(x * scale + offset, field.limits[0]), field.limits[1]) for x in (low, high)]
    text = f"{low:g} to {high:g} makes {ends[0]:g} to {ends[1]:g} {field.unit}".rstrip()
    return _reply(request, more, text)


def _reply(request: ProposeMapping, more: dict[str, object], text: str) -> ProposedMapping:
    mapping = Mapping.model_validate({"from": request.input, **more})
    return ProposedMapping(mapping=mapping, text=f"{request.input} {text}")


def _range(request: ProposeMapping) -> tuple[float, float]:
    """Return the input's range: as given, else as inputs of this class have it."""
    is_shape = request.source == "livelink" and _own_gain(request, "deg") is None
    low, high = SHAPE if is_shape else STICK
    return (
        low if request.low is None else request.low,
        high if request.high is None else request.high,
    )


def _own_gain(request: ProposeMapping, unit: str) -> float | None:
    """Return the scale of an input that has a unit: programs and bones have that of the output,
    angles of a face come in radians. None: the input has none, or its range is given.
    """
    if request.low is not None or request.high is not None:
        return None
    if request.source == "autonomous":
        return 1.0
    if request.source != "livelink":
        return None
    if _ANGLE.match(request.input) and unit == "deg":
        return degrees(1.0)
    return 1.0 if "." in request.input else None


def _line(low: float, high: float, field: FieldSpec) -> tuple[float, float]:
    """Return scale and offset. A velocity rests at 0. A position goes from limit to limit with an
    input of two sides, else from neutral to the limit that is farther away.
    """
    bottom, top = field.limits
    if field.kind == "velocity":
        return max(abs(bottom), abs(top)) / max(abs(low), abs(high)), 0.0
    start, end = bottom, top
    if low >= 0.0:
        start = min(max(field.neutral, bottom), top)
        end = top if top - start >= start - bottom else bottom
    scale = (end - start) / (high - low)
    return scale, start - scale * low


def _short(number: float) -> float:
    """Round to six digits that count."""
    return float(f"{number:.6g}") if abs(number) > 1e-9 else 0.0
