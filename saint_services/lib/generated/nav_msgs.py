"""Messages of the ROS 2 package nav_msgs.

Written by `make gen` from manifests/; do not edit.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from ..bus import cdr
from .geometry_msgs import PoseWithCovariance, TwistWithCovariance
from .std_msgs import Header


@dataclass(slots=True)
class Odometry:
    """nav_msgs/msg/Odometry"""

    TYPE: ClassVar[str] = "nav_msgs/msg/Odometry"
    HASH: ClassVar[str] = "RIHS01_3cc97dc7fb7502f8714462c526d369e35b603cfc34d946e3f2eda2766dfec6e0"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("header", Header), ("child_frame_id", "string"), ("pose", PoseWithCovariance), ("twist", TwistWithCovariance))

    header: Header = field(default_factory=Header)
    child_frame_id: str = ""
    pose: PoseWithCovariance = field(default_factory=PoseWithCovariance)
    twist: TwistWithCovariance = field(default_factory=TwistWithCovariance)
