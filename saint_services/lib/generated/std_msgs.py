"""Messages of the ROS 2 package std_msgs.

Written by `make gen` from manifests/; do not edit.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from ..bus import cdr
from .builtin_interfaces import Time


@dataclass(slots=True)
class Header:
    """std_msgs/msg/Header"""

    TYPE: ClassVar[str] = "std_msgs/msg/Header"
    HASH: ClassVar[str] = "RIHS01_f49fb3ae2cf070f793645ff749683ac6b06203e41c891e17701b1cb597ce6a01"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("stamp", Time), ("frame_id", "string"))

    stamp: Time = field(default_factory=Time)
    frame_id: str = ""


@dataclass(slots=True)
class Bool:
    """std_msgs/msg/Bool"""

    TYPE: ClassVar[str] = "std_msgs/msg/Bool"
    HASH: ClassVar[str] = "RIHS01_feb91e995ff9ebd09c0cb3d2aed18b11077585839fb5db80193b62d74528f6c9"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("data", "bool"),)

    data: bool = False


@dataclass(slots=True)
class Empty:
    """std_msgs/msg/Empty"""

    TYPE: ClassVar[str] = "std_msgs/msg/Empty"
    HASH: ClassVar[str] = "RIHS01_20b625256f32d5dbc0d04fee44f43c41e51c70d3502f84b4a08e7a9c26a96312"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("structure_needs_at_least_one_member", "uint8"),)

    structure_needs_at_least_one_member: int = 0


@dataclass(slots=True)
class String:
    """std_msgs/msg/String"""

    TYPE: ClassVar[str] = "std_msgs/msg/String"
    HASH: ClassVar[str] = "RIHS01_df668c740482bbd48fb39d76a70dfd4bd59db1288021743503259e948f6b1a18"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("data", "string"),)

    data: str = ""
