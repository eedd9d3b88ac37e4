"""Messages of the ROS 2 package nav_msgs.

Written by `make gen` from manifests/; do not edit.
"""

from collections.abc import Sequence
from typing import Any, ClassVar

from ..bus import cdr
from ..bus.message import MessageBase
from .geometry_msgs import PoseWithCovariance, TwistWithCovariance
from .std_msgs import Header


class Odometry(MessageBase):
    """nav_msgs/msg/Odometry"""

    __slots__ = ("header", "child_frame_id", "pose", "twist")
    TYPE: ClassVar[str] = "nav_msgs/msg/Odometry"
    HASH: ClassVar[str] = "RIHS01_3cc97dc7fb7502f8714462c526d369e35b603cfc34d946e3f2eda2766dfec6e0"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("header", Header), ("child_frame_id", "string"), ("pose", PoseWithCovariance), ("twist", TwistWithCovariance))

    def __init__(
        self,
        header: Header | None = None,
        child_frame_id: str = "",
        pose: PoseWithCovariance | None = None,
        twist: TwistWithCovariance | None = None,
    ) -> None:
        self.header = Header() if header is None else header
        self.child_frame_id = child_frame_id
        self.pose = PoseWithCovariance() if pose is None else pose
        self.twist = TwistWithCovariance() if twist is None else twist
