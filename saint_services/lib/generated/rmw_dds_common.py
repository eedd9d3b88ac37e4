"""Messages of the ROS 2 package rmw_dds_common.

Written by `make gen` from manifests/; do not edit.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from .. import cdr


@dataclass(slots=True)
class Gid:
    """rmw_dds_common/msg/Gid"""

    TYPE: ClassVar[str] = "rmw_dds_common/msg/Gid"
    HASH: ClassVar[str] = "RIHS01_a8e2f2bd4b156011c7ed7618c1db625ac341c2dc3ff09b8dd107f33f20dcec07"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("data", cdr.Array("uint8", 16)),)

    data: Sequence[int] = (0,) * 16


@dataclass(slots=True)
class NodeEntitiesInfo:
    """rmw_dds_common/msg/NodeEntitiesInfo"""

    TYPE: ClassVar[str] = "rmw_dds_common/msg/NodeEntitiesInfo"
    HASH: ClassVar[str] = "RIHS01_8ecbfcad87fa92b9c1458f525b5faf5bf7cab9427a92524d72a394112992b5ab"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("node_namespace", "string"), ("node_name", "string"), ("reader_gid_seq", cdr.Sequence(Gid, 0)), ("writer_gid_seq", cdr.Sequence(Gid, 0)))

    node_namespace: str = ""
    node_name: str = ""
    reader_gid_seq: Sequence[Gid] = ()
    writer_gid_seq: Sequence[Gid] = ()


@dataclass(slots=True)
class ParticipantEntitiesInfo:
    """rmw_dds_common/msg/ParticipantEntitiesInfo"""

    TYPE: ClassVar[str] = "rmw_dds_common/msg/ParticipantEntitiesInfo"
    HASH: ClassVar[str] = "RIHS01_e725f4a506958c79f95dd693b965722c57b19cd18e7eff984f49561b93dc985d"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("gid", Gid), ("node_entities_info_seq", cdr.Sequence(NodeEntitiesInfo, 0)))

    gid: Gid = field(default_factory=Gid)
    node_entities_info_seq: Sequence[NodeEntitiesInfo] = ()
