"""noded as a daemon: adoption, resumption, a role that ends, resets; local bus, real sockets."""

import asyncio

import pytest
import yaml

from saint_services.lib.api.adoption import NodeState
from saint_services.lib.api.node import RESET, NodeReport, NodeReset, RoleReport
from saint_services.lib.clock import monotonic_s
from saint_services.lib.errors import Code, SaintError
from saint_services.lib.generated import saint_msgs as msgs
from saint_services.lib.generated import topics
from saint_services.lib.health import HealthReport
from saint_services.lib.ipc import Client
from saint_services.lib.machine import setup_report
from saint_services.lib.machine.setup_report import SetupReport
from saint_services.lib.role_config.full_version import full_version
from saint_services.lib.state import last_good
from saint_services.noded.config import Config
from tests.audit_log import collected
from tests.unit.noded.node_rig import READY, Robot
from tests.waiting import until
from tools.sim.observe import PinWatch


async def report(client: Client) -> NodeReport:
    return await client.get("/status", NodeReport)


async def test_node_without_role_announces_itself_and_its_pins_at_once(robot: Robot):
    async with robot.node() as client:
        await until(lambda: bool(robot.announcements and robot.gpio), 1.0)
        announced = robot.announcements[0]
        assert (announced.node_id, announced.state) == ("pi_1", "unadopted")
        assert announced.firmware_version
        assert len(robot.gpio[0].pins) == 40
        assert (await report(client)).state is NodeState.UNADOPTED


async def test_node_reports_to_its_server_what_is_wrong_with_the_settings_of_its_card(robot: Robot):
    """Without a server of its own and without keys, nothing else says it but its screen."""
    problem = "saint.yaml, line 1: role must be server, not 'servr' (the file is ignored)"
    report = SetupReport(role="node", problems=[problem])
    (robot.directories.runtime / setup_report.FILE).write_text(report.model_dump_json())
    await robot.role("role-armsd")
    async with robot.node() as client:
        await until(lambda: bool(robot.announcements), 1.0)
        assert robot.announcements[0].reason == problem
        (issue,) = (await client.get("/health", HealthReport)).issues
        assert (issue.code, issue.text) == (Code.CONFIG_INVALID, problem)
        assert (await robot.adopt("arms", "left")).success
        await until(
            lambda: any(s.state == "active" and s.reason == problem for s in robot.statuses)
        )


@pytest.mark.parametrize("content", [b"", b"{", b"\xff", b'{"problems": 5}', b"[]"])
async def test_report_of_setup_that_makes_no_sense_stops_no_node(robot: Robot, content: bytes):
    (robot.directories.runtime / setup_report.FILE).write_bytes(content)
    async with robot.node():
        await until(lambda: bool(robot.announcements), 1.0)
        assert robot.announcements[0].reason == ""


async def test_adoption_starts_the_role_and_is_kept_on_disk_in_the_specified_form(robot: Robot):
    robot.serve_configs()
    robot.display_name, robot.person = "Left Arm", "ada"
    role = await robot.role("role-armsd")
    async with robot.node() as client:
        answer = await robot.adopt("arms", "left")
        assert (answer.success, answer.assigned_topic_prefix) == (True, "/saint/arms/left")
        assert role.assignments[0].config.target == "arms.left"
        status = await report(client)
        assert (status.state, status.role, status.instance) == (NodeState.ACTIVE, "arms", "left")
        version = full_version("1.0.0", robot.texts["arms_left"])
        assert (status.role_alive, status.config_version) == (True, version)
        await until(lambda: any(s.state == "active" for s in robot.statuses))
    kept = yaml.safe_load((robot.directories.state / "role.yaml").read_text())
    assigned_at = kept.pop("assigned_at")
    assert assigned_at.endswith("Z")
    assert kept == {
        "version_of_format": 2,
        "assigned_role": "arms",
        "instance": "left",
        "assigned_by": "ada",
        "server": "SAINT-01",
        "config_version": "1.0.0",
        "server_address": "192.168.10.1",
    }
    assert (robot.directories.state / "role_config.yaml").read_text() == robot.texts["arms_left"]
    identity = yaml.safe_load((robot.directories.state / "identity.yaml").read_text())
    assert (identity["node_id"], identity["display_name"]) == ("pi_1", "Left Arm")


async def test_adoption_with_the_configuration_of_another_role_is_refused(robot: Robot):
    robot.serve_configs()
    robot.texts["head"] = robot.texts["tracks"]
    async with robot.node() as client:
        answer = await robot.adopt("head")
        assert not answer.success
        assert answer.message == "role_config.yaml is for tracks, not for head"
        assert (await report(client)).state is NodeState.UNADOPTED
        assert not (await robot.order_sender.owner("pi_1")).server_key  # others may adopt it
    assert not (robot.directories.state / "role.yaml").exists()


async def test_adoption_requests_nothing_from_the_server(robot: Robot):
    robot.serve_configs()
    await robot.role("role-headd")
    async with robot.node():
        assert (await robot.adopt("head")).success
    assert robot.config_requests == []


async def test_adoption_with_a_missing_device_fails_with_the_roles_words(robot: Robot):
    robot.serve_configs()
    role = await robot.role("role-headd")
    role.first = RoleReport(ready=False, safe=True, estop=False, reason="0x40 does not answer")
    async with robot.node():
        answer = await robot.adopt("head")
        assert not answer.success
        assert answer.message == "0x40 does not answer"
    assert not (robot.directories.state / "role.yaml").exists()


async def test_adoption_without_a_role_daemon_fails(robot: Robot):
    robot.serve_configs()
    async with robot.node():
        answer = await robot.adopt("head")
        assert not answer.success
        assert "role-headd" in answer.message


async def test_adoption_with_a_configuration_that_is_no_good_fails_with_its_fault(robot: Robot):
    robot.texts["head"] = "role: head\nversion: '1'\ntopic_prefix: /saint/head\ndeadline_ms: 3\n"
    robot.serve_configs()
    async with robot.node():
        answer = await robot.adopt("head")
        assert not answer.success
        assert "deadline_ms" in answer.message


async def test_resumes_after_restart_without_the_server_in_less_than_a_second(robot: Robot):
    robot.serve_configs()
    role = await robot.role("role-headd")
    async with robot.node():
        assert (await robot.adopt("head")).success
    await robot.watcher.close()  # the server is gone
    before = monotonic_s()
    async with robot.node() as client:
        await until(lambda: len(role.assignments) == 2, 1.0)
        assert monotonic_s() - before < 1.0
        assert (await report(client)).state is NodeState.ACTIVE


async def test_damaged_configuration_is_fetched_again_when_the_server_is_back(robot: Robot):
    robot.serve_configs()
    role = await robot.role("role-headd")
    async with robot.node():
        assert (await robot.adopt("head")).success
    path = robot.directories.state / "role_config.yaml"
    for each in (path, last_good(path)):
        each.write_text("role: he")
    async with robot.node() as client:
        await until(lambda: len(role.assignments) == 2)
        assert (await report(client)).state is NodeState.ACTIVE
        await until(lambda: path.read_text() == robot.texts["head"])


async def test_role_that_dies_is_made_safe_before_it_is_started_again(robot: Robot):
    robot.serve_configs()
    role = await robot.role("role-headd")
    async with robot.node() as client:
        assert (await robot.adopt("head")).success
        robot.happened.clear()
        await role.die()
        await until(lambda: len(role.assignments) == 2, 2.0)
        assert robot.happened[:3] == [
            "role-headd ended",
            "head made safe",
            "role-headd assigned",
        ]
        await until(lambda: robot.statuses[-1].role_restarts == 1)
        status = await report(client)
        assert (status.state, status.role_restarts) == (NodeState.ACTIVE, 1)


async def test_role_that_never_comes_back_is_tried_without_limit(robot: Robot):
    robot.serve_configs()
    role = await robot.role("role-headd")
    async with robot.node() as client:
        assert (await robot.adopt("head")).success
        await role.close()
        (robot.directories.runtime / "role-headd.sock").unlink()
        await until(lambda: robot.happened.count("head made safe") >= 4)
        status = await report(client)
        assert (status.state, status.role_alive, status.outputs_safe) == (
            NodeState.ACTIVE,
            False,
            True,
        )
        assert "role-headd" in status.reason
        await role.start()
        await until(lambda: len(role.assignments) == 2)


async def test_role_that_falls_silent_is_given_up_and_made_safe(robot: Robot):
    robot.serve_configs()
    role = await robot.role("role-headd")
    config = Config(config_timeout_s=0.1, role_silence_timeout_s=1.2)
    async with robot.node(config):
        assert (await robot.adopt("head")).success
        role._next = asyncio.Event().wait  # type: ignore[method-assign,assignment]
        await until(lambda: "head made safe" in robot.happened, 6.0)


async def test_reports_of_the_role_reach_the_status(robot: Robot):
    robot.serve_configs()
    role = await robot.role("role-headd")
    async with robot.node():
        assert (await robot.adopt("head")).success
        role.say(READY.model_copy(update={"safe": False, "reason": "servo is hot"}))
        await until(lambda: robot.statuses[-1].reason == "servo is hot", 1.0)
        assert not robot.statuses[-1].outputs_safe


async def test_reset_takes_the_role_away_and_a_factory_reset_the_name_too(robot: Robot):
    robot.serve_configs()
    robot.display_name = "Head Unit"
    await robot.role("role-headd")
    async with robot.node() as client:
        assert (await robot.adopt("head")).success
        assert (await robot.reset()).success
        status = await report(client)
        assert (status.state, status.role) == (NodeState.UNADOPTED, "")
        assert status.display_name == "Head Unit"
        assert "role-headd ended" in robot.happened
        kept = yaml.safe_load((robot.directories.state / "role.yaml").read_text())
        assert kept["assigned_role"] == ""
        done = await client.request(RESET, NodeReset(factory_reset=True))
        assert done.message == "pi_1 is unadopted"
        assert (await report(client)).display_name == ""


async def test_reset_at_the_node_itself_is_published(robot: Robot):
    runtime = robot.directories.runtime
    async with collected(runtime) as entries, robot.node() as client:
        with pytest.raises(SaintError):
            await client.request(RESET, NodeReset(role="tail"))
        await client.request(RESET, NodeReset(factory_reset=True))
        await until(lambda: len(entries) == 2)
    refused, done = entries
    assert (refused.what, refused.detail, refused.text) == (
        "node reset",
        "factory_reset: false, role: tail",
        "",
    )
    assert "tail" in refused.refused
    assert (done.text, done.severity, done.source) == ("This node was reset", "WARNING", "saintctl")


async def test_server_that_comes_back_brings_a_newer_configuration_and_the_name(robot: Robot):
    robot.serve_configs()
    role = await robot.role("role-headd")
    async with robot.node() as client:
        assert (await robot.adopt("head")).success
        robot.texts["head"] = robot.texts["head"].replace('"1.0.0"', '"1.1.0"')
        robot.display_name = "Head Unit"
        robot.announce_server()
        await until(lambda: len(role.assignments) == 2)
        status = await report(client)
        version = full_version("1.1.0", robot.texts["head"])
        assert (status.config_version, status.display_name) == (version, "Head Unit")
        path = robot.directories.state / "role_config.yaml"
        await until(lambda: path.read_text() == robot.texts["head"])


async def test_gpio_probe_answers_for_this_node_only(robot: Robot):
    async with robot.node():
        service = topics.NODE_GPIO_PROBE.at(node_id="pi_1")
        ours = await robot.watcher.call(service, msgs.GPIOProbe_Request(node_id="pi_1"), 2.0)
        other = await robot.watcher.call(service, msgs.GPIOProbe_Request(node_id="pi_2"), 2.0)
        assert ours.success
        assert len(ours.status.pins) == 40
        assert not other.success


async def test_computer_without_pins_still_is_a_node(robot: Robot, monkeypatch):
    monkeypatch.setenv("SAINT_HW", "nonsense")
    async with robot.node():
        await until(lambda: bool(robot.gpio), 2.0)
        assert robot.gpio[0].pins[10].pin_name == "GPIO17"  # pin 11 of the header


async def test_stop_is_reported_to_the_guard(robot: Robot):
    async with robot.node():
        publisher = robot.domain.bus("routerd").publisher(topics.ESTOP)
        publisher.publish(msgs.EStop(active=True, generation=1))
        await until(lambda: True in robot.guard.stops)


async def test_outputs_that_the_guard_could_not_make_safe_are_reported(robot: Robot):
    robot.serve_configs()
    role = await robot.role("role-tracksd")
    async with robot.node() as client:
        assert (await robot.adopt("tracks")).success
        robot.guard.failure = "/dev/ttyACM0: the device is not plugged in"
        role.first = RoleReport(ready=False, safe=True, estop=False)
        await role.die()
        await until(lambda: any("is not plugged in" in s.reason for s in robot.statuses))
        assert not (await report(client)).outputs_safe


def _press(robot: Robot) -> None:
    pins = PinWatch(robot.directories.state.parent / "hw")
    pins.write(26, 0.0)
    pins.close()


async def test_button_held_for_five_seconds_takes_role_and_server_away(
    robot: Robot, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("saint_services.lib.hw.pins.button.HELD_S", 0.3)
    robot.serve_configs()
    await robot.role("role-headd")
    async with robot.node() as client:
        assert (await robot.adopt("head")).success
        assert next(p for p in robot.gpio[-1].pins if p.pin_name == "GPIO26").used_by
        robot.announcements.clear()
        await asyncio.to_thread(_press, robot)
        await until(lambda: any(a.state == "unadopted" for a in robot.announcements))
        assert (await report(client)).state is NodeState.UNADOPTED
    kept = yaml.safe_load((robot.directories.state / "role.yaml").read_text())
    assert kept["assigned_role"] == ""


async def test_adoption_without_keys_is_refused_and_says_what_to_do(robot: Robot):
    robot.serve_configs()
    role = await robot.role("role-headd")
    async with robot.node() as client:
        request = msgs.AdoptNode_Request(node_id="pi_1", role="head")
        answer = await robot.watcher.call(topics.NODE_ADOPT.at(node_id="pi_1"), request, 2.0)
        assert not answer.success
        assert "`saintctl node adopt`" in answer.message
        assert (await report(client)).state is NodeState.UNADOPTED
    assert role.assignments == []


async def test_adoption_and_reset_by_ros_leave_one_entry_each(robot: Robot):
    async with collected(robot.directories.runtime) as entries, robot.node():
        adopt = msgs.AdoptNode_Request(node_id="pi_1", role="head\n")
        await robot.watcher.call(topics.NODE_ADOPT.at(node_id="pi_1"), adopt, 2.0)
        reset = msgs.ResetNode_Request(node_id="pi_1")
        assert (await robot.watcher.call(topics.NODE_RESET.at(node_id="pi_1"), reset, 2.0)).success
        other = msgs.ResetNode_Request(node_id="pi_2")
        await robot.watcher.call(topics.NODE_RESET.at(node_id="pi_1"), other, 2.0)
        await until(lambda: len(entries) >= 3)
    assert [(e.what, e.daemon, bool(e.refused)) for e in entries] == [
        ("management adopt_node", "noded", True),
        ("node reset", "noded", False),
        ("node reset", "noded", True),
    ]
    assert {e.who for e in entries} == {"a ROS program"}
