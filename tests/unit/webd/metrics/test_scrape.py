"""/metrics: every name by Prometheus' rules, a daemon that is away costs only its own numbers, and
the Grafana board shows nothing that is not measured.
"""

import asyncio
import json
import math
import re
import shutil
import subprocess

import pytest

from saint_services.lib.api.adoption import NodeInfo, NodeList
from saint_services.lib.api.firmware import FirmwareReport, MachineFirmware
from saint_services.lib.api.livelink import SubjectInfo, SubjectList
from saint_services.lib.api.rc import RcLine, RcStatus
from saint_services.lib.api.routing import EStopInfo, FieldOutput, RouterStatus, SourceInfo
from saint_services.lib.api.teleop import (
    LiveKitRoom,
    RemoteSessionInfo,
    RemoteSessionList,
    TimeCounts,
)
from saint_services.lib.generated.saint_msgs import LegsAlert, LegsState, SystemStatus
from saint_services.lib.health import HealthReport
from saint_services.lib.histogram import Histogram
from saint_services.webd.metrics import robot_metrics, wagon_metrics
from saint_services.webd.metrics.page import MetricsPage
from saint_services.webd.topics.newest import Newest
from tests.unit.webd.web_rig import Rig
from tests.web.fakes.robot import ROOT
from tests.web.fakes.wagon import at_rest

UNITS = (
    "_seconds", "_ratio", "_celsius", "_hertz", "_dbm", "_bytes", "_total", "_info", "_volts",
    "_amperes", "_radians", "_meters_per_second",
)  # fmt: skip
PLAIN = {  # counts of things, and yes or no: they have no unit
    "daemon_up", "daemon_healthy", "daemon_health_issues", "nodes", "node_up", "node_outputs_safe",
    "estop_active", "router_exclusive_targets", "router_outputs", "source_alive", "rc_enabled",
    "rc_failsafe", "rc_connected", "livelink_tracked", "releases_running", "rollout_halted",
    "web_clients", "teleop_sessions", "teleop_operator_present", "legs_alerts", "legs_mode",
    "wagon_state", "wagon_bus_state", "legs_alerts_by_severity", "legs_error_flags",
    "teleop_room_joined", "teleop_room_participants",
}  # fmt: skip


def whole_page() -> str:
    """Of a robot that has everything."""
    page, newest, times = MetricsPage(), Newest(), Histogram((0.01, 0.1, 1.0))
    newest.system = SystemStatus(cpu_usage=20.0, memory_usage=40.0, cpu_temp=51.0)
    newest.legs = LEGS
    newest.wagon = at_rest()
    newest.counters.update({"messages": 5, "refused_origin": 1})
    times.observe(0.05)
    robot_metrics.server(page, newest, 3)
    wagon_metrics.wagon(page, newest)
    page.histogram("web_action_duration_seconds", "Time.", times, group="router")
    report = HealthReport(
        daemon="x", healthy=True, uptime_s=1.5, issues=[], counters={"loop_lags": 1}
    )
    robot_metrics.health(page, "routerd", report)
    robot_metrics.health(page, "rcd", None)
    answers = (NODES, ROUTER, RC, SUBJECTS, FIRMWARE, REMOTE)
    for (row, show), answer in zip(robot_metrics.REPORTS.values(), answers, strict=True):
        assert isinstance(answer, row.reply)
        show(page, answer)
    return page.text()


NODE = {
    "node_id": "head", "display_name": 'the "head"', "state": "active", "role": "head",
    "cpu_temp": 40.0, "cpu_usage": 50.0,
}  # fmt: skip
NODES = NodeList(nodes=[NodeInfo.model_validate(NODE)])
OUTPUT = FieldOutput(
    target="tracks", field="linear", unit="m/s", value=0.1, winner="rc_drive", source="rc",
    age_ms=12, policy="live", clamped=False, changed_ms=0,
)  # fmt: skip
SOURCE = SourceInfo(source="rc", age_ms=12, alive=True, failsafe=False, rate_hz=500, values={})
ROUTER = RouterStatus(
    state="routing", estop=EStopInfo(active=False), outputs=[OUTPUT], sources=[SOURCE], samples=9,
    refused={"stale": 2},
)  # fmt: skip
LINE = RcLine(
    receiver="primary", protocol="crsf", device="x", connected=True, failsafe=False, rssi=-60,
    link_quality=99, frame_rate_hz=500, frames=1, rejected=0, discarded_bytes=0, lost_frames=0,
)  # fmt: skip
RC = RcStatus(
    enabled=True, connected=True, protocol="crsf", device="x", failsafe=False, rssi=-60,
    link_quality=99, frame_rate_hz=500, frames=1, rejected=0, discarded_bytes=0, channels=[],
    receivers=[LINE],
)  # fmt: skip
SUBJECT = SubjectInfo(
    subject_name="Face", subject_type="face", device="d", source_ip="i", source_address="a",
    frame_rate=60, last_frame=1, age_ms=1, frames=1, lost=0, tracked=True, properties=[],
)  # fmt: skip
SUBJECTS = SubjectList(sources=[SUBJECT], refused={"short": 1})
MACHINE = MachineFirmware(node_id="head", version="1.0.0", slot="A")
FIRMWARE = FirmwareReport(robot_version="1.0.0", versions=["1.0.0"], machines=[MACHINE])

SESSION = RemoteSessionInfo(
    session="0123abcd", who="olga", level="operator", address="a", seat="operator",
    is_linked=True, is_requesting=False, round_trip_ms=20, picture_ms=120, delay_ms=130,
    sent_bytes=5, received_bytes=6, beat_age_ms=40,
)  # fmt: skip
TIMES = TimeCounts(limits=[0.01, 0.1], counts=[1, 2, 0], sum=0.2)
REMOTE = RemoteSessionList(
    sessions=[SESSION], operator="0123abcd", sent=7, command_age=TIMES, picture_age=TIMES,
    loop_time=TIMES, loop_jitter=TIMES, room=LiveKitRoom(state="joined", participants=2),
)  # fmt: skip
LEGS = LegsState(
    mode="move", battery_voltage=46.5, battery_percent=70.0, hottest_joint=41.0,
    largest_current=3.5, alerts=("the robot fell",), report_age=0.01,
    joints=("left_knee", "right_knee"), temperatures=(41.0, 40.0), currents=(3.5, math.nan),
    battery_current=7.5, hottest_cell=30.0, error_flags=257,
    active_alerts=(LegsAlert(id=7), LegsAlert(id=17, severity=1)),
)  # fmt: skip

FAMILY = re.compile(r"^# TYPE (\S+) (\S+)$", re.M)


def test_names_units_and_types_follow_the_conventions():
    text = whole_page()
    families = FAMILY.findall(text)
    assert len({name for name, _ in families}) == len(families) >= 40
    for name, kind in families:
        assert re.fullmatch(r"saint_[a-z][a-z0-9]*(_[a-z0-9]+)*", name)
        assert name.endswith("_total") == (kind == "counter"), name
        short = name.removeprefix("saint_")
        assert short in PLAIN or name.endswith(UNITS), f"{name} has no unit"
        assert not any(word in name for word in ("_ms", "_percent", "_milli")), name
        assert len(re.findall(rf"^# HELP {name} \S", text, re.M)) == 1


def test_joints_and_alerts_of_a_walking_robot_have_samples_of_their_own():
    text = whole_page()
    assert 'saint_legs_joint_celsius{joint="left_knee"} 41' in text
    assert 'saint_legs_joint_current_amperes{joint="left_knee"} 3.5' in text
    assert 'saint_legs_joint_current_amperes{joint="right_knee"}' not in text, "it is not measured"
    assert 'saint_legs_alerts_by_severity{severity="warning"} 1' in text


def test_every_sample_is_one_that_prometheus_can_read():
    label = r'[a-z_]+="(?:[^"\\\n]|\\[\\"n])*"'
    sample = rf"[a-z0-9_]+(?:\{{{label}(?:,{label})*\}})? (?:[+-]Inf|-?[0-9.e+-]+)"
    for line in whole_page().splitlines():
        assert line.startswith("# ") or re.fullmatch(sample, line), line
    assert r'name="the \"head\""' in whole_page()


def test_promtool_finds_nothing():
    promtool = shutil.which("promtool")
    if promtool is None:
        pytest.skip("promtool is not installed (apt-get install prometheus)")
    reported = subprocess.run(
        [promtool, "check", "metrics"], input=whole_page(), capture_output=True, text=True,
        timeout=30, check=False,
    )  # fmt: skip
    assert (reported.returncode, reported.stdout + reported.stderr) == (0, "")


def test_histogram_counts_up_to_each_limit():
    times = Histogram((0.1, 1.0))
    for seconds in (0.05, 0.1, 0.5, 7.0):
        times.observe(seconds)
    assert [count for _, count in times.cumulated()] == [2, 3, 4]
    assert (times.count, times.sum) == (4, pytest.approx(7.65))


def test_board_queries_only_what_is_measured():
    board = json.loads((ROOT / "manifests/grafana/saint.json").read_text())
    requested = {t["expr"] for panel in board["panels"] for t in panel.get("targets", ())}
    names = {name for name, _ in FAMILY.findall(whole_page())}
    for expression in requested:
        for name in re.findall(r"\bsaint_\w+", expression):
            assert name.removesuffix("_bucket") in names, expression
    assert len(requested) >= 20


async def test_daemon_that_is_away_costs_only_its_own_numbers(rig: Rig):
    await rig.robot.stop("rcd")
    text = await rig.counters()
    assert 'saint_daemon_up{daemon="rcd"} 0' in text
    assert 'saint_daemon_up{daemon="routerd"} 1' in text
    assert 'saint_node_up{node="sim_head"} 1' in text
    assert 'saint_node_temperature_celsius{node="sim_console"}' not in text, "it is offline"
    assert "saint_rc_enabled" not in text


async def test_many_who_ask_cost_the_daemons_one_question(rig: Rig):
    await asyncio.gather(*(rig.counters() for _ in range(20)))
    requested = [each for each in rig.robot.requests if each == "health routerd"]
    assert len(requested) == 1
