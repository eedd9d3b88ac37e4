"""Names what the sensors of a role measure: chips of i2c_devices, buttons, encoders, bus servos,
controllers of can_devices. A reading that is missing or old is NaN. Not here: reading the chips
(lib/hw/sensors).
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import astuple
from functools import partial
from typing import TYPE_CHECKING

from ...hw.motors.drives import Drives
from ...hw.pins.button import ButtonEvent
from ...hw.ports import (
    Board,
    DistanceSample,
    Encoder,
    ImuSample,
    LightSample,
    PowerSample,
    PressureSample,
    Sample,
)
from ...hw.sensors.polling import Sensors
from ...role_config.model import RoleConfig
from ..buttons import ButtonInput
from ..timers import Clock

if TYPE_CHECKING:
    from ...hw.vesc.vesc_bus import VescMeter
    from ..motion.bus_servo_output import BusServoOutput

# What a reading of each driver has, in its order: the rest of its name, its unit.
_MEASURES: dict[str, tuple[tuple[str, str], ...]] = {
    "vl53l0x": (("", "m"),),
    "tsl2561": (("", "lx"),),
    "bmp280": (("pressure", "Pa"), ("temperature", "degC")),
    "ina219": (("voltage", "V"), ("current", "A"), ("power", "W")),
    "mpu6050": (
        *((f"turn_{axis}", "rad/s") for axis in "xyz"),
        *((f"acceleration_{axis}", "m/s2") for axis in "xyz"),
        ("temperature", "degC"),
    ),
}


class PartReadings:
    """The readings of one role by name. Buttons and encoders are opened for a role that has no
    program of its own for them."""

    def __init__(self, config: RoleConfig, *, has_inputs: bool) -> None:
        self._config = config
        self._has_inputs = has_inputs
        self._buttons: dict[str, ButtonInput] = {}
        self._pressed: set[str] = set()  # since the last look
        self._encoders: dict[str, Encoder] = {}
        self._meters: dict[str, VescMeter] = {}
        self.names: tuple[str, ...] = ()
        self.units: tuple[str, ...] = ()
        self._values: list[Callable[[Sensors | None], tuple[float, ...]]] = []

    def open(
        self, board: Board, drives: Drives, clock: Clock, servos: Mapping[str, "BusServoOutput"]
    ) -> None:
        """Open buttons and encoders, and name all readings. Raises SaintError."""
        found: list[tuple[str, str]] = []
        for name, servo in servos.items():
            units = (self._config.fields[name].unit, "ratio", "degC")
            kinds = zip(("position", "load", "temperature"), units, strict=True)
            found += [(f"{name}_{kind}", unit) for kind, unit in kinds]
            self._values.append(partial(_of_servo, servo))
        for name, device in self._config.i2c_devices.items():
            if measures := _MEASURES.get(device.driver):
                found += [(f"{name}_{what}" if what else name, unit) for what, unit in measures]
                self._values.append(_reader(name, len(measures)))
        for name, pin in self._config.gpio_mapping.items() if self._has_inputs else ():
            if pin.type == "button" and pin.pin is not None:
                edges = board.edges((pin.pin,), name, pull_up=True)
                self._buttons[name] = ButtonInput(name, edges, pin.pin, pin.reversed, clock)
                found.append((name, ""))
                self._values.append(partial(self._pressed_value, name))
            elif pin.type in ("quadrature", "roboclaw_encoder", "vesc_encoder"):
                encoder = drives.encoder(name)
                assert encoder  # the manifest has it
                self._encoders[name] = encoder
                found.append((name, "counts"))
                self._values.append(partial(_count, encoder))
        self._meters = drives.meters() if self._has_inputs else {}
        for name, meter in self._meters.items():
            found += [(f"{name}_{what}", unit) for what, unit in meter.MEASURES]
            self._values.append(partial(_measured, meter))
        self.names = tuple(name for name, _ in found)
        self.units = tuple(unit for _, unit in found)

    def listen(self) -> None:
        """Follow buttons and encoders from now on, in the running loop."""
        for button in self._buttons.values():
            button.listen(self._on_event)
        for encoder in self._encoders.values():
            encoder.listen()
        for meter in self._meters.values():
            meter.listen()

    def values(self, sensors: Sensors | None) -> tuple[float, ...]:
        """Return all readings in the order of the names."""
        found = tuple(value for read in self._values for value in read(sensors))
        self._pressed.clear()
        return found

    def close(self) -> None:
        """Release buttons and encoders."""
        for button in self._buttons.values():
            button.close()
        for encoder in self._encoders.values():
            encoder.close()
        for meter in self._meters.values():
            meter.close()
        self._buttons.clear()
        self._encoders.clear()
        self._meters.clear()

    def _on_event(self, name: str, event: ButtonEvent) -> None:
        if event.event == "pressed":
            self._pressed.add(name)

    def _pressed_value(self, name: str, _: Sensors | None) -> tuple[float, ...]:
        """Return 1 while a button is pressed; a press that was shorter than a look counts once."""
        return (float(self._buttons[name].is_down or name in self._pressed),)


def _measured(meter: "VescMeter", _: Sensors | None) -> tuple[float, ...]:
    return meter.values()


def _count(encoder: Encoder, _: Sensors | None) -> tuple[float, ...]:
    return (float(encoder.count),)


def _of_servo(servo: "BusServoOutput", _: Sensors | None) -> tuple[float, ...]:
    return servo.measured()


def _reader(name: str, count: int) -> Callable[[Sensors | None], tuple[float, ...]]:
    missing = (math.nan,) * count

    def read(sensors: Sensors | None) -> tuple[float, ...]:
        reading = sensors.newest(name) if sensors else None
        return _numbers(reading.value) if reading else missing

    return read


def _numbers(sample: Sample) -> tuple[float, ...]:
    match sample:
        case ImuSample():
            return (*sample.gyro_rads, *sample.accel_mps2, sample.temperature_c)
        case DistanceSample() | PressureSample() | LightSample() | PowerSample():
            return astuple(sample)
