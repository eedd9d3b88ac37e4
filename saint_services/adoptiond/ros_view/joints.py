"""Puts the positions that the roles state together to one set of all joints of the model, and
computes the transforms of its links. Pure. Not here: topics (publisher.py).
"""

from collections.abc import Iterable, Iterator
from math import radians

from ...lib.bus.names import frame
from ...lib.generated.builtin_interfaces import Time
from ...lib.generated.geometry_msgs import Quaternion, Transform, TransformStamped, Vector3
from ...lib.generated.nav_msgs import Odometry
from ...lib.generated.sensor_msgs import JointState
from ...lib.generated.std_msgs import Header
from ...lib.generated.tf2_msgs import TFMessage
from ...lib.kinematics.poses import Pose, origin, quaternion
from ...lib.kinematics.tree import moved, value
from ...lib.role_config.body import Body, BodyLink


class JointBook:
    """The newest position of every movable joint. One that nobody states stands at its neutral
    position, so that the whole robot can be drawn."""

    def __init__(self, body: Body, wheels: dict[str, tuple[str, float]] | None = None) -> None:
        """`wheels`: of a track's motor, by "left_motor" or "right_motor": joint and radius in m."""
        self._body = body
        self._links = {link.joint: link for link in body.links if link.joint}
        self._movable = [link for link in body.links if link.joint and link.kind != "fixed"]
        self._wheels = wheels or {}
        self._positions: dict[str, float] = {}
        self._origins = {link.name: origin(link.xyz, link.rpy) for link in body.links}
        self._odometry_s = 0.0

    def see_angles(self, target: str, state: JointState) -> None:
        """Accept the joints of a role, in radians."""
        role = self._body.roles.get(target)
        prefix = target.replace(".", "_") + "_"
        for name, position in zip(state.name, state.position, strict=False):
            if role and (joint := role.angles.get(name.removeprefix(prefix))):
                self._positions[joint] = position

    def see_joints(self, state: JointState) -> None:
        """Accept joints by their names in the model, in radians."""
        known = {link.joint for link in self._movable}
        for name, position in zip(state.name, state.position, strict=False):
            if name in known:
                self._positions[name] = position

    def see_share(self, target: str, field: str, share: float) -> None:
        """Accept a field from 0 to 1; NaN says nothing."""
        role = self._body.roles.get(target)
        joint = role.shares.get(field) if role else None
        if joint and share == share:
            low, high = self._links[joint].limits
            self._positions[joint] = low + share * (high - low)

    def see_part(self, target: str, field: str, value: float) -> None:
        """Accept a part in its own unit; NaN says nothing."""
        role = self._body.roles.get(target)
        if role and (joint := role.angles.get(field)) and value == value:
            self._positions[joint] = radians(value)
        else:
            self.see_share(target, field, value)

    def see_odometry(self, odometry: Odometry, width_m: float) -> None:
        """Turn the sprockets by the way that their tracks went."""
        at = odometry.header.stamp
        now_s = at.sec + at.nanosec / 1e9
        elapsed_s, self._odometry_s = now_s - self._odometry_s, now_s
        if not 0.0 < elapsed_s < 1.0:
            return
        forward, turning = odometry.twist.twist.linear.x, odometry.twist.twist.angular.z
        for side, sign in (("left_motor", -1.0), ("right_motor", 1.0)):
            if side in self._wheels:
                joint, radius_m = self._wheels[side]
                way_m = (forward + sign * turning * width_m / 2.0) * elapsed_s
                self._positions[joint] = self._positions.get(joint, 0.0) + way_m / radius_m

    def joint_state(self, stamp: Time) -> JointState:
        """Return all movable joints, those that mimic others too."""
        positions = tuple(value(link, self._positions) for link in self._movable)
        names = tuple(link.joint for link in self._movable)
        return JointState(Header(stamp=stamp), names, positions, (), ())

    def moving(self, stamp: Time) -> TFMessage:
        """Return the transforms of the links that a joint moves."""
        return self._transforms(self._movable, stamp)

    def fixed(self, stamp: Time) -> TFMessage:
        """Return the transforms of the links that do not move: sensors, mounts."""
        return self._transforms(
            (each for each in self._body.links if each.parent and each.kind == "fixed"), stamp
        )

    def _transforms(self, links: Iterable[BodyLink], stamp: Time) -> TFMessage:
        return TFMessage(tuple(self._each(links, stamp)))

    def _each(self, links: Iterable[BodyLink], stamp: Time) -> Iterator[TransformStamped]:
        for link in links:
            pose = moved(self._origins[link.name], link, value(link, self._positions))
            header = Header(stamp=stamp, frame_id=frame(link.parent))
            yield TransformStamped(header, frame(link.name), _transform(pose))


def _transform(pose: Pose) -> Transform:
    return Transform(Vector3(*pose[9:]), Quaternion(*quaternion(pose)))
