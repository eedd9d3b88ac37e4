"""Connects the joints of a role with the robot's body: their units with radians and metres, and the
states of other roles with the shapes that these move. Not here: what may come how close
(lib/kinematics/clearance.py).
"""

from collections import defaultdict
from collections.abc import Callable, Mapping
from math import degrees, radians

from ...bus import Topic
from ...errors import Code, SaintError
from ...generated.sensor_msgs import JointState
from ...generated.topics import ARM_JOINT_STATES, HEAD_JOINT_STATES, PARTS_JOINT_STATES
from ...kinematics.clearance import Clearance
from ...kinematics.others import ABSENT_S
from ...role_config.body import Body
from ...role_config.fields import FieldSpec
from ...role_config.model import RoleConfig

_SAME_DEG = 0.06  # limits in a model have four digits, in rad


class BodyRoom:
    """Where the joints of a role may go, in the units of their fields."""

    def __init__(self, body: Body, config: RoleConfig) -> None:
        target = config.target
        role = body.roles[target]
        self._clearance = Clearance(body, target)
        self._margin_mm = body.margin_m * 1000.0
        links = {link.joint: link for link in body.links}
        self._scales = {name: (0.0, radians(1.0)) for name in role.angles}
        for name, joint in role.shares.items():
            low, high = links[joint].limits
            self._scales[name] = (low, high - low)
        self._body = body
        self._writers: dict[str, dict[str, float]] = defaultdict(dict)  # of a role, when last
        # Reads the states of other roles that have arrived; called before each check.
        self.read: Callable[[], None] = lambda: None
        self.others = tuple(
            name for name, other in body.roles.items() if name != target and other.angles
        )

    def put(self, values: Mapping[str, float]) -> None:
        """Accept where joints are, without a check."""
        self._clearance.put(self._in_body(values))

    def admit(self, values: Mapping[str, float], now_s: float) -> dict[str, float]:
        """Return how far joints may go. Those without a part of the body go where they want."""
        self.read()
        wanted = self._in_body(values)
        admitted = self._clearance.admit(wanted, now_s)
        return {
            name: value if admitted.get(name) == wanted.get(name) else self._value(name, admitted)
            for name, value in values.items()
        }

    @property
    def reason(self) -> str:
        """Why joints were stopped in the last step; empty when none was."""
        if not self._clearance.blocked:
            return ""
        a, b = (name.replace("_", " ") for name in self._clearance.blocked)
        return f"{a} would come closer than {self._margin_mm:g} mm to {b}"

    def see(self, target: str, state: JointState, received_s: float, origin: str = "") -> bool:
        """Accept the joints of another role from the participant `origin`. Returns whether they
        count, which they do from one participant alone: with two, nobody knows which is this
        robot's, and the role counts as one that says nothing.
        """
        writers = self._writers[target]
        writers[origin] = received_s
        for name in [name for name, last_s in writers.items() if received_s - last_s > ABSENT_S]:
            del writers[name]
        if len(writers) > 1:
            return False
        prefix = target.replace(".", "_")
        angles = self._body.roles[target].angles
        given = dict(zip(state.name, state.position, strict=False))
        known = {joint: given.get(f"{prefix}_{name}") for name, joint in angles.items()}
        positions = {joint: value for joint, value in known.items() if value is not None}
        return self._clearance.see(target, positions, received_s)

    def _in_body(self, values: Mapping[str, float]) -> dict[str, float]:
        scales = self._scales
        return {
            name: scales[name][0] + value * scales[name][1]
            for name, value in values.items()
            if name in scales
        }

    def _value(self, name: str, admitted: Mapping[str, float]) -> float:
        first, scale = self._scales[name]
        return (admitted[name] - first) / scale


def states_of(target: str) -> Topic[JointState]:
    """Return the topic on which a role publishes its joints."""
    role, _, instance = target.partition(".")
    if role == "parts":
        return PARTS_JOINT_STATES.at(instance=instance)
    return ARM_JOINT_STATES.at(instance=instance) if role == "arms" else HEAD_JOINT_STATES


def within_body(body: Body | None, target: str, name: str, field: FieldSpec) -> FieldSpec:
    """Return a field whose limits are narrowed to those of its joint, never widened. The pulses of
    its servo stay those of the field's own limits.
    """
    joint = body.roles[target].angles.get(name) if body else None
    link = next((each for each in body.links if each.joint == joint), None) if body else None
    if joint is None or link is None or link.kind != "revolute":
        return field
    low, high = map(degrees, link.limits)
    own_low, own_high = field.limits
    limits = (
        low if low > own_low + _SAME_DEG else own_low,
        high if high < own_high - _SAME_DEG else own_high,
    )
    if limits[0] >= limits[1]:
        raise SaintError(
            Code.CONFIG_INVALID, f"{name} and its joint {joint} have no range in common"
        )
    neutral = min(max(field.neutral, limits[0]), limits[1])
    park = None if field.park is None else min(max(field.park, limits[0]), limits[1])
    return field.model_copy(update={"limits": limits, "neutral": neutral, "park": park})
