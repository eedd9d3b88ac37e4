"""Proofs of which participant writes on the bus: what is signed, and how daemons of one machine
request it.

A server's key signs for its router, a node's key for its role process. Each proof names the bus
participant, whose id changes with every start.
"""

from typing import Annotated, Literal

from pydantic import Field

from ..access.levels import Level
from . import Done, Reply, Request
from .endpoint import Rows

ORIGIN_PATTERN = r"^[0-9a-f]{24}$"
NODE = "node"  # in place of a role: the node daemon itself
Origin = Annotated[str, Field(pattern=ORIGIN_PATTERN)]
# Writers of inputs: four daemons, and two kinds of programs that an operator may install on the
# server, each as a user of its own (saint-leader, saint-safety).
WriterName = Literal["rcd", "livelinkd", "webd", "teleopd", "leader", "safety"]


class CredentialRequest(Request):
    """routerd requests a proof for its participant from adoptiond."""

    origin: Origin


class Credential(Reply):
    """The server's signature over the router's participant."""

    server_key: str
    term: int
    signature: str


class RoleProof(Request):
    """routerd has adoptiond verify a signature of a node for a role that it holds."""

    node_id: str = Field(max_length=64)
    origin: Origin
    role: str = Field(max_length=64)
    signature: str = Field(max_length=128)


class WriterRequest(Request):
    """A daemon registers its participant at routerd for as long as the connection is open."""

    daemon: WriterName
    origin: str = Field(max_length=24)


class WriterReply(Reply):
    """Sent on registration and then once per second."""

    registered: bool = True
    origin: str = ""  # of the router's own participant: commands of another one are no commands


def router_parts(origin: str, term: int) -> tuple[str, ...]:
    """Return what the server signs for its router."""
    return "router", origin, str(term)


def role_parts(node_id: str, origin: str, role: str) -> tuple[str, ...]:
    """Return what a node signs for its role process."""
    return "role", node_id, origin, role


PROOFS = Rows("proof", "adoptiond")

# fmt: off
ROUTER_CREDENTIAL = PROOFS.row(
    "router", "POST", "/router/credential", CredentialRequest, Credential,
    "Sign the router's participant with the server's key.",
    level=Level.ADMIN, is_action=False, is_local=True,
)
ROLE_PROOF = PROOFS.row(
    "role", "POST", "/router/role-proof", RoleProof, Done,
    "Verify that a node of this server signed for a role process.",
    level=Level.ADMIN, limit_s=3.0, is_action=False, is_local=True,
)
