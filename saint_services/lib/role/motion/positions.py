"""Base of the roles whose outputs are positions: commands name joints, every joint is a servo.
Joints go home once after the start, and are published as sensor_msgs/JointState in radians.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial
from math import isfinite, isinf, isnan, radians

from ...bus import PolledSubscription, Sample, Topic
from ...clock import stamp
from ...errors import Code, SaintError
from ...generated.sensor_msgs import JointState
from ...generated.std_msgs import Header
from ...role_config.model import RoleConfig
from ..session import RoleSession
from ..timers import Clock
from .body_room import states_of
from .homing import PERIOD_S, Homecoming
from .joints import Joint, speeds

_STATE_S = 0.05
# States of another role that wait to be read; two roles of one name may send them.
_MOST_STATES = 10


class PositionSession(RoleSession):
    """A role of joints. NaN in a command leaves a joint where it is."""

    def __init__(
        self, config: RoleConfig, node_id: str, clock: Clock, counters: Counter[str] | None = None
    ) -> None:
        super().__init__(config, node_id, clock, counters)
        self._others: list[PolledSubscription] = []
        self._others_read_s = clock.time()

    def joint(self, command: str, path: str) -> Joint:
        """Return the joint that a field of a command message drives. Raises SaintError."""
        try:
            return self.joints.of(command)[path]
        except KeyError:
            message = f"no field of the manifest drives {path} of {command}"
            raise SaintError(Code.CONFIG_INVALID, message) from None

    def see_others(self) -> None:
        """Keep clear of what other roles move, where the configuration has the robot's body. Their
        states wake nothing: they are read before each step that needs them, and regularly.
        """
        room = self.joints.room
        if room is None:
            return
        for target in room.others:
            self._others.append(
                self.poll(states_of(target), partial(self._see, target), _MOST_STATES)
            )
        room.read = self._read_others
        self.every(_STATE_S, self._read_others)

    def _read_others(self) -> None:
        now_s = self.clock.time()
        for other in self._others:
            other.read()
        self._others_read_s = now_s

    def _see(self, target: str, sample: Sample[JointState]) -> None:
        """Accept a state. It arrived after the last reading, so it counts as that old: an older
        state allows less."""
        room = self.joints.room
        received_s = min(sample.received_s, self._others_read_s)
        if room and room.see(target, sample.message, received_s, sample.origin):
            self.joints.look_again(self.clock.time())

    @property
    def waiting(self) -> str:
        """Why joints stand before their targets, in words; empty when none does."""
        names = ", ".join(self.joints.waiting)
        reasons = [f"{names}: stopped by collision_limits"] if names else []
        return "; ".join(reasons + [f"{n}: {why}" for n, why in self.joints.stopped.items()])

    def go_home(self) -> None:
        """Move joints home once, where the manifest has `homing`."""
        if self.config.homing:
            coming = Homecoming(self.config.homing, self.joints, self.gate)
            self.every(PERIOD_S, lambda: coming.look(self.clock.time()))

    def publish_joints(
        self,
        topic: Topic[JointState],
        efforts: Callable[[list[Joint]], tuple[float, ...]] = lambda _: (),
    ) -> None:
        """Publish the joints that turn, by the names of the robot's URDF."""
        turning = [each for each in self.joints.by_name.values() if each.unit == "deg"]
        prefix = self.config.target.replace(".", "_")
        names = {each.name: f"{prefix}_{each.name}" for each in turning}
        before: dict[str, float] = {}
        publish = self.publisher(topic)

        def send() -> None:
            known = [each for each in turning if not isnan(each.place)]
            velocities = tuple(map(radians, speeds(known, before, _STATE_S)))
            positions = tuple(radians(each.place) for each in known)
            named = tuple(names[each.name] for each in known)
            publish(JointState(Header(stamp=stamp()), named, positions, velocities, efforts(known)))
            self._name_unplaced()

        self.every(_STATE_S, send)

    def _name_unplaced(self) -> None:
        lost: dict[str, list[str]] = {}
        for each in self.joints.by_name.values():
            if not each.output.is_ready and isnan(each.place):
                lost.setdefault(each.output.missing, []).append(each.name)
        texts = [f"{', '.join(names)}: {why}" for why, names in lost.items()]
        self.notice("homing", "; ".join(texts))

    def move(
        self,
        wanted: Iterable[tuple[Joint, float]],
        now_s: float,
        share: float = 1.0,
        *,
        is_immediate: bool = False,
    ) -> bool:
        """Obey a command: all of it, or nothing (False) when a number in it is infinite."""
        aims = [(joint, value) for joint, value in wanted if not isnan(value)]
        if not isfinite(share) or any(isinf(value) for _, value in aims):
            return False
        for joint, value in aims:
            self.joints.aim(joint, value, min(max(share, 0.0), 1.0))
            if is_immediate:
                joint.axis.override()
        self.joints.step(now_s)
        return True
