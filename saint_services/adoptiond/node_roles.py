"""Several roles on one node, as the server sees them: what a node reports of them, and whether
another one fits. Pure. Not here: adoption of a single role (logic.py).
"""

from dataclasses import replace

from ..lib.api.adoption import NodeRoleInfo, NodeState
from ..lib.errors import Code, SaintError
from ..lib.generated.saint_msgs import NodeRoles
from ..lib.role_config.resources import conflict
from .logic import STATES, clean, room_for, with_node
from .registry import Catalog, Node, Registry, RoleKey
from .state import SavedRole

_MOST_ROLES = 8
_MOST_PWM_PINS = 28
_LONGEST_REASON = 240


def roles_received(
    registry: Registry, node_id: str, message: NodeRoles, date: str
) -> Registry | None:
    """Apply a node's report of its roles; it may come before its first heartbeat. None: it is
    refused."""
    if message.node_id != node_id or len(message.roles) > _MOST_ROLES:
        return None
    if node_id not in registry.nodes and not message.roles:
        return registry  # a node without a role announces itself
    node = room_for(registry, node_id, date)
    if node is None:
        return None
    roles = tuple(
        NodeRoleInfo(
            role=clean(role.role, 16),
            instance=clean(role.instance, 16),
            state=STATES.get(role.state, NodeState.ADOPTING),
            config_version=clean(role.config_version, 32),
            reason=clean(role.reason, _LONGEST_REASON),
            role_restarts=role.restarts,
            role_alive=role.alive,
            outputs_safe=role.outputs_safe,
        )
        for role in message.roles
        if role.role
    )
    release = clean(message.firmware_version, 32)
    update: dict[str, object] = {
        "roles": [_saved(role) for role in roles],
        "roles_told_by": release,
    }
    if node_id not in registry.nodes:
        update |= {"role": roles[0].role, "instance": roles[0].instance} if roles else {}
        update["firmware_version"] = release
    kept = node.kept.model_copy(update=update)
    channels = _channels(message)
    return with_node(registry, replace(node, kept=kept, roles=roles, pwm_channels=channels))


def _channels(message: NodeRoles) -> dict[int, int]:
    """Return the PWM channel of each pin that has one; a report that makes no sense has none."""
    pins, channels = message.pwm_pins, message.pwm_channels
    if len(pins) != len(channels) or len(pins) > _MOST_PWM_PINS:
        return {}
    return dict(zip(map(int, pins), map(int, channels), strict=True))


def _saved(role: NodeRoleInfo) -> SavedRole:
    version = role.config_version
    return SavedRole(role=role.role, instance=role.instance, config_version=version)


def role_views(node: Node, catalog: Catalog, state: NodeState) -> list[NodeRoleInfo]:
    """Return each role of a node as the control plane shows it."""
    return [_view(node, catalog, key, state) for key in node.keys]


def _view(node: Node, catalog: Catalog, key: RoleKey, state: NodeState) -> NodeRoleInfo:
    reported = next((role for role in node.roles if RoleKey(role.role, role.instance) == key), None)
    if reported is None:  # not reported yet, or its release reports one role, in its heartbeat
        reported = NodeRoleInfo(
            role=key.role,
            instance=key.instance,
            state=state,
            config_version=node.kept.config_version if key == node.key else "",
            role_restarts=node.role_restarts,
            role_alive=state is NodeState.ACTIVE and not node.reason,
            outputs_safe=node.outputs_safe,
        )
    is_off = state is NodeState.OFFLINE
    update = {
        "topic_prefix": catalog.topic_prefix(key),
        "state": state if is_off else reported.state,
    }
    return reported.model_copy(update=update)


def check_room(catalog: Catalog, node: Node, key: RoleKey) -> None:
    """Raise conflict, naming both roles, when a role needs hardware that another role of the node
    uses."""
    wanted = catalog.roles.get(key)
    held = [catalog.roles[other].config for other in node.keys if other in catalog.roles]
    reason = conflict(held, wanted.config, node.pwm_channels) if wanted else ""
    if reason:
        raise SaintError(Code.CONFLICT, f"{node.title} cannot also hold {key}: {reason}")
