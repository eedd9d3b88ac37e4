"""Decides whether an order is genuine: the server that this node belongs to, the challenges that it
issued, the signature. Pure but for `TrustFiles`. Not here: what an order does (orders.py).
"""

from dataclasses import dataclass, field, replace
from pathlib import Path

from ...lib.api.orders import OrderKind, order_parts
from ...lib.crypto.signing import PrivateKey, is_signed, load_key
from ...lib.errors import SaintError
from ...lib.generated.saint_msgs import SignedOrder_Request
from ...lib.state import StateStore
from ...lib.strict import StrictModel

CHALLENGE_LASTS_S = 10.0
_MOST_CHALLENGES = 16


class ServerBond(StrictModel):
    """trust.yaml: the server that this node belongs to. Empty: none."""

    server: str = ""
    server_key: str = ""
    code: str = ""
    since: str = ""  # ISO 8601, UTC


@dataclass(frozen=True, slots=True)
class Challenges:
    """The challenges that are not used yet, and when each expires."""

    until_s: dict[str, float] = field(default_factory=dict)

    def issued(self, challenge: str, now_s: float) -> "Challenges":
        """Return these with one more; a flood of requests drops the oldest."""
        valid = {c: t for c, t in self.until_s.items() if t > now_s}
        newest = list(valid.items())[-(_MOST_CHALLENGES - 1) :]
        return Challenges({**dict(newest), challenge: now_s + CHALLENGE_LASTS_S})

    def used(self, challenge: str) -> "Challenges":
        """Return these without a challenge that was used."""
        return replace(self, until_s={c: t for c, t in self.until_s.items() if c != challenge})


def refusal(
    order: SignedOrder_Request, bond: ServerBond, challenges: Challenges, node_id: str, now_s: float
) -> str:
    """Return why an order is refused; empty when it is to be carried out."""
    if order.node_id != node_id:
        return f"this is {node_id}, not {order.node_id[:64]}"
    if challenges.until_s.get(order.challenge, float("-inf")) <= now_s:
        return "this order was used before, or is too old: request a new challenge"
    if bond.server_key and order.server_key != bond.server_key:
        return foreign_server(node_id, bond)
    if order.kind == OrderKind.MEET:
        return ""
    if not is_signed(order.server_key, order.signature, *order_parts(order)):
        return "the signature of this order is wrong"
    if not bond.server_key and order.kind != OrderKind.BIND:
        return f"{node_id} belongs to no server yet: adopt it first"
    return ""


def foreign_server(node_id: str, bond: ServerBond) -> str:
    """Return why an order of another server is refused."""
    return (
        f"{node_id} belongs to {bond.server} and accepts signed orders of that server only; "
        "reset it there, or hold its button for 5 s"
    )


class TrustFiles:
    """trust.yaml, and the node's own key beside it. Calls block."""

    def __init__(self, directory: Path) -> None:
        self.problem = ""
        self._directory = directory
        self._bond = StateStore(
            directory / "trust.yaml", ServerBond, version=1, keeps_last_good=True
        )

    def key(self) -> PrivateKey:
        """Load the node's own key, or make one."""
        key, problem = load_key(self._directory / "node.key")
        self.problem = problem or self.problem
        return key

    def bond(self) -> ServerBond:
        """Load the bond; empty where it is unreadable: the server exchanges keys again with a node
        that it adopted."""
        try:
            bond = self._bond.load()
        except SaintError as err:
            self.problem = str(err)
            return ServerBond()
        self.problem = str(self._bond.problem or self.problem)
        return bond

    def store(self, bond: ServerBond) -> None:
        """Store the bond. Raises SaintError."""
        self._bond.save(bond)

    def forget(self) -> None:
        """Remove the bond. Raises SaintError."""
        self._bond.forget()
