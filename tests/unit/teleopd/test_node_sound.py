"""Sound of a node over real WebRTC links: the node's sound process on a bus inside this process,
with simulated devices. A tone at its microphone is measured at the peer, a tone of the operator at
its loudspeaker.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from saint_services.lib.errors import Code, SaintError
from saint_services.lib.generated import topics
from saint_services.lib.generated.audio_common_msgs import AudioData, AudioInfo
from saint_services.lib.generated.saint_msgs import SoundState
from saint_services.lib.hw.sound.port import BUS_PIECE_BYTES, BUS_RATE_HZ
from saint_services.lib.role.sound.program import SoundWork
from saint_services.lib.role.sound.wire import SoundOrder, SoundProcessReport
from saint_services.lib.role_config.part_topics import of_target
from saint_services.lib.role_config.sound import Sound
from saint_services.teleopd.node_sound import BusFeed, BusLoudspeaker
from tests.teleop_peer import TeleopPeer, teleop_peer
from tests.tones import ToneTrack, one_channel, share_of_tone
from tests.unit.teleopd.rig import OLGA, VERA, RemoteRobot, remote_robot
from tests.waiting import every, let_pass, stays, until
from tools.sim.sound import tone

pytestmark = pytest.mark.slow

NODE_HZ, SERVER_HZ, SAID_HZ = 440.0, 700.0, 1000.0
TARGET = "legs"  # of the robot "asimov"
DEVICES = Sound(microphone="default", loudspeaker="default")
FORM = AudioInfo(1, 16_000, "S16LE", 256_000, "wave")
MICROPHONE = of_target(topics.ROLE_MICROPHONE, TARGET)
LOUDSPEAKER = of_target(topics.ROLE_LOUDSPEAKER, TARGET)


class Node:
    """The sound of a node, as its role starts and reports it."""

    def __init__(self, robot: RemoteRobot, folder: Path, form: AudioInfo = FORM) -> None:
        self.folder = folder
        folder.mkdir(exist_ok=True)
        self.report = SoundProcessReport()
        self._bus = robot.domain.bus("node")
        order = SoundOrder(
            hardware=f"sim:{folder}", node_name="node", target=TARGET, settings=DEVICES
        )
        self.work = SoundWork(self._bus, order, self._take)
        self._states = self._bus.publisher(of_target(topics.ROLE_SOUND_STATE, TARGET))
        self._bus.publisher(of_target(topics.ROLE_MICROPHONE_INFO, TARGET)).publish(form)

    @property
    def played(self) -> bytes:
        path = self.folder / "loudspeaker.s16"
        return path.read_bytes() if path.exists() else b""

    async def run(self) -> None:
        async for _ in every(0.1):
            self.work.look()
            now = self.report
            self._states.publish(
                SoundState(
                    has_microphone=True, has_loudspeaker=True,
                    microphone_problem=now.microphone_problem,
                    loudspeaker_problem=now.loudspeaker_problem,
                )
            )  # fmt: skip

    def _take(self, report: SoundProcessReport) -> None:
        self.report = report


@contextlib.asynccontextmanager
async def node_of(robot: RemoteRobot, folder: Path, form: AudioInfo = FORM) -> AsyncIterator[Node]:
    node = Node(robot, folder, form)
    task = asyncio.create_task(node.run())
    try:
        yield node
    finally:
        task.cancel()
        node.work.close()
        assert await asyncio.to_thread(node.work.join)


@pytest.fixture
async def robot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[RemoteRobot]:
    """A robot whose server has sound too."""
    server = tmp_path / "server"
    server.mkdir()
    (server / "microphone.s16").write_bytes(tone(SERVER_HZ, 1.0))
    monkeypatch.setenv("SAINT_HW", f"sim:{server}")
    monkeypatch.setenv("SAINT_SIMULATION", "tools.sim")
    settings = {"robot": "asimov", "microphone": "default", "loudspeaker": "default"}
    async with remote_robot(tmp_path, **settings) as running:
        yield running


def received(peer: TeleopPeer, count: int = 25) -> bytes:
    return b"".join(map(one_channel, peer.sounds[-count:]))


def receives(peer: TeleopPeer, frequency_hz: float, count: int = 25) -> bool:
    return share_of_tone(received(peer, count), frequency_hz) > 0.9


def says(node: Node) -> bool:
    return share_of_tone(node.played[-2 * BUS_RATE_HZ // 4 :], SAID_HZ, BUS_RATE_HZ) > 0.9


async def test_operator_listens_at_the_node_and_speaks_through_it(
    robot: RemoteRobot, tmp_path: Path
) -> None:
    async with (
        node_of(robot, tmp_path / "node") as node,
        teleop_peer(robot.signalling(OLGA), says=ToneTrack(SAID_HZ)) as peer,
        peer.beating(),
    ):
        await until(lambda: receives(peer, NODE_HZ))
        report = await peer.report(lambda each: each["sound"]["microphone"] == "live")
        assert report["sound"]["place"] == report["sound"]["loudspeaker_place"] == TARGET
        assert report["sound"]["places"] == [TARGET, "server"]
        # a quarter of the full scale, RMS: 20 log10(0.25 / sqrt(2))
        assert report["sound"]["microphone_db"] == pytest.approx(-15.05, abs=0.5)
        await stays(lambda: not node.played, 0.3)  # the talk button is not held
        peer.is_talking = True
        await until(lambda: says(node))
        await peer.report(lambda each: each["sound"]["loudspeaker"] == "speaking")
        await until(lambda: share_of_tone(received(peer, 10), NODE_HZ) < 0.1)  # no echo
        peer.is_talking = False
        await until(lambda: receives(peer, NODE_HZ, 10), 5.0)
        assert not (tmp_path / "server" / "loudspeaker.s16").exists()


async def test_viewer_never_speaks_through_a_node(robot: RemoteRobot, tmp_path: Path) -> None:
    async with (
        node_of(robot, tmp_path / "node") as node,
        teleop_peer(robot.signalling(VERA), wants_control=False, says=ToneTrack(SAID_HZ)) as peer,
    ):
        peer.is_talking = True
        async with peer.beating():
            await until(lambda: receives(peer, NODE_HZ))
            await stays(lambda: not node.played, 0.7)


async def test_speech_ends_with_the_heartbeat_and_releases_the_device(
    robot: RemoteRobot, tmp_path: Path
) -> None:
    async with (
        node_of(robot, tmp_path / "node") as node,
        teleop_peer(robot.signalling(OLGA), says=ToneTrack(SAID_HZ)) as peer,
    ):
        peer.is_talking = True
        async with peer.beating():
            await until(lambda: says(node))
        await let_pass(0.8)  # no heartbeat any more; what is in the buffers is played
        count = len(node.played)
        await stays(lambda: len(node.played) == count, 0.5)
        await until(lambda: not node.report.playing)


async def test_two_operators_never_mix(robot: RemoteRobot, tmp_path: Path) -> None:
    """What another program says meanwhile is dropped, by the node."""
    other = robot.domain.bus("program").publisher(LOUDSPEAKER)
    noise = tone(300.0, 0.02, rate_hz=BUS_RATE_HZ)
    async with (
        node_of(robot, tmp_path / "node") as node,
        teleop_peer(robot.signalling(OLGA), says=ToneTrack(SAID_HZ)) as peer,
        peer.beating(),
    ):
        peer.is_talking = True
        await until(lambda: says(node))
        for _ in range(20):
            other.publish(AudioData(noise))
            await let_pass(0.02)
        await until(lambda: node.report.foreign == 20)
        assert says(node)


async def test_session_listens_where_it_names(robot: RemoteRobot, tmp_path: Path) -> None:
    async with (
        node_of(robot, tmp_path / "node") as node,
        teleop_peer(robot.signalling(OLGA), says=ToneTrack(SAID_HZ)) as peer,
        peer.beating(),
    ):
        await until(lambda: receives(peer, NODE_HZ))
        peer.sound = "server"
        await until(lambda: receives(peer, SERVER_HZ))
        await until(lambda: not node.report.recording)  # nobody listens to it any more
        peer.is_talking = True
        played = tmp_path / "server" / "loudspeaker.s16"
        await until(lambda: played.exists())
        assert not node.played
        peer.is_talking, peer.sound = False, TARGET
        await until(lambda: receives(peer, NODE_HZ))
        peer.sound = "kitchen"  # is not there: the default
        await stays(lambda: receives(peer, NODE_HZ), 0.3)


async def test_nothing_is_recorded_while_nobody_listens(robot: RemoteRobot, tmp_path: Path) -> None:
    async with node_of(robot, tmp_path / "node") as node:
        async with teleop_peer(robot.signalling(OLGA)):  # an offer without sound
            await stays(lambda: not node.report.recording, 0.4)
        async with teleop_peer(robot.signalling(OLGA), says=ToneTrack(SAID_HZ)) as peer:
            await until(lambda: peer.sounds)
            assert node.report.recording
        await until(lambda: not node.report.recording)


async def test_unplugged_microphone_of_a_node_is_named_and_comes_back(
    robot: RemoteRobot, tmp_path: Path
) -> None:
    plug = tmp_path / "node" / "sound-unplugged"
    plug.parent.mkdir()
    plug.touch()
    async with (
        node_of(robot, tmp_path / "node"),
        teleop_peer(robot.signalling(OLGA), says=ToneTrack(SAID_HZ)) as peer,
    ):
        report = await peer.report(lambda each: each["sound"]["problem"])
        assert report["sound"]["problem"] == "legs: no microphone is plugged in"
        assert report["sound"]["microphone"] == "none"
        plug.unlink()
        await peer.report(lambda each: each["sound"]["microphone"] == "live")


async def test_node_that_is_silent_is_named(
    robot: RemoteRobot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("saint_services.teleopd.sounds._ANSWER_S", 0.2)
    async with teleop_peer(robot.signalling(OLGA), says=ToneTrack(SAID_HZ)) as peer:
        report = await peer.report(lambda each: each["sound"]["problem"])
        text = "the node of legs does not answer about its microphone"
        assert report["sound"]["problem"] == text
        assert report["seat"] == "operator"  # everything else goes on


async def test_text_of_a_node_is_bounded(robot: RemoteRobot) -> None:
    states = robot.domain.bus("node").publisher(of_target(topics.ROLE_SOUND_STATE, TARGET))
    async with teleop_peer(robot.signalling(OLGA), says=ToneTrack(SAID_HZ)) as peer:
        await until(lambda: states.has_readers)
        states.publish(SoundState(microphone_problem="\x1b[2J" + "x" * 1_000_000))
        report = await peer.report(lambda each: "x" in each["sound"]["problem"])
        assert report["sound"]["problem"] == f"{TARGET}: [2J{'x' * 156}"


async def test_sound_in_another_form_is_dropped_and_counted(
    robot: RemoteRobot, tmp_path: Path
) -> None:
    form = AudioInfo(2, 44_100, "S16LE", 128_000, "mp3")
    async with (
        node_of(robot, tmp_path / "node", form),
        teleop_peer(robot.signalling(OLGA), says=ToneTrack(SAID_HZ)) as peer,
    ):
        await until(lambda: robot.counters["sound_other_form"] > 10)
        report = await peer.report(lambda each: each["sound"]["problem"])
        assert "another form" in report["sound"]["problem"]
        assert peer.sounds == []


async def test_hostile_messages_are_counted_and_what_follows_is_received(
    robot: RemoteRobot,
) -> None:
    source = robot.domain.bus("node")
    source.publisher(of_target(topics.ROLE_MICROPHONE_INFO, TARGET)).publish(FORM)
    pieces = source.publisher(MICROPHONE)
    good = tone(NODE_HZ, 1.0, rate_hz=BUS_RATE_HZ)
    async with teleop_peer(robot.signalling(OLGA), says=ToneTrack(SAID_HZ)) as peer:
        await until(lambda: pieces.has_readers)
        for data in (bytes(641), bytes(3202), bytes(1_000_000)):
            pieces.publish(AudioData(data))
        await until(lambda: robot.counters["sound_damaged"] == 3)
        at = 0
        async for _ in every(0.02):
            pieces.publish(AudioData(good[at : at + BUS_PIECE_BYTES]))
            at = (at + BUS_PIECE_BYTES) % len(good)
            if receives(peer, NODE_HZ):
                break


async def test_bus_without_the_messages_costs_the_sound_alone(
    robot: RemoteRobot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ROS 2's own library knows only the packages of its installation."""
    text = "this ROS 2 installation has no AudioData"

    def refuse(*_: object) -> None:
        raise SaintError(Code.BUS_UNAVAILABLE, text)

    monkeypatch.setattr(BusFeed, "__init__", refuse)
    monkeypatch.setattr(BusLoudspeaker, "__init__", refuse)
    async with teleop_peer(robot.signalling(OLGA), says=ToneTrack(SAID_HZ)) as peer:
        report = await peer.report(lambda each: each["sound"]["problem"])
        assert report["sound"]["problem"] == text
        assert report["sound"]["microphone"] == "none"
        assert report["seat"] == "operator"
        async with peer.beating():
            peer.sound = "server"
            await until(lambda: receives(peer, SERVER_HZ))
