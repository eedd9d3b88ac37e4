"""Receives messages of the bus and reports of adoptiond and otad, stores the newest, and notifies
the hub which topic has changed. Callbacks only store the message: it is converted when a client
fetches the state.
"""

import asyncio
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, TypeVar

from ...lib.api.adoption import WATCH_NODES, RobotNodes
from ...lib.api.endpoint import WatchRequest
from ...lib.api.firmware import WATCH, FirmwareReport
from ...lib.bus import Message, Sample, Subscription, Topic
from ...lib.clock import monotonic_s, wall_s
from ...lib.errors import SaintError
from ...lib.generated import topics
from ...lib.generated.saint_msgs import (
    ArmState,
    ConsoleAlert,
    EStop,
    InputSample,
    PartState,
    RCReceiverState,
    RouteStatus,
    SystemStatus,
)
from ...lib.ipc import Watch
from ...lib.role_config.part_topics import reports_parts, states_topic
from ..audit import activity
from ..audit.commands import CommandWatch
from ..robot.context import RobotContext
from .newest import ARMS, ArmStates, NewestParts
from .trends import PERIODS_S, reading

M = TypeVar("M", bound=Message)

SHOWN = WatchRequest(hold_s=1.0)  # a reading is at most so old while clients subscribe it
UNSEEN = WatchRequest(hold_s=5.0)  # the activity log needs the changes of nodes too
TICK_S = 0.5  # "system" is sent so often in any case: pages detect a dead connection by it
_INPUTS = (
    topics.INPUT_RC,
    topics.INPUT_LIVELINK,
    topics.INPUT_AUTONOMOUS,
)
_LEVELS = {"info": "INFO", "warning": "WARNING", "error": "ERROR", "critical": "ERROR"}


class Feeds:
    """The subscriptions of webd."""

    def __init__(self, robot: RobotContext) -> None:
        self._robot = robot
        self._newest = robot.newest
        self._hub = robot.hub
        self._open: dict[str, list[Subscription]] = {}
        self.on_robot: Callable[[str], None] = lambda _: None  # gets the mark of the robot in force
        self.on_edition: Callable[[str], None] = lambda _: None  # and its edition
        self.on_estop: Callable[[EStop], None] = lambda _: None
        self._commands = CommandWatch()
        daemons = robot.daemons
        self.nodes_watch = Watch(daemons.adoptiond, WATCH_NODES, self._nodes, self._no_nodes)
        self.firmware_watch = Watch(daemons.otad, WATCH, self._firmware, self._no_firmware)

    def open(self) -> None:
        """Subscribe the topics that are always received; the bus closes the subscriptions."""
        for name in ("head", "arms", "tracks", "wagon", "legs", "parts", "inputs"):
            self._hub.when_subscribed(name, partial(self._select, name))
        self._hub.when_subscribed("nodes", self._select_nodes)
        self._hub.when_subscribed("firmware", self._select_firmware)
        self._select_nodes(is_subscribed=False)
        self._store(topics.CONSOLE_INPUT, self._newest, "console_input", "console")
        self._store(topics.CONSOLE_OVERRIDE, self._newest, "console_override", "console")
        self._store(topics.CONSOLE_DISPLAY, self._newest, "console_display", "console")
        self._listen(topics.CONSOLE_ALERTS, self._alert)
        self._listen(topics.RC_STATE, self._rc)
        self._listen(topics.ROUTER_STATUS, self._router)
        self._listen(topics.ESTOP, self._estop)
        self._store(topics.ESTOP_OUTCOME, self._newest, "outcomes", "system")
        self._listen(topics.SYSTEM_STATUS, self._system)

    def _select(self, name: str, is_subscribed: bool) -> None:
        """Receive a busy topic only while a client subscribes it: every reader of a topic costs its
        writer time, and these writers are between stick and motor.
        """
        for subscription in self._open.pop(name, ()):
            subscription.close()
        self._newest.drop(name)  # it is outdated by the next subscription
        if name == "inputs":
            self._robot.on_sent = self._own_input if is_subscribed else None
        if is_subscribed:
            self._open[name] = list(self._subscribed(name))

    def _subscribed(self, name: str) -> Iterator[Subscription]:
        """Subscribe the bus topics of one of webd's topics."""
        if name == "head":
            yield self._store(topics.HEAD_STATE, self._newest, "head", name)
            yield self._store(topics.HEAD_EXPRESSION_STATE, self._newest, "expression", name)
            yield self._store(topics.HEAD_SENSORS, self._newest, "head_sensors", name)
        elif name == "arms":
            for side in ARMS:
                arm = self._newest.arms[side]
                yield self._listen(topics.ARM_STATE.at(instance=side), partial(self._arm, arm))
                yield self._store(topics.GRIPPER_STATE.at(instance=side), arm, "gripper", name)
        elif name == "tracks":
            yield self._store(topics.TRACKS_STATE, self._newest, "tracks", name)
            yield self._store(topics.TRACKS_ODOM, self._newest, "odometry", name)
            yield self._store(topics.TRACKS_MOTOR_CURRENT, self._newest, "motor_current", name)
        elif name == "wagon":
            yield self._store(topics.WAGON_STATE, self._newest, "wagon", name)
            yield self._store(topics.WAGON_ODOM, self._newest, "wagon_odometry", name)
        elif name == "parts":
            for role in self._robot.roles.by_target.values():
                if reports_parts(role):
                    yield self._listen(states_topic(role), partial(self._parts, role.target))
        elif name == "legs":
            yield self._store(topics.LEGS_STATE, self._newest, "legs", name)
        elif name == "inputs":
            for topic in _INPUTS:
                yield self._listen(topic, self._input)
            # webd's own samples are shown as they are sent, without the detour over the bus.
            own = topics.INPUT_WEBSOCKET
            yield self._robot.bus.subscribe(own, self._input, own=False)

    def _listen(self, topic: Topic[M], callback: Callable[[Sample[M]], None]) -> Subscription:
        return self._robot.bus.subscribe(topic, callback)

    def _store(self, topic: Topic[Any], owner: object, slot: str, shown_as: str) -> Subscription:
        changed = self._hub.changed

        def store(sample: Sample[Any]) -> None:
            setattr(owner, slot, sample.message)
            changed(shown_as)

        return self._listen(topic, store)

    def _arm(self, arm: ArmStates, sample: Sample[ArmState]) -> None:
        arm.state, arm.received_s = sample.message, sample.received_s
        self._hub.changed("arms")

    def _parts(self, target: str, sample: Sample[PartState]) -> None:
        self._newest.parts[target] = NewestParts(sample.message, sample.received_s)
        self._hub.changed("parts")

    def _input(self, sample: Sample[InputSample]) -> None:
        if self._newest.add(sample):
            self._note_source(sample.message.source, "started sending")
        self._hub.changed("inputs")

    def _own_input(self, sample: InputSample) -> None:
        self._input(Sample(sample, monotonic_s(), 0.0, self._robot.bus.origin))

    def _note_source(self, name: str, what: str) -> None:
        kind = name.partition(":")[0]
        if kind != "rc":  # its receiver's state says more
            self._robot.note("INFO", kind, f"{activity.source_name(name)} {what}")

    def _rc(self, sample: Sample[RCReceiverState]) -> None:
        self._robot.note_all(activity.rc_events(self._newest.rc, sample.message))
        self._newest.rc = sample.message
        self._newest.rc_received_s = sample.received_s
        self._hub.changed("inputs")

    def _router(self, sample: Sample[RouteStatus]) -> None:
        self._newest.router = sample.message
        self._newest.router_received_s = sample.received_s
        holders = self._newest.holders()
        fields = sample.message.fields
        self._robot.note_all(self._commands.events(fields, holders, sample.received_s))
        self._hub.changed("outputs")

    def _estop(self, sample: Sample[EStop]) -> None:
        before = self._newest.estop
        self._robot.note_all(activity.estop_events(before, sample.message))
        self._newest.estop = sample.message
        # Of a stop that was cleared at once only the generation may be visible.
        if before is None or before.generation != sample.message.generation:
            self._robot.goals.clear()
        self.on_estop(sample.message)
        self._hub.changed("system")

    def _system(self, sample: Sample[SystemStatus]) -> None:
        self._newest.system = sample.message
        self._newest.system_received_s = sample.received_s
        self._hub.changed("system")

    def _alert(self, sample: Sample[ConsoleAlert]) -> None:
        alert = sample.message
        self._robot.note(_LEVELS.get(alert.severity, "INFO"), "console", alert.text[:200])

    async def tick(self) -> None:
        """Update what changes by time alone, twice a second, until cancelled."""
        while True:
            await asyncio.sleep(TICK_S)
            for name in self._newest.forget(monotonic_s()):
                self._note_source(name, "stopped sending")
            self._hub.changed("system")

    def _select_nodes(self, is_subscribed: bool) -> None:
        self.nodes_watch.begin(SHOWN if is_subscribed else UNSEEN)

    def _nodes(self, found: RobotNodes) -> None:
        newest = self._newest
        self._robot.note_all(activity.node_events(newest.nodes, found))
        newest.nodes, newest.roles, newest.nodes_problem = found, found.roles, None
        newest.node_history.add(found.nodes, monotonic_s())
        self._hub.changed("nodes")
        self.on_robot(found.robot_mark)
        self.on_edition(found.robot_edition)

    def _no_nodes(self, problem: SaintError) -> None:
        self._newest.nodes_problem = problem
        self._hub.changed("nodes")

    def _select_firmware(self, is_subscribed: bool) -> None:
        if is_subscribed:
            self.firmware_watch.begin(SHOWN)
        else:
            self.firmware_watch.end()

    def _firmware(self, found: FirmwareReport) -> None:
        self._newest.firmware, self._newest.firmware_problem = found, None
        self._hub.changed("firmware")

    def _no_firmware(self, problem: SaintError) -> None:
        self._newest.firmware_problem = problem
        self._hub.changed("firmware")

    async def keep_trends(self) -> None:
        """Add a point of the history once a second, until cancelled. Points stay a period apart,
        however late one of them was.
        """
        period_s = PERIODS_S["minutes"]
        due_s = monotonic_s() + period_s
        while True:
            await asyncio.sleep(max(0.0, due_s - monotonic_s()))
            now_s = monotonic_s()
            point = reading(self._newest, now_s, max(0.0, now_s - due_s))
            self._robot.trends.add(point, wall_s())
            # After a pause (a suspended machine) missing points are not made up for.
            due_s = max(due_s + period_s, now_s)
