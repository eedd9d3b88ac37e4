"""Assignments: one at a time, reported at changes and every second, safe when they end."""

import asyncio
import itertools
import socket
import threading
from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path
from typing import cast

import pytest

from saint_services.lib.api.node import RoleReport
from saint_services.lib.errors import Code, SaintError
from saint_services.lib.generated.geometry_msgs import Twist, Vector3
from saint_services.lib.generated.saint_msgs import ArmCommand, EStop, PartCommand
from saint_services.lib.generated.topics import ARM_CMD, ESTOP, TRACKS_CMD_VEL
from saint_services.lib.guard import wire
from saint_services.lib.health import HealthReport
from saint_services.lib.hw.ports import Board
from saint_services.lib.role import host
from saint_services.lib.role.session import Condition, RoleSession
from saint_services.role_armsd.config import Config as ArmsConfig
from saint_services.role_armsd.daemon import run as run_arms
from saint_services.role_partsd.config import Config as PartsConfig
from saint_services.role_partsd.daemon import run as run_parts
from saint_services.role_tracksd.config import Config
from saint_services.role_tracksd.daemon import TracksRole, run
from tests.unit.role.host_rig import House, house, load_role
from tests.unit.role.parts.parts_rig import CMD, FIELDS, PINS
from tests.unit.role.parts.parts_rig import config as parts_config
from tests.waiting import turns, until
from tools.sim.observe import read_pca9685, set_chip_answers


@pytest.fixture
async def tracks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[House]:
    async with house(tmp_path, monkeypatch, "role-tracksd", Config(), run) as found:
        yield found


@pytest.fixture
async def arms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[House]:
    async with house(tmp_path, monkeypatch, "role-armsd", ArmsConfig(), run_arms) as found:
        yield found


def first_line(answer: socket.socket) -> bytes:
    """Return the first line of a stream, after the headers and a chunk's length."""
    with answer.makefile("rb") as lines:
        return next((line for line in lines if line.startswith(b"{")), b"")


def driving(tracks: House) -> bool:
    return tracks.pins.read(12).value > 0.0


async def drive(tracks: House, seconds: float = 0.1) -> None:
    publisher = tracks.router.publisher(TRACKS_CMD_VEL)
    await tracks.live(seconds, lambda: publisher.publish(Twist(Vector3(1.0))))
    publisher.close()


async def test_status_without_assignment_says_so(tracks: House) -> None:
    status = await tracks.client.get("/status", RoleReport)
    assert (status.ready, status.safe) == (False, True)
    assert status.reason == "there is no assignment"


async def test_first_report_is_ready_and_safe(tracks: House) -> None:
    async with aclosing(tracks.assign(load_role("tracks"))) as reports:
        first = await anext(reports)
        assert (first.ready, first.safe, first.estop, first.reason) == (True, True, False, "")
        assert await tracks.client.get("/status", RoleReport) == first


async def test_reports_come_every_second(tracks: House) -> None:
    async with aclosing(tracks.assign(load_role("tracks"))) as reports:
        await anext(reports)
        async with asyncio.timeout(1.5):
            await anext(reports)


async def test_motion_is_reported_and_its_end_too(tracks: House) -> None:
    async with aclosing(tracks.assign(load_role("tracks"))) as reports:
        await anext(reports)
        await drive(tracks)
        moving = await anext(reports)
        assert (moving.safe, moving.ready) == (False, True)
        async with asyncio.timeout(0.4):
            while not (await anext(reports)).safe:
                pass
        assert not driving(tracks)


async def test_commands_alone_are_not_reported(arms: House) -> None:
    publisher = arms.router.publisher(ARM_CMD.at(instance="left"))
    degrees = itertools.count()
    found: list[RoleReport] = []

    async def collect() -> None:
        async for report in arms.assign(load_role("arms_left")):
            found.append(report)

    collecting = asyncio.ensure_future(collect())
    await until(lambda: bool(found))
    loop = asyncio.get_running_loop()
    began_s = loop.time()
    # Each command is a step that ends in its own callback or soon after.
    await arms.live(0.5, lambda: publisher.publish(ArmCommand([next(degrees) % 2 * 0.1], 1.0)))
    status = await arms.client.get("/status", RoleReport)
    collecting.cancel()
    await asyncio.wait({collecting})
    assert status.commands > 0
    # A busy computer delays commands, and the outputs rest between them.
    assert len(found) <= 4 + 2 * (loop.time() - began_s) / host.REST_S


class Moving:
    """A session whose condition the test sets."""

    def __init__(self) -> None:
        self.changed = asyncio.Event()
        self.condition = Condition(True, False, False, "", False)

    def becomes(self, **changes: bool) -> None:
        self.condition = self.condition._replace(**changes)
        self.changed.set()


async def test_outputs_that_rest_for_a_moment_only_are_not_reported() -> None:
    session = Moving()
    changed = asyncio.ensure_future(host._change(cast("RoleSession", session), session.condition))
    for _ in range(20):
        session.becomes(is_safe=True)
        await turns(1)
        session.becomes(is_safe=False)
        await turns(1)
    assert not changed.done()
    session.becomes(is_safe=True)
    async with asyncio.timeout(1.0):
        await changed


@pytest.mark.parametrize(
    "change", [{"is_ready": False}, {"is_stopped": True}, {"is_safe": True, "is_stopped": True}]
)
async def test_every_other_change_is_reported_at_once(change: dict[str, bool]) -> None:
    session = Moving()
    changed = asyncio.ensure_future(host._change(cast("RoleSession", session), session.condition))
    await turns(1)
    session.becomes(**change)
    await turns(2)
    assert changed.done()


async def test_outputs_that_begin_to_move_are_reported_at_once() -> None:
    session = Moving()
    rest = session.condition._replace(is_safe=True)
    await host._change(cast("RoleSession", session), rest)


@pytest.mark.timed
async def test_end_of_the_connection_stops_the_motors_at_once(tracks: House) -> None:
    reports = tracks.assign(load_role("tracks"))
    await anext(reports)
    await drive(tracks)
    assert driving(tracks)
    await reports.aclose()
    await until(lambda: not driving(tracks), 0.05)


async def test_second_assignment_is_refused_and_the_first_lives_on(
    tracks: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(host, "_LEAVING_S", 0.2)  # the first one does not leave
    async with aclosing(tracks.assign(load_role("tracks"))) as reports:
        await anext(reports)
        with pytest.raises(SaintError) as caught:
            await anext(tracks.assign(load_role("tracks")))
        assert caught.value.code is Code.CONFLICT
        assert (await anext(reports)).ready


@pytest.mark.timed
async def test_assignment_can_follow_an_ended_one(tracks: House) -> None:
    for _ in range(3):
        reports = tracks.assign(load_role("tracks"))
        assert (await anext(reports)).ready
        await drive(tracks)
        assert driving(tracks)
        await reports.aclose()
        await until(lambda: not driving(tracks))


async def test_assignment_follows_one_that_ended_before_its_answer(tracks: House) -> None:
    """The role process starts slowly: two connections wait, and the first one has ended."""
    config = load_role("tracks")
    tracks.ask_raw(config).close()
    with tracks.ask_raw(config) as second:
        answer = await asyncio.to_thread(first_line, second)
    assert RoleReport.model_validate_json(answer).ready


async def test_assignment_waits_for_devices_that_are_being_opened_for_an_ended_one(
    tracks: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A line of a GPIO chip can be requested once."""
    begun, go_on, is_open = threading.Event(), threading.Event(), threading.Lock()
    really_open, really_close = TracksRole.open_drivers, TracksRole.close_drivers

    def open_slowly(session: TracksRole, board: Board) -> None:
        assert is_open.acquire(blocking=False), "opened twice"
        begun.set()
        assert go_on.wait(5.0)
        really_open(session, board)

    def close(session: TracksRole) -> None:
        really_close(session)
        is_open.release()

    monkeypatch.setattr(TracksRole, "open_drivers", open_slowly)
    monkeypatch.setattr(TracksRole, "close_drivers", close)
    given_up = asyncio.ensure_future(anext(tracks.assign(load_role("tracks"))))
    assert await asyncio.to_thread(begun.wait, 5.0)
    given_up.cancel()
    await asyncio.wait({given_up})
    async with aclosing(tracks.assign(load_role("tracks"))) as reports:
        asyncio.get_running_loop().call_later(0.1, go_on.set)
        report = await anext(reports)
    assert report.ready, report.reason


async def test_assignment_of_another_role_is_refused(tracks: House) -> None:
    with pytest.raises(SaintError, match="this is the role tracks, not head") as caught:
        await anext(tracks.assign(load_role("head")))
    assert caught.value.code is Code.REQUEST_INVALID


async def test_estop_is_reported_at_once(tracks: House) -> None:
    async with aclosing(tracks.assign(load_role("tracks"))) as reports:
        await anext(reports)
        tracks.router.publisher(ESTOP).publish(EStop(active=True, generation=1))
        async with asyncio.timeout(0.2):
            assert (await anext(reports)).estop


async def test_stopping_the_daemon_stops_the_motors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with house(tmp_path, monkeypatch, "role-tracksd", Config(), run) as tracks:
        reports = tracks.assign(load_role("tracks"))
        await anext(reports)
        await drive(tracks)
        assert driving(tracks)
    assert not driving(tracks)


async def test_missing_device_is_reported_and_ends_the_stream(arms: House) -> None:
    await asyncio.to_thread(arms.hw.mkdir, exist_ok=True)
    await asyncio.to_thread((arms.hw / "board.yaml").write_text, "chips: []\n")
    reports = [report async for report in arms.assign(load_role("arms_left"))]
    assert [(r.ready, r.safe) for r in reports] == [(False, True)]
    assert "servos: no PCA9685 answers at I2C address 0x40" in reports[0].reason
    status = await arms.client.get("/health", HealthReport)
    assert not status.healthy


async def test_fault_in_operation_is_reported_and_ends_the_stream(arms: House) -> None:
    publisher = arms.router.publisher(ARM_CMD.at(instance="left"))
    reports = arms.assign(load_role("arms_left"))
    assert (await anext(reports)).ready
    await asyncio.to_thread(set_chip_answers, arms.hw, 1, 0x40, False)
    await arms.live(0.2, lambda: publisher.publish(ArmCommand([90.0], 1.0)))
    rest = [report async for report in reports]
    assert not rest[-1].ready
    assert "servos" in rest[-1].reason


def node_makes_safe(house_: House, target: str) -> str:
    """Request it of the guard as noded does; return what failed."""
    with socket.socket(socket.AF_UNIX) as node:
        node.settimeout(5.0)
        node.connect(str(house_.socket.parent / wire.SOCKET))
        wire.send(node, {"do": "make_safe", "target": target, "id": 1})
        (answer,) = wire.MessageSplitter().fed(node.recv(4096))
    return str(answer["failed"])


async def test_role_that_cannot_stop_its_outputs_leaves_them_to_the_guard(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chip = {"chip": {"bus": 1, "address": 0x40, "driver": "pca9685", "required": True}}
    held = parts_config({"valve": FIELDS["valve"]}, {"valve": PINS["valve"]}, i2c_devices=chip,
                        spi_devices={})  # fmt: skip
    async with house(tmp_path, monkeypatch, "role-partsd", PartsConfig(), run_parts) as parts:

        async def valve() -> float:
            return (await asyncio.to_thread(read_pca9685, parts.hw, 1, 0x40))[2].value

        publisher = parts.router.publisher(CMD)
        async with aclosing(parts.assign(held)) as reports:
            assert (await anext(reports)).ready
            command = PartCommand(names=("valve",), values=(1.0,))
            await parts.live(0.2, lambda: publisher.publish(command))
            assert await valve() > 0.0
            await asyncio.to_thread(set_chip_answers, parts.hw, 1, 0x40, False)
            assert not [report async for report in reports][-1].safe
        assert await valve() > 0.0
        assert "no acknowledge" in await asyncio.to_thread(node_makes_safe, parts, held.target)
        await asyncio.to_thread(set_chip_answers, parts.hw, 1, 0x40, True)
        assert await asyncio.to_thread(node_makes_safe, parts, held.target) == ""
        assert await valve() == 0.0


async def test_assignment_that_ends_while_it_waits_for_the_guard_releases_its_devices(
    tracks: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed: list[RoleSession] = []
    waiting, really_close = asyncio.Event(), TracksRole.close_drivers

    async def wait(*_: object) -> None:
        waiting.set()
        await asyncio.Event().wait()

    def close(session: TracksRole) -> None:
        closed.append(session)
        really_close(session)

    monkeypatch.setattr(host.GuardClient, "_open", wait)
    monkeypatch.setattr(TracksRole, "close_drivers", close)
    given_up = asyncio.ensure_future(anext(tracks.assign(load_role("tracks"))))
    await waiting.wait()
    given_up.cancel()
    await asyncio.wait({given_up})
    await until(lambda: bool(closed))


async def test_incomplete_manifest_is_reported(tracks: House) -> None:
    config = load_role("tracks", geometry=None)
    (report,) = [report async for report in tracks.assign(config)]
    assert "geometry" in report.reason
