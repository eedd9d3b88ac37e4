"""From the bus and from adoptiond into the newest state; every arrival tells the hub which topic
changed. Callbacks only keep the message: nothing is converted before a client takes it.
"""

import asyncio
import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, TypeVar

from ...lib.api.adoption import LIST_NODES, LIST_ROLES
from ...lib.api.endpoint import Nothing
from ...lib.api.firmware import STATUS
from ...lib.bus import Message, Sample, Subscription, Topic
from ...lib.clock import monotonic_s
from ...lib.errors import SaintError
from ...lib.generated import topics
from ...lib.generated.saint_msgs import (
    ArmState,
    ConsoleAlert,
    EStop,
    InputSample,
    RCReceiverState,
    RouteStatus,
    SystemStatus,
)
from ..audit import activity
from ..robot.context import Robot
from .newest import ARMS, Arm

M = TypeVar("M", bound=Message)

NODES_PERIOD_S = 0.5
NODES_IDLE_S = 5.0  # while nobody looks: what happens to nodes is noted all the same
FIRMWARE_PERIOD_S = 0.5
_LOOK_LIMIT_S = 2.0  # then a daemon is told as silent
TICK_S = 0.5  # "system" is sent so often in any case: pages notice a dead connection by it
_INPUTS = (
    topics.INPUT_RC,
    topics.INPUT_LIVELINK,
    topics.INPUT_AUTONOMOUS,
)
_LEVELS = {"info": "INFO", "warning": "WARNING", "error": "ERROR", "critical": "ERROR"}


class Feeds:
    """Everything that webd listens to."""

    def __init__(self, robot: Robot) -> None:
        self._robot = robot
        self._newest = robot.newest
        self._hub = robot.hub
        self._open: dict[str, list[Subscription]] = {}

    def open(self) -> None:
        """Subscribe; the bus ends it when it closes."""
        for name in ("head", "arms", "tracks", "inputs"):
            self._hub.when_wanted(name, partial(self._want, name))
        self._keep(topics.CONSOLE_INPUT, self._newest, "console_input", "console")
        self._keep(topics.CONSOLE_OVERRIDE, self._newest, "console_override", "console")
        self._keep(topics.CONSOLE_DISPLAY, self._newest, "console_display", "console")
        self._listen(topics.CONSOLE_ALERTS, self._alert)
        self._listen(topics.RC_STATE, self._rc)
        self._listen(topics.ROUTER_STATUS, self._router)
        self._listen(topics.ESTOP, self._estop)
        self._keep(topics.ESTOP_OUTCOME, self._newest, "outcomes", "system")
        self._listen(topics.SYSTEM_STATUS, self._system)

    def _want(self, name: str, is_wanted: bool) -> None:
        """Hundreds of samples a second are only read while somebody looks at them: every reader
        of a topic costs its writer, and writers stand on the way from stick to motor.
        """
        for subscription in self._open.pop(name, ()):
            subscription.close()
        self._newest.drop(name)  # what is old by the time of the next look
        if name == "inputs":
            self._robot.on_sent = self._own_input if is_wanted else None
        if is_wanted:
            self._open[name] = list(self._subscribed(name))

    def _subscribed(self, name: str) -> Iterator[Subscription]:
        """The topics of one thing that people look at."""
        if name == "head":
            yield self._keep(topics.HEAD_STATE, self._newest, "head", name)
            yield self._keep(topics.HEAD_EXPRESSION_STATE, self._newest, "expression", name)
            yield self._keep(topics.HEAD_SENSORS, self._newest, "head_sensors", name)
        elif name == "arms":
            for side in ARMS:
                arm = self._newest.arms[side]
                yield self._listen(topics.ARM_STATE.at(instance=side), partial(self._arm, arm))
                yield self._keep(topics.GRIPPER_STATE.at(instance=side), arm, "gripper", name)
        elif name == "tracks":
            yield self._keep(topics.TRACKS_STATE, self._newest, "tracks", name)
            yield self._keep(topics.TRACKS_ODOM, self._newest, "odometry", name)
            yield self._keep(topics.TRACKS_MOTOR_CURRENT, self._newest, "motor_current", name)
        elif name == "inputs":
            for topic in _INPUTS:
                yield self._listen(topic, self._input)
            # Our own samples are shown as they are sent: no way over the bus and back for them.
            own = topics.INPUT_WEBSOCKET
            yield self._robot.bus.subscribe(own, self._input, own=False)

    def _listen(self, topic: Topic[M], callback: Callable[[Sample[M]], None]) -> Subscription:
        return self._robot.bus.subscribe(topic, callback)

    def _keep(self, topic: Topic[Any], owner: object, slot: str, shown_as: str) -> Subscription:
        changed = self._hub.changed

        def keep(sample: Sample[Any]) -> None:
            setattr(owner, slot, sample.message)
            changed(shown_as)

        return self._listen(topic, keep)

    def _arm(self, arm: Arm, sample: Sample[ArmState]) -> None:
        arm.state, arm.received_s = sample.message, sample.received_s
        self._hub.changed("arms")

    def _input(self, sample: Sample[InputSample]) -> None:
        if self._newest.heard(sample):
            self._note_source(sample.message.source, "started sending")
        self._hub.changed("inputs")

    def _own_input(self, sample: InputSample) -> None:
        self._input(Sample(sample, monotonic_s(), 0.0, self._robot.bus.origin))

    def _note_source(self, name: str, what: str) -> None:
        kind = name.partition(":")[0]
        if kind != "rc":  # its receiver's state tells more
            self._robot.note("INFO", kind, f"{activity.source_name(name)} {what}")

    def _rc(self, sample: Sample[RCReceiverState]) -> None:
        self._robot.note_all(activity.rc_events(self._newest.rc, sample.message))
        self._newest.rc = sample.message
        self._newest.rc_received_s = sample.received_s
        self._hub.changed("inputs")

    def _router(self, sample: Sample[RouteStatus]) -> None:
        self._newest.router = sample.message
        self._newest.router_received_s = sample.received_s
        self._hub.changed("outputs")

    def _estop(self, sample: Sample[EStop]) -> None:
        before = self._newest.estop
        self._robot.note_all(activity.estop_events(before, sample.message))
        self._newest.estop = sample.message
        # Of a stop that was cleared at once only the generation may be left to see.
        if before is None or before.generation != sample.message.generation:
            self._robot.goals.clear()
        self._hub.changed("system")

    def _system(self, sample: Sample[SystemStatus]) -> None:
        self._newest.system = sample.message
        self._newest.system_received_s = sample.received_s
        self._hub.changed("system")

    def _alert(self, sample: Sample[ConsoleAlert]) -> None:
        alert = sample.message
        self._robot.note(_LEVELS.get(alert.severity, "INFO"), "console", alert.text[:200])

    async def tick(self) -> None:
        """Twice a second: what changes by time alone."""
        while True:
            await asyncio.sleep(TICK_S)
            for name in self._newest.forget(monotonic_s()):
                self._note_source(name, "stopped sending")
            self._hub.changed("system")

    async def watch_nodes(self) -> None:
        """adoptiond's registry; often while somebody looks at it."""
        fetched_s = -math.inf
        while True:
            if self._hub.is_wanted("nodes") or monotonic_s() - fetched_s >= NODES_IDLE_S:
                await self.fetch_nodes()
                fetched_s = monotonic_s()
            await asyncio.sleep(NODES_PERIOD_S)

    async def watch_firmware(self) -> None:
        """otad's report, while somebody looks at it."""
        while True:
            if self._hub.is_wanted("firmware"):
                await self.fetch_firmware()
            await asyncio.sleep(FIRMWARE_PERIOD_S)

    async def fetch_firmware(self) -> None:
        """Ask once."""
        newest = self._newest
        try:
            found = await self._robot.daemons.otad.request(
                STATUS, Nothing(), timeout_s=_LOOK_LIMIT_S
            )
        except SaintError as err:
            newest.firmware_problem = err
        else:
            newest.firmware, newest.firmware_problem = found, None
        self._hub.changed("firmware")

    async def fetch_nodes(self) -> None:
        """Ask once."""
        adoptiond = self._robot.daemons.adoptiond
        try:
            found = await adoptiond.request(LIST_NODES, Nothing(), timeout_s=_LOOK_LIMIT_S)
            self._newest.roles = await adoptiond.request(
                LIST_ROLES, Nothing(), timeout_s=_LOOK_LIMIT_S
            )
        except SaintError as err:
            self._newest.nodes_problem = err
        else:
            self._robot.note_all(activity.node_events(self._newest.nodes, found))
            self._newest.nodes, self._newest.nodes_problem = found, None
            self._newest.node_history.add(found.nodes, monotonic_s())
        self._hub.changed("nodes")
