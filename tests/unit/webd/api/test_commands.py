"""Actions over HTTP: the same table, the same refusals, answers as their models say."""

import pytest

from saint_services.lib.generated import topics
from saint_services.lib.generated.saint_msgs import InputSample
from saint_services.webd.actions import table
from tests.unit.webd.web_rig import Rig

Answer = tuple[int, dict]  # type: ignore[type-arg]


async def post(rig: Rig, path: str, **params: object) -> Answer:
    async with rig.http.post(f"{rig.url}/api/v1/{path}", json=params) as answer:
        return answer.status, await answer.json()


async def get(rig: Rig, path: str) -> Answer:
    async with rig.http.get(f"{rig.url}/api/v1/{path}") as answer:
        return answer.status, await answer.json()


async def test_reading_action_is_a_get(rig: Rig):
    status, answer = await get(rig, "management/get_node_info?node_id=sim_head")
    assert (status, answer["display_name"]) == (200, "Head")
    status, answer = await get(rig, "management/get_activity_log?limit=2")
    assert (status, list(answer)) == (200, ["entries"])


async def test_command_becomes_a_sample_of_its_sender(rig: Rig):
    received: list[InputSample] = []
    rig.domain.bus("ear").subscribe(topics.INPUT_WEBSOCKET, lambda s: received.append(s.message))
    status, answer = await post(rig, "tracks/drive", linear=0.4)
    assert (status, answer) == (200, {})
    assert [(s.source, s.target, tuple(s.values)) for s in received] == [
        ("websocket:http-anyone", "tracks", (pytest.approx(0.4), 0.0))
    ]


async def test_stop_raises_the_latch(rig: Rig):
    status, answer = await post(rig, "system/estop", enable=True, reason="test")
    assert (status, answer["estop"]["active"], answer["estop"]["reason"]) == (200, True, "test")


@pytest.mark.parametrize(
    ("path", "params", "status", "reported"),
    [
        ("tracks/drive", {"linear": "fast"}, 400, "linear must be a number"),
        ("tracks/drive", {"lienar": 1}, 400, "did you mean 'linear'"),
        ("tracks/driv", {}, 404, "did you mean 'tracks/drive'"),
        ("management/get_node_info", {"node_id": "nobody"}, 404, "nobody"),
        ("management/get_node_info", {}, 400, "node_id"),
        ("head/move", {"speed": 1.0}, 400, "names none of pan"),
    ],
)
async def test_refusal_has_a_status_and_says_why(
    rig: Rig, path: str, params: dict[str, object], status: int, reported: str
):
    found, answer = await post(rig, path, **params)
    assert (found, set(answer)) == (status, {"code", "message", "fix"})
    assert reported in answer["message"]


@pytest.mark.parametrize("body", [b"{", b"[]", b"\xff", b'"x"', b'{"linear": NaN}', b"[" * 9000])
async def test_body_that_is_no_object_is_refused(rig: Rig, body: bytes):
    async with rig.http.post(f"{rig.url}/api/v1/tracks/drive", data=body) as answer:
        assert (answer.status, (await answer.json())["code"]) == (400, "request_invalid")


async def test_large_body_is_refused(rig: Rig):
    async with rig.http.post(f"{rig.url}/api/v1/tracks/drive", data=b" " * 70_000) as answer:
        assert (answer.status, (await answer.json())["code"]) == (413, "too_large")


async def test_what_changes_something_is_no_get(rig: Rig):
    for path in ("tracks/stop", "system/estop", "management/adopt_node"):
        status, answer = await get(rig, path)
        assert (status, answer["code"]) == (405, "request_invalid")


async def test_daemon_that_does_not_answer_is_named(rig: Rig):
    await rig.robot.stop("rcd")
    status, answer = await get(rig, "rc/get_status")
    assert (status, answer["code"]) == (503, "daemon_unreachable")
    assert "rcd" in answer["message"]


async def test_without_a_token_nothing_but_the_documents(locked: Rig):
    assert (await post(locked, "tracks/drive", linear=1.0))[0] == 401
    assert (await get(locked, "system/status"))[0] == 401
    status, answer = await get(locked, "")
    assert status == 200
    assert len(answer["actions"]) == len(list(table.every()))
    for name in ("openapi.json", "asyncapi.json"):
        async with locked.http.get(f"{locked.url}/api/{name}") as document:
            assert (document.status, "info" in await document.json()) == (200, True)
