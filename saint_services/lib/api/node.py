"""noded's socket: this node."""

from . import Reply, Request
from .adoption import NodeState


class RoleLife(Reply):
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
    """GET /status. Of several roles `role`, `instance` and `config_version` are the first one's,
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
    roles: list[RoleLife] = []  # all of them


class NodeReset(Request):
    """POST /reset. Without `role` the node gives back all that it has."""

    factory_reset: bool = False
    role: str = ""
    instance: str = ""
