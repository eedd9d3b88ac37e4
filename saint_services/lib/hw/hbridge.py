"""An H-bridge with a PWM pin (how much) and a direction pin (which way)."""

from .ports import DigitalOut, PwmOut


class HBridge:
    """One motor. The direction pin only changes while the duty is zero."""

    __slots__ = ("_backward", "_direction", "_pwm", "_reversed", "duty")

    def __init__(self, pwm: PwmOut, direction: DigitalOut, is_reversed: bool = False) -> None:
        self._pwm = pwm
        self._direction = direction
        self._reversed = is_reversed
        self._backward = False
        self.duty = 0.0
        pwm.set_duty(0.0)  # whatever the process before us left there
        direction.set(is_reversed)

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
        """No torque, at once."""
        self._pwm.set_duty(0.0)
        self.duty = 0.0

    def close(self) -> None:
        """Stop, then give the pins back."""
        self.stop()
        self._pwm.close()
        self._direction.close()
