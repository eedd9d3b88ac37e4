"""Works on the servos of a line of this machine: looks at them, gives them their ids, calibrates
them by hand. No role may have the line open meanwhile. Not here: the words of the commands.
"""

import select
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from ...lib.errors import Code, SaintError
from ...lib.hw.buses.serial import open_serial
from ...lib.hw.feetech import calibration
from ...lib.hw.feetech.calibration import MotorCalibration, RangeRecorder
from ...lib.hw.feetech.packets import MOST_ID
from ...lib.hw.feetech.registers import BAUD_RATES, MODELS, Series
from ...lib.hw.feetech.setup import ServoSetup

_BAUD = BAUD_RATES[0]
_LOOK_S = 0.02  # between two looks at the joints


@dataclass(frozen=True, slots=True)
class ServoState:
    """One servo as `status` shows it."""

    id: int
    model: str
    position: int
    load: float
    voltage_v: float
    temperature_c: int
    has_torque: bool
    homing_offset: int | None


@contextmanager
def opened(port: str, series: Series, baud: int = _BAUD) -> Iterator[ServoSetup]:
    """Open a line. Raises SaintError, also where a role has it open."""
    line = open_serial(port, baud)
    try:
        yield ServoSetup(line, series, port)
    finally:
        line.close()


def states(port: str, series: Series, most: int = MOST_ID) -> list[ServoState]:
    """Return every servo that answers."""
    with opened(port, series) as setup:
        return [_state(setup, servo) for servo in setup.scan(range(most + 1))]


def _state(setup: ServoSetup, servo: int) -> ServoState:
    model = setup.get(servo, "model")
    return ServoState(
        servo,
        MODELS.get(model, str(model)),
        setup.get(servo, "present_position"),
        setup.get(servo, "present_load") / 1000,
        setup.get(servo, "present_voltage") / 10,
        setup.get(servo, "present_temperature"),
        bool(setup.get(servo, "torque_enable")),
        setup.get(servo, "homing_offset") if setup.has("homing_offset") else None,
    )


def give_id(port: str, series: Series, wanted: int) -> int:
    """Find the only servo on a line, at whatever rate, and give it an id and the usual rate; return
    the id that it had. Raises SaintError when there is none, or more than one."""
    for baud in BAUD_RATES:
        with opened(port, series, baud) as setup:
            found = list(setup.scan())
            if not found:
                continue
            if len(found) > 1:
                raise SaintError(
                    Code.CONFLICT,
                    f"{port}: servos {', '.join(map(str, found))} answer",
                    fix="Connect one servo alone while it gets its id.",
                )
            setup.rename(found[0], wanted)
            if baud != _BAUD:
                setup.set_baud(wanted, _BAUD)
        if baud != _BAUD:
            _lock(port, series, wanted)
        return found[0]
    raise SaintError(
        Code.HARDWARE_MISSING,
        f"{port}: no servo answers, at no baud rate",
        fix="Check its power and its cable.",
    )


def _lock(port: str, series: Series, servo: int) -> None:
    with opened(port, series) as setup:
        setup.put(servo, "lock", 1)


def home(setup: ServoSetup, motors: Mapping[str, int]) -> dict[str, int]:
    """Make the present pose the middle of all turns; return the offsets. Torque is off after it."""
    offsets = {}
    for name, servo in motors.items():
        setup.put(servo, "torque_enable", 0)
        setup.save(servo, {"homing_offset": 0, "min_position": 0, "max_position": 4095})
        offset = calibration.homing_offset(setup.get(servo, "present_position"))
        setup.save(servo, {"homing_offset": offset})
        offsets[name] = offset
    return offsets


def record(setup: ServoSetup, motors: Mapping[str, int]) -> dict[str, RangeRecorder]:
    """Follow the joints until a line is entered."""
    found = {n: RangeRecorder(setup.get(s, "present_position")) for n, s in motors.items()}
    while not select.select([sys.stdin], [], [], _LOOK_S)[0]:
        for name, servo in motors.items():
            found[name].saw(setup.get(servo, "present_position"))
    sys.stdin.readline()
    return found


def save(setup: ServoSetup, motors: Mapping[str, MotorCalibration]) -> None:
    """Write a calibration into the servos. Raises SaintError."""
    for motor in motors.values():
        setup.save(
            motor.id,
            {
                "homing_offset": motor.homing_offset,
                "min_position": motor.range_min,
                "max_position": motor.range_max,
            },
        )
