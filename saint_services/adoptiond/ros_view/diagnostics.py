"""Says how the robot is as diagnostic_msgs, which rqt_robot_monitor and Foxglove show: the server,
each node, problems of the registry. Pure.
"""

from collections.abc import Iterable, Mapping

from ...lib.generated.builtin_interfaces import Time
from ...lib.generated.diagnostic_msgs import DiagnosticArray, DiagnosticStatus, KeyValue
from ...lib.generated.saint_msgs import SystemStatus
from ...lib.generated.std_msgs import Header
from ...lib.health import HealthIssue
from ..registry import Catalog, Node, Registry
from ..views import reason, state

OK, WARN, ERROR, STALE = range(4)  # diagnostic_msgs/DiagnosticStatus
_HOT_C, _TOO_HOT_C = 70.0, 80.0  # a Pi slows down from 80 on
_FULL = 90.0  # percent


def diagnostics(
    stamp: Time,
    system: SystemStatus,
    registry: Registry,
    catalog: Catalog,
    nodes: Iterable[Node],
    issues: Iterable[HealthIssue],
    storage_used: float,
    now_s: float,
) -> DiagnosticArray:
    """Return the state of the whole robot. `storage_used`: percent of the data partition."""
    found = [_server(system, storage_used), _estop(system)]
    found += [_node(registry, catalog, node, now_s) for node in nodes]
    found += [
        DiagnosticStatus(WARN, f"registry: {issue.title}", issue.text, "server", ())
        for issue in issues
    ]
    return DiagnosticArray(Header(stamp=stamp), tuple(found))


def _server(system: SystemStatus, storage_used: float) -> DiagnosticStatus:
    level, text = _machine(system.cpu_temp, system.memory_usage)
    if storage_used > _FULL:
        level, text = max(level, WARN), f"{text}; storage {storage_used:.0f} % full".lstrip("; ")
    values = {
        "cpu_temp_c": system.cpu_temp,
        "cpu_usage_percent": system.cpu_usage,
        "memory_usage_percent": system.memory_usage,
        "storage_used_percent": storage_used,
        "uptime_s": system.uptime_seconds,
        "release": system.version,
        "nodes_active": system.nodes_active,
        "nodes_offline": system.nodes_offline,
    }
    return DiagnosticStatus(level, "server", text or "well", system.server_name, _values(values))


def _estop(system: SystemStatus) -> DiagnosticStatus:
    level, text = (WARN, "stopped") if system.estop else (OK, "clear")
    return DiagnosticStatus(level, "e-stop", text, system.server_name, ())


def _node(registry: Registry, catalog: Catalog, node: Node, now_s: float) -> DiagnosticStatus:
    why = reason(registry, catalog, node, now_s)
    level, text = _machine(node.cpu_temp, node.memory_usage)
    if why:
        level, text = max(level, WARN), why
    if not node.is_online(now_s):
        level = STALE if node.seen_s is None else ERROR
    values = {
        "state": state(node, now_s).value,
        "roles": node.holds,
        "cpu_temp_c": node.cpu_temp,
        "cpu_usage_percent": node.cpu_usage,
        "memory_usage_percent": node.memory_usage,
        "uptime_s": node.uptime_s,
        "role_restarts": node.role_restarts,
        "outputs_safe": node.outputs_safe,
        "release": node.kept.firmware_version,
    }
    name = f"node: {node.node_id}"
    return DiagnosticStatus(level, name, text or "well", node.node_id, _values(values))


def _machine(cpu_temp: float, memory_usage: float) -> tuple[int, str]:
    if cpu_temp >= _TOO_HOT_C:
        return ERROR, f"{cpu_temp:.0f} degrees: the processor slows down"
    if cpu_temp >= _HOT_C:
        return WARN, f"{cpu_temp:.0f} degrees"
    if memory_usage > _FULL:
        return WARN, f"memory {memory_usage:.0f} % full"
    return OK, ""


def _values(values: Mapping[str, object]) -> tuple[KeyValue, ...]:
    return tuple(KeyValue(key, _text(value)) for key, value in values.items())


def _text(value: object) -> str:
    return f"{value:.1f}" if isinstance(value, float) else str(value)
