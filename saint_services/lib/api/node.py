"""noded's socket: this node."""

from . import Reply, Request
from .adoption import NodeState


class NodeReport(Reply):
    """GET /status"""

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


class NodeReset(Request):
    """POST /reset"""

    factory_reset: bool = False
