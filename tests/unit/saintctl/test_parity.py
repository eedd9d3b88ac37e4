"""Commands for every action of webd's table, so that saintctl can do what the pages can; and those
commands that no other file tests, with a webd and fake daemons around it.
"""

import json
from collections.abc import Iterator

import pytest
import typer

from saint_services.lib.generated.saint_msgs import InputSample
from saint_services.saintctl.app import app
from saint_services.webd.actions.table import every
from tests.unit.saintctl.conftest import RunSaintctl
from tests.web.fakes.robot import FakeRobot

pytestmark = pytest.mark.slow

COMMANDS = {
    "logs query": "log show", "logs names": "log names",
    "settings get": "system show", "settings set_name": "system rename",
    "settings set_hostname": "system hostname", "settings join_wifi": "system wifi",
    "settings leave_wifi": "system hotspot",
    "maintenance restart": "system restart", "maintenance restore_state": "backup restore",
    "maintenance undo_restore": "backup undo", "maintenance factory_reset": "system factory-reset",
    "drill status": "drill", "drill begin": "drill", "drill wait": "drill", "drill skip": "drill",
    "drill kill": "drill", "drill finish": "drill",
    "selftest run": "selftest", "selftest last": "selftest",
    "head move": "head move", "head home": "head home", "head camera": "head camera",
    "arms move": "arms move", "arms home": "arms home", "arms gripper": "arms gripper",
    "arms move_hand": "arms hand",
    "parts set": "parts set", "parts home": "parts home",
    "legs stand": "legs stand", "legs balance": "legs balance", "legs move": "legs move",
    "legs damp": "legs damp",
    "base drive": "base drive", "base stop": "base stop",
    "tracks drive": "tracks drive", "tracks stop": "tracks stop", "tracks estop": "estop set",
    "system status": "status", "system describe": "route list",
    "system get_audit_log": "audit list", "system get_tls": "tls show",
    "system enable_tls": "tls enable", "system disable_tls": "tls disable",
    "system get_history": "system history", "system list_clients": "system clients",
    "system disconnect_client": "system disconnect", "system reboot": "system reboot",
    "system shutdown": "system shutdown", "system estop": "estop clear",
    "management list_nodes": "node list", "management scan_nodes": "node scan",
    "management list_unadopted": "node list",
    "management list_adopted": "node list", "management list_roles": "node check",
    "management get_node_info": "node show", "management get_gpio_status": "node gpio",
    "management check_node": "node check", "management get_node_history": "node history",
    "management adopt_node": "node adopt", "management reset_node": "node reset",
    "management set_node_name": "node rename", "management replace_node": "node replace",
    "management ignore_node": "node ignore", "management get_activity_log": "log activity",
    "management calibrate": "node calibrate", "management get_calibration": "node calibrate",
    "management firmware_status": "firmware status", "management firmware_check": "firmware check",
    "management firmware_rollout": "firmware rollout",
    "management firmware_control": "firmware pause",
    "management firmware_import": "firmware import",
    "management check_releases": "firmware fetch",
    "management get_update_settings": "firmware settings",
    "management set_update_settings": "firmware settings",
    "management firmware_delete": "firmware remove", "management trigger_update": "node update",
    "robot get": "robot show", "robot check": "robot diff", "robot apply": "robot apply",
    "robot versions": "robot versions", "robot version": "robot export",
    "robot undo": "robot undo", "robot templates": "robot template",
    "robot template": "robot template", "robot use_template": "robot template",
    "robot parts": "part list", "robot catalog": "part kinds", "robot set_part": "part set",
    "robot set_parts": "part set", "robot remove_part": "part remove",
    "robot figure": "robot figure show", "robot add_figure": "robot figure set",
    "robot set_figure": "robot figure set", "robot remove_figure": "robot figure remove",
    "robot archive": "robot export", "robot open_archive": "robot import",
    "router get_status": "input list", "router list_routes": "route list",
    "router set_route": "route set", "router delete_route": "route delete",
    "router set_route_enabled": "route enable", "router set_route_priority": "route priority",
    "router set_blending": "route blending", "router preview_route": "route preview",
    "router propose_mapping": "route propose",
    "router face_templates": "route face", "router propose_face": "route face",
    "router preview_curve": "route curve", "router get_output": "route why",
    "router list_presets": "route preset list", "router get_preset": "route preset show",
    "router load_preset": "route preset load", "router save_preset": "route preset save",
    "router delete_preset": "route preset delete", "router export_routes": "route export",
    "router import_routes": "route import", "router take_control": "route take",
    "router release_control": "route release", "router list_livelink_sources": "livelink list",
    "router list_masters": "route masters", "router engage_leader": "route lead",
    "sequence list": "sequence list", "sequence get": "sequence export",
    "sequence save": "sequence import", "sequence import_episode": "sequence import",
    "sequence delete": "sequence remove", "sequence record": "sequence record",
    "sequence finish": "sequence finish", "sequence play": "sequence play",
    "sequence stop": "sequence stop",
    "router get_livelink_subject": "livelink show",
    "rc get_status": "rc status", "rc get_protocol": "rc status", "rc set_enabled": "rc enable",
    "rc get_channel_config": "rc channels", "rc set_channel_config": "rc channel",
    "rc calibrate_channel": "rc calibrate-channel", "rc get_failsafe": "rc failsafe",
    "rc set_failsafe": "rc failsafe", "rc set_protocol": "rc protocol", "rc reset": "rc reset",
    "rc get_calibration": "rc calibrate", "rc calibration": "rc calibrate",
    "rc detect_protocol": "rc detect",
    "wagon get_status": "wagon status", "wagon arm": "wagon arm", "wagon disarm": "wagon disarm",
    "wagon set_gains": "wagon gains", "wagon get_events": "wagon events",
    "livelink list_sources": "livelink list", "livelink get_subject": "livelink show",
    "livelink list_formats": "livelink formats", "livelink release": "livelink release",
    "livelink set_formats": "livelink switch", "livelink list_senders": "livelink senders",
    "livelink accept_sender": "livelink accept", "livelink revoke_sender": "livelink revoke",
    "livelink get_sender_code": "livelink code", "livelink renew_sender_code": "livelink code",
    "livelink set_sender_check": "livelink check",
    "livelink measure": "livelink measure",
    "livelink zero": "livelink zero", "livelink scale": "livelink scale",
    "livelink list_recordings": "livelink recordings", "livelink record": "livelink record",
    "livelink get_recording": "livelink recordings", "livelink delete_recording": "livelink remove",
    "livelink stop_recording": "livelink record", "livelink play": "livelink play",
    "livelink stop_playing": "livelink play",
    "users list_users": "user list", "users add_user": "user add",
    "users remove_user": "user remove", "users set_role": "user role",
    "users set_password": "user password", "users change_password": "user password",
    "users list_tokens": "token list", "users add_token": "token add",
    "users renew_token": "token renew", "users revoke_token": "token revoke",
    "users list_sessions": "user sessions", "users end_session": "user sign-out",
    "users get_claim_code": "user claim-code", "users require_sign_in": "user sign-in",
    # What only a peer with WebRTC can do, `test` does with itself.
    "teleop connect": "teleop test", "teleop renew": "teleop test", "teleop test": "teleop test",
    "teleop list_sessions": "teleop sessions", "teleop kick": "teleop kick",
    "teleop request_control": "teleop control", "teleop grant_control": "teleop grant",
    "teleop release_control": "teleop release", "teleop ice_servers": "teleop test",
    "teleop set_turn_password": "teleop turn",
    "teleop join_room": "teleop join", "teleop leave_room": "teleop leave",
    "link list": "link list", "link status": "link status", "link add": "link add",
    "link remove": "link remove", "link engage": "link engage",
    "link disengage": "link disengage",
    "programs list": "program list", "programs start": "program start",
    "programs stop": "program stop", "programs remove": "program remove",
}  # fmt: skip
ACTIONS = [f"{each.group} {each.action}" for each in every()]


def command_lines() -> set[str]:
    def below(command: object, words: tuple[str, ...]) -> Iterator[str]:
        inner = getattr(command, "commands", None)
        if inner is None:
            yield " ".join(words)
            return
        for name, each in inner.items():
            yield from below(each, (*words, name))

    return set(below(typer.main.get_command(app), ()))


@pytest.mark.parametrize("action", ACTIONS)
def test_action_has_a_command(action: str) -> None:
    assert COMMANDS.get(action) in command_lines()


@pytest.fixture
def samples(robot: FakeRobot) -> list[InputSample]:
    return robot.listen_to_clients()


def values(sample: InputSample) -> dict[str, float]:
    return dict(zip(sample.names, sample.values, strict=True))


async def test_head_move_names_its_axes_and_no_others(
    saintctl: RunSaintctl, samples: list[InputSample]
) -> None:
    result = await saintctl("head", "move", "--pan", "12", "--jaw", "0.5")
    assert result.exit_code == 0, result.output
    assert samples[0].target == "head" and values(samples[0]) == {"pan": 12, "jaw": 0.5}


@pytest.mark.parametrize(
    "words",
    [
        ("head", "move", "--pan", "12"),
        ("head", "home"),
        ("arms", "gripper", "left", "1"),
        ("tracks", "drive", "0.2", "--seconds", "0.2"),
        ("base", "drive", "0.2", "--seconds", "0.2"),
    ],
)
async def test_motion_under_an_estop_is_refused_with_exit_code_5(
    saintctl: RunSaintctl, robot: FakeRobot, samples: list[InputSample], words: tuple[str, ...]
) -> None:
    robot.set_estop(True, "websocket:ann", "child in front")
    result = await saintctl(*words)
    assert result.exit_code == 5
    assert "stopped by Client ann: child in front" in result.output
    assert [each for each in samples if any(each.values)] == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("head", "move", "--pan", "500"), "pan 500 deg was limited to 180 deg."),
        (
            ("tracks", "drive", "--seconds", "0.2", "--", "1000"),
            "linear 1000 m/s was limited to 1.5 m/s.",
        ),
    ],
)
async def test_motion_beyond_a_limit_says_so(
    saintctl: RunSaintctl, samples: list[InputSample], words: tuple[str, ...], said: str
) -> None:
    result = await saintctl(*words)
    assert (result.exit_code, bool(samples)) == (0, True)
    assert said in result.output
    as_json = await saintctl(*words[:2], "--json", *words[2:])
    assert said.removesuffix(".") in as_json.output


async def test_arms_move_leaves_a_dot_where_it_is(
    saintctl: RunSaintctl, samples: list[InputSample]
) -> None:
    result = await saintctl("arms", "move", "left", "--", "-20", ".", "15")
    assert result.exit_code == 0, result.output
    assert values(samples[0]) == {"joint_0": -20, "joint_2": 15}


@pytest.mark.parametrize("group", ["tracks", "base"])
async def test_drive_ends_with_zero(
    saintctl: RunSaintctl, samples: list[InputSample], group: str
) -> None:
    result = await saintctl(group, "drive", "--seconds", "0.25", "--", "-0.2", "0.1")
    assert result.exit_code == 0, result.output
    assert len(samples) >= 3
    assert values(samples[0]) == pytest.approx({"linear": -0.2, "angular": 0.1})
    assert values(samples[-1]) == {"linear": 0, "angular": 0}


@pytest.mark.parametrize(
    "words",
    [
        ("head", "move"),
        ("head", "camera", "up"),
        ("arms", "move", "left", "x"),
        ("arms", "gripper", "left", "2"),
        ("tracks", "drive", "fast"),
    ],
)
async def test_nonsense_is_wrong_usage_and_moves_nothing(
    saintctl: RunSaintctl, samples: list[InputSample], words: tuple[str, ...]
) -> None:
    result = await saintctl(*words)
    assert (result.exit_code, samples) == (2, [])


async def test_factory_reset_wants_the_name(saintctl: RunSaintctl) -> None:
    result = await saintctl("system", "factory-reset", "other name")
    assert result.exit_code == 2 and "is not this robot's name" in result.output


async def test_history_and_activity_and_clients_are_shown(saintctl: RunSaintctl) -> None:
    for words, shown in (
        (("system", "history"), "delay_ms"),
        (("node", "history", "sim_head"), "cpu %"),
        (("system", "clients"), "No client is connected."),
        (("head", "home"), "Requested."),
        (("log", "activity"), ""),
    ):
        result = await saintctl(*words)
        assert result.exit_code == 0 and shown in result.stdout, result.output
        as_json = await saintctl(*words, "--json")
        assert isinstance(json.loads(as_json.stdout), dict)


async def test_route_curve_has_both_ends(saintctl: RunSaintctl) -> None:
    listed = json.loads((await saintctl("route", "list", "--json")).stdout)
    name = next(each["route"]["id"] for each in listed["routes"] if each["route"]["mapping"])
    result = await saintctl("route", "curve", name)
    assert result.exit_code == 0, result.output
    assert "-1.000" in result.stdout and "+1.000" in result.stdout
