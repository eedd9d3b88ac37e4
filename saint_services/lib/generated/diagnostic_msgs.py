"""Messages of the ROS 2 package diagnostic_msgs.

Written by `make gen` from manifests/; do not edit.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from ..bus import cdr
from .std_msgs import Header


@dataclass(slots=True)
class KeyValue:
    """diagnostic_msgs/msg/KeyValue"""

    TYPE: ClassVar[str] = "diagnostic_msgs/msg/KeyValue"
    HASH: ClassVar[str] = "RIHS01_d68081eaa540288c5440753baecef0c4e16e81a5f78ad68902ded5100413bb42"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("key", "string"), ("value", "string"))

    key: str = ""
    value: str = ""


@dataclass(slots=True)
class DiagnosticStatus:
    """diagnostic_msgs/msg/DiagnosticStatus"""

    TYPE: ClassVar[str] = "diagnostic_msgs/msg/DiagnosticStatus"
    HASH: ClassVar[str] = "RIHS01_b0e3e692ea2d54a8af2f4ef1930e81556a2db55216b771f8a7d2724ed47bf0e4"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("level", "uint8"), ("name", "string"), ("message", "string"), ("hardware_id", "string"), ("values", cdr.Sequence(KeyValue, 0)))

    level: int = 0
    name: str = ""
    message: str = ""
    hardware_id: str = ""
    values: Sequence[KeyValue] = ()


@dataclass(slots=True)
class DiagnosticArray:
    """diagnostic_msgs/msg/DiagnosticArray"""

    TYPE: ClassVar[str] = "diagnostic_msgs/msg/DiagnosticArray"
    HASH: ClassVar[str] = "RIHS01_5a8a36efb05fb25070fa0fb3810290c0e6cd4862b54a8fb975a1ee8dc55a333e"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("header", Header), ("status", cdr.Sequence(DiagnosticStatus, 0)))

    header: Header = field(default_factory=Header)
    status: Sequence[DiagnosticStatus] = ()
