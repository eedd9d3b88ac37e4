"""The daemon on the in-process bus: samples in, commands and heartbeats out, requests, restarts."""

import asyncio
import threading
from pathlib import Path

import pytest

from saint_services.lib.api import routing
from saint_services.lib.api.endpoint import Nothing
from saint_services.lib.api.routing import (
    EStopRequest,
    Route,
    RouteInfo,
)
from saint_services.lib.errors import Code, SaintError
from saint_services.lib.generated import topics
from saint_services.lib.machine.service_manager import Directories
from saint_services.routerd import state
from saint_services.routerd.config import Config
from saint_services.routerd.estop import latch_store
from saint_services.routerd.estop.latch_file import LatchFile
from tests.unit.routerd.daemon_rig import alive, places
from tests.unit.routerd.rig import route
from tests.waiting import let_pass, turns, until

pytestmark = pytest.mark.timed


@pytest.fixture
def directories(tmp_path: Path) -> Directories:
    return places(tmp_path)


async def test_rc_sample_becomes_a_twist(directories: Directories) -> None:
    async with alive(directories) as robot:
        robot.record(topics.TRACKS_CMD_VEL, topics.HEAD_CMD)
        robot.rc(channel_1=0.0, channel_2=0.06)
        await turns()
        (twist,) = robot.all_of(topics.TRACKS_CMD_VEL)
        assert 0.005 < twist.linear.x < 0.02
        assert robot.all_of(topics.HEAD_CMD) == []


async def test_samples_of_one_turn_leave_as_one_command(directories: Directories) -> None:
    async with alive(directories) as robot:
        robot.record(topics.TRACKS_CMD_VEL)
        for value in (0.06, 0.07, 0.055):
            robot.rc(channel_2=value)
        await turns()
        assert len(robot.all_of(topics.TRACKS_CMD_VEL)) == 1


async def test_commands_are_repeated_with_the_heartbeat(directories: Directories) -> None:
    async with alive(directories) as robot:
        robot.record(topics.TRACKS_CMD_VEL, topics.ROUTER_HEARTBEAT, topics.ROUTER_STATUS)
        robot.rc(channel_2=0.0)
        await let_pass(0.55)  # eleven beats
        beats = robot.all_of(topics.ROUTER_HEARTBEAT)
        assert 5 <= len(beats) <= 13  # 20 Hz; a busy machine misses some
        assert len(robot.all_of(topics.TRACKS_CMD_VEL)) >= 5
        assert 2 <= len(robot.all_of(topics.ROUTER_STATUS)) <= 7
        sequences = [beat.sequence for beat in beats]
        assert sequences == list(range(sequences[0], sequences[0] + len(beats)))


async def test_lost_source_ramps_without_any_traffic(directories: Directories) -> None:
    async with alive(directories) as robot:
        robot.record(topics.TRACKS_CMD_VEL)
        await robot.drive(0.3, channel_2=1.0)
        assert robot.all_of(topics.TRACKS_CMD_VEL)[-1].linear.x > 1.0
        await until(lambda: robot.all_of(topics.TRACKS_CMD_VEL)[-1].linear.x == 0.0)
        speeds = [twist.linear.x for twist in robot.all_of(topics.TRACKS_CMD_VEL)]
        assert len({speed for speed in speeds if 0.0 < speed < 1.0}) >= 2  # steps on the way down


async def test_estop_is_published_latched_and_silences_commands(directories: Directories) -> None:
    async with alive(directories) as robot:
        robot.record(topics.ESTOP, topics.TRACKS_CMD_VEL, topics.ROUTER_HEARTBEAT)
        await robot.drive(0.1, channel_2=0.5)
        reply = await robot.client.request(
            routing.ESTOP, EStopRequest(source="web", reason="pressed")
        )
        assert (reply.active, reply.source, reply.reason) == (True, "web", "pressed")
        assert reply.since.endswith("+00:00")
        await turns()
        commands = len(robot.all_of(topics.TRACKS_CMD_VEL))
        await robot.drive(0.2, channel_2=0.5)
        assert len(robot.all_of(topics.TRACKS_CMD_VEL)) == commands
        published = robot.all_of(topics.ESTOP)
        assert [each.active for each in published] == [False, True]
        assert published[1].generation == published[0].generation + 1
        newest = robot.all_of(topics.ROUTER_HEARTBEAT)[-1]
        assert (newest.estop, newest.estop_generation) == (True, published[1].generation)


async def test_clear_is_refused_with_the_input_named(directories: Directories) -> None:
    async with alive(directories) as robot:
        arrow = {"from": "channel_2", "to": "linear"}
        slow = route("rc_drive", "rc", "tracks", [arrow], timeout_ms=10_000)
        await robot.client.request(routing.SET_ROUTE, routing.SetRoute(route=slow))
        await robot.client.request(routing.ESTOP, EStopRequest(source="web"))
        robot.rc(channel_2=0.5)
        await turns()
        with pytest.raises(SaintError, match="channel_2 of rc still requests") as caught:
            await robot.clear()
        assert caught.value.code is Code.REFUSED
        robot.rc(channel_2=0.0)
        await turns()
        reply = await robot.clear()
        assert not reply.active


UNREADABLE = {
    "empty": "", "torn": '{"source": "we', "a list": "[]", "a number": '{"reason": 7}',
    "another field": '{"source": "a", "enable": false}', "no text": "\xff", "deep": "[" * 10_000,
    "a long field": '{"source": 1, "reason": "' + "x" * 500_000 + '"}',
}  # fmt: skip


@pytest.mark.parametrize("body", UNREADABLE.values(), ids=UNREADABLE)
@pytest.mark.parametrize("query", ["", "?source", "?" + "a=b&" * 500], ids=["", "?", "?long"])
async def test_stop_that_cannot_be_read_stops(
    directories: Directories, body: str, query: str
) -> None:
    async with alive(directories) as robot:
        reader, writer = await asyncio.open_unix_connection(robot.socket)
        data = body.encode("latin-1")
        head = f"POST /estop{query} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(data)}\r\n\r\n"
        writer.write(head.encode() + data)
        assert (await reader.readline()).split()[1] == b"200"
        writer.close()
        assert (await robot.client.request(routing.GET_STATUS, Nothing())).estop.active


async def test_latch_survives_a_restart(directories: Directories) -> None:
    async with alive(directories) as robot:
        await robot.client.request(routing.ESTOP, EStopRequest(source="web", reason="r"))
        before = await robot.client.request(routing.GET_STATUS, Nothing())
    async with alive(directories) as robot:
        robot.record(topics.ESTOP)
        await turns()
        status = await robot.client.request(routing.GET_STATUS, Nothing())
        assert status.estop == before.estop
        assert robot.all_of(topics.ESTOP)[0].active


async def test_stop_with_a_text_that_no_message_can_hold_stops_for_good(
    directories: Directories,
) -> None:
    async with alive(directories) as robot:
        robot.record(topics.ESTOP)
        request = EStopRequest(source="websocket:viewer", reason="help\0me")
        assert (await robot.client.request(routing.ESTOP, request)).active
        await turns()
        assert robot.all_of(topics.ESTOP)[-1].reason == "help\ufffdme"
    async with alive(directories) as robot:
        assert (await robot.latch()).active


async def test_answer_about_the_latch_comes_when_it_is_on_disk(
    directories: Directories, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_save, real = threading.Event(), LatchFile.write

    def held(file: LatchFile, record: bytes) -> None:
        assert may_save.wait(10)
        real(file, record)

    monkeypatch.setattr(latch_store, "ANSWER_S", 10.0)
    async with alive(directories) as robot:
        monkeypatch.setattr(LatchFile, "write", held)
        robot.record(topics.ESTOP)
        request = EStopRequest(source="web")
        answer = asyncio.create_task(robot.client.request(routing.ESTOP, request))
        for _ in range(100):
            await turns()
            if robot.all_of(topics.ESTOP)[-1].active:
                break
        assert robot.all_of(topics.ESTOP)[-1].active, "the stop waited for the disk"
        assert not answer.done()
        may_save.set()
        reply = await answer
        assert (reply.active, reply.stored) == (True, True)
        saved = LatchFile(directories.state).read().payload
        assert saved is not None and state.decode_latch(saved).active


async def test_latch_changed_twice_at_once_is_saved_as_it_is_last(directories: Directories) -> None:
    for _ in range(5):
        async with alive(directories) as robot:
            await robot.client.request(routing.ESTOP, EStopRequest(source="web"))
            await robot.clear()
        async with alive(directories) as robot:
            status = await robot.client.request(routing.GET_STATUS, Nothing())
            assert not status.estop.active


async def test_latch_that_cannot_be_saved_stops_all_the_same(directories: Directories) -> None:
    async with alive(directories) as robot:
        (directories.state / "estop.latch").unlink()
        (directories.state / "estop.latch").mkdir()
        robot.record(topics.ESTOP)
        reply = await robot.client.request(routing.ESTOP, EStopRequest(source="web"))
        assert (reply.active, reply.stored) == (True, False)
        assert "estop.latch cannot be written" in reply.problem
        assert robot.all_of(topics.ESTOP)[-1].active
        (issue,) = robot.context.health.report().issues
        assert issue.code is Code.ESTOP_NOT_STORED
        with pytest.raises(SaintError, match="its clear cannot be stored"):
            await robot.clear()
        assert (await robot.latch()).active


async def test_damaged_latch_file_means_stopped(directories: Directories) -> None:
    directories.state.mkdir()
    (directories.state / "estop.latch").write_text("{")
    async with alive(directories) as robot:
        status = await robot.client.request(routing.GET_STATUS, Nothing())
        assert status.estop.active
        assert "the stored e-stop is in doubt, so the robot starts stopped" in status.estop.reason


async def test_generation_never_falls_back_to_zero(directories: Directories) -> None:
    async with alive(directories) as robot:
        robot.record(topics.ESTOP)
        await turns()
        assert robot.all_of(topics.ESTOP)[0].generation > 1_600_000_000


async def test_routes_are_edited_saved_and_loaded(directories: Directories) -> None:
    new = route("mine", "rc", "head", [{"from": "channel_4", "to": "pan", "scale": 90}])
    async with alive(directories) as robot:
        info = await robot.client.request(routing.SET_ROUTE, routing.SetRoute(route=new))
        assert info.status == "standby"
        off = await robot.client.request(
            routing.SET_ROUTE_ENABLED, routing.RouteEnabled(route_id="rc_drive", enabled=False)
        )
        assert off.status == "disabled"
        await robot.client.request(routing.DELETE_ROUTE, routing.RouteParams(route_id="autonomous"))
        changed = new.model_copy(update={"priority": 7})
        await robot.client.request(routing.SET_ROUTE, routing.SetRoute(route=changed))
        robot.rc(channel_4=0.1)
        await turns()
        listed = await robot.client.request(routing.LIST_ROUTES, Nothing())
        assert {each.route.id: each.status for each in listed.routes}["mine"] == "active"
    async with alive(directories) as robot:
        again = await robot.client.request(routing.LIST_ROUTES, Nothing())
        assert [each.route for each in again.routes] == [each.route for each in listed.routes]
        assert "autonomous" not in {each.route.id for each in again.routes}


@pytest.mark.parametrize(
    ("path", "body", "code", "words"),
    [
        ("/routes/a", route("b", "rc", "*", []), Code.REQUEST_INVALID, "the path has 'a' as id"),
        ("/routes/a", route("a", "rc", "hed"), Code.REQUEST_INVALID, "did you mean 'head'?"),
    ],
)
async def test_unsound_route_is_refused(
    directories: Directories, path: str, body: Route, code: Code, words: str
) -> None:
    async with alive(directories) as robot:
        with pytest.raises(SaintError) as caught:
            await robot.client.put(path, body, RouteInfo)
        assert caught.value.code is code
        assert words in caught.value.message
        assert not (directories.state / "routes.yaml").exists()


async def test_unknown_route_is_named_with_the_nearest(directories: Directories) -> None:
    async with alive(directories) as robot:
        with pytest.raises(SaintError, match="did you mean 'rc_drive'") as caught:
            await robot.client.request(
                routing.DELETE_ROUTE, routing.RouteParams(route_id="rc_driv")
            )
        assert caught.value.code is Code.NOT_FOUND


async def test_saved_route_that_does_not_fit_is_kept_but_not_used(
    directories: Directories,
) -> None:
    directories.state.mkdir()
    (directories.state / "routes.yaml").write_text(
        "version_of_format: 1\nroutes:\n"
        "- {id: legs, input: {source: rc}, output: {target: legs}, mapping: passthrough}\n"
        "- {id: web, input: {source: websocket}, output: {target: '*'}, mapping: passthrough}\n"
    )
    async with alive(directories) as robot:
        listed = await robot.client.request(routing.LIST_ROUTES, Nothing())
        statuses = {each.route.id: each.status for each in listed.routes}
        assert statuses == {"web": "standby", "legs": "disabled"}
        assert not robot.context.health.is_healthy
        await robot.client.request(
            routing.SET_ROUTE_ENABLED, routing.RouteEnabled(route_id="web", enabled=False)
        )
    assert "legs" in (directories.state / "routes.yaml").read_text()


async def test_unknown_preset_names_the_nearest(directories: Directories) -> None:
    with pytest.raises(SaintError, match="did you mean 'default'") as caught:
        async with alive(directories, Config(preset="defualt")):
            pass
    assert caught.value.exit_code == 2


async def test_latch_file_that_was_deleted_means_stopped_after_a_restart(
    directories: Directories,
) -> None:
    async with alive(directories) as robot:
        before = (await robot.latch()).generation
    (directories.state / "estop.latch").unlink()
    async with alive(directories) as robot:
        latch = await robot.latch()
        assert latch.active and "estop.latch is missing" in latch.reason
        assert latch.generation > before
        assert not (await robot.clear()).active
    async with alive(directories) as robot:
        assert not (await robot.latch()).active


async def test_robot_that_cannot_store_a_stop_starts_stopped(directories: Directories) -> None:
    directories.state.mkdir()
    (directories.state / "estop.latch").mkdir()
    async with alive(directories) as robot:
        latch = await robot.latch()
        assert latch.active and not latch.stored
        with pytest.raises(SaintError, match="the e-stop stays"):
            await robot.clear()


async def test_every_press_is_on_the_topic(directories: Directories) -> None:
    async with alive(directories) as robot:
        robot.record(topics.ESTOP)
        for source, reason in (("A", ""), ("B", "child in front")):
            await robot.client.request(routing.ESTOP, EStopRequest(source=source, reason=reason))
        newest = robot.all_of(topics.ESTOP)[-1]
        assert [(each.source, each.reason) for each in newest.presses] == [
            ("A", ""), ("B", "child in front"),
        ]  # fmt: skip
        assert all(each.since.endswith("+00:00") for each in newest.presses)
