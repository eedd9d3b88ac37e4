"""Remote operation over a LiveKit room, against a fake of the package: no server was tried."""

import asyncio
import json
import struct
from collections.abc import AsyncIterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from saint_services.lib.api import teleop
from saint_services.lib.api.endpoint import Nothing
from saint_services.lib.errors import SaintError
from saint_services.teleopd.room import package, rules
from tests.tones import share_of_tone
from tests.unit.teleopd import fake_livekit as fake
from tests.unit.teleopd.rig import ADAM, RemoteRobot, remote_robot
from tests.waiting import every, until

TOKEN = "abc.def.ghi"
SETTINGS = {"url": "wss://media.example.org", "operator": "olga"}


def command(vx: float = 0.0, *, stop: int = 0, mode: int = 2) -> bytes:
    return struct.pack("<BfffBBB", mode, vx, 0.0, 0.0, 0, 1, stop)


def named(number: int, ack: int | None = None, **targets: Any) -> bytes:
    message = {"v": 1, "seq": number, "t": 1000.0 + 20 * number, "targets": targets}
    if ack is not None:
        message |= {"ack": ack, "ack_ms": 1.0}
    return json.dumps(message).encode()


@pytest.fixture
async def robot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[RemoteRobot]:
    fake.install(monkeypatch)
    async with remote_robot(tmp_path, livekit=SETTINGS) as made:
        yield made


async def joined(robot: RemoteRobot) -> fake.Room:
    send = robot.signalling(ADAM)
    await send("join_room", token=TOKEN)

    async def is_joined() -> bool:
        return (await robot.sessions()).room.state == "joined"

    await until(is_joined)
    return fake.ROOMS[-1]


async def seated(robot: RemoteRobot) -> fake.Room:
    room = await joined(robot)
    room.join("olga")
    await operator(robot, "olga (LiveKit)")
    return room


async def operator(robot: RemoteRobot, who: str) -> None:
    async def is_operator() -> bool:
        found = await robot.sessions()
        holder = next((s.who for s in found.sessions if s.session == found.operator), "")
        return holder == who

    await until(is_operator)


async def problem(robot: RemoteRobot, text: str) -> None:
    """Wait until the room's problem has this text; empty: until there is none."""

    async def is_reported() -> bool:
        found = (await robot.sessions()).room.problem
        return text in found if text else not found

    await until(is_reported)


async def drive(room: fake.Room, identity: str, *, times: int, vx: float = 0.3) -> None:
    """Answer reports, release once, then drive, 50 times a second."""
    number = 0
    async for _ in every(0.02, times=times):
        number += 1
        reports = room.received("fields", identity)
        ack = json.loads(reports[-1])["seq"] if reports else None
        room.data(identity, named(number, ack), "fields")
        room.data(identity, command(vx if number > 5 else 0.0))


async def test_operator_drives_by_seat_and_lock(robot: RemoteRobot) -> None:
    room = await seated(robot)
    assert room.given is not None
    assert room.given[:2] == ("wss://media.example.org", TOKEN)
    assert not room.given[2].auto_subscribe
    await drive(room, "olga", times=60)
    await until(lambda: any(pytest.approx(max(s.values)) == 0.3 for s in robot.driven))
    assert robot.locks[0].target == "tracks"
    reports = map(json.loads, reversed(room.received("fields", "olga")))
    report = next(each for each in reports if "seat" in each)  # others are signs of life
    assert (report["seat"], report["why"]) == ("operator", "")
    count = len(robot.driven)
    async for _ in every(0.05, times=10):
        pass  # silence: nothing is repeated
    assert len(robot.driven) <= count + 1


async def test_state_goes_to_everybody(robot: RemoteRobot) -> None:
    room = await joined(robot)
    await until(lambda: len(room.received("state")) > 5)
    assert {len(each) for each in room.received("state")} == {144}
    assert not room.received("fields")


@pytest.mark.parametrize("identity", ["vera", "Olga", "", None])
async def test_others_only_watch_and_stop(robot: RemoteRobot, identity: str | None) -> None:
    room = await seated(robot)
    if identity:
        room.join(identity)
    async for _ in every(0.02, times=10):
        room.data(identity, command(0.5))
        room.data(identity, named(10, tracks={"linear": 0.5}), "fields")
    assert not robot.driven
    assert robot.counters["livekit_foreign"] == 20
    assert not robot.stops
    room.data(identity, command(stop=1))
    room.data(identity, command(stop=1))
    await until(lambda: len(robot.stops) == 1)


async def test_operator_who_leaves_loses_control_at_once(robot: RemoteRobot) -> None:
    room = await seated(robot)
    await drive(room, "olga", times=40)
    room.leave("olga")
    await until(lambda: robot.samples[-1].failsafe)
    assert not (await robot.sessions()).operator


async def test_end_of_the_room_ends_control_and_the_room_is_joined_again(
    robot: RemoteRobot,
) -> None:
    room = await seated(robot)
    await drive(room, "olga", times=40)
    room.handlers["disconnected"]("SERVER_SHUTDOWN")
    await until(lambda: robot.samples[-1].failsafe)
    await problem(robot, "SERVER_SHUTDOWN")
    await until(lambda: len(fake.ROOMS) == 2)
    await problem(robot, "")


async def test_kicked_operator_is_seated_only_after_joining_again(robot: RemoteRobot) -> None:
    room = await seated(robot)
    send = robot.signalling(ADAM)
    await send("kick", session=(await robot.sessions()).operator)

    async def is_cleared() -> bool:
        return not (await robot.sessions()).room.is_operator_here

    await until(is_cleared)
    room.handlers["reconnected"]()
    room.data("olga", command(0.5))
    assert not (await robot.sessions()).operator
    room.leave("olga")
    room.join("olga")
    await operator(robot, "olga (LiveKit)")


async def test_second_participant_of_the_identity_takes_the_place_of_the_first(
    robot: RemoteRobot,
) -> None:
    room = await seated(robot)
    before, first = (await robot.sessions()).operator, room.remote_participants["olga"]
    room.join("olga")
    room.handlers["participant_disconnected"](first)

    async def is_another() -> bool:
        return (await robot.sessions()).operator not in ("", before)

    await until(is_another)


async def test_control_is_requested_and_released_by_rpc(robot: RemoteRobot) -> None:
    room = await seated(robot)
    assert room.call("release_control", "olga") == "not in control"
    assert room.call("request_control", "vera").startswith("refused")
    assert room.call("request_control", "olga") == "in control"


async def test_admin_ends_the_rooms_session_for_good(robot: RemoteRobot) -> None:
    room = await joined(robot)
    send = robot.signalling(ADAM)
    view = (await robot.sessions()).sessions[0]
    assert (view.who, view.level) == ("the LiveKit room", "viewer")
    await send("kick", session=view.session)

    async def is_left() -> bool:
        return (await robot.sessions()).room.state == "left"

    await until(is_left)
    await until(lambda: room.connection_state == fake.ConnectionState.CONN_DISCONNECTED)
    assert len(fake.ROOMS) == 1


async def test_pictures_are_passed_on_as_they_are_encoded(robot: RemoteRobot) -> None:
    room = await joined(robot)
    async with robot.filming():
        await until(lambda: len(room.local_participant.tracks) == 1)
        source = fake.EncodedVideoSource.newest
        await until(lambda: len(source.frames) > 5)
        first = source.frames[0]
        assert (first.width, first.height, first.frame_type) == (320, 240, 0)
        assert [f.timestamp_us for f in source.frames] == sorted(
            {f.timestamp_us for f in source.frames}
        )
        _, options = room.local_participant.tracks[0]
        assert (options.video_encoder, options.simulcast) == (6, False)
        seen = len(source.frames)
        source.is_key_wanted = True
        await until(lambda: any(f.frame_type == 0 for f in source.frames[seen:]))
    await robot.signalling(ADAM)("leave_room")
    assert source.is_closed


async def test_fault_of_the_package_ends_the_visit_and_not_the_daemon(robot: RemoteRobot) -> None:
    await joined(robot)
    fake.FAULTS["capture_frame"] = RuntimeError("the native library failed")
    async with robot.filming():
        await problem(robot, "the LiveKit room: the native library failed")
        await until(lambda: len(fake.ROOMS) == 2)


async def test_token_is_stored_for_teleopd_alone_and_never_shown(
    robot: RemoteRobot, tmp_path: Path
) -> None:
    fake.FAULTS["connect"] = RuntimeError(f"401 for wss://media?access_token={TOKEN}")
    send = robot.signalling(ADAM)
    await send("join_room", token=TOKEN)

    async def has_problem() -> bool:
        return bool((await robot.sessions()).room.problem)

    await until(has_problem)
    assert TOKEN not in (await robot.sessions()).model_dump_json()
    path = tmp_path / "state" / "teleopd" / "livekit.token"
    assert path.read_text() == TOKEN + "\n"
    assert path.stat().st_mode & 0o777 == 0o600
    await send("leave_room")
    fake.FAULTS.clear()
    await send("join_room")  # by the stored one
    await until(lambda: fake.ROOMS[-1].given is not None)
    assert fake.ROOMS[-1].given[1] == TOKEN  # type: ignore[index]


async def test_missing_package_is_said_in_a_sentence(tmp_path: Path) -> None:
    if package.is_installed():
        pytest.skip("the package is installed")
    async with remote_robot(tmp_path, livekit=SETTINGS) as robot:
        assert (await robot.sessions()).room.problem == package.MISSING
        with pytest.raises(SaintError, match="livekit is not installed"):
            await robot.client.request(teleop.JOIN_ROOM, teleop.JoinRoom(token=TOKEN), ADAM)


async def test_robot_without_the_setting_has_no_room(tmp_path: Path) -> None:
    async with remote_robot(tmp_path) as robot:
        assert (await robot.sessions()).room.state == "off"
        with pytest.raises(SaintError, match="no LiveKit room is configured"):
            await robot.client.request(teleop.JOIN_ROOM, teleop.JoinRoom(), ADAM)
        assert (await robot.client.request(teleop.LEAVE_ROOM, Nothing(), ADAM)).state == "off"


def test_nobody_operates_without_a_configured_identity() -> None:
    assert {rules.sender(each, "") for each in ("", None, "olga")} == {rules.Sender.OTHER}
    assert rules.sender(None, "olga") is rules.Sender.OTHER


def test_topics_and_sizes() -> None:
    assert rules.channel("commands", command()) == "commands"
    assert rules.channel("commands", b"{}") == "fields"
    assert rules.channel("chat", b"{}") == rules.channel(None, b"") == ""
    assert rules.vp8_size(b"\x10\x00\x00\x9d\x01\x2a\x40\x01\xf0\x00") == (320, 240)
    assert rules.vp8_size(b"\x11\x00\x00\x9d\x01\x2a\x40\x01\xf0\x00") is None
    assert rules.shown("a\nb" * 99) == ("a?b" * 99)[:64]


async def test_calls_of_the_package_never_raise() -> None:
    async def fails() -> None:
        raise Exception("boom")

    assert await package.outcome(fails(), 1.0) == "boom"
    assert await package.outcome(asyncio.Event().wait(), 0.01) == "no answer within 0.01 s"


async def test_sound_of_the_microphone_is_published(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake.install(monkeypatch)
    monkeypatch.setenv("SAINT_HW", f"sim:{tmp_path / 'hw'}")
    monkeypatch.setenv("SAINT_SIMULATION", "tools.sim")
    (tmp_path / "hw").mkdir()
    async with remote_robot(tmp_path, livekit=SETTINGS, microphone="default") as robot:
        room = await joined(robot)
        await until(lambda: len(room.local_participant.tracks) == 1)
        source = fake.AudioSource.newest
        await until(lambda: len(source.frames) > 40)
        sound = b"".join(bytes(each.data) for each in source.frames[-25:])
        assert {each.samples_per_channel for each in source.frames} == {960}
        assert share_of_tone(sound, 440.0) > 0.9


async def test_hostile_packets_of_everybody_move_nothing(robot: RemoteRobot) -> None:
    room, rng = await seated(robot), Random(20261126)
    nan = struct.pack("<BfffBBB", 2, float("nan"), 0.0, 0.0, 0, 1, 0)
    for number in range(300):
        data = (rng.randbytes(rng.randrange(200)), nan, b"{" * 99_999, b"")[number % 4]
        for identity in ("olga", "vera", None):
            room.data(identity, data, ("commands", "fields", "x" * 999, None)[number % 3])
    assert not robot.driven
    assert robot.counters["livekit_ignored"] == 300
    assert robot.counters["commands_malformed"] > 0
