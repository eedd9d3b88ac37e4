"""Builds the messages of a base's odometry. Not here: the arithmetic (odometry.py)."""

from ...bus.names import frame
from ...generated.builtin_interfaces import Time
from ...generated.geometry_msgs import (
    Point,
    Pose,
    PoseWithCovariance,
    Quaternion,
    Transform,
    TransformStamped,
    Twist,
    TwistWithCovariance,
    Vector3,
)
from ...generated.nav_msgs import Odometry
from ...generated.std_msgs import Header
from ...generated.tf2_msgs import TFMessage
from .odometry import Odometer

ODOM, BASE = frame("odom"), frame("base_link")  # REP 105
_FLOOR = 1e-6  # variance before anything was driven
_UNKNOWN = 1e6  # variance of what wheels cannot measure
# Variances of forward speed and turning: encoder counts over 100 ms, and slip.
_SPEED, _TURNING = 1e-3, 1e-2


def odometry(stamp: Time, odometer: Odometer, forward_mps: float, turning_radps: float) -> Odometry:
    """Build the odometry: pose and speed."""
    z, w = odometer.quaternion_zw()
    pose = Pose(Point(odometer.x_m, odometer.y_m, 0.0), Quaternion(0.0, 0.0, z, w))
    twist = Twist(Vector3(forward_mps, 0.0, 0.0), Vector3(0.0, 0.0, turning_radps))
    return Odometry(
        header=Header(stamp=stamp, frame_id=ODOM),
        child_frame_id=BASE,
        pose=PoseWithCovariance(pose, odometer.covariance.rows(_FLOOR, _UNKNOWN)),
        twist=TwistWithCovariance(twist, _TWIST),
    )


def transform(stamp: Time, odometer: Odometer) -> TFMessage:
    """Build the transform of the same pose for tf2."""
    z, w = odometer.quaternion_zw()
    place = Transform(Vector3(odometer.x_m, odometer.y_m, 0.0), Quaternion(0.0, 0.0, z, w))
    return TFMessage((TransformStamped(Header(stamp=stamp, frame_id=ODOM), BASE, place),))


def _diagonal(*variances: float) -> tuple[float, ...]:
    return tuple(
        variance if row == column else 0.0
        for row, variance in enumerate(variances)
        for column in range(len(variances))
    )


_TWIST = _diagonal(_SPEED, _UNKNOWN, _UNKNOWN, _UNKNOWN, _UNKNOWN, _TURNING)
