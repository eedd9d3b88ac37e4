"""Messages of the ROS 2 package tf2_msgs.

Written by `make gen` from manifests/; do not edit.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from ..bus import cdr
from .geometry_msgs import TransformStamped


@dataclass(slots=True)
class TFMessage:
    """tf2_msgs/msg/TFMessage"""

    TYPE: ClassVar[str] = "tf2_msgs/msg/TFMessage"
    HASH: ClassVar[str] = "RIHS01_e369d0f05a23ae52508854b66f6aa0437f3449d652e8cbf22d5abe85d020f087"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("transforms", cdr.Sequence(TransformStamped, 0)),)

    transforms: Sequence[TransformStamped] = ()
