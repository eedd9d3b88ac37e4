"""Works on the servos of a line of this machine: looks at them, gives them their ids, calibrates
them by hand. No role may have the line open meanwhile. Not here: the words of the commands.
"""

import select
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from ...lib.errors import Code, SaintError
from ...lib.hw.bus_servos.dialects import LineProtocol, dialect_of
from ...lib.hw.bus_servos.setup import ServoSettings, ServoSetup
from ...lib.hw.buses.serial import open_serial
from ...lib.hw.feetech import calibration
from ...lib.hw.feetech.calibration import MotorCalibration, RangeRecorder

_BAUD = 1_000_000
_MOST_ID = 253
_MOST_X_OFFSET = 1024  # what position mode applies
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
def opened(port: str, protocol: LineProtocol, baud: int = _BAUD) -> Iterator[ServoSetup]:
    """Open a line. Raises SaintError, also where a role has it open."""
    line = open_serial(port, baud)
    try:
        yield ServoSetup(line, dialect_of(protocol), port)
    finally:
        line.close()


def states(port: str, protocol: LineProtocol, most: int = _MOST_ID) -> list[ServoState]:
    """Return every servo that answers."""
    with opened(port, protocol) as setup:
        return [_state(setup, servo) for servo in setup.scan(range(most + 1))]


def _state(setup: ServoSetup, servo: int) -> ServoState:
    return ServoState(
        servo,
        setup.model(servo),
        setup.get(servo, "present_position"),
        setup.load(servo),
        setup.get(servo, "present_voltage") / 10,
        setup.get(servo, "present_temperature"),
        bool(setup.get(servo, "torque_enable")),
        setup.get(servo, "homing_offset") if setup.has("homing_offset") else None,
    )


def give_id(port: str, protocol: LineProtocol, wanted: int) -> int:
    """Find the only servo on a line, at whatever rate, and give it an id and the usual rate; return
    the id that it had. Raises SaintError when there is none, or more than one."""
    for baud in dialect_of(protocol).tried_rates:
        with opened(port, protocol, baud) as setup:
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
            _lock(port, protocol, wanted)
        return found[0]
    raise SaintError(
        Code.HARDWARE_MISSING,
        f"{port}: no servo answers, at no baud rate",
        fix="Check its power and its cable.",
    )


def _lock(port: str, protocol: LineProtocol, servo: int) -> None:
    with opened(port, protocol) as setup:
        if setup.has("lock"):
            setup.put(servo, "lock", 1)


def restart(port: str, protocol: LineProtocol, servo: int) -> None:
    """Restart a servo that has shut itself down. Raises SaintError."""
    with opened(port, protocol) as setup:
        setup.restart(servo)


def unhome(setup: ServoSetup, motors: Mapping[str, int]) -> dict[str, int]:
    """Have Dynamixels hold positions of one turn without an offset; return the offsets: position
    mode applies a quarter of a turn only, so no pose can be made the middle. Torque is off after
    it."""
    settings = ServoSettings(homing_offset=0, min_position=0, max_position=4095)
    for servo in motors.values():
        setup.configure(servo, settings)
        setup.put(servo, "torque_enable", 0)
    return dict.fromkeys(motors, 0)


def check_offsets(motors: Mapping[str, MotorCalibration]) -> None:
    """Refuse a calibration that a Dynamixel would not apply. Raises SaintError."""
    for name, motor in motors.items():
        if abs(motor.homing_offset) > _MOST_X_OFFSET:
            raise SaintError(
                Code.REQUEST_INVALID,
                f"{name} has the offset {motor.homing_offset}; a Dynamixel that holds positions"
                f" applies {-_MOST_X_OFFSET} to {_MOST_X_OFFSET} only",
                fix="Turn its horn, and calibrate it here.",
            )


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
