"""Publishes what usual ROS 2 programs read of a robot: /robot_description and /tf_static once, for
late readers too; /joint_states, /tf of the joints and /diagnostics only while a program reads them.
Not here: what they say (joints.py, diagnostics.py).
"""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from ...lib.bus import Bus, PolledSubscription, Sample, Topic
from ...lib.clock import stamp
from ...lib.generated import topics
from ...lib.generated.diagnostic_msgs import DiagnosticArray
from ...lib.generated.nav_msgs import Odometry
from ...lib.generated.saint_msgs import PartState
from ...lib.generated.sensor_msgs import JointState
from ...lib.generated.std_msgs import String
from ...lib.role_config.part_topics import has_parts, states_topic
from .joints import JointBook
from .model import ViewedRobot

PERIOD_S = 0.05  # as the roles state their joints


class RosView:
    """The view of one robot."""

    def __init__(
        self,
        bus: Bus,
        robot: ViewedRobot,
        diagnose: Callable[[], Awaitable[DiagnosticArray]],
    ) -> None:
        self._bus = bus
        self._robot = robot
        self._diagnose = diagnose
        self._wanted = asyncio.Event()
        self._states: list[PolledSubscription] = []
        self._diagnostics = bus.publisher(topics.DIAGNOSTICS)
        self._book = JointBook(robot.body, robot.wheels)
        self._joint_states = bus.publisher(topics.JOINT_STATES)
        self._moving = bus.publisher(topics.TF)
        self._description = bus.publisher(topics.ROBOT_DESCRIPTION)
        self._description.publish(String(robot.urdf))
        self._fixed = bus.publisher(topics.TF_STATIC)
        self._fixed.publish(self._book.fixed(stamp()))

    async def look(self) -> None:
        """See who reads, once a second."""
        if self._diagnostics.has_readers:
            self._diagnostics.publish(await self._diagnose())
        is_wanted = self._joint_states.has_readers or self._moving.has_readers
        if is_wanted and not self._states:
            self._listen(self._robot)
            self._wanted.set()
        elif not is_wanted and self._states:
            self._wanted.clear()
            for state in self._states:
                state.close()
            self._states.clear()

    async def work(self) -> None:
        """Publish the joints while a program reads them, until stopped."""
        while True:
            await self._wanted.wait()
            for state in self._states:
                state.read()
            now = stamp()
            if self._joint_states.has_readers:
                self._joint_states.publish(self._book.joint_state(now))
            if self._moving.has_readers:
                self._moving.publish(self._book.moving(now))
            await asyncio.sleep(PERIOD_S)

    def _listen(self, robot: ViewedRobot) -> None:
        for target, role in robot.roles.items():
            name, _, instance = target.partition(".")
            if name == "head":
                self._poll(topics.HEAD_JOINT_STATES, partial(self._on_angles, target))
                paths = {n: f.path for n, f in role.fields.items() if f.command == "expression"}
                self._poll(topics.HEAD_EXPRESSION_STATE, partial(self._on_shares, target, paths))
            elif name == "arms":
                self._poll(
                    topics.ARM_JOINT_STATES.at(instance=instance), partial(self._on_angles, target)
                )
                paths = {n: f.path for n, f in role.fields.items() if f.command == "gripper"}
                gripper = topics.GRIPPER_STATE.at(instance=instance)
                self._poll(gripper, partial(self._on_shares, target, paths))
            elif name == "legs":
                self._poll(topics.LEGS_JOINT_STATES, self._on_legs)
            elif name == "tracks":
                self._poll(topics.TRACKS_ODOM, self._on_odometry)
            if has_parts(role):
                self._poll(states_topic(role), partial(self._on_parts, target))

    def _poll(self, topic: Topic[Any], take: Callable[[Sample[Any]], None]) -> None:
        self._states.append(self._bus.poll(topic, take, depth=1))

    def _on_angles(self, target: str, sample: Sample[JointState]) -> None:
        self._book.see_angles(target, sample.message)

    def _on_legs(self, sample: Sample[JointState]) -> None:
        self._book.see_joints(sample.message)

    def _on_shares(self, target: str, paths: dict[str, str], sample: Sample[Any]) -> None:
        for field, path in paths.items():
            self._book.see_share(target, field, float(getattr(sample.message, path)))

    def _on_parts(self, target: str, sample: Sample[PartState]) -> None:
        for name, value in zip(sample.message.names, sample.message.values, strict=False):
            self._book.see_part(target, name, value)

    def _on_odometry(self, sample: Sample[Odometry]) -> None:
        self._book.see_odometry(sample.message, self._robot.track_width_m)
