"""Names what an operator of remote operation and of a walking robot watches, in Prometheus' base
units. Not here: the other daemons' numbers (robot_metrics.py).
"""

from ...lib.api.teleop import RemoteSessionInfo, RemoteSessionList, TimeCounts
from ...lib.generated.saint_msgs import LegsState
from ...lib.histogram import Histogram
from .page import MetricsPage

SEVERITIES = ("critical", "warning", "info")
MODES = ("damp", "stand", "balance", "move", "fault")


def remote(page: MetricsPage, found: RemoteSessionList) -> None:
    """Add teleopd's sessions, pictures and times."""
    for seat in ("operator", "viewer"):
        count = sum(each.seat == seat for each in found.sessions)
        page.gauge("teleop_sessions", "Sessions of remote operation.", count, seat=seat)
    text = "1 while a session has control."
    page.gauge("teleop_operator_present", text, bool(found.operator))
    text = "Pictures that were encoded, once for all viewers."
    page.counter("teleop_frames_encoded_total", text, found.encoded)
    page.counter("teleop_frames_sent_total", "Pictures that were sent to a viewer.", found.sent)
    text = "Pictures of the camera that were left out, as another was being encoded."
    page.counter("teleop_frames_dropped_total", text, found.dropped)
    text = "Bytes to and from all sessions, by direction."
    for direction, count in (("sent", found.sent_bytes), ("received", found.received_bytes)):
        page.counter("teleop_bytes_total", text, count, direction=direction)
    for name, text, seen in (
        ("command_age", "Time of commands on their way, beyond that of the quickest.",
         found.command_age),
        ("picture_age", "Age of the picture on a viewer's screen, as it reports.",
         found.picture_age),
        ("loop", "Work of one turn of the 50 Hz loop.", found.loop_time),
        ("loop_jitter", "Lateness of a turn of the 50 Hz loop.", found.loop_jitter),
    ):  # fmt: skip
        page.histogram(f"teleop_{name}_seconds", text, _histogram(seen))
    for session in found.sessions:
        _session(page, session)
    if found.room.state != "off":
        text = "1 while the robot is in its LiveKit room."
        page.gauge("teleop_room_joined", text, found.room.state == "joined")
        text = "Other participants of the LiveKit room."
        page.gauge("teleop_room_participants", text, found.room.participants)


def _session(page: MetricsPage, session: RemoteSessionInfo) -> None:
    labels = {"session": session.session, "seat": session.seat}
    for name, text, ms in (
        ("picture_age", "Age of the picture on the screen.", session.picture_ms),
        ("round_trip", "From the robot to the session and back.", session.round_trip_ms),
        ("delay", "From the camera to the operator and back, which limits the speed.",
         session.delay_ms),
        ("command_age", "Since the newest message of the input loop.", session.beat_age_ms),
    ):  # fmt: skip
        value = None if ms is None else ms / 1000
        page.gauge(f"teleop_session_{name}_seconds", text, value, **labels)
    text = "Commands of a session that were refused."
    page.counter("teleop_session_refused_total", text, session.refused, **labels)


def legs(page: MetricsPage, state: LegsState) -> None:
    """Add a walking robot's joints, battery, mode and alerts; what is not reported is left out."""
    for mode in MODES:
        text = "1 for the mode that is commanded."
        page.gauge("legs_mode", text, state.mode == mode, mode=mode)
    text = "Temperature of the hottest joint."
    page.gauge("legs_hottest_joint_celsius", text, state.hottest_joint)
    text = "Current of the joint that draws most."
    page.gauge("legs_largest_joint_current_amperes", text, state.largest_current)
    page.gauge("legs_battery_volts", "Voltage of the battery.", state.battery_voltage)
    text = "Charge of the battery."
    page.gauge("legs_battery_charge_ratio", text, state.battery_percent / 100)
    page.gauge("legs_alerts", "Alerts that the controller reports now.", len(state.alerts))
    for severity, word in enumerate(SEVERITIES):
        count = sum(each.severity == severity for each in state.active_alerts)
        text = "Alerts that the controller reports now, by severity."
        page.gauge("legs_alerts_by_severity", text, count, severity=word)
    text = "Faults that the controller has latched, as bits."
    page.gauge("legs_error_flags", text, state.error_flags)
    _joints(page, state)
    text = "Age of the controller's newest report."
    page.gauge("legs_report_age_seconds", text, state.report_age)


def _joints(page: MetricsPage, state: LegsState) -> None:
    """Add each joint and the battery; a joint that is not measured is left out."""
    for joint, celsius in zip(state.joints, state.temperatures, strict=False):
        page.gauge("legs_joint_celsius", "Temperature of a joint.", celsius, joint=joint)
    for joint, amperes in zip(state.joints, state.currents, strict=False):
        page.gauge("legs_joint_current_amperes", "Current of a joint.", amperes, joint=joint)
    text = "Current of the battery, positive while it discharges."
    page.gauge("legs_battery_current_amperes", text, state.battery_current)
    text = "Temperature of the battery's hottest cell."
    page.gauge("legs_battery_hottest_cell_celsius", text, state.hottest_cell)


def _histogram(times: TimeCounts) -> Histogram:
    return Histogram.of(times.limits, times.counts, times.sum)
