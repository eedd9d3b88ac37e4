"""Orders of a server to its nodes: the bodies of SignedOrder.srv, and what is signed.

Before each order the server asks for a challenge. A node takes an order that its server signed
over a challenge that it gave within the last seconds and that was not used yet.

A body leaves out what is as usual (`default`): a node whose release does not know a new field takes
every order that does not need it, and refuses one that does.
"""

from enum import StrEnum

from pydantic import Field

from ..access.levels import Level
from ..generated.saint_msgs import (
    GetSignedConfig_Request,
    GetSignedConfig_Response,
    SignedOrder_Request,
    SignedOrder_Response,
)
from . import Done, Reply, Request
from .adoption import NodeParams
from .endpoint import Rows

_HEX = r"^[0-9a-f]*$"
LONGEST_LOG_BYTES = 48 * 1024  # of lines that a node gives at once; what is older is another page


class OrderKind(StrEnum):
    """What may be ordered."""

    CHALLENGE = "challenge"  # who are you, and what shall I sign
    MEET = "meet"  # the keys are exchanged; not signed, nothing changes yet
    BIND = "bind"  # from now on the node takes orders of this server only
    ADOPT = "adopt"
    RESET = "reset"
    UPDATE = "update"
    REFRESH = "refresh"  # ask for your configuration now
    REBOOT = "reboot"
    KILL_ROLE = "kill_role"  # a drill: the role's process ends as by a fault
    LOG = "log"  # LogQuery -> LogPage: lines of your own log


class Challenged(Reply):
    """Answer to `challenge`."""

    challenge: str = Field(max_length=64, pattern=_HEX)
    server: str = Field(default="", max_length=64)  # whom the node belongs to
    server_key: str = Field(default="", max_length=64, pattern=_HEX)
    code: str = Field(default="", max_length=7)


class Meet(Request):
    """A server introduces itself."""

    server: str = Field(min_length=1, max_length=64)
    commitment: str = Field(min_length=64, max_length=64, pattern=_HEX)


class Met(Reply):
    """The node's half of the code."""

    nonce: str = Field(min_length=32, max_length=32, pattern=_HEX)


class Bind(Request):
    """What the commitment was about; from it both sides have the code."""

    nonce: str = Field(min_length=32, max_length=32, pattern=_HEX)


class AdoptOrder(Request):
    """Take a role. `add`: beside those that the node has."""

    role: str = Field(max_length=64)
    instance: str = Field(default="", max_length=64)
    add: bool = False


class Adopted(Reply):
    """Where it lives now."""

    topic_prefix: str = Field(default="", max_length=240)


class ResetOrder(Request):
    """Give the role back. `factory_reset`: forget the server too, install the release anew.
    `role`: only that one of several."""

    factory_reset: bool = False
    role: str = Field(default="", max_length=64)
    instance: str = Field(default="", max_length=64)


class KillOrder(Request):
    """End the process of this role, in order to see that the guard stops its outputs."""

    role: str = Field(max_length=64)
    instance: str = Field(default="", max_length=64)


class Killed(Reply):
    """What the guard did about it. `after_ms`: from the order to its role to the guard's report."""

    after_ms: float = Field(ge=0)
    detail: str = Field(default="", max_length=200)
    failed: str = Field(default="", max_length=200)  # what the guard could not write


class EmptyOrder(Request):
    """An order that says it all by its kind."""


class UpdateOrder(Request):
    """As UpdateNode.srv."""

    action: str = Field(max_length=16)
    version: str = Field(default="", max_length=64)
    url: str = Field(default="", max_length=400)
    checksum_sha256: str = Field(default="", max_length=64)
    size_bytes: int = Field(default=0, ge=0)
    force: bool = False


class KillRole(KillOrder, NodeParams):
    """The order for one node."""


class UpdateNode(UpdateOrder, NodeParams):
    """The order for one node."""


def order_parts(order: SignedOrder_Request) -> tuple[str, ...]:
    """What the server signs."""
    return "order", order.node_id, order.kind, order.body, order.challenge, order.server_key


def answer_parts(order: SignedOrder_Request, answer: SignedOrder_Response) -> tuple[str, ...]:
    """What the node signs: that it answers this very order."""
    said = (str(answer.success), answer.message, answer.body, answer.node_key)
    return "answer", *order_parts(order)[1:], *said


def config_parts(
    asked: GetSignedConfig_Request, answer: GetSignedConfig_Response
) -> tuple[str, ...]:
    """What the server signs. The text itself is held by its checksum."""
    question = (asked.node_id, asked.role, asked.instance, asked.challenge)
    said = (str(answer.success), answer.message, str(answer.changed))
    config = (answer.version, answer.checksum, answer.display_name)
    place = (answer.server, answer.server_address, ",".join(answer.held_roles))
    return "config", *question, *said, *config, *place


# Parts of what another daemon does and tells of: routerd's drill, webd's restart of a node, otad's
# roll-out. They are here because the key that signs for a node is adoptiond's alone.
ROWS = Rows("order", "adoptiond")

# fmt: off
REBOOT = ROWS.row(
    "reboot", "POST", "/nodes/{node_id}/reboot", NodeParams, Done,
    "Restart a node's machine; it refuses while its outputs are live.",
    level=Level.ADMIN, limit_s=15.0, is_action=False, is_local=True,
)
KILL = ROWS.row(
    "kill", "POST", "/nodes/{node_id}/kill", KillRole, Killed,
    "A stop drill: end a role's process and see what the guard does.",
    level=Level.ADMIN, limit_s=15.0, is_action=False, is_local=True,
)
UPDATE = ROWS.row(
    "update", "POST", "/nodes/{node_id}/update", UpdateNode, Done,
    "Bring an update to a node that takes signed orders.",
    level=Level.ADMIN, limit_s=15.0, is_action=False, is_local=True,
)
