"""The rules of the registry: what a heartbeat changes, which node may get a role, what is
persisted. Nodes know their own roles, the registry follows them. Pure: (registry, event, now) ->
registry. Everything from a node is untrusted: bounded, checked, or refused. Not here: views
(views.py), requests to nodes (operations.py).
"""

import math
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime

from ..lib.api.adoption import NodeState, Peripheral
from ..lib.errors import Code, SaintError
from ..lib.generated.saint_msgs import NodeAnnouncement, NodeStatus
from ..lib.machine.computer import is_token
from .registry import LONGEST_NAME, Node, PendingAdoption, Registry, RoleKey, UnfinishedAdoption
from .state import SavedNode, SavedRegistry, SavedRole

MOST_NODES = 256
FORGET_UNADOPTED_AFTER_S = 60.0
_LONGEST_REASON = 240
_MOST_PERIPHERALS = 64
NO_ROLE: Mapping[str, object] = {"role": "", "instance": "", "config_version": "", "roles": []}
STATES = {state.value: state for state in NodeState if state is not NodeState.OFFLINE}


def restored(saved: SavedRegistry, now_s: float = 0.0) -> Registry:
    """Return the registry after a restart: all known nodes, none seen yet. Adoptions that were
    running are unfinished."""
    items = [(i, kept) for i, kept in saved.nodes.items() if is_token(i)][:MOST_NODES]
    known = {node_id: Node(node_id, kept) for node_id, kept in items}
    unfinished = {
        node_id: UnfinishedAdoption(PendingAdoption.of(each), now_s)
        for node_id, each in saved.adoptions.items()
        if is_token(node_id)
    }
    return Registry(known, unfinished=unfinished)


def saved(registry: Registry) -> SavedRegistry:
    """Return what is persisted, of adoptions the newest."""
    adoptions = {node_id: each.wanted for node_id, each in registry.unfinished.items()}
    adoptions = dict([*adoptions.items(), *registry.pending.items()][-MOST_NODES:])
    return SavedRegistry(
        nodes={i: n.kept for i, n in registry.nodes.items() if _is_kept(n.kept)},
        adoptions={node_id: wanted.saved for node_id, wanted in adoptions.items()},
    )


def _is_kept(kept: SavedNode) -> bool:
    ours = kept.role or kept.display_name or kept.node_key
    return bool(ours or kept.is_ignored or kept.replaced_by)


def announcement_received(
    registry: Registry, message: NodeAnnouncement, now_s: float, date: str
) -> Registry | None:
    """Apply the announcement of a node without a role. A node that has lost its role file keeps the
    roles that the registry knows. None: it is refused."""
    node = room_for(registry, message.node_id, date)
    if node is None:
        return None
    kept = node.kept
    is_reset = message.state == NodeState.UNADOPTED.value and not message.role_lost
    if is_reset:  # whatever the registry held
        kept = kept.model_copy(update=NO_ROLE)
        is_free = node.bond and not node.bond.server_key  # it belongs to no server any more
        if is_free and not registry.is_being_adopted(node.node_id):
            kept = kept.model_copy(update={"node_key": "", "code": ""})
    node = replace(
        node,
        kept=_identified(kept, message),
        peripherals=tuple(
            Peripheral(
                type=clean(p.type, 16),
                address=clean(p.address, 32),
                description=clean(p.description, LONGEST_NAME),
                responsive=p.responsive,
            )
            for p in message.peripherals[:_MOST_PERIPHERALS]
        ),
        role_restarts=0,
        outputs_safe=True,
    )
    return with_node(registry, _measured(node, message, now_s))


def status_received(
    registry: Registry, node_id: str, message: NodeStatus, now_s: float, date: str
) -> Registry | None:
    """Apply the heartbeat of a node with a role, on its own topic. None: it is refused."""
    node = room_for(registry, node_id, date) if message.node_id == node_id else None
    if node is None:
        return None
    role = {
        "role": clean(message.role, 16),
        "instance": clean(message.instance, 16),
        "config_version": clean(message.config_version, 32),
    }
    node = replace(
        node,
        kept=_identified(node.kept.model_copy(update=role), message),
        role_restarts=message.role_restarts,
        outputs_safe=message.outputs_safe,
    )
    return with_node(registry, _measured(node, message, now_s))


def sweep(registry: Registry, now_s: float) -> Registry:
    """Return the registry without the unadopted nodes that timed out long ago."""

    def stays(node: Node) -> bool:
        silent_s = now_s - node.seen_s if node.seen_s is not None else 0.0
        is_ours = _is_kept(node.kept) or node.node_id in registry.pending
        return is_ours or silent_s <= FORGET_UNADOPTED_AFTER_S

    if all(stays(node) for node in registry.nodes.values()):
        return registry
    return replace(registry, nodes={i: n for i, n in registry.nodes.items() if stays(n)})


def begin_adoption(
    registry: Registry,
    roles: frozenset[RoleKey],
    node_id: str,
    wanted: PendingAdoption,
    now_s: float,
    server_key: str = "",
) -> Registry:
    """Add a pending adoption. Raises SaintError with the reason when it is not possible."""
    key = wanted.key
    if key not in roles:
        known = ", ".join(sorted(str(role) for role in roles))
        raise SaintError(
            Code.NOT_FOUND,
            f"this robot has no role '{clean(str(key), 40)}'",
            fix=f"Roles: {known}.",
        )
    node = registry.known(node_id)
    if node.kept.is_ignored:
        raise SaintError(
            Code.REFUSED, f"{node.title} is ignored", fix=f"saintctl node unignore {node_id}"
        )
    if not node.is_online(now_s):
        raise SaintError(Code.REFUSED, f"{node.title} is offline", fix="Switch it on first.")
    if node_id in registry.pending:
        raise SaintError(Code.CONFLICT, f"{node.title} is just being adopted")
    if node.keys and key not in node.keys:
        _may_add(node, wanted)
    for other in registry.holders(key, now_s, server_key):
        # A node that has never named its server may be another robot's.
        is_unheard = bool(server_key) and other.bond is None and not other.kept.node_key
        if other.node_id != node_id and not is_unheard:
            raise SaintError(Code.CONFLICT, f"{other.title} already holds {key}")
    for other_id, other_wanted in registry.pending.items():
        if other_wanted.key == key:
            raise SaintError(Code.CONFLICT, f"{other_id} is just being adopted as {key}")
    return replace(registry, pending={**registry.pending, node_id: wanted})


def _may_add(node: Node, wanted: PendingAdoption) -> None:
    if not wanted.adds:
        text = f"{node.title} already holds {node.holds}"
        command = f"saintctl node adopt {node.node_id} {wanted.key.role} --add"
        raise SaintError(Code.CONFLICT, text, fix=f"Reset it first, or add the role: {command}.")
    if not node.knows_several:
        text = f"{node.title} holds {node.holds}, and its release can hold one role only"
        raise SaintError(Code.REFUSED, text, fix="Update it first.")


def end_adoption(registry: Registry, node_id: str, is_adopted: bool) -> Registry:
    """End a pending adoption: the node has answered, or not in time."""
    pending = dict(registry.pending)
    wanted = pending.pop(node_id, None)
    registry = replace(registry, pending=pending)
    node = registry.nodes.get(node_id)
    if not is_adopted or wanted is None or node is None:
        return registry
    update: dict[str, object] = {"replaced_by": ""}
    if wanted.adds and node.keys:
        added = SavedRole(role=wanted.key.role, instance=wanted.key.instance)
        update["roles"] = [*without(node.kept.roles, wanted.key), added]
    else:
        update |= {"role": wanted.key.role, "instance": wanted.key.instance}
    if wanted.display_name:
        update["display_name"] = wanted.display_name
    kept = node.kept.model_copy(update=update)
    return with_node(registry, replace(node, kept=kept, state=NodeState.ACTIVE, reason=""))


def after_reset(
    registry: Registry, node_id: str, factory: bool, key: RoleKey | None = None
) -> Registry:
    """Return the registry after the node has forgotten its roles, or that one."""
    node = registry.nodes.get(node_id)
    if node is None:
        return registry
    left = [other for other in node.keys if key is not None and other != key]
    if left:
        first = {"role": left[0].role, "instance": left[0].instance}
        rest = {"roles": without(node.kept.roles, key)}
        return with_node(
            registry, replace(node, kept=node.kept.model_copy(update={**first, **rest}))
        )
    update: dict[str, object] = {**NO_ROLE, "replaced_by": ""}
    if factory:
        update |= {"display_name": "", "node_key": "", "code": ""}
    kept = node.kept.model_copy(update=update)
    return with_node(registry, replace(node, kept=kept, state=NodeState.UNADOPTED, reason=""))


def without(roles: list[SavedRole], key: RoleKey | None) -> list[SavedRole]:
    """Return the registry without a node."""
    return [role for role in roles if RoleKey(role.role, role.instance) != key]


def forget(registry: Registry, node_id: str) -> Registry:
    """Forget a node, and that it was to be adopted."""
    return replace(
        registry,
        nodes={i: n for i, n in registry.nodes.items() if i != node_id},
        unfinished={i: each for i, each in registry.unfinished.items() if i != node_id},
    )


def rename(registry: Registry, node_id: str, display_name: str) -> Registry:
    """Give a node a name. Raises SaintError."""
    node = registry.known(node_id)
    kept = node.kept.model_copy(update={"display_name": checked_name(display_name)})
    return with_node(registry, replace(node, kept=kept))


def checked_name(display_name: str) -> str:
    """Return a valid name. Raises request_invalid."""
    name = display_name.strip()
    if not name or len(name) > LONGEST_NAME or not name.isprintable():
        raise SaintError(
            Code.REQUEST_INVALID, f"display_name must be 1 to {LONGEST_NAME} printable characters"
        )
    return name


def iso_date(wall_s: int) -> str:
    """Return the time in the specification's form; empty for a clock that is not set."""
    if not 0 < wall_s < 253_402_300_800:  # the year 10000
        return ""
    return datetime.fromtimestamp(wall_s, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def clean(text: str, longest: int) -> str:
    """Return text from outside with bounded length and without control characters."""
    text = text[:longest]
    return text if text.isprintable() else "".join(c for c in text if c.isprintable())


def room_for(registry: Registry, node_id: str, date: str) -> Node | None:
    if node_id in registry.nodes:
        return registry.nodes[node_id]
    if not is_token(node_id):
        return None
    if len(registry.nodes) >= MOST_NODES and _oldest_droppable(registry) is None:
        return None
    return Node(node_id, SavedNode(first_seen=date), bond=registry.bonds.get(node_id))


def _oldest_droppable(registry: Registry) -> str | None:
    """Return the node to drop when the registry is full: never one that is persisted or being
    adopted."""
    droppable = [
        n
        for n in registry.nodes.values()
        if not _is_kept(n.kept) and n.node_id not in registry.pending
    ]
    return min(droppable, key=lambda n: n.seen_s or 0.0).node_id if droppable else None


def with_node(registry: Registry, node: Node) -> Registry:
    nodes = dict(registry.nodes)
    if node.node_id not in nodes and len(nodes) >= MOST_NODES:
        del nodes[_oldest_droppable(registry) or node.node_id]
    nodes[node.node_id] = node
    return replace(registry, nodes=nodes)


def _identified(kept: SavedNode, message: NodeAnnouncement | NodeStatus) -> SavedNode:
    """Update the identity. Compared first: almost every heartbeat repeats the last one."""
    update = {
        "hardware_model": clean(message.hardware_model, LONGEST_NAME),
        "hardware_rev": clean(message.hardware_rev, LONGEST_NAME),
        "firmware_version": clean(message.firmware_version, 32),
        "mac_address": clean(message.mac_address, 17),
        "address": clean(message.address, 45),
        # The registry's name wins; a node may restore it to a server that lost it.
        "display_name": kept.display_name or clean(message.display_name, LONGEST_NAME).strip(),
    }
    if all(getattr(kept, name) == value for name, value in update.items()):
        return kept
    return kept.model_copy(update=update)


def _measured(node: Node, message: NodeAnnouncement | NodeStatus, now_s: float) -> Node:
    return replace(
        node,
        seen_s=now_s,
        state=STATES.get(message.state, NodeState.UNADOPTED),
        reason=clean(message.reason, _LONGEST_REASON),
        cpu_temp=_within(message.cpu_temp, -60.0, 200.0),
        cpu_usage=_within(message.cpu_usage, 0.0, 100.0),
        memory_usage=_within(message.memory_usage, 0.0, 100.0),
        uptime_s=message.uptime_seconds,
    )


def _within(value: float, low: float, high: float) -> float:
    return min(max(value, low), high) if math.isfinite(value) else 0.0
