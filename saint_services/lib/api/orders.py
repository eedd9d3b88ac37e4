"""Signed orders of a server to its nodes: the bodies of SignedOrder.srv, and what is signed.

Before each order the server requests a challenge. A node accepts an order that its server signed
over a challenge that the node issued within the last seconds and that was not used before.

A body omits fields with default values (`default`): a node whose release does not know a new field
accepts every order that does not need it, and rejects one that does."""

from enum import StrEnum

from pydantic import Field

from ..access.levels import Level
from ..generated.saint_msgs import (
    FirmwareCheck_Request,
    FirmwareCheck_Response,
    GetRoleConfig_Request,
    GetRoleConfig_Response,
    SignedOrder_Request,
    SignedOrder_Response,
)
from . import Done, Reply, Request
from .adoption import NodeParams
from .endpoint import Rows

_HEX = r"^[0-9a-f]*$"
LONGEST_CONFIG = 256 * 1024  # characters of a role's configuration
LONGEST_BODY = 2 * LONGEST_CONFIG  # characters of an order's body; JSON escapes some
LONGEST_LOG_BYTES = 48 * 1024  # of log lines per page
LONGEST_VERSION = 40  # characters of a release's version
LONGEST_URL = 300  # characters of a release's address
LONGEST_REPORT = 64 * 1024  # characters of a self-test's report


class OrderKind(StrEnum):
    """Kinds of orders."""

    CHALLENGE = "challenge"  # request the node's identity and a challenge to sign
    MEET = "meet"  # exchange keys; not signed, changes nothing
    BIND = "bind"  # the node accepts orders of this server only
    ADOPT = "adopt"
    RESET = "reset"
    UPDATE = "update"
    REFRESH = "refresh"  # request the configuration now
    REBOOT = "reboot"
    SHUTDOWN = "shutdown"
    KILL_ROLE = "kill_role"  # stop drill: end the role's process as a fault would
    LOG = "log"  # LogQuery -> LogPage: lines of the node's own log
    SELF_TEST = "self_test"  # SelfTestOrder -> SelfTestReport


class ChallengeReply(Reply):
    """Reply to `challenge`."""

    challenge: str = Field(max_length=64, pattern=_HEX)
    server: str = Field(default="", max_length=64)  # the server that the node belongs to
    server_key: str = Field(default="", max_length=64, pattern=_HEX)
    code: str = Field(default="", max_length=7)


class MeetOrder(Request):
    """The server introduces itself."""

    server: str = Field(min_length=1, max_length=64)
    commitment: str = Field(min_length=64, max_length=64, pattern=_HEX)


class MeetReply(Reply):
    """The node's half of the pairing code."""

    nonce: str = Field(min_length=32, max_length=32, pattern=_HEX)


class BindOrder(Request):
    """The nonce behind the commitment; both sides now have the pairing code."""

    nonce: str = Field(min_length=32, max_length=32, pattern=_HEX)


class AdoptOrder(Request):
    """Accept a role, with its configuration. `add`: in addition to the roles that the node has."""

    role: str = Field(max_length=64)
    instance: str = Field(default="", max_length=64)
    add: bool = False
    config_yaml: str = Field(max_length=LONGEST_CONFIG)
    server_address: str = Field(default="", max_length=64)  # on the internal network
    display_name: str = Field(default="", max_length=64)
    person: str = Field(default="", max_length=64)  # who adopts it; empty: unknown


class AdoptOrderReply(Reply):
    """The topics of the new role."""

    topic_prefix: str = Field(default="", max_length=240)


class ResetOrder(Request):
    """Release all roles, or the named one. `factory_reset`: also forget the server and reinstall
    the release.
    """

    factory_reset: bool = False
    role: str = Field(default="", max_length=64)
    instance: str = Field(default="", max_length=64)


class KillOrder(Request):
    """End the process of this role, to test that the guard stops its outputs."""

    role: str = Field(max_length=64)
    instance: str = Field(default="", max_length=64)


class KillReply(Reply):
    """What the guard did. `after_ms`: from the order to the guard's report."""

    after_ms: float = Field(ge=0)
    detail: str = Field(default="", max_length=200)
    failed: str = Field(default="", max_length=200)  # outputs that the guard could not write


class EmptyOrder(Request):
    """An order without parameters."""


class UpdateOrder(Request):
    """Same as UpdateNode.srv."""

    action: str = Field(max_length=16)
    version: str = Field(default="", max_length=LONGEST_VERSION)
    url: str = Field(default="", max_length=LONGEST_URL)
    checksum_sha256: str = Field(default="", max_length=64)
    size_bytes: int = Field(default=0, ge=0)
    force: bool = False


class PowerCommand(StrEnum):
    """What SystemCommand.srv names."""

    SHUTDOWN = "shutdown"
    REBOOT = "reboot"


SERVER = "server"  # in place of a node: the server's machine alone


class RobotPower(Request):
    """Switch off or restart a node, the server's machine, or without a name the whole robot.
    `force`: also while outputs are live; a node whose outputs are refuses all the same.
    """

    command: PowerCommand
    node_id: str = Field(default="", max_length=64)
    force: bool = False


class KillRole(KillOrder, NodeParams):
    """The order for one node."""


class UpdateNode(UpdateOrder, NodeParams):
    """The order for one node."""


class SignOffer(Request):
    """The offered release, to be signed as the reply to a node's request."""

    server_key: str = Field(min_length=64, max_length=64, pattern=_HEX)  # that the node obeys
    node_id: str = Field(max_length=64)
    challenge: str = Field(max_length=64)
    update_available: bool = False
    version: str = Field(default="", max_length=LONGEST_VERSION)
    url: str = Field(default="", max_length=LONGEST_URL)
    checksum_sha256: str = Field(default="", max_length=64)


class SignedOffer(Reply):
    """The signature, hexadecimal."""

    signature: str


def order_parts(order: SignedOrder_Request) -> tuple[str, ...]:
    """Return what the server signs of an order."""
    return "order", order.node_id, order.kind, order.body, order.challenge, order.server_key


def answer_parts(order: SignedOrder_Request, answer: SignedOrder_Response) -> tuple[str, ...]:
    """Return what the node signs: its reply to exactly this order."""
    reply = (str(answer.success), answer.message, answer.body, answer.node_key)
    return "answer", *order_parts(order)[1:], *reply


def config_parts(request: GetRoleConfig_Request, answer: GetRoleConfig_Response) -> tuple[str, ...]:
    """Return what the server signs of a configuration; the text is covered by its checksum."""
    query = (request.node_id, request.role, request.instance, request.challenge)
    result = (str(answer.success), answer.message, str(answer.changed))
    config = (answer.version, answer.checksum, answer.display_name)
    place = (answer.server, answer.server_address, ",".join(answer.held_roles))
    return "config", *query, *result, *config, *place


def offer_parts(offer: SignOffer) -> tuple[str, ...]:
    """Return what the server signs of an offered release."""
    release = (str(offer.update_available), offer.version, offer.url, offer.checksum_sha256)
    return "offer", offer.node_id, offer.challenge, *release


def offer_in(request: FirmwareCheck_Request, answer: FirmwareCheck_Response) -> SignOffer:
    """Return the offer of this reply to this request. Raises ValueError for a text too long."""
    return SignOffer(
        server_key=request.server_key,
        node_id=request.node_id,
        challenge=request.challenge,
        update_available=answer.update_available,
        version=answer.version,
        url=answer.url,
        checksum_sha256=answer.checksum_sha256,
    )


# Parts of what other daemons do and log: routerd's drill, webd's restart of a node, otad's
# roll-out. They are here because only adoptiond has the key that signs orders.
ROWS = Rows("order", "adoptiond")

# fmt: off
POWER = ROWS.row(
    "power", "POST", "/power", RobotPower, Done,
    "Switch off or restart the robot, a node, or the server's machine, while no outputs are live.",
    level=Level.ADMIN, limit_s=20.0, is_action=False, is_local=True,
)
KILL = ROWS.row(
    "kill", "POST", "/nodes/{node_id}/kill", KillRole, KillReply,
    "For a stop drill: end a role's process and report what the guard does.",
    level=Level.ADMIN, limit_s=15.0, is_action=False, is_local=True,
)
UPDATE = ROWS.row(
    "update", "POST", "/nodes/{node_id}/update", UpdateNode, Done,
    "Send an update to a node that accepts signed orders.",
    level=Level.ADMIN, limit_s=15.0, is_action=False, is_local=True,
)
SIGN_OFFER = ROWS.row(
    "sign_offer", "POST", "/offers/sign", SignOffer, SignedOffer,
    "Sign the offer of a release for a node that belongs to this server.",
    level=Level.ADMIN, limit_s=5.0, is_action=False, is_local=True,
)
