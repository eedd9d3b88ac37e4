"""The messages of the ROS graph in ROS 2 Humble: same names, but 24 bytes per Gid. Not generated,
because the newer form has the same names (lib/generated/rmw_dds_common.py).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from .. import cdr


@dataclass(slots=True)
class HumbleGid:
    """A GUID and 8 zeros."""

    TYPE: ClassVar[str] = "rmw_dds_common/msg/Gid"
    HASH: ClassVar[str] = ""
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("data", cdr.Array("uint8", 24)),)

    data: bytes = bytes(24)


@dataclass(slots=True)
class HumbleNodeEntitiesInfo:
    """A node and its endpoints."""

    TYPE: ClassVar[str] = "rmw_dds_common/msg/NodeEntitiesInfo"
    HASH: ClassVar[str] = ""
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (
        ("node_namespace", "string"),
        ("node_name", "string"),
        ("reader_gid_seq", cdr.Sequence(HumbleGid)),
        ("writer_gid_seq", cdr.Sequence(HumbleGid)),
    )

    node_namespace: str = ""
    node_name: str = ""
    reader_gid_seq: Sequence[HumbleGid] = ()
    writer_gid_seq: Sequence[HumbleGid] = ()


@dataclass(slots=True)
class HumbleParticipantEntitiesInfo:
    """All nodes of a participant."""

    TYPE: ClassVar[str] = "rmw_dds_common/msg/ParticipantEntitiesInfo"
    HASH: ClassVar[str] = ""
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (
        ("gid", HumbleGid),
        ("node_entities_info_seq", cdr.Sequence(HumbleNodeEntitiesInfo)),
    )

    gid: HumbleGid = field(default_factory=HumbleGid)
    node_entities_info_seq: Sequence[HumbleNodeEntitiesInfo] = ()
