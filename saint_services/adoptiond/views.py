"""Builds the views of the registry for the page, saintctl and ROS. Pure."""

from dataclasses import replace

from ..lib.api.adoption import NodeInfo, NodeList, NodeState, RoleChoice, ScanReport
from ..lib.generated.builtin_interfaces import Time
from ..lib.generated.saint_msgs import NodeStatus, SystemStatus
from ..lib.machine.computer import MachineMetrics
from . import membership, node_roles
from .registry import Catalog, Node, Registry, RoleKey


def node_info(registry: Registry, catalog: Catalog, node: Node, now_s: float) -> NodeInfo:
    """Return one node as the control plane shows it."""
    kept = node.kept
    why_not = membership.not_offered(node, catalog, now_s)
    key = node.key
    return NodeInfo(
        node_id=node.node_id,
        display_name=kept.display_name,
        state=state(node, now_s),
        role=kept.role,
        instance=kept.instance,
        topic_prefix=catalog.topic_prefix(key) if key else "",
        roles=node_roles.role_views(node, catalog, state(node, now_s)),
        hardware_model=kept.hardware_model,
        hardware_rev=kept.hardware_rev,
        firmware_version=kept.firmware_version,
        config_version=kept.config_version,
        mac_address=kept.mac_address,
        address=kept.address,
        first_seen=kept.first_seen,
        seen_age_s=round(now_s - node.seen_s, 3) if node.seen_s is not None else 0.0,
        cpu_temp=node.cpu_temp,
        cpu_usage=node.cpu_usage,
        memory_usage=node.memory_usage,
        uptime_s=node.uptime_s,
        role_restarts=node.role_restarts,
        outputs_safe=node.outputs_safe,
        reason=reason(registry, catalog, node, now_s),
        peripherals=list(node.peripherals),
        server=node.bond.server if node.bond else "",
        is_ours=node.is_of(catalog.server_key),
        code=kept.code,
        is_ignored=kept.is_ignored,
        is_offered=node.key is None and not why_not,
        not_offered=why_not,
        replaced_by=kept.replaced_by,
    )


def scanned(found: NodeList, known_before: frozenset[str], listened_s: float) -> ScanReport:
    """Return what was received in the last seconds, of all nodes of the registry."""
    recent = [node for node in found.nodes if node.first_seen and node.seen_age_s <= listened_s]
    ids = {node.node_id for node in recent if node.state is not NodeState.OFFLINE}
    return ScanReport(
        nodes=[node for node in found.nodes if node.node_id in ids],
        strangers=[each for each in found.strangers if each.seen_age_s <= listened_s],
        listened_s=listened_s,
        new=sorted(ids - known_before),
        silent=sorted(node.node_id for node in found.nodes if node.node_id not in ids),
    )


def steady(node: Node, now_s: float) -> Node:
    """Return a node without its readings, which are others in each heartbeat: what remains is
    what a watch reports at once. Of the last heartbeat remains whether it is recent.
    """
    seen_s = None if node.seen_s is None else float(node.is_online(now_s))
    return replace(node, seen_s=seen_s, cpu_temp=0.0, cpu_usage=0.0, memory_usage=0.0, uptime_s=0)


def is_other(before: Registry, after: Registry, now_s: float) -> bool:
    """Return whether a reader sees more than other readings."""
    if before.nodes.keys() != after.nodes.keys():
        return True
    pairs = ((before.nodes[node_id], node) for node_id, node in after.nodes.items())
    return any(old is not new and steady(old, now_s) != steady(new, now_s) for old, new in pairs)


def online(registry: Registry, now_s: float) -> frozenset[str]:
    """Return the nodes whose heartbeat is recent."""
    return frozenset(n.node_id for n in registry.nodes.values() if n.is_online(now_s))


def state(node: Node, now_s: float) -> NodeState:
    """Return the reported state, or offline."""
    return node.state if node.is_online(now_s) else NodeState.OFFLINE


def reason(registry: Registry, catalog: Catalog, node: Node, now_s: float) -> str:
    """Return why a node is not healthy: its own reason, and what only the server can see."""
    if node.seen_s is None:
        return "no report since the server started"
    if not node.is_online(now_s):
        return "no heartbeat; check its power and network"
    is_foreign = node.is_foreign(catalog.server_key)
    conflict = "" if is_foreign else _conflict(registry, catalog, node, now_s)
    owner = membership.foreign(node.bond, catalog.robot) if node.bond and is_foreign else ""
    unproven = membership.unproven(node, catalog.server_key)
    texts = (node.reason, conflict, owner, membership.changed_key(node), unproven)
    return "; ".join(text for text in texts if text)


def _conflict(registry: Registry, catalog: Catalog, node: Node, now_s: float) -> str:
    texts = []
    for key in node.keys:
        holders = registry.holders(key, now_s, catalog.server_key)
        others = [n.title for n in holders if n is not node]
        if key not in catalog.keys:
            texts.append(f"this robot has no role {key}; reset the node")
        elif others:
            texts.append(f"{', '.join(others)} holds {key} too; reset one of them")
    return "; ".join(texts)


def role_choice(registry: Registry, catalog: Catalog, key: RoleKey, now_s: float) -> RoleChoice:
    """Return a role and its node: an online node before an offline one."""
    ours = (node for node in registry.nodes.values() if not node.is_foreign(catalog.server_key))
    holders = [node for node in ours if key in node.keys]
    holders.sort(key=lambda node: not node.is_online(now_s))
    return RoleChoice(
        role=key.role,
        instance=key.instance,
        topic_prefix=catalog.topic_prefix(key),
        node_id=holders[0].node_id if holders else "",
    )


def gone(registry: Registry, now_s: float) -> frozenset[str]:
    """Return adopted nodes that were online and are not any more."""
    return frozenset(
        n.node_id
        for n in registry.nodes.values()
        if n.key and n.seen_s is not None and not n.is_online(now_s)
    )


def system_status(
    registry: Registry,
    robot: str,
    version: str,
    metrics: MachineMetrics,
    *,
    is_estop: bool,
    now_s: float,
    stamp: Time,
) -> SystemStatus:
    """Return the robot's status message."""
    online = [node for node in registry.nodes.values() if node.is_online(now_s)]
    return SystemStatus(
        stamp=stamp,
        server_name=robot,
        version=version,
        uptime_seconds=metrics.uptime_s,
        cpu_usage=metrics.cpu_usage,
        memory_usage=metrics.memory_usage,
        cpu_temp=metrics.cpu_temp,
        nodes_active=sum(node.state is NodeState.ACTIVE for node in online),
        nodes_offline=len(registry.nodes) - len(online),
        nodes_unadopted=sum(node.key is None for node in online),
        estop=is_estop,
    )


def node_status(registry: Registry, catalog: Catalog, node: Node, now_s: float) -> NodeStatus:
    """Return one node for the reply of /saint/system/status."""
    info = node_info(registry, catalog, node, now_s)
    return NodeStatus(
        node_id=info.node_id,
        mac_address=info.mac_address,
        display_name=info.display_name,
        hardware_model=info.hardware_model,
        hardware_rev=info.hardware_rev,
        firmware_version=info.firmware_version,
        state=info.state.value,
        role=info.role,
        instance=info.instance,
        config_version=info.config_version,
        reason=info.reason,
        address=info.address,
        cpu_temp=info.cpu_temp,
        cpu_usage=info.cpu_usage,
        memory_usage=info.memory_usage,
        uptime_seconds=info.uptime_s,
        role_restarts=info.role_restarts,
        outputs_safe=info.outputs_safe,
    )
