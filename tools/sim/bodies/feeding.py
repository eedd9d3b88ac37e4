"""Feeds the sensor chips of a simulated board before each read: turn rates and gravity to inertial
ones, voltage and current to power meters. Runs in the thread that reads a sensor, so it observes
bodies (observer.py) and never steps them.
"""

import math
from collections.abc import Callable
from functools import partial
from pathlib import Path

from saint_services.lib.role_config.model import RoleConfig
from tools.sim.bodies.base import Neck, Ride, Vector, felt
from tools.sim.bodies.observer import BodyObserver
from tools.sim.bodies.plant import Plant
from tools.sim.chips.outputs import Chip
from tools.sim.chips.sensors import Bmp280Chip, Ina219Chip, Mpu6050Chip, Vl53l0xChip

_ROOM_C, _AIR_PA, _WALL_M = 22.0, 101_325.0, 1.2


class SensorFeeder:
    """Feeds the chips of a role; `base` is the folder of the board whose tracks carry this one."""

    def __init__(self, directory: Path, role: str, base: Path) -> None:
        self._own = BodyObserver(directory, role=role)
        self._base = BodyObserver(base, role="tracks")

    def attach(self, chip: Chip, name: str, config: RoleConfig) -> None:
        """Feed the chip before each read from now on."""
        chip.on_look = self._feeding(chip, name, config)

    def close(self) -> None:
        """Unmap all files."""
        self._own.close()
        self._base.close()

    def _feeding(self, chip: Chip, name: str, config: RoleConfig) -> Callable[[], None] | None:
        match chip:
            case Mpu6050Chip():
                return partial(self._feed_inertia, chip, config.i2c_devices[name].axes)
            case Ina219Chip():
                shunt_ohm = config.i2c_devices[name].shunt_ohm
                return partial(self._feed_power, chip, shunt_ohm, _watched(config, name))
            case Bmp280Chip():
                return partial(chip.feed, _AIR_PA, _ROOM_C)
            case Vl53l0xChip():
                return partial(chip.feed, _WALL_M)
        return None

    def _feed_inertia(self, chip: Mpu6050Chip, axes: tuple[str, str, str]) -> None:
        base, own = self._base.observe(), self._own.observe()
        rates, force = felt(base.ride if base else Ride(), _neck(own) if own else Neck())
        chip.feed(in_chip(rates, axes), in_chip(force, axes), _ROOM_C)

    def _feed_power(self, chip: Ina219Chip, shunt_ohm: float, watched: list[str]) -> None:
        plant = self._own.observe() or Plant()
        wheels = {w.name: w.motor.current_a * abs(w.motor.duty) for w in plant.wheels}
        currents_a = wheels | {joint.name: joint.servo.current_a for joint in plant.joints}
        through_a = sum(currents_a.get(name, 0.0) for name in watched)
        chip.feed(plant.supply_v, through_a if watched else plant.current_a, shunt_ohm)


def in_chip(vector: Vector, axes: tuple[str, str, str]) -> Vector:
    """Convert to the chip's own axes; `axes` names those of the chip along ours."""
    found = dict.fromkeys("xyz", 0.0)
    for value, axis in zip(vector, axes, strict=True):
        found[axis[-1]] = -value if axis.startswith("-") else value
    return found["x"], found["y"], found["z"]


def _watched(config: RoleConfig, meter: str) -> list[str]:
    """Return the devices that a power meter measures; none: the whole board."""
    found = [name for name, pin in config.gpio_mapping.items() if pin.current_device == meter]
    if config.grip and config.grip.current_device == meter:
        found.append(config.grip.field)
    return found


def _neck(plant: Plant) -> Neck:
    joints = {joint.name: joint for joint in plant.joints if joint.field.unit == "deg"}
    names = ("pan", "tilt", "roll")
    angles = [math.radians(joints[n].value) if n in joints else 0.0 for n in names]
    rates = [math.radians(joints[n].speed) if n in joints else 0.0 for n in names]
    return Neck(*angles, *rates)
