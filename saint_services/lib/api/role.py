"""The sockets of the role daemons.

noded sends POST /assignment with a RoleAssignment and keeps the connection: the answer is a
stream of RoleReport, one JSON object per line: at once, on every change and once a second. When
the connection ends, for whatever reason, the role goes to its safe state.
"""

from ..role_config.model import RoleConfig
from . import Reply, Request


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
