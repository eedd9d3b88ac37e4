"""The sockets of noded and of the role daemons.

noded assigns a role with POST /assignment (RoleAssignment) and keeps the connection open. The reply
is a stream of RoleReport, one JSON object per line: at once, on every change and once per second.
When the connection ends, for any reason, the role enters its safe state."""

from ..access.levels import Level
from ..role_config.model import RoleConfig
from . import Done, Reply, Request
from .adoption import NodeState
from .endpoint import Nothing, Rows


class RoleStatus(Reply):
    """A role of this node."""

    role: str
    instance: str
    state: NodeState
    config_version: str
    reason: str
    role_alive: bool
    role_restarts: int
    outputs_safe: bool


class NodeReport(Reply):
    """State of this node. Of several roles, `role`, `instance` and `config_version` are those of
    the first; the other values cover all roles.
    """

    node_id: str
    display_name: str
    state: NodeState
    role: str
    instance: str
    config_version: str
    reason: str
    role_alive: bool
    role_restarts: int
    outputs_safe: bool
    server: str = ""  # the server that it belongs to; empty: none
    code: str = ""  # six digits; its server shows the same
    roles: list[RoleStatus] = []  # all roles


class NodeReset(Request):
    """Release one role, or all roles if `role` is empty."""

    factory_reset: bool = False
    role: str = ""
    instance: str = ""


def _reset(params: NodeReset, _: Done) -> str:
    role = f"{params.role} {params.instance}".strip()
    return f"This node released role {role}" if role else "This node was reset"


ROWS = Rows("node", "noded")

# fmt: off
STATUS = ROWS.row(
    "get_status", "GET", "/status", Nothing, NodeReport, "Get the state of this node.",
    is_action=False,
)
RESET = ROWS.row(
    "reset", "POST", "/reset", NodeReset, Done, "Release one role, or all roles of this node.",
    level=Level.ADMIN, log=_reset, severity="WARNING", is_action=False,
)


class RoleAssignment(Request):
    """What a role daemon needs to start driving."""

    node_id: str
    config: RoleConfig
    server_key: str = ""  # of the server whose router is obeyed; empty: none is obeyed
    robot: str = ""  # its name, for people


class RoleReport(Reply):
    """One line of the stream."""

    ready: bool  # drivers are open, required devices responded
    safe: bool  # outputs are in the safe state
    estop: bool
    reason: str = ""  # why the role is not ready, or what failed
    commands: int = 0  # accepted commands
    refused: int = 0  # commands from another writer than the router, or not finite
    origin: str = ""  # the bus participant of this process; empty before the bus is open
    reset_wanted: bool = False  # the node's reset button was held: release the role
