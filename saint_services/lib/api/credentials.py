"""Proofs of who writes on the bus: what is signed, and how daemons of one machine request it.

A server's key signs for its router, a node's key for its role process. Each proof names the bus
participant, which is another one after every start.
"""

from typing import Annotated, Literal

from pydantic import Field

from ..access.levels import Level
from . import Done, Reply, Request
from .endpoint import Rows

ORIGIN_PATTERN = r"^[0-9a-f]{24}$"
NODE = "node"  # in place of a role: the node daemon itself
Origin = Annotated[str, Field(pattern=ORIGIN_PATTERN)]
# Who writes inputs: three daemons, and two kinds of programs that an operator may install on the
# server, each as a user of its own (saint-leader, saint-safety).
WriterName = Literal["rcd", "livelinkd", "webd", "leader", "safety"]


class CredentialRequest(Request):
    """routerd requests the proof of its participant from adoptiond."""

    origin: Origin


class Credential(Reply):
    """The server's signature over the router's participant."""

    server_key: str
    term: int
    signature: str


class RoleProof(Request):
    """routerd asks adoptiond whether this was signed by a node of ours, of a role that it holds."""

    node_id: str = Field(max_length=64)
    origin: Origin
    role: str = Field(max_length=64)
    signature: str = Field(max_length=128)


class WriterRequest(Request):
    """A daemon registers its participant at routerd for as long as the connection is open."""

    daemon: WriterName
    origin: str = Field(max_length=24)


class WriterReply(Reply):
    """Sent when the writer is registered, and from then on once a second."""

    registered: bool = True


def router_parts(origin: str, term: int) -> tuple[str, ...]:
    """What the server signs for its router."""
    return "router", origin, str(term)


def role_parts(node_id: str, origin: str, role: str) -> tuple[str, ...]:
    """What a node signs for its role process."""
    return "role", node_id, origin, role


PROOFS = Rows("proof", "adoptiond")

# fmt: off
ROUTER_CREDENTIAL = PROOFS.row(
    "router", "POST", "/router/credential", CredentialRequest, Credential,
    "The server signs for its router.", level=Level.ADMIN, is_action=False, is_local=True,
)
ROLE_PROOF = PROOFS.row(
    "role", "POST", "/router/role-proof", RoleProof, Done,
    "Whether a node of this server has signed for a role process.",
    level=Level.ADMIN, limit_s=3.0, is_action=False, is_local=True,
)
