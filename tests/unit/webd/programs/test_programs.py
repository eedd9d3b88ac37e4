"""Programs of the owner's through webd: added, started, what they may, stopped, removed."""

import asyncio
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from saint_services.lib.bus import Sample
from saint_services.lib.generated import topics
from saint_services.lib.generated.saint_msgs import InputSample
from tests.unit.webd.web_rig import Rig
from tests.waiting import until
from tests.web.fakes import programs

PATROL = "name: patrol\ndescription: to and fro\naccess: drive\n"
WATCHER = "name: watcher\naccess: read\n"


class Owner:
    """The owner of a robot with sign-in, and what the owner's programs do."""

    def __init__(self, rig: Rig, directory: Path) -> None:
        self.rig, self.directory = rig, directory
        code = (rig.robot.runtime.parent / "state/token").read_text().strip()
        self.headers = {"Authorization": f"Bearer {code}"}

    async def add(self, text: str = PATROL, **headers: str) -> tuple[int, dict[str, Any]]:
        file = programs.archive(self.directory / "new.zip", text, main="print(1)\n")
        given = headers or self.headers
        url = f"{self.rig.url}/api/programs"
        async with self.rig.http.post(url, data=file.read_bytes(), headers=given) as answer:
            return answer.status, await answer.json()

    async def do(self, action: str, **params: Any) -> tuple[int, dict[str, Any]]:
        return await self.post(f"programs/{action}", self.headers, **params)

    async def post(
        self, path: str, headers: dict[str, str], **params: Any
    ) -> tuple[int, dict[str, Any]]:
        url = f"{self.rig.url}/api/v1/{path}"
        async with self.rig.http.post(url, json=params, headers=headers) as answer:
            return answer.status, await answer.json()

    def secret(self, name: str = "patrol") -> str:
        return (self.directory / "state/programs" / name).read_text().strip()

    def bearer(self, name: str = "patrol") -> dict[str, str]:
        return {"Authorization": f"Bearer {self.secret(name)}"}

    async def started(self, text: str = PATROL) -> dict[str, str]:
        """Add and start a program; return the headers of its requests."""
        _, info = await self.add(text)
        status, reply = await self.do("start", name=info["name"])
        assert status == 200, reply
        return self.bearer(info["name"])


@pytest.fixture
def owner(locked: Rig, tmp_path: Path) -> Owner:
    return Owner(locked, tmp_path)


async def listed(owner: Owner) -> dict[str, dict[str, Any]]:
    _, reply = await owner.do("list")
    return {each["name"]: each for each in reply["programs"]}


async def test_program_is_added_started_stopped_and_removed(owner: Owner) -> None:
    status, info = await owner.add()
    assert (status, info["name"], info["access"]) == (200, "patrol", "drive")
    found = (await listed(owner))["patrol"]
    assert (found["state"], found["is_started"]) == ("stopped", False)
    await owner.do("start", name="patrol")
    found = (await listed(owner))["patrol"]
    assert (found["state"], found["is_started"]) == ("running", True)
    assert found["memory_bytes"] == programs.MEMORY_BYTES
    await owner.do("stop", name="patrol")
    found = (await listed(owner))["patrol"]
    assert (found["state"], found["is_started"]) == ("stopped", False)
    await owner.do("remove", name="patrol")
    assert await listed(owner) == {}
    assert sorted(path.name for path in programs.folders(owner.directory).programs.iterdir()) == [
        ".started"
    ]


async def test_token_is_webds_alone_and_ends_with_the_program(owner: Owner) -> None:
    await owner.started()
    file = owner.directory / "state/programs/patrol"
    assert file.stat().st_mode & 0o777 == 0o600
    first = owner.bearer()
    assert (await owner.post("system/status", first))[0] == 200
    await owner.do("start", name="patrol")
    assert (await owner.post("system/status", first))[0] == 401, "each start has another token"
    second = owner.bearer()
    await owner.do("stop", name="patrol")
    assert not file.exists()
    assert (await owner.post("system/status", second))[0] == 401
    _, tokens = await owner.post("users/list_tokens", owner.headers)
    assert tokens["tokens"] == []


async def test_connection_of_a_program_ends_when_it_is_stopped(owner: Owner) -> None:
    await owner.started()
    socket = await owner.rig.http.ws_connect(owner.rig.url + "/api/ws")
    await socket.send_json({"id": 1, "type": "auth", "token": owner.secret()})
    assert (await socket.receive_json(timeout=5))["status"] == "ok"
    await owner.do("stop", name="patrol")
    async with asyncio.timeout(5.0):
        while (message := await socket.receive()).type is aiohttp.WSMsgType.TEXT:
            pass
    assert message.type is aiohttp.WSMsgType.CLOSE


async def test_program_moves_the_robot_as_autonomous_whatever_it_calls_itself(
    owner: Owner,
) -> None:
    received: list[InputSample] = []

    def keep(sample: Sample[InputSample]) -> None:
        received.append(sample.message)

    listener = owner.rig.domain.bus("listener")
    for topic in (topics.INPUT_AUTONOMOUS, topics.INPUT_WEBSOCKET):
        listener.subscribe(topic, keep)
    bearer = await owner.started()
    assert (await owner.post("tracks/drive", bearer, linear=0.2))[0] == 200
    socket = await owner.rig.http.ws_connect(owner.rig.url + "/api/ws")
    hello = {"id": 1, "type": "auth", "token": owner.secret(), "client_id": "console_buttons"}
    await socket.send_json(hello)
    await socket.send_json(
        {"id": 2, "type": "input", "target": "tracks", "values": {"linear": 0.1}}
    )
    for _ in range(2):
        assert (await socket.receive_json(timeout=5))["status"] == "ok"
    await until(lambda: len(received) >= 2)
    assert {sample.source for sample in received} == {"autonomous:patrol"}
    await socket.close()


REFUSED = [
    ("router/take_control", {"target": "tracks"}),
    ("router/set_route_priority", {"route_id": "autonomous", "priority": 900}),
    ("router/load_preset", {"preset_name": "x"}),
    ("rc/set_enabled", {"enabled": False}),
    ("system/estop", {"enable": False, "generation": 1}),
    ("tracks/estop", {"enable": False, "generation": 1}),
    ("management/adopt_node", {"node_id": "sim_spare", "role": "tracks"}),
    ("programs/start", {"name": "patrol"}),
    ("users/add_token", {"name": "x", "role": "admin"}),
    ("maintenance/restart", {}),
]


@pytest.mark.parametrize(("path", "params"), REFUSED, ids=[path for path, _ in REFUSED])
async def test_program_changes_nothing_of_what_precedes_it(
    owner: Owner, path: str, params: dict[str, Any]
) -> None:
    bearer = await owner.started()
    status, reply = await owner.post(path, bearer, **params)
    assert (status, reply["code"]) == (403, "forbidden"), reply


async def test_program_may_stop_the_robot(owner: Owner) -> None:
    bearer = await owner.started(WATCHER)
    status, _ = await owner.post("system/estop", bearer, enable=True, reason="smoke")
    assert status == 200
    assert owner.rig.robot.latch.active


async def test_program_that_reads_moves_nothing(owner: Owner) -> None:
    bearer = await owner.started(WATCHER)
    assert (await owner.post("system/status", bearer))[0] == 200
    assert (await owner.post("tracks/drive", bearer, linear=0.2))[0] == 403


async def test_new_version_of_a_running_program_starts_again(owner: Owner) -> None:
    first = await owner.started()
    await owner.add(PATROL.replace("drive", "read"))
    assert (await owner.post("system/status", first))[0] == 401
    assert (await owner.post("tracks/drive", owner.bearer(), linear=0.2))[0] == 403
    assert (await listed(owner))["patrol"]["state"] == "running"


async def test_only_admins_add_and_every_change_is_in_the_audit_log(owner: Owner) -> None:
    bearer = await owner.started()
    assert (await owner.add(**bearer))[0] == 403
    await owner.do("stop", name="patrol")
    await owner.do("remove", name="patrol")
    _, log = await owner.post("system/get_audit_log", owner.headers)
    what = [(each["what"], bool(each["refused"])) for each in log["entries"]]
    for name in ("programs add", "programs start", "programs stop", "programs remove"):
        assert (name, False) in what
    assert ("programs add", True) in what


async def test_archive_that_is_refused_changes_nothing(owner: Owner) -> None:
    await owner.started()
    status, error = await owner.add("name: ../x\n")
    assert (status, error["code"]) == (422, "config_invalid")
    assert sorted(await listed(owner)) == ["patrol"]
    names = [path.name for path in programs.folders(owner.directory).programs.iterdir()]
    assert sorted(names) == [".started", "patrol"]


async def test_damaged_program_is_listed_stopped_and_removed(owner: Owner) -> None:
    await owner.started()
    (programs.folders(owner.directory).programs / "patrol/program.yaml").write_text("name: [\n")
    assert "program.yaml" in (await listed(owner))["patrol"]["problem"]
    assert (await owner.do("start", name="patrol"))[0] == 422
    assert (await owner.do("stop", name="patrol"))[0] == 200
    assert (await owner.do("remove", name="patrol"))[0] == 200
    assert await listed(owner) == {}


async def test_unknown_program_is_not_found(owner: Owner) -> None:
    for action in ("start", "stop", "remove"):
        assert (await owner.do(action, name="nowhere"))[0] == 404
    assert (await owner.do("start", name="../x"))[0] == 400


async def test_name_of_a_programs_token_is_for_programs_alone(owner: Owner) -> None:
    for name in ("program:patrol", "Program:x"):
        status, _ = await owner.post("users/add_token", owner.headers, name=name, role="admin")
        assert status == 400


async def test_program_stays_one_where_no_sign_in_is_required(rig: Rig, tmp_path: Path) -> None:
    received: list[InputSample] = []

    def keep(sample: Sample[InputSample]) -> None:
        received.append(sample.message)

    listener = rig.domain.bus("listener")
    for topic in (topics.INPUT_AUTONOMOUS, topics.INPUT_WEBSOCKET):
        listener.subscribe(topic, keep)
    owner = Owner(rig, tmp_path)
    bearer = await owner.started()
    assert (await owner.post("tracks/drive", bearer, linear=0.2))[0] == 200
    await until(lambda: received)
    assert received[0].source == "autonomous:patrol"
    assert (await owner.post("router/take_control", bearer, target="tracks"))[0] == 403
    assert (await owner.post("system/status", {"Authorization": "Bearer wrong"}))[0] == 200
