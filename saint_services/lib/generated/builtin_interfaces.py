"""Messages of the ROS 2 package builtin_interfaces.

Written by `make gen` from manifests/; do not edit.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from ..bus import cdr


@dataclass(slots=True)
class Time:
    """builtin_interfaces/msg/Time"""

    TYPE: ClassVar[str] = "builtin_interfaces/msg/Time"
    HASH: ClassVar[str] = "RIHS01_b106235e25a4c5ed35098aa0a61a3ee9c9b18d197f398b0e4206cea9acf9c197"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("sec", "int32"), ("nanosec", "uint32"))

    sec: int = 0
    nanosec: int = 0
