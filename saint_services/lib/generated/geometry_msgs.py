"""Messages of the ROS 2 package geometry_msgs.

Written by `make gen` from manifests/; do not edit.
"""

from collections.abc import Sequence
from typing import Any, ClassVar

from ..bus import cdr
from ..bus.message import MessageBase
from .std_msgs import Header


class Vector3(MessageBase):
    """geometry_msgs/msg/Vector3"""

    __slots__ = ("x", "y", "z")
    TYPE: ClassVar[str] = "geometry_msgs/msg/Vector3"
    HASH: ClassVar[str] = "RIHS01_cc12fe83e4c02719f1ce8070bfd14aecd40f75a96696a67a2a1f37f7dbb0765d"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("x", "float64"), ("y", "float64"), ("z", "float64"))

    def __init__(
        self,
        x: float = 0.0,
        y: float = 0.0,
        z: float = 0.0,
    ) -> None:
        self.x = x
        self.y = y
        self.z = z


class Quaternion(MessageBase):
    """geometry_msgs/msg/Quaternion"""

    __slots__ = ("x", "y", "z", "w")
    TYPE: ClassVar[str] = "geometry_msgs/msg/Quaternion"
    HASH: ClassVar[str] = "RIHS01_8a765f66778c8ff7c8ab94afcc590a2ed5325a1d9a076ffff38fbce36f458684"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("x", "float64"), ("y", "float64"), ("z", "float64"), ("w", "float64"))

    def __init__(
        self,
        x: float = 0.0,
        y: float = 0.0,
        z: float = 0.0,
        w: float = 0.0,
    ) -> None:
        self.x = x
        self.y = y
        self.z = z
        self.w = w


class Transform(MessageBase):
    """geometry_msgs/msg/Transform"""

    __slots__ = ("translation", "rotation")
    TYPE: ClassVar[str] = "geometry_msgs/msg/Transform"
    HASH: ClassVar[str] = "RIHS01_beb83fbe698636351461f6f35d1abb20010c43d55374d81bd041f1ba2581fddc"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("translation", Vector3), ("rotation", Quaternion))

    def __init__(
        self,
        translation: Vector3 | None = None,
        rotation: Quaternion | None = None,
    ) -> None:
        self.translation = Vector3() if translation is None else translation
        self.rotation = Quaternion() if rotation is None else rotation


class Twist(MessageBase):
    """geometry_msgs/msg/Twist"""

    __slots__ = ("linear", "angular")
    TYPE: ClassVar[str] = "geometry_msgs/msg/Twist"
    HASH: ClassVar[str] = "RIHS01_9c45bf16fe0983d80e3cfe750d6835843d265a9a6c46bd2e609fcddde6fb8d2a"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("linear", Vector3), ("angular", Vector3))

    def __init__(
        self,
        linear: Vector3 | None = None,
        angular: Vector3 | None = None,
    ) -> None:
        self.linear = Vector3() if linear is None else linear
        self.angular = Vector3() if angular is None else angular


class Point(MessageBase):
    """geometry_msgs/msg/Point"""

    __slots__ = ("x", "y", "z")
    TYPE: ClassVar[str] = "geometry_msgs/msg/Point"
    HASH: ClassVar[str] = "RIHS01_6963084842a9b04494d6b2941d11444708d892da2f4b09843b9c43f42a7f6881"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("x", "float64"), ("y", "float64"), ("z", "float64"))

    def __init__(
        self,
        x: float = 0.0,
        y: float = 0.0,
        z: float = 0.0,
    ) -> None:
        self.x = x
        self.y = y
        self.z = z


class Pose(MessageBase):
    """geometry_msgs/msg/Pose"""

    __slots__ = ("position", "orientation")
    TYPE: ClassVar[str] = "geometry_msgs/msg/Pose"
    HASH: ClassVar[str] = "RIHS01_d501954e9476cea2996984e812054b68026ae0bfae789d9a10b23daf35cc90fa"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("position", Point), ("orientation", Quaternion))

    def __init__(
        self,
        position: Point | None = None,
        orientation: Quaternion | None = None,
    ) -> None:
        self.position = Point() if position is None else position
        self.orientation = Quaternion() if orientation is None else orientation


class PoseWithCovariance(MessageBase):
    """geometry_msgs/msg/PoseWithCovariance"""

    __slots__ = ("pose", "covariance")
    TYPE: ClassVar[str] = "geometry_msgs/msg/PoseWithCovariance"
    HASH: ClassVar[str] = "RIHS01_9a7c0fd234b7f45c6098745ecccd773ca1085670e64107135397aee31c02e1bb"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("pose", Pose), ("covariance", cdr.Array("float64", 36)))

    def __init__(
        self,
        pose: Pose | None = None,
        covariance: Sequence[float] = (0.0,) * 36,
    ) -> None:
        self.pose = Pose() if pose is None else pose
        self.covariance = covariance


class TwistWithCovariance(MessageBase):
    """geometry_msgs/msg/TwistWithCovariance"""

    __slots__ = ("twist", "covariance")
    TYPE: ClassVar[str] = "geometry_msgs/msg/TwistWithCovariance"
    HASH: ClassVar[str] = "RIHS01_49f574f033f095d8b6cd1beaca5ca7925e296e84af1716d16c89d38b059c8c18"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("twist", Twist), ("covariance", cdr.Array("float64", 36)))

    def __init__(
        self,
        twist: Twist | None = None,
        covariance: Sequence[float] = (0.0,) * 36,
    ) -> None:
        self.twist = Twist() if twist is None else twist
        self.covariance = covariance


class TransformStamped(MessageBase):
    """geometry_msgs/msg/TransformStamped"""

    __slots__ = ("header", "child_frame_id", "transform")
    TYPE: ClassVar[str] = "geometry_msgs/msg/TransformStamped"
    HASH: ClassVar[str] = "RIHS01_0a241f87d04668d94099cbb5ba11691d5ad32c2f29682e4eb5653424bd275206"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("header", Header), ("child_frame_id", "string"), ("transform", Transform))

    def __init__(
        self,
        header: Header | None = None,
        child_frame_id: str = "",
        transform: Transform | None = None,
    ) -> None:
        self.header = Header() if header is None else header
        self.child_frame_id = child_frame_id
        self.transform = Transform() if transform is None else transform
