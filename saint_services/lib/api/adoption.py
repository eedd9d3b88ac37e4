"""adoptiond's socket: which nodes there are, in which role."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field, StringConstraints

from ..access.levels import Level
from . import Done, Reply, Request
from .endpoint import Nothing, Rows

NodeId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,63}$")]
Name = Annotated[str, StringConstraints(min_length=1, max_length=64)]


class NodeState(StrEnum):
    """States of the node life cycle (specification, "Node States") plus offline."""

    BOOT = "boot"
    UPDATING = "updating"
    UNADOPTED = "unadopted"
    ADOPTING = "adopting"
    ACTIVE = "active"
    OFFLINE = "offline"


class Peripheral(Reply):
    """One device found on a bus of a node."""

    type: str
    address: str
    description: str
    responsive: bool


class NodeRole(Reply):
    """One role of a node."""

    role: str
    instance: str = ""
    topic_prefix: str = ""
    state: NodeState = NodeState.OFFLINE
    config_version: str = ""
    reason: str = ""  # why it is not well
    role_restarts: int = 0
    role_alive: bool = False
    outputs_safe: bool = True


class NodeInfo(Reply):
    """What the server knows of one node. Of several roles `role`, `instance`, `topic_prefix` and
    `config_version` are the first one's."""

    node_id: str
    display_name: str
    state: NodeState
    role: str = ""
    instance: str = ""
    topic_prefix: str = ""
    roles: list[NodeRole] = []  # all of them, the first one too
    hardware_model: str = ""
    hardware_rev: str = ""
    firmware_version: str = ""
    config_version: str = ""
    mac_address: str = ""
    address: str = ""
    first_seen: str = ""  # ISO 8601, UTC
    seen_age_s: float = 0.0  # time since its last life sign
    cpu_temp: float = 0.0  # degrees Celsius
    cpu_usage: float = 0.0  # percent
    memory_usage: float = 0.0  # percent
    uptime_s: int = 0
    role_restarts: int = 0
    outputs_safe: bool = True
    reason: str = ""  # why it is not well, or why the last adoption failed
    peripherals: list[Peripheral] = []
    server: str = ""  # the server that it belongs to; empty: none, or its release knows no keys
    is_ours: bool = False  # it takes signed orders of this server, and of no other
    code: str = ""  # six digits; the node shows the same ones when nobody stands in between
    is_ignored: bool = False
    is_offered: bool = False  # it may be adopted now
    not_offered: str = ""  # why not; empty for one that holds a role
    replaced_by: str = ""


class UnknownDevice(Reply):
    """A device that was heard and is no node of the registry."""

    name: str
    reason: str
    seen_age_s: float


class NodeList(Reply):
    """All of them, and who is none."""

    nodes: list[NodeInfo]
    strangers: list[UnknownDevice] = []


class NodeParams(Request):
    """One node."""

    node_id: NodeId


class AdoptNode(NodeParams):
    """Gives a node its role; with `add` one more beside those that it has."""

    role: Name
    instance: str = Field(default="", max_length=32)
    display_name: str = Field(default="", max_length=64)
    add: bool = False


class AdoptReply(Reply):
    """The node accepted; `topic_prefix` is where it now lives."""

    message: str
    topic_prefix: str
    code: str = ""  # six digits; the node shows the same


class ReplaceNode(NodeParams):
    """Another node takes the place of this one, which is gone."""

    by: NodeId
    display_name: str = Field(default="", max_length=64)  # empty: as the old one was called


class IgnoreNode(NodeParams):
    """Do not offer it any more, or do so again."""

    is_ignored: bool = True


class ResetNode(NodeParams):
    """Takes its roles away, or only the one that is named."""

    factory_reset: bool = False
    role: str = Field(default="", max_length=32)
    instance: str = Field(default="", max_length=32)


class NameNode(NodeParams):
    """How people call it."""

    display_name: Name


class RoleChoice(Reply):
    """A role of the robot manifest and who holds it."""

    role: str
    instance: str
    topic_prefix: str
    node_id: str = ""


class RoleList(Reply):
    """Roles of the robot and who holds them."""

    robot: str
    roles: list[RoleChoice]


def _adopted(params: AdoptNode, _: AdoptReply) -> str:
    return f"{params.node_id} was adopted as {_role(params)}"


def _reset(params: ResetNode, _: Done) -> str:
    role = _role(params)
    return f"{params.node_id} gave back {role}" if role else f"{params.node_id} was reset"


def _ignored(params: IgnoreNode, _: NodeInfo) -> str:
    return f"{params.node_id} is {'ignored' if params.is_ignored else 'offered again'}"


def _role(params: AdoptNode | ResetNode) -> str:
    return f"{params.role} {params.instance}".strip()


ROWS = Rows("management", "adoptiond")
_row = ROWS.row
_OPERATOR = Level.OPERATOR

# fmt: off
LIST_NODES = _row("list_nodes", "GET", "/nodes", Nothing, NodeList, "All of them.")
GET_NODE_INFO = _row(
    "get_node_info", "GET", "/nodes/{node_id}", NodeParams, NodeInfo, "One node."
)
LIST_ROLES = _row(
    "list_roles", "GET", "/roles", Nothing, RoleList, "Roles of the robot and who holds them."
)
ADOPT_NODE = _row(
    "adopt_node", "POST", "/nodes/{node_id}/adopt", AdoptNode, AdoptReply,
    "Gives a node its role; takes as long as the node needs to open its drivers.",
    level=_OPERATOR, log=_adopted,
    limit_s=28.0,  # longer than adoptiond itself waits for the node (its config.py)
)
REPLACE_NODE = _row(
    "replace_node", "POST", "/nodes/{node_id}/replace", ReplaceNode, AdoptReply,
    "Role and name of a node that is gone move to another one.",
    level=_OPERATOR, log="{by} took the place of {node_id}", limit_s=58.0,
)
RESET_NODE = _row(
    "reset_node", "POST", "/nodes/{node_id}/reset", ResetNode, Done,
    "Takes a node's roles away, or one of them.",
    level=Level.ADMIN, log=_reset, severity="WARNING",
)
IGNORE_NODE = _row(
    "ignore_node", "POST", "/nodes/{node_id}/ignore", IgnoreNode, NodeInfo,
    "Whether it is offered for adoption.", level=_OPERATOR, log=_ignored,
)
SET_NODE_NAME = _row(
    "set_node_name", "PATCH", "/nodes/{node_id}", NameNode, NodeInfo,
    "How people call it.", level=_OPERATOR, log="{node_id} is now called {display_name}",
)
