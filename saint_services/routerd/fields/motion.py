"""Motion of one output field: it follows what is commanded at a limited rate, cross-fades when
control changes, and falls back to its loss policy. Not here: the claim in control (claims.py).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

from ...lib.limits import clamp

NEVER: Final = float("-inf")
FOREVER: Final = float("inf")
STEP_S: Final = 0.010  # while something ramps or slews it is advanced this often
RAMP_S: Final = 0.050  # a lost velocity is zero within 60 ms, a late timer included
SOFT: Final = 0.25  # share of the rate until a position has caught up with a new master
STILL_S: Final = 0.050  # a position that has not moved for so long starts its next motion
START_S: Final = 0.002  # of the rate: the first step of a start; the next ones are by elapsed time

Policy = Literal["live", "hold", "ramp_to_zero", "neutral", "park", "estop"]
LossPolicy = Literal["hold", "ramp_to_zero", "neutral", "park"]


@dataclass(slots=True, eq=False, kw_only=True)
class FieldMotion:
    """The limits of a field (from the role manifest), its present value and where that goes."""

    is_velocity: bool  # or a switch: it rests at 0
    low: float
    high: float
    max_rate: float  # unit per second
    on_loss: LossPolicy
    neutral: float
    park: float = 0.0
    rate: float = 0.0  # at most `max_rate`: the rate that the claim in control requests
    value: float | None = None  # None: a position that was not commanded yet
    want: float = 0.0  # what the winner or the policy requests
    at: float = NEVER  # when `value` was last advanced
    moved_at: float = NEVER  # when `value` last changed
    is_driven: bool = False  # part of the commands; else the joint is left as it is
    is_moving: bool = False  # `value` is not yet what is wanted
    is_soft: bool = False  # it catches up slowly with a master that has its own pose
    policy: Policy = "hold"
    changed_at: float = NEVER  # when control last changed
    fade_s: float = 0.0  # 0: no cross-fade under way
    fade_at: float = 0.0
    fade_from: float = 0.0
    ramp_from: float = 0.0
    ramp_at: float = 0.0
    place: Callable[[], float | None] = lambda: None  # where the joint stands, if that is known

    def __post_init__(self) -> None:
        self.neutral = clamp(self.neutral, self.low, self.high)
        self.park = clamp(self.park, self.low, self.high)
        self.rate = self.max_rate
        if self.is_velocity:
            self.value = self.rest

    @property
    def rest(self) -> float:
        """Standing still; for a position its neutral."""
        return clamp(0.0, self.low, self.high) if self.is_velocity else self.neutral

    def drive(self, want: float, now: float) -> None:
        """Move towards `want`, which is within the limits, no faster than the field's rate.

        After a pause only one step's worth is granted, so that idle time is not saved up for a
        jump; a position that stands still starts with less. The first command of a position whose
        place is not known is adopted as it is: the role daemon limits the rate from there.
        """
        self.want = want
        value = self.value
        elapsed = now - self.at
        self.at = now
        if value is None:
            self.value, self.moved_at = want, now
            self.is_moving = False
            return
        if self.fade_s:  # it begins gently by itself
            want = self._faded(want, now)
        elif now - self.moved_at > STILL_S and elapsed > START_S and not self.is_velocity:
            elapsed = START_S
        room = self.rate * (STEP_S if elapsed > STEP_S else elapsed if elapsed > 0.0 else 0.0)
        gap = want - value
        if self.is_soft:
            room = self._soft_room(room, gap)
        if gap:
            self.moved_at = now
        if -room <= gap <= room:
            self.value = want
            self.is_moving = self.fade_s > 0.0
        else:
            self.value = value + room if gap > 0.0 else value - room
            self.is_moving = True

    def start_softly(self) -> None:
        """Catch up slowly with the next want. A velocity does not."""
        self.is_soft = not self.is_velocity

    def take_up(self) -> None:
        """Begin to command the field. What nothing has driven yet, or since the e-stop, starts
        slowly where the joint stands: never at the last command, which the joint may have left.
        """
        if not self.is_driven and not self.is_velocity:
            place = self.place()
            if place is not None:
                self.value, self.is_soft = clamp(place, self.low, self.high), True
        self.is_driven = True

    def _soft_room(self, room: float, gap: float) -> float:
        """Return the way of a soft start's step, which ends where the want is reached."""
        room *= SOFT
        if room > 0.0 and -room <= gap <= room and not self.fade_s:
            self.is_soft = False
        return room

    def fade(self, duration_s: float, now: float) -> None:
        """Start a cross-fade from the present value to what is requested; 0 s: none."""
        if self.value is not None:
            self.fade_s, self.fade_at, self.fade_from = duration_s, now, self.value

    def _faded(self, want: float, now: float) -> float:
        share = max(0.0, (now - self.fade_at) / self.fade_s)
        if share > 0.999:  # what is left goes at the rate of the field
            self.fade_s = 0.0
            return want
        return self.fade_from * (1.0 - share) + want * share

    def step(self, now: float) -> None:
        """Advance a ramp, a slew or a cross-fade."""
        if self.policy != "ramp_to_zero":
            self.drive(self.want, now)
            return
        share = (now - self.ramp_at) / RAMP_S
        self.at = now
        if share > 0.999:
            self.value = self.want
            self.is_moving = False
        elif share > 0.0:
            self.value = self.ramp_from + (self.want - self.ramp_from) * share

    def resume(self, now: float) -> None:
        """Stay as it is after the latch was cleared, until an input is moved."""
        self.policy = self.on_loss
        self.changed_at = now
        self.at = now

    def _start_loss(self, lost_at: float, now: float) -> None:
        """Follow the loss policy: control was lost at `lost_at`."""
        self._end_drive(now)
        self.policy = self.on_loss
        value = self.value
        if value is None:
            self.is_moving = False
            return
        if self.on_loss == "ramp_to_zero":
            self.ramp_from, self.ramp_at, self.want = value, lost_at, self.rest
        elif self.on_loss == "neutral":
            self.want = self.neutral
        elif self.on_loss == "park":
            self.want = self.park
        else:
            self.want = value
        self.at = now
        self.is_moving = value != self.want

    def _start_hold(self, want: float | None, now: float) -> None:
        """Bring a velocity to rest whatever its policy, a position to `want`; None: leave it."""
        self._end_drive(now)
        value = self.value
        if value is None:
            self.is_moving = False
        elif self.is_velocity:
            self.policy = "ramp_to_zero"
            self.ramp_from, self.ramp_at, self.want = value, now, self.rest
            self.is_moving = value != self.want
        else:
            self.policy = "hold" if want is None or want == self.want else "neutral"
            self.want = value if want is None else want
            self.is_moving = value != self.want
        self.at = now

    def _halt(self, now: float) -> None:
        """Make a velocity zero at once. A position is no longer commanded at all, so that the joint
        does not finish its old motion when the latch is cleared.
        """
        self._end_drive(now)
        self.policy = "estop"
        self.is_moving = False
        if self.is_velocity:
            self.value = self.want = self.rest
        else:
            self.is_driven = False

    def _end_drive(self, now: float) -> None:
        self.rate = self.max_rate
        self.is_soft = False
        self.changed_at = now
        self.fade_s = 0.0
