"""The parts of one role: obeys the command that names them, and publishes their state. A role
without a PartCommand in its configuration has none, and nothing here costs it anything.
"""

from collections import Counter
from collections.abc import Callable
from math import isinf, isnan, nan

from ...clock import stamp
from ...generated.saint_msgs import PartCommand, PartState
from ...hw.ports import Board
from ...hw.sensors.polling import Sensors
from ...role_config.model import RoleConfig
from ...role_config.part_topics import has_parts
from ...role_config.parts import parts_of
from ..motion.joints import Joint, Joints
from ..timers import Clock
from .outputs import PartOutput, PartOutputs
from .readings import PartReadings


class RoleParts:
    """What of a role travels by name: joints, other outputs, readings."""

    def __init__(
        self,
        config: RoleConfig,
        joints: Joints,
        outputs: PartOutputs,
        counters: Counter[str],
    ) -> None:
        self._config = config
        self._joints = joints
        self._outputs = outputs
        self._counters = counters
        self._fields = parts_of(config)
        self.readings = PartReadings(config, has_inputs=config.role == "parts")
        self._known: tuple[str, ...] = ()  # the names of the newest command
        self._plan: list[Joint | PartOutput | None] = []  # of its values
        self._unnamed: list[PartOutput] = []  # what it does not name, and must not go on

    @property
    def is_wanted(self) -> bool:
        """Whether the role has parts."""
        return has_parts(self._config)

    def open(self, board: Board, clock: Clock) -> None:
        """Open outputs, buttons and encoders. Raises SaintError."""
        self._outputs.open(board)
        assert self._outputs.opener
        self.readings.open(board, self._outputs.opener.drives, clock, self._joints.bus_servos)

    def obey(self, message: PartCommand, now_s: float) -> bool:
        """Obey a command: all of it, or nothing (False) when it is malformed. A velocity or switch
        that it leaves out, or gives no number, rests: what moves is commanded by name."""
        names, values = tuple(message.names), message.values
        if len(names) != len(values) or any(map(isinf, values)):
            return False
        if names != self._known and not self._learn(names):
            return False
        for output in self._unnamed:
            self._outputs.aim(output, 0.0)
        for part, value in zip(self._plan, values, strict=True):
            if isinstance(part, Joint):
                if not isnan(value):
                    self._joints.aim(part, value)
            elif part and not isnan(value):
                self._outputs.aim(part, value)
            elif part and part.field.rests_at_zero:
                self._outputs.aim(part, 0.0)
        self._outputs.step(now_s)
        self._joints.step(now_s)
        return True

    def sender(
        self, publish: Callable[[PartState], None], sensors: Callable[[], Sensors | None]
    ) -> Callable[[], None]:
        """Return a function that publishes the state now."""
        names = tuple(self._fields)
        units = tuple(field.unit for field in self._fields.values())
        readings = self.readings

        def send() -> None:
            values = tuple(self._applied(name) for name in names)
            measured = readings.values(sensors())
            publish(
                PartState(stamp(), names, values, units, readings.names, measured, readings.units)
            )

        return send

    def _applied(self, name: str) -> float:
        joint = self._joints.by_name.get(name)
        if joint:
            if not joint.output.is_ready:
                return joint.place
            return joint.axis.applied if joint.is_driven or joint.was_found else nan
        output = self._outputs.by_name.get(name)
        return output.applied if output else nan

    def _learn(self, names: tuple[str, ...]) -> bool:
        """Look up the names of a command, which are the same in every further one. Returns False
        for a name that stands twice. An unknown one may be of a newer configuration."""
        if len(set(names)) != len(names):
            return False
        joints, outputs = self._joints.by_name, self._outputs.by_name
        own = self._fields
        self._plan = [
            (joints.get(name) or outputs.get(name)) if name in own else None for name in names
        ]
        self._counters["parts_unknown"] += self._plan.count(None)
        self._unnamed = [
            each for name, each in outputs.items() if name not in names and each.field.rests_at_zero
        ]
        self._known = names
        return True
