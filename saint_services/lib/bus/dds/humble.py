"""The messages of the ROS graph in ROS 2 Humble: 24 bytes per Gid. The class names are those of the
generated module that this one replaces (lib/generated/rmw_dds_common.py).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from .. import cdr


@dataclass(slots=True)
class Gid:
    """A GUID and 8 zeros."""

    TYPE: ClassVar[str] = "rmw_dds_common/msg/Gid"
    HASH: ClassVar[str] = ""
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("data", cdr.Array("uint8", 24)),)

    data: bytes = bytes(24)


@dataclass(slots=True)
class NodeEntitiesInfo:
    """A node and its endpoints."""

    TYPE: ClassVar[str] = "rmw_dds_common/msg/NodeEntitiesInfo"
    HASH: ClassVar[str] = ""
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (
        ("node_namespace", "string"),
        ("node_name", "string"),
        ("reader_gid_seq", cdr.Sequence(Gid)),
        ("writer_gid_seq", cdr.Sequence(Gid)),
    )

    node_namespace: str = ""
    node_name: str = ""
    reader_gid_seq: Sequence[Gid] = ()
    writer_gid_seq: Sequence[Gid] = ()


@dataclass(slots=True)
class ParticipantEntitiesInfo:
    """All nodes of a participant."""

    TYPE: ClassVar[str] = "rmw_dds_common/msg/ParticipantEntitiesInfo"
    HASH: ClassVar[str] = ""
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (
        ("gid", Gid),
        ("node_entities_info_seq", cdr.Sequence(NodeEntitiesInfo)),
    )

    gid: Gid = field(default_factory=Gid)
    node_entities_info_seq: Sequence[NodeEntitiesInfo] = ()
