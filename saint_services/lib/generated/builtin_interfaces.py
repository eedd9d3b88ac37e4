"""Messages of the ROS 2 package builtin_interfaces.

Written by `make gen` from manifests/; do not edit.
"""

from collections.abc import Sequence
from typing import Any, ClassVar

from ..bus import cdr
from ..bus.message import MessageBase


class Time(MessageBase):
    """builtin_interfaces/msg/Time"""

    __slots__ = ("sec", "nanosec")
    TYPE: ClassVar[str] = "builtin_interfaces/msg/Time"
    HASH: ClassVar[str] = "RIHS01_b106235e25a4c5ed35098aa0a61a3ee9c9b18d197f398b0e4206cea9acf9c197"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("sec", "int32"), ("nanosec", "uint32"))

    def __init__(
        self,
        sec: int = 0,
        nanosec: int = 0,
    ) -> None:
        self.sec = sec
        self.nanosec = nanosec
