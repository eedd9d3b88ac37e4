"""noded's socket: this node."""

from ..access.levels import Level
from ..role_config.model import RoleConfig
from . import Done, Reply, Request
from .adoption import NodeState
from .endpoint import Nothing, Rows


class RoleStatus(Reply):
    """One role of this node."""

    role: str
    instance: str
    state: NodeState
    config_version: str
    reason: str
    role_alive: bool
    role_restarts: int
    outputs_safe: bool


class NodeReport(Reply):
    """Of several roles `role`, `instance` and `config_version` are the first one's,
    the rest is of all together."""

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
    server: str = ""  # whose it is; empty: nobody's
    code: str = ""  # six digits; its server shows the same
    roles: list[RoleStatus] = []  # all of them


class NodeReset(Request):
    """Without `role` the node gives back all that it has."""

    factory_reset: bool = False
    role: str = ""
    instance: str = ""


def _reset(params: NodeReset, _: Done) -> str:
    role = f"{params.role} {params.instance}".strip()
    return f"This node gave back {role}" if role else "This node was reset"


ROWS = Rows("node", "noded")

# fmt: off
STATUS = ROWS.row("get_status", "GET", "/status", Nothing, NodeReport, "How this node is.",
                  is_action=False)
RESET = ROWS.row(
    "reset", "POST", "/reset", NodeReset, Done, "Give back one role, or all that this node has.",
    level=Level.ADMIN, log=_reset, severity="WARNING", is_action=False,
)


class RoleAssignment(Request):
    """What a role daemon needs to work."""

    node_id: str
    config: RoleConfig
    server_key: str = ""  # of the node's server, whose router is obeyed; empty: nobody is obeyed


class RoleReport(Reply):
    """One line of the answer stream."""

    ready: bool  # drivers are open, required devices answered
    safe: bool  # outputs are in the safe state
    estop: bool
    reason: str = ""  # why it is not ready, or what is wrong
    commands: int = 0  # accepted so far
    refused: int = 0  # commands that did not come from the router, or were not finite
    origin: str = ""  # the bus participant of this process; empty before the bus is open
    reset_wanted: bool = False  # somebody held this node's button: it shall forget its role
