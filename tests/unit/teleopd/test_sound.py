"""Sound both ways over real WebRTC links: a tone at the robot's microphone is measured at the peer,
a tone of the operator at the robot's loudspeaker; nobody else speaks through the robot.
"""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.teleop_peer import TeleopPeer, teleop_peer
from tests.tones import ToneTrack, one_channel, share_of_tone
from tests.unit.teleopd.rig import OLGA, VERA, RemoteRobot, remote_robot
from tests.waiting import let_pass, stays, until

pytestmark = pytest.mark.slow

ROBOT_HZ, SAID_HZ = 440.0, 1000.0  # of the simulated microphone, of the operator


@pytest.fixture
async def robot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[RemoteRobot]:
    monkeypatch.setenv("SAINT_HW", f"sim:{tmp_path / 'hw'}")
    monkeypatch.setenv("SAINT_SIMULATION", "tools.sim")
    (tmp_path / "hw").mkdir()
    async with remote_robot(tmp_path, microphone="default", loudspeaker="default") as running:
        yield running


def played(folder: Path) -> bytes:
    path = folder / "hw" / "loudspeaker.s16"
    return path.read_bytes() if path.exists() else b""


def received(peer: TeleopPeer, count: int = 25) -> bytes:
    return b"".join(map(one_channel, peer.sounds[-count:]))


async def test_operator_receives_sound_and_speaks_through_it(
    robot: RemoteRobot, tmp_path: Path
) -> None:
    track = ToneTrack(SAID_HZ)
    async with teleop_peer(robot.signalling(OLGA), says=track) as peer, peer.beating():
        await until(lambda: share_of_tone(received(peer), ROBOT_HZ) > 0.9)
        report = await peer.report(lambda each: each["sound"]["microphone"] == "live")
        # a quarter of the full scale, RMS: 20 log10(0.25 / sqrt(2))
        assert report["sound"]["microphone_db"] == pytest.approx(-15.05, abs=0.5)
        await stays(lambda: not played(tmp_path), 0.3)  # the talk button is not held
        peer.is_talking = True
        await until(lambda: share_of_tone(played(tmp_path)[-48_000:], SAID_HZ) > 0.9)
        report = await peer.report(lambda each: each["sound"]["loudspeaker"] == "speaking")
        # 8000 of 32768, RMS, and 3 dB less: aiortc makes two channels of one
        assert report["sound"]["loudspeaker_db"] == pytest.approx(-18.3, abs=1.0)
        await until(lambda: share_of_tone(received(peer, 10), ROBOT_HZ) < 0.1)  # no echo
        peer.is_talking = False
        await until(lambda: share_of_tone(received(peer, 10), ROBOT_HZ) > 0.9, 5.0)


async def test_viewer_never_speaks_through_the_robot(robot: RemoteRobot, tmp_path: Path) -> None:
    track = ToneTrack(SAID_HZ)
    async with teleop_peer(robot.signalling(VERA), wants_control=False, says=track) as peer:
        peer.is_talking = True
        async with peer.beating():
            await until(lambda: share_of_tone(received(peer), ROBOT_HZ) > 0.9)
            await stays(lambda: not played(tmp_path), 0.7)


async def test_speech_ends_with_the_heartbeat_of_the_talk_button(
    robot: RemoteRobot, tmp_path: Path
) -> None:
    async with teleop_peer(robot.signalling(OLGA), says=ToneTrack(SAID_HZ)) as peer:
        peer.is_talking = True
        async with peer.beating():
            await until(lambda: robot.counters["speech_played"] > 20)
        # no heartbeat any more; what is in the buffers is played
        await let_pass(0.8)
        count = robot.counters["speech_played"]
        await stays(lambda: robot.counters["speech_played"] == count, 0.5)


async def test_unplugged_sound_is_reported_and_comes_back(
    robot: RemoteRobot, tmp_path: Path
) -> None:
    plug = tmp_path / "hw" / "sound-unplugged"
    plug.touch()
    async with teleop_peer(robot.signalling(OLGA), says=ToneTrack(SAID_HZ)) as peer:
        report = await peer.report(lambda each: each["sound"]["problem"])
        assert report["sound"]["problem"] == "no microphone is plugged in"
        assert report["sound"]["microphone"] == "none"
        plug.unlink()
        await peer.report(lambda each: each["sound"]["microphone"] == "live")


async def test_nothing_is_recorded_while_nobody_listens(robot: RemoteRobot) -> None:
    async with teleop_peer(robot.signalling(OLGA)) as peer:  # an offer without sound
        await peer.report(lambda each: each["seat"] == "operator")
        await stays(lambda: peer.reports[-1]["sound"]["microphone"] == "none", 0.3)
        assert peer.sounds == []
