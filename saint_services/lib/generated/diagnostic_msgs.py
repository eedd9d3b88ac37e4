"""Messages of the ROS 2 package diagnostic_msgs.

Written by `make gen` from manifests/; do not edit.
"""

from collections.abc import Sequence
from typing import Any, ClassVar

from ..bus import cdr
from ..bus.message import MessageBase
from .std_msgs import Header


class KeyValue(MessageBase):
    """diagnostic_msgs/msg/KeyValue"""

    __slots__ = ("key", "value")
    TYPE: ClassVar[str] = "diagnostic_msgs/msg/KeyValue"
    HASH: ClassVar[str] = "RIHS01_d68081eaa540288c5440753baecef0c4e16e81a5f78ad68902ded5100413bb42"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("key", "string"), ("value", "string"))

    def __init__(
        self,
        key: str = "",
        value: str = "",
    ) -> None:
        self.key = key
        self.value = value


class DiagnosticStatus(MessageBase):
    """diagnostic_msgs/msg/DiagnosticStatus"""

    __slots__ = ("level", "name", "message", "hardware_id", "values")
    TYPE: ClassVar[str] = "diagnostic_msgs/msg/DiagnosticStatus"
    HASH: ClassVar[str] = "RIHS01_b0e3e692ea2d54a8af2f4ef1930e81556a2db55216b771f8a7d2724ed47bf0e4"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("level", "uint8"), ("name", "string"), ("message", "string"), ("hardware_id", "string"), ("values", cdr.Sequence(KeyValue, 0)))

    def __init__(
        self,
        level: int = 0,
        name: str = "",
        message: str = "",
        hardware_id: str = "",
        values: Sequence[KeyValue] = (),
    ) -> None:
        self.level = level
        self.name = name
        self.message = message
        self.hardware_id = hardware_id
        self.values = values


class DiagnosticArray(MessageBase):
    """diagnostic_msgs/msg/DiagnosticArray"""

    __slots__ = ("header", "status")
    TYPE: ClassVar[str] = "diagnostic_msgs/msg/DiagnosticArray"
    HASH: ClassVar[str] = "RIHS01_5a8a36efb05fb25070fa0fb3810290c0e6cd4862b54a8fb975a1ee8dc55a333e"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("header", Header), ("status", cdr.Sequence(DiagnosticStatus, 0)))

    def __init__(
        self,
        header: Header | None = None,
        status: Sequence[DiagnosticStatus] = (),
    ) -> None:
        self.header = Header() if header is None else header
        self.status = status
