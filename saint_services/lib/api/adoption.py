"""Node registry and adoption: the socket of adoptiond."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field, StringConstraints

from ..access.levels import Level
from ..generated.roles import ROLES
from . import Done, Reply, Request
from .endpoint import Nothing, Rows, WatchRequest

NodeId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,63}$")]
Name = Annotated[str, StringConstraints(min_length=1, max_length=64)]
ROLE_NAMES = f"{', '.join(ROLES[:-1])} or {ROLES[-1]}"  # in a sentence


class NodeState(StrEnum):
    """States of the node life cycle (specification, "Node States") plus offline."""

    BOOT = "boot"
    UPDATING = "updating"
    UNADOPTED = "unadopted"
    ADOPTING = "adopting"
    ACTIVE = "active"
    OFFLINE = "offline"


class Peripheral(Reply):
    """A device found on a bus of a node."""

    type: str
    address: str
    description: str
    responsive: bool


class NodeRoleInfo(Reply):
    """A role of a node."""

    role: str
    instance: str = ""
    topic_prefix: str = ""
    state: NodeState = NodeState.OFFLINE
    config_version: str = ""
    reason: str = ""  # why the role is not healthy; empty: healthy
    role_restarts: int = 0
    role_alive: bool = False
    outputs_safe: bool = True


class NodeInfo(Reply):
    """A node as the server knows it. Of several roles, `role`, `instance`, `topic_prefix` and
    `config_version` are those of the first.
    """

    node_id: str
    display_name: str
    state: NodeState
    role: str = ""
    instance: str = ""
    topic_prefix: str = ""
    roles: list[NodeRoleInfo] = []  # all roles, including the first
    hardware_model: str = ""
    hardware_rev: str = ""
    firmware_version: str = ""
    config_version: str = ""
    mac_address: str = ""
    address: str = ""
    first_seen: str = ""  # ISO 8601, UTC
    seen_age_s: float = 0.0  # time since the last heartbeat
    cpu_temp: float = 0.0  # degrees Celsius
    cpu_usage: float = 0.0  # percent
    memory_usage: float = 0.0  # percent
    uptime_s: int = 0
    role_restarts: int = 0
    outputs_safe: bool = True
    reason: str = ""  # why the node is not healthy, or why the last adoption failed
    peripherals: list[Peripheral] = []
    server: str = ""  # its server; empty: none, or its release has no keys
    is_ours: bool = False  # it accepts signed orders of this server only
    code: str = ""  # six digits; the node shows the same unless a third party intercepts
    is_ignored: bool = False
    is_offered: bool = False  # can be adopted now
    not_offered: str = ""  # why the node cannot be adopted; empty if it holds a role
    replaced_by: str = ""


class UnknownDevice(Reply):
    """A device that announced itself but is not a node of the registry."""

    name: str
    reason: str
    seen_age_s: float


class NodeList(Reply):
    """All nodes, and devices that are not nodes of this robot."""

    nodes: list[NodeInfo]
    strangers: list[UnknownDevice] = []


class ScanReport(NodeList):
    """What was received while the server listened: the nodes that reported, and of those the ones
    that it did not know before; the nodes of the registry that were silent.
    """

    listened_s: float
    new: list[str]
    silent: list[str]


class NodeParams(Request):
    """A node."""

    node_id: NodeId


class AdoptNode(NodeParams):
    """Assign a role to a node; with `add`, in addition to the roles that it has."""

    role: Name = Field(description=f"Role to give: {ROLE_NAMES}.")
    instance: str = Field(
        default="", max_length=32, description="left or right for arms, the name of parts."
    )
    display_name: str = Field(default="", max_length=64, description="Display name of the node.")
    add: bool = Field(default=False, description="Add the role to those that the node has.")


class AdoptReply(Reply):
    """The node accepted the role; `topic_prefix` is the prefix of its topics."""

    message: str
    topic_prefix: str
    code: str = ""  # six digits; the node shows the same


class ReplaceNode(NodeParams):
    """Move role and name of a missing node to another node."""

    by: NodeId = Field(description="The node that replaces it.")
    display_name: str = Field(
        default="", max_length=64, description="Display name. Default: the old node's."
    )


class IgnoreNode(NodeParams):
    """Stop or resume offering a node for adoption."""

    is_ignored: bool = True


class ResetNode(NodeParams):
    """Release all roles of a node, or the named one."""

    factory_reset: bool = Field(default=False, description="Also delete the node's name.")
    role: str = Field(default="", max_length=32, description="Remove only this one of its roles.")
    instance: str = Field(
        default="", max_length=32, description="left or right for arms, the name of parts."
    )


class NameNode(NodeParams):
    """Set the display name of a node."""

    display_name: Name = Field(description="Display name of the node.")


class RoleChoice(Reply):
    """A role of the robot manifest and the node that holds it."""

    role: str
    instance: str
    topic_prefix: str
    node_id: str = ""


class RoleList(Reply):
    """The roles of the robot and the nodes that hold them."""

    robot: str
    roles: list[RoleChoice]


class RobotNodes(NodeList):
    """All nodes and roles."""

    roles: RoleList
    robot_mark: str = ""  # changes with roles or outputs: then routerd and webd start again
    robot_edition: str = ""  # changes with pins and chips too: then webd reads the robot again


def _adopted(params: AdoptNode, _: AdoptReply) -> str:
    return f"{params.node_id} was adopted as {_role(params)}"


def _reset(params: ResetNode, _: Done) -> str:
    role = _role(params)
    return f"{params.node_id} released role {role}" if role else f"{params.node_id} was reset"


def _ignored(params: IgnoreNode, _: NodeInfo) -> str:
    return f"{params.node_id} is {'ignored' if params.is_ignored else 'offered again'}"


def _role(params: AdoptNode | ResetNode) -> str:
    return f"{params.role} {params.instance}".strip()


ROWS = Rows("management", "adoptiond")
_row = ROWS.row
_OPERATOR = Level.OPERATOR

# fmt: off
LIST_NODES = _row("list_nodes", "GET", "/nodes", Nothing, NodeList, "List all nodes.")
SCAN = _row(
    "scan_nodes", "GET", "/scan", Nothing, ScanReport,
    "Listen for 3 s and report which nodes sent something; nodes are found without it too.",
    limit_s=8.0,
)
GET_NODE_INFO = _row(
    "get_node_info", "GET", "/nodes/{node_id}", NodeParams, NodeInfo, "Get a node."
)
LIST_ROLES = _row(
    "list_roles", "GET", "/roles", Nothing, RoleList, "List the robot's roles and their nodes."
)
WATCH_NODES = _row(
    "watch_nodes", "GET", "/watch", WatchRequest, RobotNodes,
    "Stream nodes and roles with every change except that of a reading, one reply per line.",
    is_action=False, is_stream=True, limit_s=3.0,
)
ADOPT_NODE = _row(
    "adopt_node", "POST", "/nodes/{node_id}/adopt", AdoptNode, AdoptReply,
    "Assign a role to a node; takes as long as the node needs to open its drivers.",
    level=_OPERATOR, log=_adopted,
    limit_s=28.0,  # longer than adoptiond itself waits for the node (its config.py)
)
REPLACE_NODE = _row(
    "replace_node", "POST", "/nodes/{node_id}/replace", ReplaceNode, AdoptReply,
    "Move role and name of a missing node to another node.",
    level=_OPERATOR, log="{by} replaced {node_id}", limit_s=58.0,
)
RESET_NODE = _row(
    "reset_node", "POST", "/nodes/{node_id}/reset", ResetNode, Done,
    "Release all roles of a node, or one of them.",
    level=Level.ADMIN, log=_reset, severity="WARNING",
)
IGNORE_NODE = _row(
    "ignore_node", "POST", "/nodes/{node_id}/ignore", IgnoreNode, NodeInfo,
    "Stop or resume offering a node for adoption.", level=_OPERATOR, log=_ignored,
)
SET_NODE_NAME = _row(
    "set_node_name", "PATCH", "/nodes/{node_id}", NameNode, NodeInfo,
    "Set the display name of a node.",
    level=_OPERATOR, log="{node_id} is now called {display_name}",
)
