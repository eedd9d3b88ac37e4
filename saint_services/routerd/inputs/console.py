"""What the buttons of the robot's own console do: stop, bring all joints to neutral, release
exclusive control. Going home is an input like that of a page: it passes through the routes, RC
precedes it, and the e-stop ends it. No clock, no I/O. Not here: the clear, which waits for the disk
(estop/latch_store.py).
"""

import itertools
from collections.abc import Callable, Mapping

from ...lib.generated.saint_msgs import InputSample
from ...lib.role_config.model import FieldSpec
from ..logic import Router

SOURCE = "websocket:console_buttons"
REPEAT_S = 0.1  # a third of the time-out of its class
_ORIGIN = "console"
_PACE = 0.3  # share of the top rate: a person stands beside the robot
_MARGIN_S = 0.5  # beyond the time of the longest way at that rate
_LONGEST_S = 30.0
_LONGEST = 64  # characters of a target's name that are used


class ConsoleButtons:
    """Carries out the orders of the console; step() goes on with what takes time."""

    def __init__(self, router: Router) -> None:
        self._router = router
        self._homing: dict[str, float] = {}  # target -> until when it is commanded home
        self._generation = router.latch.generation  # of the latch when homing began
        self._sequence = itertools.count(1)
        self._orders: Mapping[str, Callable[[str, float], str]] = {
            "stop": self._stop,
            "home": self._home,
            "release": self._release,
        }

    @property
    def is_homing(self) -> bool:
        """step() is due again."""
        return bool(self._homing)

    def act(self, target: str, action: str, now: float) -> str:
        """Carry out an order; return why it was refused, or "". Unknown actions do nothing."""
        order = self._orders.get(action)
        return order(target[:_LONGEST], now) if order else ""

    def step(self, now: float) -> None:
        """Repeat the neutral positions until the slowest joint must have reached its own."""
        if self._router.latch.generation != self._generation:
            self._homing.clear()  # there was a stop, even if it was cleared meanwhile
        for target in [target for target, until in self._homing.items() if until <= now]:
            del self._homing[target]
        for target in self._homing:
            self._send(target, {name: s.neutral for name, s in self._joints(target).items()}, now)

    def forget(self) -> None:
        """End going home: the loop stood still, and the press is too long ago."""
        self._homing.clear()

    def _stop(self, target: str, now: float) -> str:
        reason = f"manual override of {target or 'everything'}"
        self._router.raise_estop("console", reason, now)
        return ""

    def _release(self, target: str, now: float) -> str:
        self._homing.clear()
        for each in self._named(target):
            self._router.release_control(each, "console", now, force=True)
        return ""

    def _home(self, target: str, now: float) -> str:
        if self._router.latch.active:
            return "Home was refused: the e-stop is active. Clear it first."
        targets = [each for each in self._named(target) if self._joints(each)]
        if not targets:
            return f"Home was refused: {target or 'this robot'} has no joints."
        self._generation = self._router.latch.generation
        is_routed = False
        for each in targets:
            joints = self._joints(each)
            # Begin at the commanded positions: after a clear an input counts once it has moved.
            self._send(each, {name: self._now_at(each, name) for name in joints}, now)
            self._send(each, {name: spec.neutral for name, spec in joints.items()}, now)
            source = self._router.sources.get(SOURCE)
            is_routed |= bool(source and source.stream and source.stream.plans)
            self._homing[each] = now + max(map(_longest_s, joints.values()))
        if not is_routed:
            self._homing.clear()
            return "Home was refused: no enabled route has the source websocket."
        return ""

    def _named(self, target: str) -> list[str]:
        """Return the targets of a name: all of "", both of "arms", one of "arms.left"."""
        fields = self._router.robot.fields
        return [each for each in fields if target in ("", each, each.partition(".")[0])]

    def _joints(self, target: str) -> dict[str, FieldSpec]:
        """Return the joints of a target without its gripper, which may hold something."""
        fields = self._router.robot.fields[target]
        return {n: s for n, s in fields.items() if s.kind == "position" and n != "gripper"}

    def _now_at(self, target: str, name: str) -> float:
        output = self._router.by_name[target, name]
        return output.neutral if output.value is None else output.value

    def _send(self, target: str, values: dict[str, float], now: float) -> None:
        paced = {**values, "speed": _PACE} if self._has_pace(target) else values
        sample = InputSample(
            source=SOURCE,
            sequence=next(self._sequence),
            target=target,
            names=tuple(paced),
            values=tuple(paced.values()),
        )
        self._router.sample(sample, _ORIGIN, now)

    def _has_pace(self, target: str) -> bool:
        commands = [c for c in self._router.robot.commands if c.target == target]
        return any(modifier.is_pace for c in commands for modifier in c.modifiers)


def _longest_s(spec: FieldSpec) -> float:
    low, high = spec.limits
    return min((high - low) / (spec.max_rate * _PACE) + _MARGIN_S, _LONGEST_S)
