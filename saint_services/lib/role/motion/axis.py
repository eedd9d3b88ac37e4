"""Moves one output to its commanded value within its limits, top rate and acceleration. Pure.

A step that fits into the rate is made at once, inside the command; a longer way is made in slices,
for which the caller passes the time.
"""

import math
from collections.abc import Mapping

from ...errors import Code, SaintError
from ...limits import clamp
from ...role_config.model import FieldSpec
from .trajectory import Trajectory, braking_way, plan

SLICE_S = 0.01  # how often a longer motion goes on
_CREDIT_S = 0.02  # of its rate: the most that an output at rest may move in one step


class Axis:
    """A position that moves at its top rate at most, in both directions."""

    __slots__ = (
        "_credit_s",
        "_room",
        "_then_s",
        "applied",
        "high",
        "low",
        "rate",
        "share",
        "target",
    )

    def __init__(self, field: FieldSpec, start: float | None = None) -> None:
        self.low, self.high = field.limits
        self.rate = field.max_rate
        self.share = 1.0  # of the rate, by the command's speed factor
        self.applied = clamp(field.neutral if start is None else start, self.low, self.high)
        self.target = self.applied
        self._room = (self.low, self.high)
        self._credit_s = _CREDIT_S
        self._then_s = -math.inf

    def aim(self, value: float) -> None:
        """Set the target, clamped to the limits. NaN raises ValueError."""
        self.target = clamp(value, self.low, self.high)

    def confine(self, low: float, high: float) -> None:
        """Stay between these for now, whatever the target; from outside move no farther away."""
        self._room = (max(low, self.low), min(high, self.high))

    def override(self) -> None:
        """Drop the present motion where it leads away from the target."""

    def give_way(self, place: float, before: float, now_s: float) -> None:
        """Stand at a place that the last step, from `before`, has passed. Without a way from there
        it stays until its room changes."""
        if place == before:
            is_up = self.applied > place
            self._room = (self.low, place) if is_up else (place, self.high)
        self.applied = place

    def step(self, now_s: float) -> bool:
        """Move as far as the time since the last step allows; True when `applied` changed."""
        credit_s = min(self._credit_s + max(0.0, now_s - self._then_s), _CREDIT_S)
        self._then_s = now_s
        self._credit_s = credit_s
        goal = self.goal
        way = goal - self.applied
        speed = self.rate * self.share
        if way == 0.0 or speed == 0.0 or credit_s == 0.0:
            return False
        reach = speed * credit_s
        if abs(way) <= reach:
            self.applied = goal
            self._credit_s -= abs(way) / speed
        else:
            self.applied += math.copysign(reach, way)
            self._credit_s = 0.0
        return True

    def hold(self) -> None:
        """Stay at the present position."""
        self.target = self.applied

    def stand(self, place: float) -> None:
        """Be at a place that the output has reported, and go on from there."""
        self.applied = place

    @property
    def goal(self) -> float:
        """The target, or the nearest position that its room allows."""
        low, high = self._room
        if low > high:
            return self.applied
        return clamp(self.target, low, high)

    @property
    def is_there(self) -> bool:
        """True at the target."""
        return self.applied == self.target

    @property
    def is_still(self) -> bool:
        """True when time alone changes nothing: at the target, or at the edge of its room."""
        return self.applied == self.goal


class Glide(Axis):
    """A position that also limits its acceleration. A new target changes the present motion
    smoothly; only `hold` and the edge of its room stop it at once."""

    __slots__ = ("_began_s", "_planned", "_way", "acceleration", "velocity")

    def __init__(self, field: FieldSpec, start: float | None = None) -> None:
        super().__init__(field, start)
        self.acceleration = field.max_acceleration or math.inf
        self.velocity = 0.0
        self._way: Trajectory | None = None
        self._began_s = 0.0
        self._planned = (self.applied, 0.0)  # goal and top speed of the way

    def override(self) -> None:
        """Stop where the present motion would pass the target, or leads away from it."""
        left = self.target - self.applied
        braking = braking_way(self.velocity, self.acceleration)
        if self.velocity * left <= 0.0 or abs(braking) > abs(left):
            self._drop()

    def give_way(self, place: float, before: float, now_s: float) -> None:
        """Stand at a place that the last step, from `before`, has passed, and go on from there at
        the speed of that step."""
        super().give_way(place, before, now_s)
        self._drop()
        if place != before:
            speed = self.rate * self.share
            self.velocity = clamp((place - before) / SLICE_S, -speed, speed)
            self._plan((self.goal, speed), now_s)

    def step(self, now_s: float) -> bool:
        """Move as far as the time since the last step allows; True when `applied` changed."""
        before = self.applied
        if self._way is not None:
            # After a delay of the loop the motion goes on without a jump.
            self._began_s += max(0.0, now_s - self._then_s - _CREDIT_S)
            self._arrive(*self._way.at(max(0.0, now_s - self._began_s)))
        self._then_s = now_s
        wanted = (self.goal, self.rate * self.share)
        if wanted[1] == 0.0:
            self._drop()
        elif wanted != self._planned:
            self._plan(wanted, now_s)
        return self.applied != before

    def hold(self) -> None:
        """Stay at the present position, at once."""
        super().hold()
        self._drop()

    def stand(self, place: float) -> None:
        """Be at a place that the output has reported, at rest, and go on from there."""
        super().stand(place)
        self._drop()

    @property
    def is_still(self) -> bool:
        """True when the output stands and time alone changes nothing."""
        return self.velocity == 0.0 and (super().is_still or self.rate * self.share == 0.0)

    def _plan(self, wanted: tuple[float, float], now_s: float) -> None:
        # A motion from rest began one slice ago, so that its first step is made in the command.
        self._began_s = now_s if self.velocity else now_s - SLICE_S
        self._way = plan(self.applied, self.velocity, *wanted, self.acceleration)
        self._planned = wanted
        self._arrive(*self._way.at(now_s - self._began_s))

    def _arrive(self, position: float, velocity: float) -> None:
        low, high = self._room
        kept = clamp(position, min(low, self.applied), max(high, self.applied))
        self.applied, self.velocity = kept, velocity
        if kept != position:
            self._drop()

    def _drop(self) -> None:
        self._way = None
        self.velocity = 0.0
        self._planned = (self.applied, 0.0)


class Throttle(Axis):
    """A velocity that gains speed at its top rate at most, and loses it at once.

    How softly it brakes is the router's decision; nothing here may prolong a motion.
    """

    __slots__ = ()

    def step(self, now_s: float) -> bool:
        """Move as far as the time since the last step allows; True when `applied` changed."""
        before = self.applied
        if self.target * before <= 0.0:
            self.applied = 0.0
        elif abs(self.target) < abs(before):
            self.applied = self.target
        super().step(now_s)
        return self.applied != before

    def stop(self) -> None:
        """Set the velocity to zero, at once."""
        self.applied = self.target = 0.0


def throttle(
    fields: Mapping[str, FieldSpec], name: str, role: str, most: float = math.inf
) -> Throttle:
    """Return the velocity of that name; `most` is what the role can command. Raises SaintError."""
    field = fields.get(name)
    if field is None or field.kind != "velocity":
        raise SaintError(Code.CONFIG_INVALID, f"the role {role} needs the velocity {name}")
    if max(map(abs, field.limits)) > most:
        text = f"fields.{name}.limits are {list(field.limits)}; at most {most:g} {field.unit}"
        raise SaintError(Code.CONFIG_INVALID, text)
    return Throttle(field)
