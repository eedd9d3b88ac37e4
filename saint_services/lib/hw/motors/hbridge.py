"""H-bridges: one PWM pin with a direction (also as two pins), or one PWM pin for each direction.

Sources: Infineon BTS7960 (rev 1.1) with the IBT-2 module; Texas Instruments DRV8833 (SLVSAR1E,
table 1), where both inputs low is free-wheeling; Toshiba TB6612FNG, "H-SW control function".
"""

from collections.abc import Callable, Sequence
from functools import partial

from ..ports import DigitalOut, PwmOut


def _all(*acts: Callable[[], object]) -> None:
    """Do all of these, whichever fails: an output that refuses keeps no other one on. Raises the
    first OSError at the end.
    """
    failures = []
    for act in acts:
        try:
            act()
        except OSError as err:
            failures.append(err)
    if failures:
        raise failures[0]


class DirectionPair:
    """Two direction pins that are never high together (TB6612: IN1 forward, IN2 backward)."""

    def __init__(self, forward: DigitalOut, backward: DigitalOut) -> None:
        self._forward = forward
        self._backward = backward

    def set(self, high: bool) -> None:
        """Set the direction, high being backward; both pins are low between."""
        (self._forward if high else self._backward).set(False)
        (self._backward if high else self._forward).set(True)

    def close(self) -> None:
        """Set both pins low, then release them."""
        for pin in (self._forward, self._backward):
            pin.set(False)
            pin.close()


class SharedEnable:
    """An enable pin of a board with two bridges: low only when neither is used any more."""

    def __init__(self, pin: DigitalOut) -> None:
        self._pin = pin
        self.users = 0

    def set(self, high: bool) -> None:
        """Set high at once; set low only when no other user needs it."""
        if high or self.users <= 1:
            self._pin.set(high)

    def close(self) -> None:
        """Remove one user; the last one releases the pin."""
        self.users -= 1
        if self.users == 0:
            self._pin.close()


class _Bridge:
    """Base of both kinds: enable pins, no measurements."""

    __slots__ = ("_enables",)

    def _enable(self, pins: Sequence[DigitalOut]) -> None:
        self._enables = pins
        for pin in pins:
            pin.set(True)

    def _disable(self) -> None:
        _all(*(act for pin in self._enables for act in (partial(pin.set, False), pin.close)))

    @property
    def current_a(self) -> float | None:
        """Return None: the bridge measures no current."""
        return None

    @property
    def problem(self) -> str:
        """Return "": the bridge reports no faults."""
        return ""


class HBridge(_Bridge):
    """One motor. The direction pin only changes while the duty is zero."""

    __slots__ = ("_backward", "_direction", "_pwm", "_reversed", "duty")

    def __init__(
        self,
        pwm: PwmOut,
        direction: DigitalOut,
        is_reversed: bool = False,
        enables: Sequence[DigitalOut] = (),
    ) -> None:
        self._pwm = pwm
        self._direction = direction
        self._reversed = is_reversed
        self._backward = False
        self.duty = 0.0
        pwm.set_duty(0.0)  # whatever the process before us left there
        direction.set(is_reversed)
        self._enable(enables)

    def set(self, duty: float) -> None:
        """Drive with -1 (full backward) to 1 (full forward); beyond is clamped.

        What is not a number stops the motor.
        """
        if duty != duty:
            self.stop()
            return
        duty = -1.0 if duty < -1.0 else min(duty, 1.0)
        backward = duty < 0.0
        if backward != self._backward and duty:
            self._pwm.set_duty(0.0)
            self._direction.set(backward != self._reversed)
            self._backward = backward
        self._pwm.set_duty(-duty if backward else duty)
        self.duty = duty

    def stop(self) -> None:
        """Remove torque at once."""
        self._pwm.set_duty(0.0)
        self.duty = 0.0

    def close(self) -> None:
        """Stop, then release the pins."""
        _all(self.stop, self._disable, self._pwm.close, self._direction.close)


class TwinPwmBridge(_Bridge):
    """One motor with a PWM pin for each direction (BTS7960, DRV8833): one of them is always zero,
    and it becomes zero before the other one does not.
    """

    __slots__ = ("_backward", "_forward", "duty")

    def __init__(
        self,
        forward: PwmOut,
        backward: PwmOut,
        is_reversed: bool = False,
        enables: Sequence[DigitalOut] = (),
    ) -> None:
        self._forward, self._backward = (backward, forward) if is_reversed else (forward, backward)
        self.duty = 0.0
        self.stop()  # whatever the process before us left there
        self._enable(enables)

    def set(self, duty: float) -> None:
        """As HBridge.set."""
        if duty != duty:
            self.stop()
            return
        duty = -1.0 if duty < -1.0 else min(duty, 1.0)
        resting, driven = self._backward, self._forward
        if duty < 0.0:
            resting, driven = driven, resting
        if duty * self.duty <= 0.0:  # another direction, or from rest
            resting.set_duty(0.0)
            self.duty = 0.0  # if the next write fails, nobody knows what is on its pin
        driven.set_duty(abs(duty))
        self.duty = duty

    def stop(self) -> None:
        """Remove torque at once; a failing pin does not keep the other one running."""
        try:
            self._forward.set_duty(0.0)
        finally:
            self._backward.set_duty(0.0)
        self.duty = 0.0

    def close(self) -> None:
        """Stop, then release the pins."""
        _all(self.stop, self._disable, self._forward.close, self._backward.close)
