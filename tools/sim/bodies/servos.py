"""Simulates a servo: pulse in, shaft position out. Pure: time comes in as an argument."""

from dataclasses import dataclass

# A quick hobby servo: 60 degrees in 0.1 s without load, 180 degrees for 2000 us.
SPEED_US_PER_S = 6667.0
_IDLE_A, _MOVING_A, _STALL_A = 0.01, 0.15, 1.2


@dataclass(slots=True)
class SimServo:
    """Servo whose positions are expressed as the pulse of each, in microseconds."""

    position_us: float
    pulse_us: float = 0.0  # 0: none, the servo is limp
    load: float = 0.0  # share of what it can just hold
    is_blocked: bool = False
    is_powered: bool = True

    def advance(self, dt_s: float) -> None:
        """Move towards the pulse at a constant speed. A limp servo stays: its gear is stiff."""
        way_us = self.rate_us_per_s * dt_s
        if self.is_driven and way_us > 0.0:
            gap_us = self.pulse_us - self.position_us
            self.position_us += max(-way_us, min(way_us, gap_us))

    @property
    def is_driven(self) -> bool:
        """Return True while the motor drives the shaft."""
        return self.is_powered and self.pulse_us > 0.0

    @property
    def rate_us_per_s(self) -> float:
        """Return the highest speed under the load."""
        return 0.0 if self.is_blocked else SPEED_US_PER_S * max(0.0, 1.0 - self.load)

    @property
    def speed_us_per_s(self) -> float:
        """Return the present speed."""
        gap_us = self.pulse_us - self.position_us
        if not self.is_driven or gap_us == 0.0:
            return 0.0
        return self.rate_us_per_s if gap_us > 0 else -self.rate_us_per_s

    @property
    def current_a(self) -> float:
        """Return the current drawn from the supply."""
        if not self.is_driven:
            return 0.0
        share = min(1.0, self.load)
        if self.pulse_us != self.position_us:
            share = 1.0 if self.rate_us_per_s == 0.0 else share
            return _MOVING_A + (_STALL_A - _MOVING_A) * share
        return _IDLE_A + (_STALL_A - _IDLE_A) * share
