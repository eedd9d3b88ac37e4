"""What the buttons of the robot's own console ask for: stop, all joints to their neutral places,
release of exclusive control. Going home is an input like that of a page: it goes through the
routes, gives way to RC, and ends with the e-stop. No clock, no I/O. Not here: the clear, which
waits for the disk (latch_store.py).
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
_MARGIN_S = 0.5  # over the time of the longest way at that pace
_LONGEST_S = 30.0
_LONGEST = 64  # characters of a target's name that are told on


class ConsoleButtons:
    """Every order of the console; `step` carries on what takes time."""

    def __init__(self, router: Router) -> None:
        self._router = router
        self._homing: dict[str, float] = {}  # target -> until when it is asked to go home
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
        """Do it; why it could not be done, or nothing. Unknown words mean nothing."""
        order = self._orders.get(action)
        return order(target[:_LONGEST], now) if order else ""

    def step(self, now: float) -> None:
        """Ask again for the neutral places, until the slowest joint must be there."""
        if self._router.latch.generation != self._generation:
            self._homing.clear()  # there was a stop, though it may be over by now
        for target in [target for target, until in self._homing.items() if until <= now]:
            del self._homing[target]
        for target in self._homing:
            self._send(target, {name: s.neutral for name, s in self._joints(target).items()}, now)

    def forget(self) -> None:
        """End what was begun: the loop stood still, and the press is too long ago."""
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
            return "joints do not go home while the e-stop is active"
        targets = [each for each in self._named(target) if self._joints(each)]
        if not targets:
            return f"there are no joints to bring home: {target or 'no target has any'}"
        self._generation = self._router.latch.generation
        is_routed = False
        for each in targets:
            joints = self._joints(each)
            # From where they are commanded to be: after a reset an input counts once it moved.
            self._send(each, {name: self._now_at(each, name) for name in joints}, now)
            self._send(each, {name: spec.neutral for name, spec in joints.items()}, now)
            source = self._router.sources.get(SOURCE)
            is_routed |= bool(source and source.stream and source.stream.plans)
            self._homing[each] = now + max(map(_longest_s, joints.values()))
        if not is_routed:
            self._homing.clear()
            return "no route takes commands of pages and buttons (source websocket)"
        return ""

    def _named(self, target: str) -> list[str]:
        """ "": all; "arms": both of them; "arms.left"."""
        fields = self._router.robot.fields
        return [each for each in fields if target in ("", each, each.partition(".")[0])]

    def _joints(self, target: str) -> dict[str, FieldSpec]:
        """A gripper stays as it is: it may hold something."""
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
