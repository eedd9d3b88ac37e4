"""Names the alerts and fault flags of the current protocol in plain words. Pure.

Source: the catalogue of asimov-protocol 1.3 (ids, severities, the offset of a flag's bit).
"""

from typing import Final

from .model import Severity, WalkAlert

LATCHED: Final = 1  # flag: the controller stays damped until it is acknowledged
_FIRST_BIT: Final = 1  # of alert 0
_PER_SEVERITY: Final = 16
FALL: Final = 7
BATTERY_LOW: Final = 27

_NAMES: Final[dict[int, str]] = {
    0: "a motor does not answer",
    1: "a motor draws too much current",
    2: "a motor is too hot",
    3: "the inertial sensor failed",
    4: "the controller's watchdog fired",
    5: "an encoder of a motor failed",
    7: "the robot fell",
    8: "the policy commands impossible motion",
    9: "the robot tumbles",
    10: "some motors do not answer",
    11: "a joint is out of its range",
    12: "the battery's electronics do not answer",
    13: "the battery protects itself",
    14: "the policy failed",
    16: "the driver of a motor failed",
    17: "a motor is hot",
    18: "the inertial sensor is degraded",
    19: "errors on the CAN bus",
    20: "the policy is late",
    21: "a CAN bus timed out",
    22: "a CAN bus is off",
    23: "frames could not be sent on a CAN bus",
    24: "the supply of a motor is too low",
    25: "the supply of a motor rises while it brakes",
    26: "a CAN bus is nearly full",
    27: "the battery is low",
    28: "gains of a joint are invalid",
    32: "the mode changed",
    34: "the inertial sensor is old",
    35: "the inertial sensor needs a calibration",
    36: "the policy timed out",
    37: "the policy missed a deadline",
    38: "a motor is missing",
    39: "the time of the policy varies",
    40: "the inertial sensor is slow",
    41: "a cell of the battery is hot",
}


def alert_text(alert: WalkAlert) -> str:
    """Return what an alert means: "the robot fell"."""
    return _NAMES.get(alert.id, f"alert {alert.id}")


def flag_texts(flags: int) -> tuple[str, ...]:
    """Return what the fault flags mean, the lowest bit first."""
    found = [
        _NAMES.get(bit - _FIRST_BIT, f"fault bit {bit}")
        for bit in range(_FIRST_BIT, 32)
        if flags & 1 << bit
    ]
    return tuple(found) or (("a fault is latched",) if flags & LATCHED else ())


def flags_of(alerts: tuple[WalkAlert, ...]) -> int:
    """Return the flags that a controller latches for its critical alerts."""
    bits = [1 << each.id + _FIRST_BIT for each in alerts if each.id < _PER_SEVERITY]
    return sum(set(bits)) | LATCHED if bits else 0


def usual_severity(number: int) -> Severity:
    """Return the severity of an alert's id."""
    return Severity(min(number // _PER_SEVERITY, Severity.INFO))
