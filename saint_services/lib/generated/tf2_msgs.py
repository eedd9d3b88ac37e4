"""Messages of the ROS 2 package tf2_msgs.

Written by `make gen` from manifests/; do not edit.
"""

from collections.abc import Sequence
from typing import Any, ClassVar

from ..bus import cdr
from ..bus.message import MessageBase
from .geometry_msgs import TransformStamped


class TFMessage(MessageBase):
    """tf2_msgs/msg/TFMessage"""

    __slots__ = ("transforms",)
    TYPE: ClassVar[str] = "tf2_msgs/msg/TFMessage"
    HASH: ClassVar[str] = "RIHS01_e369d0f05a23ae52508854b66f6aa0437f3449d652e8cbf22d5abe85d020f087"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("transforms", cdr.Sequence(TransformStamped, 0)),)

    def __init__(
        self,
        transforms: Sequence[TransformStamped] = (),
    ) -> None:
        self.transforms = transforms
