"""Reads where the joints of a target stand, as its role reports it: a joint that nothing drives
begins to move there. States wait until they are requested, so they cost nothing meanwhile.
"""

import re
from collections.abc import Callable, Mapping
from math import isfinite
from typing import Final

from ...lib.bus import Bus, M, PolledSubscription, Sample, Topic
from ...lib.clock import monotonic_s
from ...lib.generated import topics
from ...lib.generated.saint_msgs import ArmState, GripperState, PartState
from .targets import CommandLayout, RobotTargets

OLD_S: Final = 0.5  # an older state says nothing
_MEASURED: Final = "_position"  # a reading of a bus servo: lib/role/parts/readings.py
_JOINT: Final = re.compile(r"target_positions\[(\d+)\]")  # of an ArmCommand

Places = dict[str, float]


class JointPlaces:
    """The newest positions of joints, by target and field: measured, where the role measures them,
    else as they were written.
    """

    def __init__(
        self, bus: Bus, robot: RobotTargets, clock: Callable[[], float] = monotonic_s
    ) -> None:
        self._bus = bus
        self._clock = clock
        self._found: dict[str, dict[str, tuple[float, float]]] = {}  # with the time
        self._polled: dict[str, list[PolledSubscription]] = {}
        for command in robot.commands:
            self._follow(command)

    @property
    def targets(self) -> tuple[str, ...]:
        """The targets whose states are read."""
        return tuple(self._polled)

    def of(self, target: str) -> Mapping[str, float]:
        """Return the positions of a target's fields, as far as they are known."""
        for each in self._polled.get(target, ()):
            each.read()
        since_s = self._clock() - OLD_S
        found = self._found.get(target, {})
        return {name: value for name, (value, stamp_s) in found.items() if stamp_s > since_s}

    def _follow(self, command: CommandLayout) -> None:
        """Poll the state of what a command moves."""
        role, _, instance = command.target.partition(".")
        if command.is_named:
            is_own = role == "parts"
            topic = topics.PARTS_STATE if is_own else topics.ROLE_PARTS_STATE
            where = {"instance": instance} if is_own else {"role": command.target.replace(".", "/")}
            self._poll(command.target, topic.at(**where), _of_parts)
        elif command.topic.type == "saint_msgs/msg/ArmCommand":
            numbers = {
                name: int(found[1])
                for name, path in command.fields
                if (found := _JOINT.fullmatch(path))
            }

            def of_arm(state: ArmState) -> Places:
                at = state.joint_positions
                return {name: at[i] for name, i in numbers.items() if i < len(at)}

            self._poll(command.target, topics.ARM_STATE.at(instance=instance), of_arm)
        elif command.topic.type == "saint_msgs/msg/GripperCommand":
            names = [name for name, path in command.fields if path == "position"]

            def of_gripper(state: GripperState) -> Places:
                return dict.fromkeys(names, state.position)

            self._poll(command.target, topics.GRIPPER_STATE.at(instance=instance), of_gripper)

    def _poll(self, target: str, topic: Topic[M], places: Callable[[M], Places]) -> None:
        found = self._found.setdefault(target, {})

        def receive(sample: Sample[M]) -> None:
            for name, value in places(sample.message).items():
                if isfinite(value):
                    found[name] = float(value), sample.received_s
                else:
                    found.pop(name, None)

        self._polled.setdefault(target, []).append(self._bus.poll(topic, receive, depth=1))


def _of_parts(state: PartState) -> Places:
    found = dict(zip(state.names, state.values, strict=False))
    for name, value in zip(state.sensors, state.readings, strict=False):
        if name.endswith(_MEASURED) and name.removesuffix(_MEASURED) in found:
            found[name.removesuffix(_MEASURED)] = value
    return found
