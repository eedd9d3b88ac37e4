"""Releases through webd: uploads pass to otad, its refusals come back; roll-outs by WebSocket."""

import asyncio
import io
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from saint_services.lib.errors import Code, SaintError
from tests.unit.otad.ota_rig import Robot
from tests.unit.webd.web_rig import Chat, Rig
from tests.waiting import until
from tools.fake_rauc.bundle_writer import make_keys

pytestmark = pytest.mark.slow


@pytest.fixture
async def firmware(tmp_path: Path) -> Robot:
    """otad's surroundings, in the folders of the rig's webd."""
    return Robot(tmp_path, await asyncio.to_thread(make_keys, tmp_path / "keys"))


async def bundle(firmware: Robot, version: str = "1.1.0", **changes: object) -> bytes:
    path = await asyncio.to_thread(lambda: firmware.bundle(version, **changes))
    return await asyncio.to_thread(path.read_bytes)


async def upload(rig: Rig, data: object, **headers: str) -> tuple[int, dict[str, str]]:
    async with rig.http.post(f"{rig.url}/api/firmware", data=data, headers=headers) as answer:
        return answer.status, await answer.json()


async def test_uploaded_bundle_becomes_a_release(rig: Rig, firmware: Robot):
    data = await bundle(firmware)
    async with firmware.otad(has_registry=True):
        status, answer = await upload(rig, data)
        chat = await rig.chat()
        shown = await chat.do("management", "firmware_status")
    assert (status, answer["version"]) == (200, "1.1.0")
    assert [release["version"] for release in shown["releases"]] == ["1.1.0"]


async def test_list_has_the_releases_and_the_machines(rig: Rig, firmware: Robot):
    async with firmware.otad(has_registry=True) as ota:
        await ota.release("1.1.0")
        async with rig.http.get(f"{rig.url}/api/firmware") as answer:
            status, found = answer.status, await answer.json()
        chat = await rig.chat()
        shown = await chat.do("management", "firmware_status")
    assert status == 200
    assert [release["version"] for release in found["releases"]] == ["1.1.0"]
    assert found == shown


async def test_list_needs_a_user(locked: Rig):
    async with locked.http.get(f"{locked.url}/api/firmware") as answer:
        assert answer.status == 401


async def test_list_without_otad_is_refused(rig: Rig):
    await rig.robot.stop("otad")
    async with rig.http.get(f"{rig.url}/api/firmware") as answer:
        assert (answer.status, (await answer.json())["code"]) == (503, "daemon_unreachable")


async def test_upload_leaves_one_entry_of_otad(rig: Rig, firmware: Robot):
    async with firmware.otad(has_registry=True):
        await upload(rig, await bundle(firmware))
        await upload(rig, b"no bundle")
        chat = await rig.chat()
        found: list[dict[str, Any]] = []
        async with asyncio.timeout(5.0):
            while len(found) < 2:
                log = await chat.do("system", "get_audit_log")
                found = [e for e in log["entries"] if "upload" in e["what"]]
    assert [(e["what"], bool(e["refused"])) for e in found] == [
        ("management upload_release", True),
        ("management upload_release", False),
    ]
    assert "POST /api/firmware" not in {e["what"] for e in log["entries"]}


async def test_refusal_of_otad_comes_back_as_it_is(rig: Rig, firmware: Robot):
    data = await bundle(firmware, compatible="toaster")
    async with firmware.otad(has_registry=True):
        status, answer = await upload(rig, data)
    assert (status, answer["code"]) == (422, "release_invalid")
    assert "toaster" in answer["message"]


async def test_large_refused_bundle_gets_its_answer(rig: Rig, firmware: Robot):
    async with firmware.otad(has_registry=True):
        status, answer = await upload(
            rig, io.BytesIO(b"x" * 20_000_000), **{"X-Saint-Sha256": "no"}
        )
    assert (status, answer["code"]) == (400, "request_invalid")


async def test_upload_without_otad_is_refused(rig: Rig):
    await rig.robot.otad.close()
    status, answer = await upload(rig, b"x" * 100)
    assert (status, answer["code"]) == (503, "daemon_unreachable")


async def test_page_of_another_site_may_not_upload(rig: Rig):
    status, answer = await upload(rig, b"x", Origin="http://evil.example")
    assert (status, answer["code"]) == (403, "forbidden")


async def test_upload_needs_the_token(locked: Rig, tmp_path: Path, firmware: Robot):
    token = (await asyncio.to_thread((tmp_path / "state/token").read_text)).strip()
    data = await bundle(firmware)
    async with firmware.otad(has_registry=True):
        none, _ = await upload(locked, data)
        wrong, _ = await upload(locked, data, Authorization="Bearer wrong")
        right, _ = await upload(locked, data, Authorization=f"Bearer {token}")
    assert (none, wrong, right) == (401, 401, 200)


async def test_guessing_tokens_by_upload_costs_time(locked: Rig):
    answers = [await upload(locked, b"x", Authorization=f"Bearer {n}") for n in range(7)]
    assert answers[0][1]["message"] == "the token is wrong"
    assert answers[6][1]["message"].startswith("too many failed attempts")


async def test_upload_that_is_cut_off_leaves_both_at_work(rig: Rig, firmware: Robot):
    data = await bundle(firmware)
    async with firmware.otad(has_registry=True) as ota:
        _, writer = await asyncio.open_connection(*rig.address.split(":"))
        head = f"POST /api/firmware HTTP/1.1\r\nHost: {rig.address}\r\nContent-Length: {len(data)}"
        writer.write(f"{head}\r\n\r\n".encode() + data[:5000])
        incoming = firmware.directories.state / "incoming"
        await until(lambda: incoming.exists())
        writer.close()
        await until(lambda: not incoming.exists())
        status = 409
        while status == 409:  # webd notices it a little later
            status, _ = await upload(rig, data)
        assert ota.counters["releases_refused"] == 1
    assert status == 200


async def control(chat: Chat, action: str) -> dict[str, Any]:
    params = {"action": action}
    message = {"type": "management", "action": "firmware_control", "params": params}
    return await chat.request(message)


async def test_roll_out_by_websocket_is_seen_paused_and_taken_back(rig: Rig, firmware: Robot):
    node = firmware.node("sim_head")
    async with firmware.otad(has_registry=True) as ota:
        chat = await rig.chat()
        await chat.subscribe("firmware")
        await ota.release("1.1.0")
        while not any(
            m["is_online"] for m in (await chat.state("firmware"))["data"].get("machines", [])
        ):
            pass
        plan = await chat.do("management", "trigger_update", node_id="sim_head")
        await until(lambda: bool(node.requests))
        paused = await control(chat, "pause")
        node.becomes_healthy()
        back = await control(chat, "rollback")
        wrong = await control(chat, "explode")
    assert (plan["state"], paused["data"]["state"]) == ("running", "paused")
    assert (back["data"]["version"], back["data"]["is_rollback"]) == ("1.0.0", True)
    assert "explode" in wrong["error"]["message"]


async def test_orders_are_logged_once_and_refused_ones_with_the_reason(rig: Rig):
    chat = await rig.chat()
    await chat.do("management", "trigger_update", node_id="sim_head")
    rig.robot.otad.refusal = SaintError(Code.CONFLICT, "it runs already")
    await chat.fail("management", "firmware_rollout", version="0.1.0")
    rig.robot.otad.refusal = None
    await chat.do("management", "firmware_delete", version="0.1.0")
    entries = (await chat.do("system", "get_audit_log"))["entries"][::-1]
    assert [(each["what"], each["refused"]) for each in entries] == [
        ("management firmware_rollout", ""),
        ("management firmware_rollout", "it runs already"),
        ("management firmware_delete", ""),
    ]
    assert 'nodes: ["sim_head"]' in entries[0]["detail"] and entries[0]["who"] == "anyone"
    reported = (await chat.do("management", "get_activity_log"))["entries"]
    assert "Release 0.1.0 was deleted" in [each["text"] for each in reported]


async def test_topic_shows_when_otad_does_not_answer(rig: Rig):
    await rig.robot.stop("otad")
    chat = await rig.chat()
    await chat.subscribe("firmware")
    state = await chat.state("firmware")
    assert state["data"]["problem"]["code"] == "daemon_unreachable"


async def test_release_is_removed_by_websocket(rig: Rig, firmware: Robot):
    async with firmware.otad(has_registry=True) as ota:
        await ota.release("1.1.0")
        chat = await rig.chat()
        done = await chat.do("management", "firmware_delete", version="1.1.0")
        wrong = await chat.fail("management", "firmware_delete", version="../1")
    assert done["message"] == "Release 1.1.0 was removed"
    assert wrong["code"] == "request_invalid"


async def test_body_without_a_length_is_refused(rig: Rig):
    async def pieces():
        yield b"x"

    url = f"{rig.url}/api/firmware"
    async with aiohttp.ClientSession() as session, session.post(url, data=pieces()) as answer:
        assert answer.status == 400
