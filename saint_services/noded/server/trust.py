"""Whose orders this node takes: whom it belongs to, which challenges it gave, what is wrong with an
order. Pure but for `TrustFiles`. Not here: what an order does (orders.py).
"""

from dataclasses import dataclass, field, replace
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from ...lib.api.orders import OrderKind, order_parts
from ...lib.crypto.signing import PrivateKey, is_signed, load_key
from ...lib.errors import SaintError
from ...lib.generated.saint_msgs import SignedOrder_Request
from ...lib.state import StateStore

CHALLENGE_LASTS_S = 10.0
_MOST_CHALLENGES = 16


class Bond(BaseModel):
    """trust.yaml: the server that this node belongs to. Empty: none."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    server: str = ""
    server_key: str = ""
    code: str = ""
    since: str = ""  # ISO 8601, UTC


@dataclass(frozen=True, slots=True)
class Challenges:
    """Those that were given and not used; when each ends."""

    until_s: dict[str, float] = field(default_factory=dict)

    def given(self, challenge: str, now_s: float) -> "Challenges":
        """One more. Who asks for many pushes out his own."""
        kept = {c: t for c, t in self.until_s.items() if t > now_s}
        newest = list(kept.items())[-(_MOST_CHALLENGES - 1) :]
        return Challenges({**dict(newest), challenge: now_s + CHALLENGE_LASTS_S})

    def used(self, challenge: str) -> "Challenges":
        """Without it."""
        return replace(self, until_s={c: t for c, t in self.until_s.items() if c != challenge})


def refusal(
    order: SignedOrder_Request, bond: Bond, challenges: Challenges, node_id: str, now_s: float
) -> str:
    """What is wrong with this order; empty when it is to be carried out."""
    if order.node_id != node_id:
        return f"this is {node_id}, not {order.node_id[:64]}"
    if challenges.until_s.get(order.challenge, float("-inf")) <= now_s:
        return "this order was used before, or is too old: ask for a new challenge"
    if bond.server_key and order.server_key != bond.server_key:
        return belongs(node_id, bond)
    if order.kind == OrderKind.MEET:
        return ""
    if not is_signed(order.server_key, order.signature, *order_parts(order)):
        return "the signature of this order is wrong"
    if not bond.server_key and order.kind != OrderKind.BIND:
        return f"{node_id} belongs to no server yet: adopt it first"
    return ""


def belongs(node_id: str, bond: Bond) -> str:
    """Why somebody else is refused."""
    return (
        f"{node_id} belongs to {bond.server} and takes signed orders of that server only; "
        "reset it there, or hold its button for 5 s"
    )


class TrustFiles:
    """trust.yaml, and the node's own key beside it. Calls block."""

    def __init__(self, directory: Path) -> None:
        self.problem = ""
        self._directory = directory
        self._bond = StateStore(directory / "trust.yaml", Bond, version=1, keeps_last_good=True)

    def key(self) -> PrivateKey:
        """Ours."""
        key, problem = load_key(self._directory / "node.key")
        self.problem = problem or self.problem
        return key

    def bond(self) -> Bond:
        """An unreadable one is none: the server exchanges keys anew with a node that it adopted."""
        try:
            bond = self._bond.load()
        except SaintError as err:
            self.problem = str(err)
            return Bond()
        self.problem = str(self._bond.problem or self.problem)
        return bond

    def keep(self, bond: Bond) -> None:
        """Raises SaintError."""
        self._bond.save(bond)

    def forget(self) -> None:
        """Raises SaintError."""
        self._bond.forget()
