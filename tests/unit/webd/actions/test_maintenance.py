"""Logs, backups, restarts and resets by webd's API, with fake daemons around it."""

import asyncio
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from saint_services.lib.api.backup import DaemonBackup, SectionData
from saint_services.lib.api.orders import PowerCommand, RobotPower
from saint_services.lib.api.routing import FieldOutput
from saint_services.lib.backup.archive import pack, unpack
from tests.unit.webd.web_rig import Rig
from tests.web.fakes.backup import Words
from tests.web.fakes.logs import write


def request_in(tmp_path: Path, name: str) -> str:
    """Return the request file for the machine."""
    path = tmp_path / "reboot" / name
    return path.read_text() if path.exists() else ""


def file(**words: list[str]) -> bytes:
    names = {"rcd": "receiver", "routerd": "routes", "adoptiond": "nodes"}
    daemons = {
        daemon: DaemonBackup(sections={names[daemon]: SectionData(version=1, data={"words": each})})
        for daemon, each in words.items()
    }
    return pack(daemons, robot="Other", version="0.9", created="2026-11-22T10:00:00Z")


async def post(rig: Rig, raw: bytes, query: str = "") -> tuple[int, dict[str, Any]]:
    async with rig.http.post(f"{rig.url}/api/backup{query}", data=io.BytesIO(raw)) as answer:
        return answer.status, await answer.json()


def drive(rig: Rig) -> None:
    rig.robot.outputs = [
        FieldOutput(
            target="tracks", field="linear", unit="m/s", value=0.4, winner="rc_drive", source="rc",
            age_ms=10, policy="live", clamped=False, changed_ms=0,
        )
    ]  # fmt: skip


async def test_log_query_gives_newest_first_and_pages(rig: Rig) -> None:
    chat = await rig.chat()
    first = await chat.do("logs", "query", level="WARNING", limit=2)
    assert len(first["lines"]) == 2 and first["older"]
    assert first["lines"][0]["time"] >= first["lines"][1]["time"]
    second = await chat.do("logs", "query", level="WARNING", limit=50, before=first["older"])
    assert second["older"] == ""
    texts = [line["text"] for page in (first, second) for line in page["lines"]]
    assert len(texts) == len(set(texts)) == 3


async def test_log_query_filters_by_source_node_and_text(rig: Rig) -> None:
    chat = await rig.chat()
    lines = (await chat.do("logs", "query", node="head", search="SERVO", level="ERROR"))["lines"]
    assert [(line["source"], line["level"]) for line in lines] == [("role-headd", "ERROR")]
    names = await chat.do("logs", "names")
    assert "rcd" in names["sources"] and names["nodes"] == ["head", "server"]


async def test_log_query_with_wrong_place_says_so(rig: Rig) -> None:
    error = await (await rig.chat()).fail("logs", "query", before="nowhere")
    assert "no place in these logs" in error["message"]


async def test_log_download_is_a_text_newest_last(rig: Rig) -> None:
    async with rig.http.get(f"{rig.url}/api/logs?source=routerd") as answer:
        assert answer.headers["Content-Disposition"].startswith("attachment; filename=")
        lines = (await answer.text()).splitlines()
    assert len(lines) == 4
    assert lines == sorted(lines)
    assert "WARNING: source lost source=rc" in lines[2]


async def test_log_follow_sends_what_is_written_from_now_on(rig: Rig, tmp_path: Path) -> None:
    async with rig.http.get(f"{rig.url}/api/logs?follow=1&level=WARNING") as answer:
        assert await answer.content.readline() == b"\n"
        write(tmp_path / "log", "server-rcd", "info: not wanted", "error: receiver burns")
        line = b""
        while not line.strip():
            line = await answer.content.readline()
    assert json.loads(line)["text"] == "receiver burns"


async def test_log_filter_that_is_wrong_is_named(rig: Rig) -> None:
    async with rig.http.get(f"{rig.url}/api/logs?level=LOUD") as answer:
        assert answer.status == 422 or answer.status == 400
        assert "level" in (await answer.json())["message"]


async def test_backup_restored_brings_back_what_every_daemon_had(rig: Rig) -> None:
    async with rig.http.get(f"{rig.url}/api/backup") as answer:
        assert answer.content_type == "application/zip"
        raw = await answer.read()
    assert set(unpack(raw).daemons) == {"adoptiond", "routerd", "rcd", "livelinkd", "otad", "webd"}
    before = {name: kept.words for name, kept in rig.robot.kept.items()}
    for kept in rig.robot.kept.values():
        kept.words = Words(words=["changed"])
    status, reply = await post(rig, raw)
    assert status == 200 and reply["waiting"] == []
    assert {name: kept.words for name, kept in rig.robot.kept.items()} == before


async def test_backup_check_reports_the_content_and_changes_nothing(rig: Rig) -> None:
    status, info = await post(rig, file(rcd=["strange", "ibus"]), "?check=1")
    assert status == 200
    assert (info["robot"], info["notes"]) == ("Other", ["strange is left out."])
    assert info["contents"][0]["entries"] == 2
    assert rig.robot.kept["rcd"].words == Words(words=["crsf"])


@pytest.mark.parametrize("raw", [b"", b"no zip at all", file(rcd=["new"], routerd=["refused"])])
async def test_backup_that_does_not_fit_is_refused_whole(rig: Rig, raw: bytes) -> None:
    status, error = await post(rig, raw)
    assert status >= 400 and error["fix"]
    assert rig.robot.kept["rcd"].words == Words(words=["crsf"])


async def test_backup_larger_than_any_is_refused(rig: Rig) -> None:
    status, error = await post(rig, bytes((1 << 20) + 1))
    assert status == 413 and error["code"] == "too_large"


async def test_restore_can_be_undone(rig: Rig) -> None:
    await post(rig, file(rcd=["ibus"]))
    await (await rig.chat()).do("maintenance", "undo_restore")
    assert rig.robot.kept["rcd"].words == Words(words=["crsf"])


async def test_name_is_in_force_at_once_and_in_the_backup(rig: Rig) -> None:
    chat = await rig.chat()
    assert (await chat.do("settings", "set_name", name=" Robi "))["name"] == "Robi"
    assert (await chat.do("system", "describe"))["robot"] == "Robi"
    async with rig.http.get(f"{rig.url}/api/session") as answer:
        assert (await answer.json())["robot"] == "Robi"
    async with rig.http.get(f"{rig.url}/api/backup") as answer:
        sections = unpack(await answer.read()).daemons["webd"].sections
    assert sections["settings"].data == {"name": "Robi", "sign_in_required": None}


async def test_names_given_at_the_same_time_are_saved_one_after_the_other(rig: Rig) -> None:
    chats = [await rig.chat() for _ in range(8)]
    for _ in range(5):
        names = [f"Robi {n}" for n in range(len(chats))]
        await asyncio.gather(
            *(
                chat.do("settings", "set_name", name=name)
                for chat, name in zip(chats, names, strict=True)
            )
        )
    kept = json.loads((rig.robot.runtime.parent / "state/settings.json").read_text())["name"]
    assert (await chats[0].do("system", "describe"))["robot"] == kept


@pytest.mark.parametrize("name", ["", "   ", "x" * 65, "a\nb"])
async def test_name_that_nobody_could_read_is_refused(rig: Rig, name: str) -> None:
    assert "name" in (await (await rig.chat()).fail("settings", "set_name", name=name))["message"]


async def test_programs_of_the_server_restart_only_when_nobody_drives(
    rig: Rig, tmp_path: Path
) -> None:
    chat = await rig.chat()
    drive(rig)
    error = await chat.fail("maintenance", "restart")
    assert error["message"] == "rc drives tracks linear now"
    assert request_in(tmp_path, "restart") == ""
    await chat.do("maintenance", "restart", force=True)
    assert "websocket:" in request_in(tmp_path, "restart")


async def test_machines_are_restarted_by_adoptiond_when_nobody_drives(rig: Rig) -> None:
    chat = await rig.chat()
    drive(rig)
    assert (await chat.fail("system", "reboot"))["message"] == "rc drives tracks linear now"
    assert rig.robot.powered == []
    done = await chat.do("system", "reboot", force=True)
    assert done["message"] == "The server restarts. It is back in about a minute."
    rig.robot.outputs = []
    await chat.do("system", "reboot", node="sim_head")
    command = PowerCommand.REBOOT
    assert rig.robot.powered == [
        RobotPower(command=command, node_id="server", force=True),
        RobotPower(command=command, node_id="sim_head"),
    ]


async def test_robot_is_switched_off_by_adoptiond_when_nobody_drives(rig: Rig) -> None:
    chat = await rig.chat()
    drive(rig)
    assert (await chat.fail("system", "shutdown"))["message"] == "rc drives tracks linear now"
    assert rig.robot.powered == []
    done = await chat.do("system", "shutdown", force=True)
    assert done["message"].startswith("The robot shuts down. To start again, disconnect")
    await chat.do("system", "shutdown", node="sim_head", force=True)
    command = PowerCommand.SHUTDOWN
    assert rig.robot.powered == [
        RobotPower(command=command, force=True),
        RobotPower(command=command, node_id="sim_head", force=True),
    ]


@pytest.mark.parametrize("params", [{}, {"node": "server"}])
async def test_server_is_switched_off_while_adoptiond_is_dead(
    rig: Rig, tmp_path: Path, params: dict[str, str]
) -> None:
    await rig.robot.stop("adoptiond")
    done = await (await rig.chat()).do("system", "shutdown", **params)
    assert request_in(tmp_path, "poweroff")
    assert ("nodes stay on" in done["message"]) is not bool(params)


async def test_node_is_not_switched_off_while_adoptiond_is_dead(rig: Rig, tmp_path: Path) -> None:
    await rig.robot.stop("adoptiond")
    await (await rig.chat()).fail("system", "shutdown", node="sim_head")
    assert request_in(tmp_path, "poweroff") == ""


async def test_server_restarts_while_router_and_adoptiond_are_dead(
    rig: Rig, tmp_path: Path
) -> None:
    await rig.robot.stop("routerd")
    await rig.robot.stop("adoptiond")
    await (await rig.chat()).do("system", "reboot")
    assert "websocket:" in request_in(tmp_path, "request")


async def test_factory_reset_needs_the_name_typed(rig: Rig) -> None:
    error = await (await rig.chat()).fail("maintenance", "factory_reset", confirm="robot")
    assert "is not this robot's name" in error["message"]
    assert rig.robot.kept["rcd"].words == Words(words=["crsf"])


async def test_factory_reset_names_the_nodes_that_were_not_reset(rig: Rig) -> None:
    chat = await rig.chat()
    name = (await chat.do("settings", "get"))["name"]
    reply = await chat.do("maintenance", "factory_reset", confirm=name, nodes=True)
    assert all(kept.words == Words() for kept in rig.robot.kept.values())
    assert reply["notes"] == ["sim_console is offline and keeps its role and server."]
    assert "reset sim_head factory=True" in rig.robot.requests


async def test_factory_reset_that_one_daemon_refuses_changes_nothing(rig: Rig) -> None:
    chat = await rig.chat()
    name = (await chat.do("settings", "get"))["name"]
    rig.robot.kept["rcd"].is_live = True
    error = await chat.fail("maintenance", "factory_reset", confirm=name, nodes=True, force=True)
    assert "outputs are live" in error["message"]
    assert all(kept.words != Words() for kept in rig.robot.kept.values())
    assert not any(each.startswith("reset") for each in rig.robot.requests)


async def test_diagnostics_hold_logs_and_name_who_is_silent(rig: Rig) -> None:
    await rig.robot.stop("rcd")
    async with rig.http.get(f"{rig.url}/api/diagnostics") as answer:
        archive = zipfile.ZipFile(io.BytesIO(await answer.read()))
    assert "servo controller does not answer" in archive.read("log.txt").decode()
    assert "rcd does not answer" in archive.read("rcd-status.json").decode()
    assert json.loads(archive.read("adoptiond-nodes.json"))["nodes"]
