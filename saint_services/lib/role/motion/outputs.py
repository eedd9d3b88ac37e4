"""What a joint drives: a servo at a pin, a servo at a channel of a chip, or a stepper
(stepper_output.py). A servo gets a pulse for a position and stays there by itself.
"""

from typing import Protocol

from ...hw.ports import PwmOut
from ...hw.pwm.servo import ServoScale
from ...role_config.model import FieldSpec, PinSpec
from ..pulse_chips import ChipChannel

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

    def sleep(self) -> None:
        """End the pulses, so that it holds nothing."""
        ...

    @property
    def is_ready(self) -> bool:
        """False while it does not know its place, or does not hold it: it must `seek` before
        anything is put."""
        ...

    @property
    def missing(self) -> str:
        """Why it has no position, while it has none."""
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


class ServoPin:
    """A servo at a PWM pin: it is where its pulse says."""

    is_ready = True
    is_still = True
    missing = ""

    def __init__(self, output: PwmOut, field: FieldSpec, pin: PinSpec) -> None:
        self._output = output
        self._scale = ServoScale(field.limits, pin.pulse_us, pin.reversed, pin.centre_us)

    def found(self) -> float | None:
        pulse_us = self._output.pulse_us()
        is_pulse = _SHORTEST_US <= pulse_us <= _LONGEST_US
        return self._scale.value(pulse_us) if is_pulse else None

    def nearest(self, value: float) -> float:
        return value

    def put(self, value: float, now_s: float) -> None:
        self._output.set_pulse_us(self._scale.pulse_us(value))

    def sleep(self) -> None:
        self._output.off()

    def seek(self, now_s: float) -> None:
        """Do nothing: its place is known."""

    def hold(self) -> float | None:
        """Return None: it holds the pulse that it has."""
        return None

    def close(self) -> None:
        self._output.close()


class ServoChannel(ServoPin):
    """A servo at a channel of a chip; the pulse is written with the chip's next flush."""

    def __init__(self, channel: ChipChannel, field: FieldSpec, pin: PinSpec) -> None:
        super().__init__(channel, field, pin)
        self._channel = channel

    def hold(self) -> float | None:
        """Forget a pulse that is not written yet."""
        self._channel.drop()
        return None
