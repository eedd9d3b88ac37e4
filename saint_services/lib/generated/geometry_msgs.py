"""Messages of the ROS 2 package geometry_msgs.

Written by `make gen` from manifests/; do not edit.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from ..bus import cdr
from .std_msgs import Header


@dataclass(slots=True)
class Vector3:
    """geometry_msgs/msg/Vector3"""

    TYPE: ClassVar[str] = "geometry_msgs/msg/Vector3"
    HASH: ClassVar[str] = "RIHS01_cc12fe83e4c02719f1ce8070bfd14aecd40f75a96696a67a2a1f37f7dbb0765d"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("x", "float64"), ("y", "float64"), ("z", "float64"))

    x: float = 0.0
    y: float = 0.0
    z: float = 0.0


@dataclass(slots=True)
class Quaternion:
    """geometry_msgs/msg/Quaternion"""

    TYPE: ClassVar[str] = "geometry_msgs/msg/Quaternion"
    HASH: ClassVar[str] = "RIHS01_8a765f66778c8ff7c8ab94afcc590a2ed5325a1d9a076ffff38fbce36f458684"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("x", "float64"), ("y", "float64"), ("z", "float64"), ("w", "float64"))

    x: float = 0.0
    y: float = 0.0
    z: float = 0.0
    w: float = 0.0


@dataclass(slots=True)
class Transform:
    """geometry_msgs/msg/Transform"""

    TYPE: ClassVar[str] = "geometry_msgs/msg/Transform"
    HASH: ClassVar[str] = "RIHS01_beb83fbe698636351461f6f35d1abb20010c43d55374d81bd041f1ba2581fddc"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("translation", Vector3), ("rotation", Quaternion))

    translation: Vector3 = field(default_factory=Vector3)
    rotation: Quaternion = field(default_factory=Quaternion)


@dataclass(slots=True)
class Twist:
    """geometry_msgs/msg/Twist"""

    TYPE: ClassVar[str] = "geometry_msgs/msg/Twist"
    HASH: ClassVar[str] = "RIHS01_9c45bf16fe0983d80e3cfe750d6835843d265a9a6c46bd2e609fcddde6fb8d2a"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("linear", Vector3), ("angular", Vector3))

    linear: Vector3 = field(default_factory=Vector3)
    angular: Vector3 = field(default_factory=Vector3)


@dataclass(slots=True)
class Point:
    """geometry_msgs/msg/Point"""

    TYPE: ClassVar[str] = "geometry_msgs/msg/Point"
    HASH: ClassVar[str] = "RIHS01_6963084842a9b04494d6b2941d11444708d892da2f4b09843b9c43f42a7f6881"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("x", "float64"), ("y", "float64"), ("z", "float64"))

    x: float = 0.0
    y: float = 0.0
    z: float = 0.0


@dataclass(slots=True)
class Pose:
    """geometry_msgs/msg/Pose"""

    TYPE: ClassVar[str] = "geometry_msgs/msg/Pose"
    HASH: ClassVar[str] = "RIHS01_d501954e9476cea2996984e812054b68026ae0bfae789d9a10b23daf35cc90fa"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("position", Point), ("orientation", Quaternion))

    position: Point = field(default_factory=Point)
    orientation: Quaternion = field(default_factory=Quaternion)


@dataclass(slots=True)
class PoseWithCovariance:
    """geometry_msgs/msg/PoseWithCovariance"""

    TYPE: ClassVar[str] = "geometry_msgs/msg/PoseWithCovariance"
    HASH: ClassVar[str] = "RIHS01_9a7c0fd234b7f45c6098745ecccd773ca1085670e64107135397aee31c02e1bb"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("pose", Pose), ("covariance", cdr.Array("float64", 36)))

    pose: Pose = field(default_factory=Pose)
    covariance: Sequence[float] = (0.0,) * 36


@dataclass(slots=True)
class TwistWithCovariance:
    """geometry_msgs/msg/TwistWithCovariance"""

    TYPE: ClassVar[str] = "geometry_msgs/msg/TwistWithCovariance"
    HASH: ClassVar[str] = "RIHS01_49f574f033f095d8b6cd1beaca5ca7925e296e84af1716d16c89d38b059c8c18"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("twist", Twist), ("covariance", cdr.Array("float64", 36)))

    twist: Twist = field(default_factory=Twist)
    covariance: Sequence[float] = (0.0,) * 36


@dataclass(slots=True)
class TransformStamped:
    """geometry_msgs/msg/TransformStamped"""

    TYPE: ClassVar[str] = "geometry_msgs/msg/TransformStamped"
    HASH: ClassVar[str] = "RIHS01_0a241f87d04668d94099cbb5ba11691d5ad32c2f29682e4eb5653424bd275206"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("header", Header), ("child_frame_id", "string"), ("transform", Transform))

    header: Header = field(default_factory=Header)
    child_frame_id: str = ""
    transform: Transform = field(default_factory=Transform)
