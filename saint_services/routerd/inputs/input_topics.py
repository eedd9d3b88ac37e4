"""Subscribes to the topics of inputs and to the robot's own command topics, and routes each sample
in the callback that brings it. Not here: which samples are new (logic.py), whose they are
(writers.py).
"""

from collections.abc import Callable
from typing import Any

from ...lib.api.credentials import WriterName
from ...lib.bus import Bus, Sample, Topic
from ...lib.clock import monotonic_s
from ...lib.generated import topics
from ...lib.generated.saint_msgs import InputSample
from ...lib.generated.sensor_msgs import Joy
from ...lib.stall import StallWatch
from ..fields import command_messages
from ..fields.targets import CommandLayout
from ..logic import Router
from .neighbours import Neighbours
from .sources import MAX_NAMES
from .writers import AdmittedSource, InputWriters

ROS = "autonomous:ros"  # foreign commands on our command topics
TELEOP = "websocket:teleop-"  # the operator of a remote session; no client of webd's has this name
# The daemon that a topic belongs to, and its sources.
INPUTS: dict[Topic[InputSample], tuple[WriterName, str]] = {
    topics.INPUT_RC: ("rcd", "rc"),
    topics.INPUT_LIVELINK: ("livelinkd", "livelink"),
    topics.INPUT_WEBSOCKET: ("webd", "websocket"),
    topics.INPUT_TELEOP: ("teleopd", TELEOP),
}
PROGRAMS = ("autonomous", "leader:", "safety:")  # sources on the topic of programs


class InputTopics:
    """Feeds the router. `settle` acts on what a sample changed in it."""

    def __init__(
        self,
        bus: Bus,
        router: Router,
        writers: InputWriters,
        neighbours: Neighbours,
        stalls: StallWatch,
        settle: Callable[[], None],
    ) -> None:
        self._router = router
        self._writers = writers
        self._neighbours = neighbours
        self._stalls = stalls
        self._settle = settle
        self._foreign = 0
        for topic, (daemon, kind) in INPUTS.items():
            bus.subscribe(topic, self._receiver(daemon, kind))
        bus.subscribe(topics.INPUT_AUTONOMOUS, self._on_program)
        for command in router.robot.commands:
            topic = command_messages.command_topic(command)
            bus.subscribe(topic, self._foreign_receiver(command), own=False)
            if command.topic.type == topics.CMD_VEL.type.TYPE:
                bus.subscribe(topics.CMD_VEL, self._foreign_receiver(command), own=False)
        bus.subscribe(topics.JOY, self._on_joy, own=False)

    def _receiver(self, daemon: WriterName, kind: str) -> Callable[[Sample[InputSample]], None]:
        admit = self._writers.admit

        def receive(sample: Sample[InputSample]) -> None:
            source, origin, now = sample.message.source, sample.origin, sample.received_s
            admitted = admit(daemon, source, origin, now)
            is_own = source.startswith(kind) and source.startswith(TELEOP) == (kind == TELEOP)
            if admitted and admitted.is_known and not is_own:
                self._router.refused["source on the wrong topic"] += 1
            else:
                self._on_sample(sample, admitted)

        return receive

    def _on_program(self, sample: Sample[InputSample]) -> None:
        source = sample.message.source
        if not source.startswith(PROGRAMS):
            self._router.refused["source on the wrong topic"] += 1
            return
        admit = self._writers.admit_program
        self._on_sample(sample, admit(source, sample.origin, sample.received_s))

    def _on_sample(self, sample: Sample[InputSample], admitted: AdmittedSource | None) -> None:
        if sample.origin in self._neighbours and not (admitted and admitted.is_known):
            self._router.refused["input of another robot"] += 1
            return
        if admitted is None:
            self._router.refused["unregistered writer"] += 1
            return
        self._route(sample.message, sample.origin, sample.received_s, admitted)

    def _foreign_receiver(self, command: CommandLayout) -> Callable[[Sample[Any]], None]:
        """Turn commands of foreign ROS programs into samples of the source ROS."""

        def receive(sample: Sample[Any]) -> None:
            names, values = command_messages.read(command, sample.message)
            if not names:
                self._router.refused["empty foreign command"] += 1
                return
            if not self._neighbours.is_program(sample.origin, sample.received_s):
                self._router.refused["command of another robot"] += 1
                return
            self._sample_of_ros(command.target, names, values, sample.received_s)

        return receive

    def _on_joy(self, sample: Sample[Joy]) -> None:
        """Turn a joystick into a sample for routes: axis_0, axis_1, ..., button_0, ..."""
        axes, buttons = sample.message.axes, sample.message.buttons
        values = (*map(float, axes), *map(float, buttons))
        if not values or len(values) > MAX_NAMES or not all(abs(v) <= 1.0 for v in values):
            self._router.refused["unusable joystick"] += 1
            return
        if not self._neighbours.is_program(sample.origin, sample.received_s):
            self._router.refused["command of another robot"] += 1
            return
        names = (
            *(f"axis_{index}" for index in range(len(axes))),
            *(f"button_{index}" for index in range(len(buttons))),
        )
        self._sample_of_ros("", names, values, sample.received_s)

    def _sample_of_ros(
        self, target: str, names: tuple[str, ...], values: tuple[float, ...], received_s: float
    ) -> None:
        self._foreign += 1
        message = InputSample(
            source=ROS, sequence=self._foreign, target=target, names=names, values=values
        )
        self._route(message, ROS, received_s)

    def _route(
        self,
        message: InputSample,
        origin: str,
        received_s: float,
        admitted: AdmittedSource | None = None,
    ) -> None:
        """Route a sample, unless it may be older than its source's time-out: after a stall of the
        loop the time of arrival is only the time at which it was read.
        """
        waited_s = self._stalls.waited_s(monotonic_s())
        source = admitted.source if admitted else message.source
        if waited_s and self._router.is_too_old(source, waited_s):
            self._router.refuse_old(message, received_s, admitted)
        else:
            self._router.sample(message, origin, received_s, admitted)
        self._settle()
