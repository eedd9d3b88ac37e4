"""Messages of the ROS 2 package std_msgs.

Written by `make gen` from manifests/; do not edit.
"""

from collections.abc import Sequence
from typing import Any, ClassVar

from ..bus import cdr
from ..bus.message import MessageBase
from .builtin_interfaces import Time


class Header(MessageBase):
    """std_msgs/msg/Header"""

    __slots__ = ("stamp", "frame_id")
    TYPE: ClassVar[str] = "std_msgs/msg/Header"
    HASH: ClassVar[str] = "RIHS01_f49fb3ae2cf070f793645ff749683ac6b06203e41c891e17701b1cb597ce6a01"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("stamp", Time), ("frame_id", "string"))

    def __init__(
        self,
        stamp: Time | None = None,
        frame_id: str = "",
    ) -> None:
        self.stamp = Time() if stamp is None else stamp
        self.frame_id = frame_id


class Bool(MessageBase):
    """std_msgs/msg/Bool"""

    __slots__ = ("data",)
    TYPE: ClassVar[str] = "std_msgs/msg/Bool"
    HASH: ClassVar[str] = "RIHS01_feb91e995ff9ebd09c0cb3d2aed18b11077585839fb5db80193b62d74528f6c9"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("data", "bool"),)

    def __init__(
        self,
        data: bool = False,
    ) -> None:
        self.data = data


class Empty(MessageBase):
    """std_msgs/msg/Empty"""

    __slots__ = ("structure_needs_at_least_one_member",)
    TYPE: ClassVar[str] = "std_msgs/msg/Empty"
    HASH: ClassVar[str] = "RIHS01_20b625256f32d5dbc0d04fee44f43c41e51c70d3502f84b4a08e7a9c26a96312"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("structure_needs_at_least_one_member", "uint8"),)

    def __init__(
        self,
        structure_needs_at_least_one_member: int = 0,
    ) -> None:
        self.structure_needs_at_least_one_member = structure_needs_at_least_one_member


class String(MessageBase):
    """std_msgs/msg/String"""

    __slots__ = ("data",)
    TYPE: ClassVar[str] = "std_msgs/msg/String"
    HASH: ClassVar[str] = "RIHS01_df668c740482bbd48fb39d76a70dfd4bd59db1288021743503259e948f6b1a18"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("data", "string"),)

    def __init__(
        self,
        data: str = "",
    ) -> None:
        self.data = data
