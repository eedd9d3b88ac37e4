"""From speed and steer to the two sides: mixing, the pilot's limit, how fast they may change, and
the stability assist.
"""

from ..shared import tables as t

_UP_PER_S = 2000.0  # thousandths per second away from rest
_DOWN_PER_S = 5000.0  # and towards it


def mixed(speed: float, steer: float, limit: float) -> "tuple[float, float]":
    """Return left and right in thousandths. Steering to the left slows the left side; beyond the
    full range both are reduced alike, so that the curve stays.
    """
    left, right = speed - steer, speed + steer
    most = max(abs(left), abs(right), 1.0 * t.FULL_SPEED)
    share = limit * t.FULL_SPEED / most
    return left * share, right * share


class Slew:
    """Follows a target at a limited rate; through rest when the direction changes."""

    def __init__(self) -> None:
        self.value = 0.0

    def stop(self) -> None:
        """Be at rest at once."""
        self.value = 0.0

    def step(self, target: float, step_s: float) -> float:
        """Return the value after a step."""
        if self.value * target < 0:
            target = 0.0
        rate = _UP_PER_S if abs(target) > abs(self.value) else _DOWN_PER_S
        change = max(-rate * step_s, min(rate * step_s, target - self.value))
        self.value += change
        return self.value


class StabilityAssist:
    """A PID controller on the pitch: where driving lifts or dips the nose, it takes speed away. It
    never adds any, and never turns a standing wheel. Slopes are followed slowly and do not count.
    """

    _SLOPE_S = 3.0
    _MOST = 600.0  # thousandths that it may take away

    def __init__(self, gains: "tuple[float, float, float]") -> None:
        self.gains = gains
        self.reset(0.0)

    def reset(self, pitch: float) -> None:
        """Begin at this pitch."""
        self._slope = pitch
        self._sum = 0.0

    def step(self, speed: float, pitch: float, rate: float, step_s: float) -> float:
        """Return the speed with assistance. Pitch in degrees, nose down positive."""
        kp, ki, kd = self.gains
        self._slope += (pitch - self._slope) * min(1.0, step_s / self._SLOPE_S)
        error = pitch - self._slope
        limit = self._MOST / ki if ki else 0.0
        self._sum = max(-limit, min(limit, self._sum + error * step_s))
        correction = kp * error + ki * self._sum + kd * rate
        # Driving forward lifts the nose, which makes the correction negative: less speed.
        if speed > 0:
            return max(0.0, speed + max(-self._MOST, min(0.0, correction)))
        return min(0.0, speed + min(self._MOST, max(0.0, correction)))


def accepted_gains(
    now: "tuple[float, ...]", wanted: "tuple[float, ...]", is_armed: bool
) -> "tuple[float, ...] | None":
    """Return the gains to use, or None for a step that is refused."""
    for old, new in zip(now, wanted):
        if not 0.0 <= new <= t.GAIN_MOST:
            return None
        step = max(t.GAIN_STEP_SHARE * abs(old), t.GAIN_STEP_LEAST)
        if is_armed and abs(new - old) > step * 1.01:  # a half float is not exact
            return None
    return wanted
