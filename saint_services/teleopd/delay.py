"""Measures how late an operator sees and acts, and limits what it commands by it. Pure: times come
in as arguments. Not here: the curve (lib/robot/remote_speed.py).

A report that the robot sends has a number; a peer says with each of its messages which one it has
received last, and for how long it has it. The rest of the time is the way there and back. A report
that is not answered counts as on its way since it was sent, so a peer that receives nothing is
slowed down and stopped. Of a peer that never says so, the round trip of the transport counts.

A grown delay counts soon. One that has ended counts for a second at most, however often the peer
sends. A picture whose age a peer has named once and names no more grows older.
"""

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import exp

from ..lib.robot.remote_speed import RemoteSpeed
from ..lib.role_config.fields import FieldKind
from ..lib.role_config.model import RoleConfig

_BEAT_MS = 100.0  # between two messages of a peer, which answer the report before them
_REMEMBERED = 256  # reports: longer than any delay of a curve
_RISE = 0.5  # how much of a new measurement counts when it is longer
_FALL_S = 0.2  # time constant when it is shorter: after 1 s less than 1 % of the excess is left
_LONGEST_STEP_S = 0.25  # one quick answer after a silence does not count for all of it
_LONGEST_PICTURE_MS = 60_000.0

TargetValues = Mapping[str, Mapping[str, float]]
VelocityLimits = Mapping[str, Mapping[str, tuple[float, float]]]


@dataclass(slots=True)
class DelayMeter:
    """Of one session."""

    round_trip_ms: float | None = None
    picture_ms: float | None = None  # from capture to the operator's screen, as it says
    shown_ms: float | None = None  # the same, when it was said last
    _shown_s: float = 0.0
    _found_s: float = 0.0  # when the round trip was measured last
    _sent: "OrderedDict[int, float]" = field(default_factory=OrderedDict)
    _newest: int = -1  # report that was answered

    def sent(self, number: int, now_s: float) -> None:
        """Record that a report was sent."""
        self._sent[number] = now_s
        while len(self._sent) > _REMEMBERED:
            self._sent.popitem(last=False)

    def answered(self, number: int, held_ms: float, picture_ms: float | None, now_s: float) -> None:
        """Record which report the peer has received, how long ago, and the age of its picture."""
        if picture_ms is not None:
            picture_ms = min(picture_ms, _LONGEST_PICTURE_MS)
            self.shown_ms, self._shown_s = picture_ms, now_s
        self.picture_ms = picture_ms
        sent_s = self._sent.get(number)
        if sent_s is None or number < self._newest:
            return
        found_ms = max(0.0, (now_s - sent_s) * 1000.0 - max(0.0, held_ms))
        self._newest = number
        while next(iter(self._sent)) != number:  # older ones are on no way any more
            self._sent.popitem(last=False)
        elapsed_s, self._found_s = min(now_s - self._found_s, _LONGEST_STEP_S), now_s
        if self.round_trip_ms is None:
            self.round_trip_ms = found_ms
            return
        part = _RISE if found_ms > self.round_trip_ms else 1.0 - exp(-elapsed_s / _FALL_S)
        self.round_trip_ms += part * (found_ms - self.round_trip_ms)

    def link_ms(self, now_s: float) -> float | None:
        """Return the round trip, of a report that is not answered yet too; None: none was."""
        if self.round_trip_ms is None:
            return None
        return max(self.round_trip_ms, self._unanswered_ms(now_s))

    def delay_ms(
        self, now_s: float, transport_ms: float | None, *, is_filmed: bool = False
    ) -> float | None:
        """Return the delay from the robot to the operator and back; None while it is unknown.
        `is_filmed`: pictures are sent to this peer now.
        """
        trip_ms = self.link_ms(now_s)
        if trip_ms is None:
            return transport_ms
        picture_ms = self.picture_ms
        if picture_ms is None and is_filmed and self.shown_ms is not None:
            picture_ms = self.shown_ms + (now_s - self._shown_s) * 1000.0
        return trip_ms if picture_ms is None else max(trip_ms, picture_ms + trip_ms / 2.0)

    def _unanswered_ms(self, now_s: float) -> float:
        """Return for how long the oldest unanswered report is on its way, beyond two messages."""
        waiting = next((sent for number, sent in self._sent.items() if number > self._newest), None)
        return (now_s - waiting) * 1000.0 - 2 * _BEAT_MS if waiting is not None else 0.0


@dataclass(frozen=True, slots=True)
class SpeedLimit:
    """Clamps the velocities of a robot's targets; where they are zero no position counts either,
    and what is switched is off.
    """

    curve: RemoteSpeed
    velocities: VelocityLimits  # by target and field
    others: Mapping[str, Mapping[str, FieldKind]] = field(default_factory=dict)  # the same

    @classmethod
    def of(cls, curve: RemoteSpeed, roles: Mapping[str, RoleConfig]) -> "SpeedLimit":
        """Return the limit of a robot; a walking robot's mode is no speed."""
        velocities = {
            target: {
                name: each.limits
                for name, each in role.fields.items()
                if each.kind == "velocity" and each.unit != "mode"
            }
            for target, role in roles.items()
        }
        others = {
            target: {n: each.kind for n, each in role.fields.items() if each.kind != "velocity"}
            for target, role in roles.items()
        }
        return cls(curve, velocities, others)

    def clamped(self, values: TargetValues, delay_ms: float | None) -> TargetValues:
        """Return the values with velocities within their share; where that is none, without
        positions, so that what moves to them stays where it is, and with switches off. Modes and
        lights remain as they are.
        """
        share = self.share(delay_ms)
        if share >= 1.0:
            return values
        found = {
            target: {
                name: self._within(target, name, value, share)
                for name, value in fields.items()
                if share > 0.0 or self._kind(target, name) != "position"
            }
            for target, fields in values.items()
        }
        return {target: fields for target, fields in found.items() if fields}

    def share(self, delay_ms: float | None) -> float:
        """Return the share of the top speed; while the delay is unknown nothing drives."""
        return 0.0 if delay_ms is None else self.curve.share(delay_ms)

    def _within(self, target: str, name: str, value: float, share: float) -> float:
        limits = self.velocities.get(target, {}).get(name)
        if limits is None:
            is_off = share <= 0.0 and self._kind(target, name) == "switch"
            return 0.0 if is_off else value
        low, high = limits
        return min(max(value, share * min(low, 0.0)), share * max(high, 0.0))

    def _kind(self, target: str, name: str) -> FieldKind | None:
        return self.others.get(target, {}).get(name)
