"""Opens the output of each part, and converts its value to what the output is set to: a pulse, a
duty, a level, a colour. Not here: when it is written (outputs.py), servos that hold a position
(motion/joints.py).
"""

from typing import Protocol

from ...errors import Code, SaintError
from ...hw.displays.opening import open_leds
from ...hw.motors.drives import Drives
from ...hw.ports import Board, DigitalOut, LedStrip, Motor, PwmOut
from ...hw.pwm.servo import ServoScale
from ...role_config.devices import MOTORS, ON_PIN_OR_CHANNEL, SERVOS
from ...role_config.model import FieldSpec, PinSpec, RoleConfig
from ..pulse_chips import ChipChannel, PulseChips


class PartPort(Protocol):
    """The output of one part. Writes raise OSError; those to a chip or a strip go with the next
    flush."""

    def put(self, value: float) -> None:
        """Set a value within the limits of the field."""
        ...

    def off(self) -> None:
        """Set the safe state: no torque, the rest level, dark."""
        ...

    def close(self) -> None:
        """Release the output, which keeps its state."""
        ...


class TurningServo:
    """A continuous servo: its pulse is its speed. It gets none at 0, as a servo at its centre may
    creep."""

    def __init__(self, pwm: PwmOut | ChipChannel, field: FieldSpec, pin: PinSpec) -> None:
        self._pwm = pwm
        self._scale = ServoScale(field.limits, pin.pulse_us, pin.reversed, pin.centre_us)

    def put(self, value: float) -> None:
        if value == 0.0:
            self._pwm.off()
        else:
            self._pwm.set_pulse_us(self._scale.pulse_us(value))

    def off(self) -> None:
        self._pwm.off()

    def close(self) -> None:
        self._pwm.close()


class DcMotor:
    """A motor on a bridge: full_duty at the field's limits."""

    def __init__(self, motor: Motor, field: FieldSpec, pin: PinSpec) -> None:
        self._motor = motor
        self._low, self._high = field.limits
        self._full_duty = pin.full_duty

    def put(self, value: float) -> None:
        limit = self._high if value > 0.0 else -self._low
        self._motor.set(value / limit * self._full_duty if value else 0.0)

    def off(self) -> None:
        self._motor.stop()

    def close(self) -> None:
        self._motor.close()

    @property
    def problem(self) -> str:
        """Return the fault that the driver reports; empty without one."""
        return self._motor.problem


class Dimmer:
    """Pulses of variable width: full_duty at the field's limit."""

    def __init__(self, pwm: PwmOut | ChipChannel, field: FieldSpec, pin: PinSpec) -> None:
        self._pwm = pwm
        self._share = pin.full_duty / field.limits[1]

    def put(self, value: float) -> None:
        self._pwm.set_duty(value * self._share)

    def off(self) -> None:
        self._pwm.off()

    def close(self) -> None:
        self._pwm.close()


class LevelSwitch:
    """On from 0.5 on; off is the rest level."""

    def __init__(self, level: DigitalOut, pin: PinSpec) -> None:
        self._level = level
        self._is_active_low = pin.active_low

    def put(self, value: float) -> None:
        self._level.set((value >= 0.5) != self._is_active_low)

    def off(self) -> None:
        self._level.set(self._is_active_low)

    def close(self) -> None:
        self._level.close()


class PixelStrip:
    """The lights of one strip, which are sent together. A segment without colours is white."""

    def __init__(self, strip: LedStrip, count: int) -> None:
        self._strip = strip
        self._count = count
        self._values: dict[tuple[int, int], dict[str, float]] = {}  # segment -> colour -> value
        self.is_pending = False

    def part(self, pin: PinSpec) -> "PixelColour":
        """Return one colour of a segment."""
        segment = self._values.setdefault((pin.first, pin.count or 1), {})
        segment[pin.colour] = 0.0
        return PixelColour(self, segment, pin.colour)

    def show(self) -> None:
        """Send the lights. Raises OSError; then they are still to be sent."""
        lights: list[tuple[int, int, int]] = [(0, 0, 0)] * self._count
        for (first, count), values in self._values.items():
            lights[first : first + count] = [_colour(values)] * count
        self._strip.show(lights)
        self.is_pending = False

    def close(self) -> None:
        """Switch the lights off and release the strip. Raises OSError."""
        self._strip.close()


class PixelColour:
    """A colour of a segment, or its brightness."""

    def __init__(self, strip: PixelStrip, values: dict[str, float], colour: str) -> None:
        self._strip = strip
        self._values = values
        self._colour = colour

    def put(self, value: float) -> None:
        self._values[self._colour] = value
        self._strip.is_pending = True

    def off(self) -> None:
        self.put(0.0)

    def close(self) -> None:
        """Do nothing: the strip is closed as a whole."""


def _colour(values: dict[str, float]) -> tuple[int, int, int]:
    """Return red, green and blue, 0 to 255, of a segment."""
    brightness = values.get("brightness", 1.0)
    has_colours = any(key != "brightness" for key in values)
    usual = 0.0 if has_colours else 1.0
    red, green, blue = (
        round(255 * brightness * values.get(each, usual)) for each in ("red", "green", "blue")
    )
    return red, green, blue


class PortOpener:
    """Opens the ports of one role. Motors of one controller share its line."""

    def __init__(self, board: Board, config: RoleConfig, chips: PulseChips) -> None:
        self._board = board
        self._config = config
        self._chips = chips
        self.drives = Drives(board, config)
        self.strips: dict[str, PixelStrip] = {}

    def open(self, name: str, field: FieldSpec) -> PartPort:
        """Open the output of a part. Raises SaintError."""
        pin = self._config.gpio_mapping[name]
        if pin.type in MOTORS:
            return DcMotor(self.drives.motor(name), field, pin)
        if pin.type in SERVOS:
            return TurningServo(self._pulses(name, pin), field, pin)
        if pin.type == "dimmer":
            return Dimmer(self._pulses(name, pin), field, pin)
        if pin.type in ON_PIN_OR_CHANNEL:
            return LevelSwitch(self._level(name, pin), pin)
        if pin.type == "pixels":
            return self._strip(pin.device).part(pin)
        message = f"gpio_mapping.{name}.type is {pin.type}, which this release does not drive"
        raise SaintError(Code.CONFIG_INVALID, message)

    def _pulses(self, name: str, pin: PinSpec) -> PwmOut | ChipChannel:
        if pin.device or pin.pin is None:
            return self._chips.channel(self._board, pin)
        return self._board.pwm(pin.pin, pin.frequency, name)

    def _level(self, name: str, pin: PinSpec) -> DigitalOut:
        if pin.device or pin.pin is None:
            return self._chips.channel(self._board, pin)
        return self._board.output(pin.pin, name, high=pin.active_low)

    def _strip(self, device: str) -> PixelStrip:
        if not self.strips:
            counts = {name: spi.count for name, spi in self._config.spi_devices.items()}
            opened = open_leds(self._board, self._config)
            self.strips = {name: PixelStrip(each, counts[name]) for name, each in opened.items()}
        return self.strips[device]
