"""Checks the bus servos of a role configuration: their line, ids and positions. Pure. Not here: the
drivers (lib/hw/bus_servos), what else has two owners (ownership.py).
"""

from collections.abc import Iterator, Mapping
from typing import Protocol

from .devices import SERVO_LINES, PinSpec, SerialDevice

BUS_SERVO = "bus_servo"
_TURN = {"sts": 4096, "scs": 1024, "x": 4096}
_MOST_X_OFFSET = 1024  # beyond it position mode does not apply it
_MOST_X_ID = 252


class ServoHardware(Protocol):
    """What counts of a role configuration."""

    @property
    def gpio_mapping(self) -> Mapping[str, PinSpec]: ...

    @property
    def serial_devices(self) -> Mapping[str, SerialDevice]: ...


def problem(config: ServoHardware) -> str:
    """Return why the bus servos of a role cannot be driven, in a sentence; empty where they can."""
    return next(_problems(config), "")


def _problems(config: ServoHardware) -> Iterator[str]:
    owners: dict[tuple[str, int], str] = {}
    for name, spec in config.gpio_mapping.items():
        line = config.serial_devices.get(spec.device)
        if spec.type.startswith("roboclaw") and line and line.driver != "roboclaw":
            yield f"gpio_mapping.{name}.device is {spec.device}, a {line.driver} and no roboclaw"
        if spec.type != BUS_SERVO or spec.servo_id is None or line is None:
            continue
        where, place = f"gpio_mapping.{name}", (line.port, spec.servo_id)
        if line.driver not in SERVO_LINES:
            yield f"{where}.device is {spec.device}, a {line.driver} and no feetech or dynamixel"
        if (first := owners.setdefault(place, name)) != name:
            yield (
                f"servo {spec.servo_id} of {spec.device} is used by {first} and by {name}; give "
                "each servo an id of its own"
            )
        low, high = sorted(spec.ticks)
        if low == high or low < 0 or high >= _TURN[line.protocol]:
            most = _TURN[line.protocol] - 1
            yield f"{where}.ticks is {list(spec.ticks)}; name two of the positions 0 to {most}"
        if line.protocol == "scs" and spec.homing_offset:
            yield f"{where}.homing_offset: servos of the SCS series have none"
        if line.protocol == "x":
            yield from _of_dynamixel(where, spec)


def _of_dynamixel(where: str, spec: PinSpec) -> Iterator[str]:
    if (spec.servo_id or 0) > _MOST_X_ID:
        yield f"{where}.servo_id is {spec.servo_id}; a Dynamixel has 0 to {_MOST_X_ID}"
    if abs(spec.homing_offset or 0) > _MOST_X_OFFSET:
        yield (
            f"{where}.homing_offset is {spec.homing_offset}; a Dynamixel that holds positions "
            f"applies {-_MOST_X_OFFSET} to {_MOST_X_OFFSET} only: turn its horn instead"
        )
