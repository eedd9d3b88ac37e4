"""Every request that changes something, by every way that leads to it: WebSocket (the page), HTTP,
saintctl on the robot, saintctl elsewhere. Each has the same effect and leaves one entry in the
audit log, the same one but for the person. LEFT_OUT names what is not requested here, and why.
"""

import asyncio
import json
import re
import shlex
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import pytest_asyncio
import yaml
from typer.testing import CliRunner

from saint_services.lib.api import endpoint, routing
from saint_services.lib.api.endpoint import Nothing
from saint_services.saintctl.app import app
from tests.integration.robot import Robot
from tests.unit.webd.web_rig import Chat
from tests.waiting import until

pytestmark = [pytest.mark.changes_robot, pytest.mark.asyncio(loop_scope="module")]

LIMIT_S = 20.0
WAYS = ("message", "http", "local", "server")
Entry = dict[str, Any]


@dataclass(frozen=True)
class Act:
    """One request. `way` in its texts becomes the name of the way, so that each way changes a thing
    of its own, and FOLDER the folder with the test's files. `words` are those of saintctl; `row` is
    the request that it becomes, where that has another name. `look` names an action, its parameters
    and the part of its reply that shows the effect.
    """

    name: str
    params: dict[str, Any]
    words: str
    is_refused: bool = False
    row: str = ""
    look: tuple[str, dict[str, Any], str] | None = None
    exit_code: int = 0
    undo: tuple[str, dict[str, Any]] | None = None  # before the next way


_ENDS_IT = "ends or restarts the processes of the robot under test: tests/image"
_GUIDED = "saintctl guides through it: test_drill, test_rc_calibration"
_BY_NAME = "saintctl finds it by its name first: tests/unit/saintctl"
_PACKED = "saintctl and pages pack its file first: tests/unit/adoptiond/robots/test_figures.py"
_PEER = "needs the session of a WebRTC peer: tests/unit/teleopd/test_sessions.py"
_NO_TURN = "needs a TURN server: tests/unit/teleopd/test_ice.py"
_NO_ROOM = "needs a LiveKit room: tests/unit/teleopd/test_room.py"
_NO_LEGS = "the shared robot has no legs: tests/integration/test_legs.py"
_NO_LINK = "needs another server: tests/unit/webd/remote/test_links.py"
_NO_WAGON = "the shared robot has no wagon: tests/unit/routerd/test_wagon_api.py"
LEFT_OUT = {
    "teleop connect": _PEER, "teleop request_control": _PEER, "teleop grant_control": _PEER,
    "teleop release_control": _PEER, "teleop kick": _PEER,
    "teleop join_room": _NO_ROOM, "teleop leave_room": _NO_ROOM,
    "teleop set_turn_password": _NO_TURN,
    "robot add_figure": _PACKED, "robot set_figure": _PACKED, "robot open_archive": _PACKED,
    "robot remove_figure": "restarts router and pages: tests/unit/adoptiond/robots/test_figures.py",
    "legs stand": _NO_LEGS, "legs balance": _NO_LEGS, "legs move": _NO_LEGS, "legs damp": _NO_LEGS,
    "link add": _NO_LINK, "link remove": _NO_LINK, "link engage": _NO_LINK,
    "link disengage": _NO_LINK,
    "wagon arm": _NO_WAGON, "wagon disarm": _NO_WAGON, "wagon set_gains": _NO_WAGON,
    "drill begin": _GUIDED, "drill wait": _GUIDED, "drill skip": _GUIDED, "drill kill": _GUIDED,
    "drill finish": _GUIDED, "rc calibration": _GUIDED,
    "livelink accept_sender": _BY_NAME, "livelink revoke_sender": _BY_NAME,
    "programs start": "a simulated server runs no programs: tests/unit/webd/programs",
    "programs stop": "a simulated server runs no programs: tests/unit/webd/programs",
    "programs remove": "a simulated server runs no programs: tests/unit/webd/programs",
    "users renew_token": _BY_NAME, "users revoke_token": _BY_NAME,
    "livelink record": "saintctl waits until it ends: tests/unit/saintctl/livelink",
    "livelink stop_recording": "needs a recording: tests/unit/saintctl/livelink",
    "key renew": "saintctl on the robot alone; every node needs its button then",
    "key export": "part of a backup: tests/unit/webd/backup",
    "key import": "part of a backup: tests/unit/webd/backup",
    "node reset": "saintctl on the node itself: tests/unit/noded",
    "selftest_here run": "saintctl on the node itself: tests/unit/trust",
    "settings set_hostname": "a simulated machine keeps its name",
    "settings join_wifi": "a simulated machine has no Wi-Fi",
    "settings leave_wifi": "a simulated machine has no Wi-Fi",
    "maintenance restart": _ENDS_IT, "maintenance restore_state": _ENDS_IT,
    "maintenance factory_reset": _ENDS_IT, "system reboot": _ENDS_IT, "system shutdown": _ENDS_IT,
    "system enable_tls": "the address of the page changes: tests/unit/webd",
    "system disable_tls": "the address of the page changes: tests/unit/webd",
    "users change_password": "for the account that is signed in; nobody is here",
    "users require_sign_in": "signs this test's own client out: tests/web/views/test_login.py",
}  # fmt: skip

_ROUTE = {
    "id": "way", "input": {"source": "websocket"},
    "output": {"target": "head"}, "priority": 3, "mapping": "passthrough",
}  # fmt: skip
_SEQUENCE = {
    "joints": ["pan"], "units": ["deg"], "frames": [[0.0, 0.0], [1.0, 5.0]], "source": "",
}  # fmt: skip
_EPISODE = "timestamp,pan\n0,0\n1,5\n"
_BLENDED = ("router list_routes", {}, "blending")
_HEAD = ("management get_node_info", {"node_id": "sim_head"}, "display_name")
_SPARE = ("management get_node_info", {"node_id": "sim_spare"}, "is_ignored")
_UPDATE_WINDOW = ("management get_update_settings", {}, "window")
_PAN = ("management get_calibration", {"target": "head"}, "fields")
# In an order in which a later one finds what an earlier one made.
ACTS = [
    Act("management set_node_name", {"node_id": "sim_head", "display_name": "way"},
        "node rename sim_head way", look=_HEAD),
    Act("management set_node_name", {"node_id": "sim_head", "display_name": "Head"},
        "node rename sim_head Head", look=_HEAD),
    Act("management ignore_node", {"node_id": "sim_spare", "is_ignored": True},
        "node ignore sim_spare", look=_SPARE),
    Act("management ignore_node", {"node_id": "sim_spare", "is_ignored": False},
        "node unignore sim_spare", look=_SPARE),
    Act("management adopt_node", {"node_id": "sim_head", "role": "tracks"},
        "node adopt sim_head tracks", is_refused=True, look=_HEAD),
    Act("management replace_node", {"node_id": "sim_head", "by": "sim_tracks"},
        "node replace sim_head sim_tracks", is_refused=True),
    Act("management reset_node", {"node_id": "nowhere"}, "node reset nowhere", is_refused=True),
    Act("management calibrate", {"target": "head", "field": "pan", "offset": 1.0},
        "node calibrate head pan --offset 1", look=_PAN),
    Act("management calibrate", {"target": "head", "field": "pan", "clear": True},
        "node calibrate head pan --clear", look=_PAN),
    Act("management firmware_rollout", {"version": "9.9.9"},
        "firmware rollout 9.9.9 --detach", is_refused=True),
    Act("management firmware_control", {"action": "pause"}, "firmware pause", is_refused=True),
    Act("management firmware_import", {"path": "/nowhere"}, "firmware import /nowhere",
        is_refused=True),
    Act("management firmware_delete", {"version": "9.9.9"}, "firmware remove 9.9.9",
        is_refused=True),
    Act("management check_releases", {}, "firmware fetch", is_refused=True),
    Act("management set_update_settings", {"offers": "ask", "window": "02:00-05:00"},
        "firmware settings --offers ask --window 02:00-05:00", look=_UPDATE_WINDOW,
        undo=("management set_update_settings", {"offers": "automatic", "window": ""})),
    Act("management trigger_update", {"node_id": "sim_head"}, "node update sim_head",
        is_refused=True, row="management firmware_rollout"),
    Act("robot set_part",
        {"target": "head", "name": "imu", "hardware": {"purpose": "way"}, "note": "way"},
        "part set head.imu purpose=way --note way"),
    Act("robot set_parts",
        {"parts": [{"target": "head", "name": "imu", "hardware": {"purpose": "way"}},
                   {"target": "head", "name": "face", "hardware": {"purpose": "way"}}]},
        "part set head.imu purpose=way head.face purpose=way"),
    Act("robot remove_part", {"target": "head", "name": "nothing"}, "part remove head.nothing",
        is_refused=True),
    Act("robot apply", {"text": "FOLDER/faulty.yaml", "note": "way"},
        "robot apply FOLDER/faulty.yaml --note way", is_refused=True),
    Act("robot use_template", {"name": "rover"}, "robot template rover", is_refused=True),
    Act("robot undo", {"number": 1}, "robot undo 1",
        undo=("robot set_part",
              {"target": "head", "name": "imu", "hardware": {"purpose": "undone"}})),
    Act("router set_route", {"route": _ROUTE}, "route set FOLDER/route.yaml"),
    Act("router set_route_enabled", {"route_id": "way", "enabled": False}, "route disable way"),
    Act("router set_route_priority", {"route_id": "way", "priority": 7}, "route priority way 7"),
    Act("router delete_route", {"route_id": "way"}, "route delete way"),
    Act("router set_blending", {"blending": {"hysteresis_ms": 120}},
        "route blending --hysteresis-ms 120", look=_BLENDED,
        undo=("router set_blending", {"blending": {}})),
    Act("router save_preset", {"preset_name": "way"}, "route preset save way"),
    Act("router load_preset", {"preset_name": "way"}, "route preset load way"),
    Act("router delete_preset", {"preset_name": "way"}, "route preset delete way"),
    Act("router import_routes", {"yaml": "FOLDER/all.yaml"}, "route import FOLDER/all.yaml",
        row="router replace_routes"),
    Act("router take_control", {"target": "head"}, "route take head --holder websocket:way",
        undo=("router release_control", {"target": "head", "force": True})),
    Act("router release_control", {"target": "head", "force": True},
        "route release head --force"),
    Act("router engage_leader", {"target": "head", "leader": "way"}, "route lead head way",
        is_refused=True),
    Act("sequence save", {"sequence_name": "way", "sequence": _SEQUENCE},
        "sequence import way FOLDER/sequence.json"),
    Act("sequence import_episode",
        {"sequence_name": "way", "target": "head", "text": "FOLDER/episode.csv"},
        "sequence import way FOLDER/episode.csv --target head"),
    Act("sequence play", {"sequence_name": "nothing", "target": "head"},
        "sequence play nothing head", is_refused=True),
    Act("sequence stop", {"target": "head"}, "sequence stop head", is_refused=True),
    Act("sequence record", {"sequence_name": "way", "target": "nowhere"},
        "sequence record way nowhere", is_refused=True),
    Act("sequence finish", {}, "sequence finish", is_refused=True),
    Act("sequence delete", {"sequence_name": "way"}, "sequence remove way"),
    Act("tracks estop", {"enable": True, "reason": "way"}, "estop set --reason way",
        row="router estop"),
    Act("tracks estop", {"enable": False, "generation": "SEEN"}, "estop clear",
        row="router clear_estop"),
    Act("head camera", {"enable": False}, "head camera off"),
    Act("rc set_enabled", {"enabled": True}, "rc enable"),
    Act("rc set_channel_config", {"channel": 5, "name": "way"}, "rc channel 5 --name way",
        look=("rc get_channel_config", {}, "channels")),
    Act("rc calibrate_channel", {"channel": 3, "position": "min"},
        "rc calibrate-channel 3 min", is_refused=True),
    Act("rc set_failsafe", {"timeout_ms": 700}, "rc failsafe --timeout-ms 700",
        look=("rc get_failsafe", {}, "timeout_ms")),
    Act("rc set_protocol", {"protocol": "sbus"}, "rc protocol sbus",
        look=("rc get_protocol", {}, "protocol")),
    Act("rc detect_protocol", {"seconds": 0.2, "apply": False}, "rc detect --seconds 0.2",
        exit_code=1),
    Act("rc reset", {"parts": ["failsafe", "protocol", "channels"]},
        "rc reset failsafe protocol channels", look=("rc get_failsafe", {}, "timeout_ms")),
    Act("livelink set_formats", {"formats": {"vmc": False}}, "livelink switch vmc off"),
    Act("livelink set_formats", {"formats": {"vmc": True}}, "livelink switch vmc on"),
    Act("livelink renew_sender_code", {}, "livelink code --new"),
    Act("livelink set_sender_check", {"accept": "known"}, "livelink check known",
        look=("livelink list_senders", {}, "accept")),
    Act("livelink release", {"subject_name": "way"}, "livelink release way", is_refused=True),
    Act("livelink zero", {"subject_name": "way"}, "livelink zero way", is_refused=True),
    Act("livelink scale", {"subject_name": "way", "scale": {"jawOpen": 2.0}},
        "livelink scale way jawOpen=2", is_refused=True),
    Act("livelink play", {"name": "way"}, "livelink play way", is_refused=True),
    Act("livelink stop_playing", {}, "livelink play --stop"),
    Act("livelink delete_recording", {"name": "way"}, "livelink remove way", is_refused=True),
    Act("settings set_name", {"name": "way"}, "system rename way",
        look=("settings get", {}, "name")),
    Act("settings set_name", {"name": "SAINT-01"}, "system rename SAINT-01",
        look=("settings get", {}, "name")),
    Act("users set_role", {"name": "way", "role": "operator"}, "user role way operator",
        is_refused=True),
    Act("users set_password", {"name": "way", "password": "another 4242"},
        "user password way --password 'another 4242'", is_refused=True),
    Act("users remove_user", {"name": "way"}, "user remove way", is_refused=True),
    Act("users add_token", {"name": "way", "role": "viewer"}, "token add way --role viewer"),
    Act("users end_session", {"session_id": "abc123"}, "user sign-out abc123", is_refused=True),
    Act("users add_user", {"name": "way", "password": "a long one 42", "role": "viewer"},
        "user add way --role viewer --password 'a long one 42'", is_refused=True),
    Act("system disconnect_client", {"client_id": "nowhere"}, "system disconnect nowhere",
        is_refused=True),
    Act("maintenance undo_restore", {}, "backup undo", is_refused=True),
    Act("selftest run", {"node_id": "nowhere"}, "selftest nowhere", is_refused=True),
]  # fmt: skip


class Ways:
    """The four ways to one robot."""

    def __init__(self, robot: Robot, http: aiohttp.ClientSession, chat: Chat, files: Path) -> None:
        self._files = files
        self._robot = robot
        self._http = http
        self._chat = chat
        self.before: Counter[str] = Counter()  # entries of the robot's start

    async def go(self, way: str, act: Act) -> bool:
        """Request it; whether it was carried out."""
        name = f"way_{way}"
        if way == "message":
            return await self._message(act, name)
        if way == "http":
            return await self._post(act, name)
        return await self._saintctl(act, name, is_local=way == "local")

    async def _message(self, act: Act, name: str) -> bool:
        return await self.message(act.name, await self._params(act, name))

    async def message(self, name: str, params: dict[str, Any]) -> bool:
        """Request an action over the WebSocket; whether it was carried out."""
        kind, action = name.split()
        reply = await self._chat.request({"type": kind, "action": action, "params": params})
        return bool(reply["status"] == "ok")

    async def _post(self, act: Act, name: str) -> bool:
        path = f"{self._robot.http_url}/api/v1/{act.name.replace(' ', '/')}"
        async with self._http.post(path, json=await self._params(act, name)) as answer:
            return answer.status == 200

    async def _saintctl(self, act: Act, name: str, is_local: bool) -> bool:
        at, url = str(self._robot.run()), self._robot.http_url
        place = ["--run", at] if is_local else ["--server", url]
        line = act.words.replace("way", name).replace("FOLDER", str(self._files))
        route = yaml.safe_dump({"routes": [{**_ROUTE, "id": name}]})
        (self._files / "route.yaml").write_text(route)
        arguments = [*place, *shlex.split(line)]
        result = await asyncio.to_thread(CliRunner().invoke, app, arguments)
        assert result.exception is None or isinstance(result.exception, SystemExit), result
        return result.exit_code == act.exit_code

    async def _params(self, act: Act, name: str) -> dict[str, Any]:
        params = _named(act.params, name, self._files)
        if params.get("generation") == "SEEN":
            params["generation"] = (await self.look("router", "get_status"))["estop"]["generation"]
        return dict(params)

    async def look(self, kind: str, action: str, **params: Any) -> Any:
        """The reply to a request that changes nothing."""
        return await self._chat.do(kind, action, **params)

    async def entries(self) -> list[Entry]:
        """The whole log, the oldest first."""
        found = await self.look("system", "get_audit_log", limit=500)
        return list(found["entries"])[::-1]

    async def new_entry(self, count: int) -> Entry:
        """The entry after the first `count`; it may come later than the reply."""

        async def newer() -> list[Entry]:
            return (await self.entries())[count:]

        (entry,) = await until(newer, LIMIT_S)
        return entry


def _named(given: Any, name: str, files: Path) -> Any:
    """The same with the way's name in it, and with what stands in the files."""
    if isinstance(given, dict):
        return {key: _named(value, name, files) for key, value in given.items()}
    if isinstance(given, str) and given.startswith("FOLDER/"):
        return (files / given.removeprefix("FOLDER/")).read_text()
    return name if given == "way" else given


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def ways(robot: Robot, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Ways]:
    async with aiohttp.ClientSession() as http:
        socket = await http.ws_connect(robot.http_url.replace("http", "ws") + "/api/ws")
        chat = Chat(socket)
        await chat.request({"type": "auth", "client_id": "way"})
        files = tmp_path_factory.mktemp("files")
        async with robot.client("routerd") as routerd:
            listed = await routerd.request(routing.LIST_ROUTES, Nothing())
        routes = [each.route.model_dump(mode="json", by_alias=True) for each in listed.routes]
        (files / "all.yaml").write_text(yaml.safe_dump({"routes": routes}))
        (files / "faulty.yaml").write_text("name: [")
        (files / "sequence.json").write_text(json.dumps(_SEQUENCE))
        (files / "episode.csv").write_text(_EPISODE)
        ways = Ways(robot, http, chat, files)
        ways.before.update(entry["what"] for entry in await ways.entries())
        yield ways


@pytest.mark.parametrize("act", ACTS, ids=[f"{n}-{act.name}" for n, act in enumerate(ACTS)])
async def test_every_way_has_one_effect_and_leaves_one_entry(ways: Ways, act: Act) -> None:
    effects, reported = {}, {}
    for way in WAYS:
        count = len(await ways.entries())
        assert await ways.go(way, act) is not act.is_refused, way
        entry = await ways.new_entry(count)
        assert entry["who"] and entry["source"] and entry["level"] == "admin", way
        assert bool(entry["refused"]) == act.is_refused, way
        reported[way] = _alike(
            (entry["what"], _CLIENT.sub("", entry["detail"]), entry["refused"]), way
        )
        if act.look:
            kind, action = act.look[0].split()
            effects[way] = _alike((await ways.look(kind, action, **act.look[1]))[act.look[2]], way)
        if act.undo:
            await ways.message(*act.undo)
            await ways.new_entry(count + 1)
    assert all(each == reported["http"] for each in reported.values()), reported
    assert json.loads(reported["http"])[0] == (act.row or act.name)
    assert all(each == effects["http"] for each in effects.values()), effects


async def test_no_entry_came_late(ways: Ways) -> None:
    """After all others: each request left one entry, and no more."""
    names = Counter(entry["what"] for entry in await ways.entries()) - ways.before
    wanted = Counter({act.row or act.name: 0 for act in ACTS})
    for act in ACTS:
        for name in (act.row or act.name, *(act.undo or ())[:1]):
            wanted[name] += len(WAYS)
    assert {name: names[name] for name in wanted} == dict(wanted)


async def test_no_request_is_forgotten() -> None:
    rows = {row.name for daemon in endpoint.MODULES for row in endpoint.rows_of(daemon) if row.log}
    known = {name for act in ACTS for name in (act.name, act.row) if name} | LEFT_OUT.keys()
    assert rows - known == set()


# The client differs from way to way; the number of a stop from press to press.
_CLIENT = re.compile(r"(source|holder|generation): [^,]*(, )?")


def _alike(found: Any, way: str) -> str:
    return json.dumps(found).replace(f"way_{way}", "way")
