"""adoptiond's socket: which nodes there are, in which role."""

from enum import StrEnum

from . import Reply, Request


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


class Stranger(Reply):
    """A device that was heard and is no node of the registry."""

    name: str
    reason: str
    seen_age_s: float


class NodeList(Reply):
    """GET /nodes"""

    nodes: list[NodeInfo]
    strangers: list[Stranger] = []


class AdoptRequest(Request):
    """POST /nodes/{node_id}/adopt"""

    role: str
    instance: str = ""
    display_name: str = ""
    add: bool = False  # beside the roles that the node has


class AdoptReply(Reply):
    """The node accepted; `topic_prefix` is where it now lives."""

    message: str
    topic_prefix: str
    code: str = ""  # six digits; the node shows the same


class ReplaceRequest(Request):
    """POST /nodes/{node_id}/replace: another node takes the place of one that is gone."""

    by: str
    display_name: str = ""  # empty: as the old one was called


class IgnoreRequest(Request):
    """POST /nodes/{node_id}/ignore"""

    is_ignored: bool = True


class ResetRequest(Request):
    """POST /nodes/{node_id}/reset. Without `role` the node gives back all that it has."""

    factory_reset: bool = False
    role: str = ""
    instance: str = ""


class RenameRequest(Request):
    """PATCH /nodes/{node_id}"""

    display_name: str


class RoleChoice(Reply):
    """A role of the robot manifest and who holds it."""

    role: str
    instance: str
    topic_prefix: str
    node_id: str = ""


class RoleList(Reply):
    """GET /roles"""

    robot: str
    roles: list[RoleChoice]
