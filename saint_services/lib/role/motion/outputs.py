"""What a joint drives: a servo at a pin, a servo at a channel of a chip, or a stepper
(stepper_output.py). A servo gets a pulse for a position and stays there by itself.
"""

from typing import Protocol

from ...hw.ports import PwmOut
from ...hw.pwm.pca9685 import Pca9685
from ...hw.pwm.servo import ServoScale
from ...role_config.model import FieldSpec, PinSpec

_SHORTEST_US, _LONGEST_US = 400.0, 2600.0  # what is found at opening and is a servo's pulse


class JointOutput(Protocol):
    """The output of one joint. Writing raises OSError. Values are in the unit of its field."""

    def found(self) -> float | None:
        """Return where the output is at opening, or after homing; None where nobody knows."""
        ...

    def nearest(self, value: float) -> float:
        """Return the position nearest to a value at which the output can rest."""
        ...

    def put(self, value: float, now_s: float) -> None:
        """Go to a position that the axis has reached."""
        ...

    @property
    def is_ready(self) -> bool:
        """False while it does not know its place: it must `seek` before anything is put."""
        ...

    def seek(self, now_s: float) -> None:
        """Look for its place, a slice further."""
        ...

    @property
    def is_still(self) -> bool:
        """True when it does not move, apart from what is put."""
        ...

    def hold(self) -> float | None:
        """Stand at once; return where, if that is another place than the one that was put."""
        ...

    def close(self) -> None:
        """Release it; a pulse stays."""
        ...


class PulseChip:
    """The joints of one PCA9685: pulses that change together are one transfer."""

    def __init__(self, chip: Pca9685) -> None:
        self.chip = chip
        self.pending: dict[int, float] = {}

    def flush(self) -> None:
        """Write what has changed."""
        self.chip.set_pulses_us(self.pending)
        self.pending.clear()


class _Servo:
    """Base of servos: they are where their pulse says."""

    is_ready = True
    is_still = True

    def __init__(self, field: FieldSpec, pin: PinSpec) -> None:
        self._scale = ServoScale(field.limits, pin.pulse_us, pin.reversed)

    def nearest(self, value: float) -> float:
        return value

    def seek(self, now_s: float) -> None:
        """Do nothing: its place is known."""

    def hold(self) -> float | None:
        """Return None: it holds the pulse that it has."""
        return None

    def _value(self, pulse_us: float) -> float | None:
        is_pulse = _SHORTEST_US <= pulse_us <= _LONGEST_US
        return self._scale.value(pulse_us) if is_pulse else None


class ServoPin(_Servo):
    """A servo at a PWM pin."""

    def __init__(self, pwm: PwmOut, field: FieldSpec, pin: PinSpec) -> None:
        super().__init__(field, pin)
        self._pwm = pwm

    def found(self) -> float | None:
        return self._value(self._pwm.pulse_us())

    def put(self, value: float, now_s: float) -> None:
        self._pwm.set_pulse_us(self._scale.pulse_us(value))

    def close(self) -> None:
        self._pwm.close()


class ServoChannel(_Servo):
    """A servo at a channel of a chip; the pulse is written with the chip's next flush."""

    def __init__(self, chip: PulseChip, channel: int, field: FieldSpec, pin: PinSpec) -> None:
        super().__init__(field, pin)
        self._chip = chip
        self._channel = channel

    def found(self) -> float | None:
        return self._value(self._chip.chip.pulse_us(self._channel))

    def put(self, value: float, now_s: float) -> None:
        self._chip.pending[self._channel] = self._scale.pulse_us(value)

    def close(self) -> None:
        """Do nothing: the bus is closed with the chip."""
