"""Which server a node belongs to, which nodes are ignored or replaced, and why one is not offered.
Pure. Not here: heartbeats and adoption (logic.py); keys and signatures (order_sender.py).
"""

from dataclasses import dataclass, replace

from ..lib.api.adoption import NodeState, UnknownDevice
from ..lib.errors import Code, SaintError
from ..lib.generated.saint_msgs import NodeTrust
from ..lib.machine.computer import is_token
from .logic import MOST_NODES, NO_ROLE, clean, with_node
from .registry import LONGEST_NAME, Bond, Catalog, Node, Registry, RoleKey

_KEY_CHARS = 64
_MOST_UNKNOWN = 16
_UNKNOWN_LIMIT_S = 60.0
_FREE = (NodeState.UNADOPTED, NodeState.OFFLINE)


@dataclass(frozen=True, slots=True)
class Work:
    """Nodes that the registry handles without a request."""

    to_bind: tuple[str, ...] = ()  # adopted by this server, but their keys were lost
    to_reset: tuple[str, ...] = ()  # were replaced, and are online in their role again


def trust_received(registry: Registry, node_id: str, message: NodeTrust) -> Registry | None:
    """Apply a node's report of its server. None: it is refused."""
    if message.node_id != node_id or not is_token(node_id):
        return None
    bond = Bond(
        clean(message.node_key, _KEY_CHARS),
        clean(message.server, LONGEST_NAME),
        clean(message.server_key, _KEY_CHARS),
        clean(message.code, 7),
    )
    if len(registry.bonds) < 2 * MOST_NODES or node_id in registry.bonds:
        registry = replace(registry, bonds={**registry.bonds, node_id: bond})
    node = registry.nodes.get(node_id)
    return with_node(registry, replace(node, bond=bond)) if node else registry


def met(registry: Registry, node_id: str, bond: Bond) -> Registry:
    """Note the key of a node that is about to belong to this server."""
    node = registry.nodes.get(node_id)
    if node is None:
        return registry
    kept = node.kept.model_copy(update={"node_key": bond.node_key, "code": bond.code})
    return with_node(registry, replace(node, kept=kept))


def bound(registry: Registry, node_id: str, bond: Bond) -> Registry:
    """Note that node and server have exchanged keys."""
    registry = met(registry, node_id, bond)
    node = registry.nodes.get(node_id)
    return with_node(registry, replace(node, bond=bond)) if node else registry


def ignore(registry: Registry, node_id: str, is_ignored: bool) -> Registry:
    """Stop offering a node, or offer it again. Raises SaintError."""
    node = registry.known(node_id)
    if is_ignored and node.key is not None:
        raise SaintError(Code.CONFLICT, f"{node.title} holds {node.holds}")
    kept = node.kept.model_copy(update={"is_ignored": is_ignored})
    return with_node(registry, replace(node, kept=kept))


def roles_of(
    registry: Registry, node_id: str, now_s: float, server_key: str = ""
) -> tuple[RoleKey, ...]:
    """Return the roles of a node that has lost its role file: those that it held and that no other
    online node holds now, or is being adopted for."""
    node = registry.nodes.get(node_id)
    if node is None or node.kept.replaced_by:
        return ()
    promised = {wanted.key for other, wanted in registry.pending.items() if other != node_id}
    return tuple(
        key
        for key in node.keys
        if key not in promised
        and all(other.node_id == node_id for other in registry.holders(key, now_s, server_key))
    )


def roles_to_move(
    registry: Registry, old_id: str, new_id: str, now_s: float
) -> tuple[RoleKey, ...]:
    """Return the roles that a new node gets from an offline one. Raises SaintError."""
    old = registry.known(old_id)
    if old_id == new_id:
        raise SaintError(Code.REQUEST_INVALID, f"{old_id} cannot replace itself")
    if old.key is None:
        raise SaintError(Code.REFUSED, f"{old.title} holds no role that could be moved")
    if old.is_online(now_s):
        raise SaintError(
            Code.CONFLICT, f"{old.title} is online", fix="Switch it off, or reset it first."
        )
    return old.keys


def replaced(registry: Registry, old_id: str, new_id: str) -> Registry:
    """Move the roles to the new node. The old one is reset when it comes online again."""
    old = registry.nodes.get(old_id)
    if old is None:
        return registry
    gone = {**NO_ROLE, "display_name": "", "replaced_by": new_id}
    return with_node(registry, replace(old, kept=old.kept.model_copy(update=gone), roles=()))


def work(registry: Registry, server_key: str, now_s: float) -> Work:
    """Return the nodes to handle now."""
    here = [n for n in registry.nodes.values() if n.is_online(now_s) and n.key]
    here = [n for n in here if n.state is NodeState.ACTIVE and not n.is_foreign(server_key)]
    return Work(
        tuple(n.node_id for n in here if _lacks_keys(n)),
        tuple(
            n.node_id
            for n in here
            if n.kept.replaced_by and not registry.is_being_adopted(n.node_id)
        ),
    )


def _lacks_keys(node: Node) -> bool:
    """Whether the node is adopted, but bound to no server. A changed key waits for a user."""
    return bool(node.bond and not node.bond.server_key and not changed_key(node))


def foreign(bond: Bond, robot: str) -> str:
    """Return why a node of another server is not offered."""
    if bond.server == robot:
        return (
            f"belongs to {robot} under another key: that server was set up again or exists twice; "
            "hold the node's button for 5 s, or restore the server's key"
        )
    return f"belongs to {bond.server}; reset it there, or hold its button for 5 s"


def not_offered(node: Node, catalog: Catalog, now_s: float) -> str:
    """Return why a node without a role cannot be adopted now; empty when it can, or has one."""
    if node.kept.is_ignored:
        return f"ignored; saintctl node unignore {node.node_id} offers it again"
    if node.kept.replaced_by:
        return f"was replaced by {node.kept.replaced_by}"
    if node.bond and node.is_foreign(catalog.server_key):
        return foreign(node.bond, catalog.robot)
    if node.key is not None:
        return ""
    if not node.is_online(now_s):
        return "no heartbeat; check its power and network"
    if node.state not in _FREE:
        return f"busy ({node.state.value})"
    return ""


def changed_key(node: Node) -> str:
    """Return a message when the node has another key than the known one."""
    if not node.kept.node_key or node.bond is None or node.bond.node_key == node.kept.node_key:
        return ""
    return "its key is not the known one: its card was written again, or this is another computer"


def unproven(node: Node, server_key: str) -> str:
    """Return a message when a node with a role says that it belongs to this server, which does not
    know its key: its word is no proof."""
    if not server_key or node.key is None or not node.is_of(server_key) or node.kept.node_key:
        return ""
    return (
        "it says that it belongs to this server, which does not know its key; adopt it again as "
        f"{node.key} to take it in"
    )


def unknown_reason(registry: Registry, node_id: str) -> str:
    """Return why a received device is not in the registry."""
    if not is_token(node_id):
        return "its id cannot be part of a topic name: letters, digits, single underscores"
    if node_id not in registry.nodes and len(registry.nodes) >= MOST_NODES:
        return f"there are {MOST_NODES} nodes already"
    return "its messages contradict each other"


class UnknownDevices:
    """Devices of the last minute that are not in the registry, with the reason, for users who look
    for theirs. Bounded: any participant of the bus can invent names."""

    def __init__(self) -> None:
        self._seen: dict[str, tuple[str, float]] = {}

    def add(self, name: str, reason: str, now_s: float) -> bool:
        """Note one announcement; return whether it says something new. Above the limit the oldest
        device is dropped."""
        name = clean(name, LONGEST_NAME) or "a device without a name"
        before, _ = self._seen.pop(name, ("", now_s))
        self._seen[name] = reason, now_s
        while len(self._seen) > _MOST_UNKNOWN:
            del self._seen[next(iter(self._seen))]
        return before != reason

    def recent(self, now_s: float) -> list[UnknownDevice]:
        """Return the devices, the newest first."""
        seen = [(name, *entry) for name, entry in self._seen.items()]
        return [
            UnknownDevice(name=name, reason=reason, seen_age_s=round(now_s - seen_s, 3))
            for name, reason, seen_s in reversed(seen)
            if now_s - seen_s <= _UNKNOWN_LIMIT_S
        ]
