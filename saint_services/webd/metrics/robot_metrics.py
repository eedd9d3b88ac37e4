"""Metrics of this robot from each daemon's report, in seconds, ratios (0 to 1), degrees Celsius,
hertz. Not here: requesting the reports (scrape.py).
"""

from collections.abc import Callable
from typing import Any

from ...lib.api import rc as rc_rows
from ...lib.api import routing
from ...lib.api.adoption import LIST_NODES, NodeInfo, NodeList, NodeState
from ...lib.api.endpoint import Endpoint, Nothing
from ...lib.api.firmware import STATUS, FirmwareReport, RolloutState
from ...lib.api.livelink import LIST_SOURCES, SubjectList
from ...lib.api.rc import RcLine, RcStatus
from ...lib.api.routing import RouterStatus
from ...lib.api.teleop import LIST_SESSIONS
from ...lib.health import HealthReport
from ..topics.newest import Newest
from . import teleop_metrics
from .page import MetricsPage

POLICIES = ("none", "live", "hold", "ramp_to_zero", "neutral", "park", "estop")
_ALL_WELL = "1 while the daemon answers and has no health issue."


def health(page: MetricsPage, daemon: str, report: HealthReport | None) -> None:
    """Add the health of one daemon; None: it does not answer."""
    is_well = report is not None and report.healthy
    page.gauge("daemon_up", "1 while the daemon answers.", report is not None, daemon=daemon)
    page.gauge("daemon_healthy", _ALL_WELL, is_well, daemon=daemon)
    if report is None:
        return
    text = "Time since the daemon was started."
    page.gauge("daemon_uptime_seconds", text, report.uptime_s, daemon=daemon)
    text = "Health issues that are open now."
    page.gauge("daemon_health_issues", text, len(report.issues), daemon=daemon)
    for event, count in sorted(report.counters.items()):
        text = "Counters of a daemon since its start, by name."
        page.counter("daemon_events_total", text, count, daemon=daemon, event=event)


def nodes(page: MetricsPage, found: NodeList) -> None:
    """Add the nodes of adoptiond's registry."""
    for state in NodeState:
        count = sum(node.state is state for node in found.nodes)
        page.gauge("nodes", "Nodes by state.", count, state=state.value)
    for node in found.nodes:
        _node(page, node)


def _node(page: MetricsPage, node: NodeInfo) -> None:
    labels = {"node": node.node_id}
    role = f"{node.role} {node.instance}".strip()
    page.gauge(
        "node_info", "What a node is; always 1.", 1, **labels, name=node.display_name, role=role,
        version=node.firmware_version,
    )  # fmt: skip
    is_up = node.state not in (NodeState.OFFLINE, NodeState.BOOT)
    page.gauge("node_up", "1 while the node sends heartbeats.", is_up, **labels)
    text = "Time since the node's last heartbeat."
    page.gauge("node_silence_seconds", text, node.seen_age_s, **labels)
    text = "Restarts of the node's role."
    page.counter("node_role_restarts_total", text, node.role_restarts, **labels)
    if not is_up:
        return  # its numbers are outdated
    text = "Temperature of the processor."
    page.gauge("node_temperature_celsius", text, node.cpu_temp or None, **labels)
    page.gauge("node_cpu_ratio", "Load of the processor.", node.cpu_usage / 100, **labels)
    page.gauge("node_memory_ratio", "Memory in use.", node.memory_usage / 100, **labels)
    page.gauge("node_uptime_seconds", "Time since the node's start.", node.uptime_s, **labels)
    text = "1 while the node's outputs are safe: off or held."
    page.gauge("node_outputs_safe", text, node.outputs_safe, **labels)


def router(page: MetricsPage, status: RouterStatus) -> None:
    """Add routerd's latch, sources and outputs."""
    page.gauge("estop_active", "1 while the e-stop is latched.", status.estop.active)
    page.counter("router_samples_total", "Input samples that were accepted.", status.samples)
    for reason, count in sorted(status.refused.items()):
        text = "Input samples that were refused."
        page.counter("router_refused_total", text, count, reason=reason)
    text = "Targets under exclusive control."
    page.gauge("router_exclusive_targets", text, len(status.control))
    for policy in POLICIES:
        count = sum(out.policy == policy for out in status.outputs)
        page.gauge("router_outputs", "Output fields by what drives them.", count, policy=policy)
    for out in status.outputs:
        if out.policy == "live" and out.age_ms is not None:
            labels = {"target": out.target, "field": out.field}
            text = "Age of the input that drives an output."
            page.gauge("router_output_age_seconds", text, out.age_ms / 1000, **labels)
    for source in status.sources:
        labels = {"source": source.source}
        page.gauge("source_alive", "1 while an input source sends.", source.alive, **labels)
        page.gauge("source_rate_hertz", "Samples of a source.", source.rate_hz, **labels)
        text = "Age of a source's newest sample."
        page.gauge("source_age_seconds", text, source.age_ms / 1000, **labels)


def rc(page: MetricsPage, status: RcStatus) -> None:
    """Add rcd's receivers."""
    page.gauge("rc_enabled", "1 while the RC receiver is switched on.", status.enabled)
    text = "1 while rcd publishes a lost signal."
    page.gauge("rc_failsafe", text, status.failsafe)
    for line in status.receivers:
        _receiver(page, line)


def _receiver(page: MetricsPage, line: RcLine) -> None:
    labels = {"receiver": line.receiver}
    page.gauge("rc_connected", "1 while frames arrive.", line.connected, **labels)
    quality = line.link_quality / 100 if line.link_quality else None
    page.gauge(
        "rc_link_quality_ratio", "Link quality as the receiver reports it.", quality, **labels
    )
    page.gauge("rc_signal_dbm", "Received signal strength.", line.rssi or None, **labels)
    page.gauge("rc_frame_rate_hertz", "Frames a second.", line.frame_rate_hz, **labels)
    page.counter("rc_frames_total", "Valid frames.", line.frames, **labels)
    page.counter("rc_rejected_frames_total", "Damaged frames.", line.rejected, **labels)
    text = "Frames that the receiver itself marked as lost."
    page.counter("rc_lost_frames_total", text, line.lost_frames, **labels)


def livelink(page: MetricsPage, found: SubjectList) -> None:
    """Add livelinkd's subjects."""
    for subject in found.sources:
        labels = {"subject": subject.subject_name}
        text = "Frames a second of a subject."
        page.gauge("livelink_frame_rate_hertz", text, subject.frame_rate, **labels)
        page.gauge("livelink_tracked", "1 while a face is tracked.", subject.tracked, **labels)
        page.counter("livelink_frames_total", "Frames of a subject.", subject.frames, **labels)
        text = "Frames of a subject that did not arrive."
        page.counter("livelink_lost_frames_total", text, subject.lost, **labels)
    for reason, count in sorted(found.refused.items()):
        text = "Datagrams that were refused."
        page.counter("livelink_refused_total", text, count, reason=reason)


def firmware(page: MetricsPage, report: FirmwareReport) -> None:
    """Add otad's machines and the roll-out."""
    text = "Different releases that run on this robot now; it should be 1."
    page.gauge("releases_running", text, len(report.versions))
    for machine in report.machines:
        page.gauge(
            "machine_info", "Which release runs where; always 1.", 1, machine=machine.node_id,
            version=machine.version, slot=machine.slot,
        )  # fmt: skip
    halted = report.plan is not None and report.plan.state is RolloutState.HALTED
    page.gauge("rollout_halted", "1 while a roll-out is halted by a fault.", halted)


def server(page: MetricsPage, newest: Newest, clients: int) -> None:
    """Add webd itself and its machine."""
    if (status := newest.system) is not None:
        page.gauge("server_cpu_ratio", "Load of the server's processor.", status.cpu_usage / 100)
        page.gauge("server_memory_ratio", "The server's memory in use.", status.memory_usage / 100)
        text = "Temperature of the server's processor."
        page.gauge("server_temperature_celsius", text, status.cpu_temp or None)
        text = "Time since the server's start."
        page.gauge("server_uptime_seconds", text, status.uptime_seconds)
    if newest.legs is not None:
        teleop_metrics.legs(page, newest.legs)
    page.gauge("web_clients", "Open WebSockets.", clients)
    for name, count in sorted(newest.counters.items()):
        reason = name.removeprefix("refused_")
        if reason != name:
            text = "Requests and messages that were refused."
            page.counter("web_refused_total", text, count, reason=reason)
        else:
            page.counter(f"web_{name}_total", f"webd's count of {name}.".replace("_", " "), count)


# The request to each daemon, and the function that adds its reply.
REPORTS: dict[str, tuple[Endpoint[Nothing, Any], Callable[[MetricsPage, Any], None]]] = {
    "adoptiond": (LIST_NODES, nodes),
    "routerd": (routing.GET_STATUS, router),
    "rcd": (rc_rows.GET_STATUS, rc),
    "livelinkd": (LIST_SOURCES, livelink),
    "otad": (STATUS, firmware),
    "teleopd": (LIST_SESSIONS, teleop_metrics.remote),
}
