"""Which role each action needs, typed by hand: a slip in the table of actions shows here."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from saint_services.lib.access.levels import Level
from saint_services.webd.actions.table import ACTIONS
from tests.unit.webd.web_rig import Rig

VIEWER = """
    logs query, logs names, settings get, maintenance restore_state, system status, system describe,
    system get_tls,
    system get_history, system list_clients, system estop, tracks estop, management list_nodes,
    management scan_nodes,
    management list_unadopted, management list_adopted, management list_roles,
    management get_node_info, management get_gpio_status, management check_node,
    management get_node_history, management firmware_status, management get_activity_log,
    management get_calibration, management firmware_check, management get_update_settings,
    router get_status, router list_routes, router preview_route, router preview_curve,
    router propose_mapping, router face_templates, router propose_face, livelink measure,
    router get_output, router list_presets, router get_preset, router export_routes,
    router list_livelink_sources, router get_livelink_subject, rc get_status, rc get_protocol,
    rc get_channel_config, rc get_failsafe, rc get_calibration, livelink list_sources,
    livelink get_subject, livelink list_formats, livelink list_recordings, livelink get_recording,
    livelink list_senders,
    users change_password, users list_sessions, users end_session, drill status,
    selftest last, programs list, robot get, robot check, robot versions, robot version,
    robot templates, robot template, robot parts, robot catalog, robot figure, robot archive,
    wagon get_status, wagon get_events, wagon disarm,
    link list, link status, router list_masters, sequence list, sequence get,
    teleop connect, teleop renew, teleop list_sessions, teleop ice_servers
"""
OPERATOR = """
    head move, head home, head camera, arms move, arms move_hand, arms home, arms gripper,
    tracks drive, tracks stop, base drive, base stop, parts set, parts home,
    legs stand, legs balance, legs move, legs damp,
    management adopt_node, management set_node_name, management replace_node,
    management ignore_node, router set_route, router delete_route, router set_route_enabled,
    router set_route_priority, router set_blending, router load_preset, router save_preset,
    router delete_preset, router import_routes, router take_control, router release_control,
    rc set_enabled, rc set_channel_config, rc calibrate_channel, rc set_failsafe, rc set_protocol,
    rc reset, rc calibration, rc detect_protocol, livelink release, livelink zero, livelink scale,
    livelink record, livelink delete_recording, livelink stop_recording, livelink play,
    livelink stop_playing, livelink accept_sender, livelink revoke_sender,
    livelink get_sender_code, drill begin, drill wait, drill skip, drill finish,
    programs start, programs stop, wagon arm, link engage, link disengage,
    router engage_leader, sequence record, sequence finish, sequence save, sequence delete,
    sequence import_episode, sequence play, sequence stop,
    teleop request_control, teleop grant_control, teleop release_control, teleop test,
    teleop leave_room
"""
ADMIN = """
    settings set_name, settings set_hostname, settings join_wifi, settings leave_wifi,
    livelink set_formats, livelink set_sender_check, livelink renew_sender_code,
    maintenance restart, maintenance undo_restore, maintenance factory_reset,
    system get_audit_log, system enable_tls, system disable_tls,
    system disconnect_client, system reboot, system shutdown,
    management reset_node, management firmware_rollout, management firmware_control,
    management firmware_import, management firmware_delete, management set_update_settings,
    management check_releases, management trigger_update,
    management calibrate,
    users list_users, users add_user, users remove_user, users set_role, users set_password,
    users require_sign_in, users list_tokens, users add_token, users renew_token,
    users revoke_token,
    users get_claim_code, drill kill, selftest run, programs remove,
    robot apply, robot undo, robot use_template, robot set_part, robot set_parts, robot remove_part,
    robot add_figure, robot set_figure, robot remove_figure, robot open_archive,
    wagon set_gains, link add, link remove,
    teleop kick, teleop join_room, teleop set_turn_password
"""


def named(text: str) -> set[tuple[str, str]]:
    pairs = (line.split() for line in text.replace("\n", " ").split(","))
    return {(group, action) for group, action in pairs}


TABLE = {(g, a): entry.level for g, actions in ACTIONS.items() for a, entry in actions.items()}


@pytest.mark.parametrize(
    ("level", "expected"),
    [(Level.VIEWER, VIEWER), (Level.OPERATOR, OPERATOR), (Level.ADMIN, ADMIN)],
)
def test_each_level_has_the_actions_that_are_meant_for_it(level: Level, expected: str) -> None:
    assert {key for key, needs in TABLE.items() if needs is level} == named(expected)


def test_clearing_the_stop_needs_more_than_raising_it() -> None:
    for group in ("tracks", "system"):
        entry = ACTIONS[group]["estop"]
        assert entry.row.level_for(entry.params(enable=True)) is Level.VIEWER
        assert entry.row.level_for(entry.params(enable=False)) is Level.OPERATOR


def test_every_action_that_is_no_reading_is_logged() -> None:
    named_apart = {("tracks", "estop"), ("system", "estop"), ("teleop", "test")}
    changing = {key for key, needs in TABLE.items() if needs is not Level.VIEWER}
    reading = {key for key in changing if key[1].startswith(("list_", "get_"))}
    logged = {
        (g, a) for g, acts in ACTIONS.items() for a, act in acts.items() if not act.row.is_reading
    }
    assert changing - reading - named_apart <= logged


@pytest.fixture
async def tokens(locked: Rig) -> AsyncIterator[dict[Level, str]]:
    """One of each role."""
    code = (locked.robot.runtime.parent / "state" / "token").read_text().strip()
    made = {Level.ADMIN: code}
    bearer = {"Authorization": f"Bearer {code}"}
    path = locked.url + "/api/v1/users/add_token"
    for level in (Level.VIEWER, Level.OPERATOR):
        wanted = {"name": level.word, "role": level.word}
        async with locked.http.post(path, json=wanted, headers=bearer) as answer:
            made[level] = (await answer.json())["secret"]
    yield made


async def entries(locked: Rig, token: str) -> list[dict[str, Any]]:
    """The audit log, newest first."""
    path = f"{locked.url}/api/v1/system/get_audit_log"
    headers = {"Authorization": f"Bearer {token}"}
    async with locked.http.post(path, json={"limit": 500}, headers=headers) as answer:
        found: list[dict[str, Any]] = (await answer.json())["entries"]
    return found


@pytest.mark.parametrize("level", [Level.VIEWER, Level.OPERATOR])
async def test_every_action_above_ones_role_is_refused(
    locked: Rig, tokens: dict[Level, str], level: Level
) -> None:
    above = [key for key, needs in TABLE.items() if needs > level]
    bearer = {"Authorization": f"Bearer {tokens[level]}"}
    for group, action in above:
        path = f"{locked.url}/api/v1/{group}/{action}"
        async with locked.http.post(path, data="{}", headers=bearer) as answer:
            assert (answer.status, (await answer.json())["code"]) == (403, "forbidden"), path
    assert locked.robot.requests == []
    found = await entries(locked, tokens[Level.ADMIN])
    changing = [f"{g} {a}" for g, a in above if not ACTIONS[g][a].row.is_reading]
    assert sorted(each["what"] for each in found if each["refused"]) == sorted(changing)


async def test_stop_that_a_viewer_may_not_release_is_logged_by_every_way(
    locked: Rig, tokens: dict[Level, str]
) -> None:
    token = tokens[Level.VIEWER]
    chat = await locked.chat()
    await chat.request({"type": "auth", "token": token})
    await chat.fail("system", "estop", enable=False, generation=1)
    headers = {"Authorization": f"Bearer {token}"}
    for path in ("system/estop", "daemon/routerd/estop/clear"):
        url, body = f"{locked.url}/api/v1/{path}", {"enable": False, "generation": 1}
        async with locked.http.post(url, json=body, headers=headers) as answer:
            assert answer.status == 403
    found = [each for each in await entries(locked, tokens[Level.ADMIN]) if each["refused"]]
    assert [(each["what"], each["who"]) for each in found] == [
        ("router clear_estop", "viewer"),
        ("system estop", "viewer"),
        ("system estop", "viewer"),
    ]


async def test_requests_that_are_no_actions_are_logged_once_when_refused(
    locked: Rig, tokens: dict[Level, str]
) -> None:
    headers = {"Authorization": f"Bearer {tokens[Level.OPERATOR]}"}
    for method, path in (
        ("GET", "/api/backup"),
        ("POST", "/api/backup"),
        ("POST", "/api/backup/sealed"),
        ("PUT", "/api/backup/sealed"),
        ("POST", "/api/firmware"),
        ("PUT", "/api/v1/daemon/routerd/backup"),
    ):
        async with locked.http.request(method, locked.url + path, headers=headers) as answer:
            assert answer.status == 403, path
    found = [each for each in await entries(locked, tokens[Level.ADMIN]) if each["refused"]]
    assert [each["what"] for each in reversed(found)] == [
        "maintenance download_backup",
        "maintenance restore_backup",
        "maintenance download_sealed_backup",
        "maintenance restore_sealed_backup",
        "management upload_release",
        "PUT routerd/backup",
    ]


async def test_motion_over_http_is_logged_when_it_begins(
    locked: Rig, tokens: dict[Level, str]
) -> None:
    headers = {"Authorization": f"Bearer {tokens[Level.OPERATOR]}"}
    for _ in range(3):
        url = f"{locked.url}/api/v1/tracks/drive"
        async with locked.http.post(url, json={"linear": 0.1}, headers=headers) as answer:
            assert answer.status == 200
    found = await entries(locked, tokens[Level.ADMIN])
    moved = [(each["what"], each["who"]) for each in found if "move" in each["what"]]
    assert moved == [("began to move tracks", "operator")]


async def test_nobody_gets_nothing(locked: Rig) -> None:
    for group, action in TABLE:
        path = f"{locked.url}/api/v1/{group}/{action}"
        async with locked.http.post(path, data="{}") as answer:
            assert answer.status == 401, path
    assert locked.robot.requests == []


STOPS = {
    "set_route": {"route": {"id": "a", "input": {"source": "rc"}, "output": {"target": "*"},
                            "mapping": []}},
    "delete_route": {"route_id": "rc_estop"},
    "set_route_enabled": {"route_id": "rc_estop", "enabled": False},
    "set_route_priority": {"route_id": "rc_estop", "priority": 1},
    "set_blending": {"blending": {}},
    "load_preset": {"preset_name": "bare"},
    "import_routes": {"yaml": "routes: []"},
}  # fmt: skip


@pytest.mark.parametrize("action", STOPS)
def test_change_of_routes_that_takes_a_stop_away_needs_an_admin(action: str) -> None:
    entry = ACTIONS["router"][action]
    plain = entry.params.model_validate(STOPS[action])
    assert entry.row.level_for(plain) is Level.OPERATOR
    confirming = entry.params.model_validate(STOPS[action] | {"confirm": ["rc_estop:channel_6"]})
    assert entry.row.level_for(confirming) is Level.ADMIN
