"""Adoptions whose end this server did not see: it was restarted, lost its power, or the node did
not answer in time. The node's later reports say whether it was adopted. Pure. Not here: requests to
the node (running.py).
"""

from dataclasses import dataclass, replace

from ...lib.api.adoption import NodeState
from .. import membership
from ..logic import end_adoption
from ..registry import Node, Registry, RoleKey, UnfinishedAdoption

# A report that was on its way at that moment says nothing. Roles are reported after the state.
_SETTLES_S = 5.0


@dataclass(frozen=True, slots=True)
class Judged:
    """Nodes whose unfinished adoptions the reports decide."""

    adopted: tuple[str, ...] = ()  # each has yet to prove itself
    not_adopted: tuple[str, ...] = ()


def interrupted(registry: Registry, node_id: str, now_s: float) -> Registry:
    """Note that a running adoption ended without the node's consent: it may be adopted or not."""
    wanted = registry.pending.get(node_id)
    registry = end_adoption(registry, node_id, is_adopted=False)
    if wanted is None:
        return registry
    known = {**registry.unfinished, node_id: UnfinishedAdoption(wanted, now_s)}
    return replace(registry, unfinished=known)


def finished(registry: Registry, node_id: str) -> Registry:
    """Return the registry after the node has taken the role: running, or unfinished until now."""
    was = registry.unfinished.get(node_id)
    wanted = registry.pending.get(node_id) or (was.wanted if was else None)
    if wanted is None:
        return registry
    registry = replace(registry, pending={**registry.pending, node_id: wanted})
    registry = dropped(end_adoption(registry, node_id, is_adopted=True), node_id)
    return membership.replaced(registry, wanted.replaces, node_id) if wanted.replaces else registry


def dropped(registry: Registry, node_id: str) -> Registry:
    """Return the registry without that unfinished adoption: the node was not adopted."""
    others = {i: each for i, each in registry.unfinished.items() if i != node_id}
    return replace(registry, unfinished=others)


def judged(registry: Registry, now_s: float) -> Judged:
    """Return what the nodes' reports say of the unfinished adoptions."""
    adopted, not_adopted = [], []
    for node_id, each in registry.unfinished.items():
        node = registry.nodes.get(node_id)
        if node is None or node_id in registry.pending:
            continue
        if not node.is_online(now_s) or now_s - each.since_s < _SETTLES_S:
            continue
        if _is_at_work(node, each.wanted.key):
            adopted.append(node_id)
        elif node.state in (NodeState.UNADOPTED, NodeState.ACTIVE):
            not_adopted.append(node_id)
    return Judged(tuple(adopted), tuple(not_adopted))


def _is_at_work(node: Node, key: RoleKey) -> bool:
    return node.state is NodeState.ACTIVE and key in node.keys
