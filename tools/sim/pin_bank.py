"""Pins of a simulated board: levels in a file that outlives processes, users, listeners, and the
bodies that follow each change. Not here: the ports of drivers (pins.py), the bodies (plant.py).
"""

import os
from collections.abc import Mapping
from pathlib import Path

from saint_services.lib.errors import Code, SaintError
from saint_services.lib.generated.saint_msgs import GPIOPin
from saint_services.lib.hw.pins.header import PINS, function_of, pin_name
from saint_services.lib.hw.ports import EdgeCallback
from saint_services.lib.records import RecordReading, Records
from tools.sim.bodies.drive import BodyDrive
from tools.sim.bodies.plant import OutputReading

PINS_FILE = "pins"  # below the board's directory
UNUSED, INPUT, OUTPUT, PWM_DUTY, PWM_PULSE = range(5)


def wake_up_of(records: Records, pin: int) -> int:
    """Return the port of who must be woken after a write of the pin; 0: nobody listens."""
    kind, _, _ = records.labels(pin)
    return kind >> 8 if kind & 0xFF == INPUT else 0


class PinBank:
    """All pins; `outputs` reads the outputs of chips and controllers, which drive bodies too."""

    def __init__(
        self, directory: Path, outputs: OutputReading, wires: Mapping[int, int] | None = None
    ) -> None:
        self._wires = wires or {}  # listening pin -> sending pin
        self._records = Records(directory / PINS_FILE, PINS)
        self._listeners: dict[int, EdgeCallback] = {}
        self.drive = BodyDrive(self._records.read, outputs, self._edge)

    def claim(self, pin: int, kind: int, used_by: str) -> None:
        """Record the user of a pin, as the kernel does."""
        if not 0 <= pin < PINS:
            raise SaintError(Code.CONFIG_INVALID, f"{used_by}: GPIO{pin} does not exist")
        self._records.label(pin, kind, os.getpid(), used_by)

    def release(self, pin: int) -> None:
        """Remove the user of a pin; the level stays."""
        kind, _, _ = self._records.labels(pin)
        self._records.label(pin, kind, 0, "")

    def write(self, pin: int, value: float) -> None:
        """Set the level or pulse of an output."""
        self._records.write(pin, value)
        self.drive.pin_changed(pin)

    def read(self, pin: int) -> RecordReading:
        """Return the last write of a pin."""
        return self._records.read(pin)

    def pull_up(self, pin: int) -> None:
        """Set an input high unless it was written."""
        if not self.read(pin).writes:
            self._records.write(pin, 1.0)

    def kind(self, pin: int) -> int:
        """Return how a pin is used."""
        return self._records.labels(pin)[0] & 0xFF

    def pulse_on(self, pin: int) -> tuple[float, float] | None:
        """Return length and period in us of the pulses that a wire brings to an input; None where
        no wire ends or nothing pulses."""
        sender = self._wires.get(pin)
        if sender is None:
            return None
        kind, _, _ = self._records.labels(sender)
        frequency_hz, value = kind >> 8, self.read(sender).value
        if kind & 0xFF not in (PWM_DUTY, PWM_PULSE) or not frequency_hz or value <= 0.0:
            return None
        period_us = 1e6 / frequency_hz
        return (value if kind & 0xFF == PWM_PULSE else value * period_us), period_us

    def has_wire(self, pin: int) -> bool:
        """Return True when a wire leads from an output to this input."""
        return pin in self._wires

    def set_kind(self, pin: int, kind: int) -> None:
        """Record whether a PWM pin holds a duty or a pulse."""
        _, owner, text = self._records.labels(pin)
        self._records.label(pin, kind, owner, text)

    def set_wake_up(self, pin: int, port: int) -> None:
        """Have the writers of an input wake its listener there (wake_up.py)."""
        self.set_kind(pin, INPUT | port << 8)

    def listen(self, pin: int, callback: EdgeCallback | None) -> None:
        """Set or remove the listener of an input."""
        if callback:
            self._listeners[pin] = callback
        else:
            self._listeners.pop(pin, None)

    def is_wired(self, pin: int) -> bool:
        """Return True when a simulated encoder drives the pin."""
        return pin in self.drive.encoder_pins

    def report(self) -> list[GPIOPin]:
        """Report all pins of the header."""
        return [self._report(pin) for pin in range(PINS)]

    def close(self) -> None:
        """Unmap the file; every pin keeps its level. Stop the drive before."""
        self._records.close()

    def _edge(self, pin: int, level: bool, stamp_ns: int) -> None:
        self._records.write(pin, float(level))
        if callback := self._listeners.get(pin):
            callback(pin, level, stamp_ns)

    def _report(self, pin: int) -> GPIOPin:
        kind, owner, used_by = self._records.labels(pin)
        in_use = owner != 0 and _is_alive(owner)
        value = self._records.read(pin).value
        frequency_hz, kind = kind >> 8, kind & 0xFF
        if kind in (PWM_DUTY, PWM_PULSE):
            duty = value if kind == PWM_DUTY else value * frequency_hz / 1e6
            direction, state = "pwm", f"pwm_{duty * 100:.0f}"
        else:
            direction = "output" if kind == OUTPUT else function_of(pin)
            state = "high" if value >= 0.5 else "low"
        return GPIOPin(pin, pin_name(pin), direction, state, in_use, used_by if in_use else "")


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True  # it runs as another user
    return True
