"""Messages of the ROS 2 package rmw_dds_common.

Written by `make gen` from manifests/; do not edit.
"""

from collections.abc import Sequence
from typing import Any, ClassVar

from ..bus import cdr
from ..bus.message import MessageBase


class Gid(MessageBase):
    """rmw_dds_common/msg/Gid"""

    __slots__ = ("data",)
    TYPE: ClassVar[str] = "rmw_dds_common/msg/Gid"
    HASH: ClassVar[str] = "RIHS01_ab6f21cfbb0a6dbb837161e1110c2051a2850ed9f9c53944d7115d9bcebedf71"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("data", cdr.Array("uint8", 16)),)

    def __init__(
        self,
        data: bytes = bytes(16),
    ) -> None:
        self.data = data


class NodeEntitiesInfo(MessageBase):
    """rmw_dds_common/msg/NodeEntitiesInfo"""

    __slots__ = ("node_namespace", "node_name", "reader_gid_seq", "writer_gid_seq")
    TYPE: ClassVar[str] = "rmw_dds_common/msg/NodeEntitiesInfo"
    HASH: ClassVar[str] = "RIHS01_8ffef65ee2d088c63b1e8fcd31e800ba9fc8dbe0ee15ca60d1676de5218087a7"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("node_namespace", "string"), ("node_name", "string"), ("reader_gid_seq", cdr.Sequence(Gid, 0)), ("writer_gid_seq", cdr.Sequence(Gid, 0)))

    def __init__(
        self,
        node_namespace: str = "",
        node_name: str = "",
        reader_gid_seq: Sequence[Gid] = (),
        writer_gid_seq: Sequence[Gid] = (),
    ) -> None:
        self.node_namespace = node_namespace
        self.node_name = node_name
        self.reader_gid_seq = reader_gid_seq
        self.writer_gid_seq = writer_gid_seq


class ParticipantEntitiesInfo(MessageBase):
    """rmw_dds_common/msg/ParticipantEntitiesInfo"""

    __slots__ = ("gid", "node_entities_info_seq")
    TYPE: ClassVar[str] = "rmw_dds_common/msg/ParticipantEntitiesInfo"
    HASH: ClassVar[str] = "RIHS01_91a0593bacdcc50ea9bdcf849a938b128412cc1ea821245c663bcd26f83c295e"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("gid", Gid), ("node_entities_info_seq", cdr.Sequence(NodeEntitiesInfo, 0)))

    def __init__(
        self,
        gid: Gid | None = None,
        node_entities_info_seq: Sequence[NodeEntitiesInfo] = (),
    ) -> None:
        self.gid = Gid() if gid is None else gid
        self.node_entities_info_seq = node_entities_info_seq
