"""Sound of a node through the whole robot, in real processes over DDS: an aiortc program gets what
the node's simulated microphone records, and what the operator says is played by the node's
simulated loudspeaker. What a hostile program publishes is counted and never played.
"""

import contextlib
from collections.abc import AsyncIterator, Iterator

import pytest

from saint_services.lib.api.adoption import LIST_NODES
from saint_services.lib.api.endpoint import Nothing
from saint_services.lib.bus.dds.bus import DdsBus
from saint_services.lib.bus.open import open_bus
from saint_services.lib.generated import topics
from saint_services.lib.generated.audio_common_msgs import AudioData, AudioInfo
from saint_services.lib.generated.saint_msgs import SoundState
from tests.integration.robot import Robot, running_robot
from tests.integration.teleop_requests import teleop_requests
from tests.teleop_peer import Request, TeleopPeer, teleop_peer
from tests.tones import ToneTrack, one_channel, share_of_tone
from tests.waiting import let_pass, stays, until
from tools.sim.sound import tone

NODE, ROLE = "legs", "legs"
BUS_HZ = 16_000
NODE_HZ, SAID_HZ, HOSTILE_HZ = 550.0, 1000.0, 300.0
START_S = 30.0  # of the node's sound process, on a busy computer


@pytest.fixture(scope="module")
def asimov() -> Iterator[Robot]:
    with running_robot("--robot", "asimov") as robot:
        (robot.hw(NODE) / "microphone.s16").write_bytes(tone(NODE_HZ, 1.0, rate_hz=BUS_HZ))
        yield robot


@pytest.fixture
async def request_(asimov: Robot) -> AsyncIterator[Request]:
    async with teleop_requests(asimov) as send:
        yield send


@pytest.fixture(autouse=True)
def silence(asimov: Robot) -> None:
    (asimov.hw(NODE) / "loudspeaker.s16").unlink(missing_ok=True)


@contextlib.asynccontextmanager
async def program(robot: Robot) -> AsyncIterator[DdsBus]:
    """A program of the owner's on the robot's bus."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in robot.environment.items():
            patch.setenv(name, value)
        bus = await open_bus("program", backend="dds", domain_id=robot.domain)
        assert isinstance(bus, DdsBus)
        try:
            yield bus
        finally:
            await bus.close()


def played(robot: Robot) -> bytes:
    path = robot.hw(NODE) / "loudspeaker.s16"
    return path.read_bytes() if path.exists() else b""


def says(robot: Robot) -> bool:
    newest = played(robot)[-BUS_HZ // 2 :]  # 0.25 s
    return len(newest) == BUS_HZ // 2 and share_of_tone(newest, SAID_HZ, BUS_HZ) > 0.9


def receives(peer: TeleopPeer, count: int = 25) -> bool:
    newest = b"".join(map(one_channel, peer.sounds[-count:]))
    return share_of_tone(newest, NODE_HZ) > 0.9


async def test_operator_listens_and_speaks_through_the_node(
    asimov: Robot, request_: Request
) -> None:
    async with teleop_peer(request_, says=ToneTrack(SAID_HZ)) as peer, peer.beating():
        await until(lambda: receives(peer), START_S)
        report = await peer.report(lambda each: each["sound"]["microphone"] == "live")
        assert report["sound"]["places"] == [ROLE, "server"]
        assert report["sound"]["place"] == report["sound"]["loudspeaker_place"] == ROLE
        assert not played(asimov)
        peer.is_talking = True
        await until(lambda: says(asimov))
        peer.is_talking = False
        await until(lambda: receives(peer, 10))
        count = len(played(asimov))
        await stays(lambda: len(played(asimov)) == count, 0.5)


async def test_viewer_listens_and_says_nothing(asimov: Robot, request_: Request) -> None:
    viewer = teleop_peer(request_, wants_control=False, says=ToneTrack(SAID_HZ))
    async with viewer as peer:
        peer.is_talking = True
        async with peer.beating():
            await until(lambda: receives(peer), START_S)
            await stays(lambda: not played(asimov), 1.0)


async def test_operator_who_is_gone_is_silent(asimov: Robot, request_: Request) -> None:
    async with teleop_peer(request_, says=ToneTrack(SAID_HZ)) as peer, peer.beating():
        peer.is_talking = True
        await until(lambda: says(asimov), START_S)
    await let_pass(0.6)  # 0.25 s of the talk button, 0.3 s of what waits at the node
    count = len(played(asimov))
    await stays(lambda: len(played(asimov)) == count, 0.5)


async def test_ros_program_receives_the_node_and_knows_its_form(asimov: Robot) -> None:
    pieces: list[bytes] = []
    forms: list[AudioInfo] = []
    async with program(asimov) as bus:
        bus.subscribe(
            topics.ROLE_MICROPHONE_INFO.at(role=ROLE), lambda sample: forms.append(sample.message)
        )
        listening = bus.subscribe(
            topics.ROLE_MICROPHONE.at(role=ROLE), lambda sample: pieces.append(sample.message.data)
        )
        await until(lambda: share_of_tone(b"".join(pieces[-25:]), NODE_HZ, BUS_HZ) > 0.9, START_S)
        assert {len(each) for each in pieces} == {640}
        form = forms[-1]
        assert (form.channels, form.sample_rate, form.sample_format) == (1, BUS_HZ, "S16LE")
        listening.close()


async def test_nothing_is_recorded_without_a_listener_and_hostile_sound_is_not_played(
    asimov: Robot,
) -> None:
    states: list[SoundState] = []
    async with program(asimov) as bus:
        bus.subscribe(
            topics.ROLE_SOUND_STATE.at(role=ROLE), lambda sample: states.append(sample.message)
        )
        says_ = bus.publisher(topics.ROLE_LOUDSPEAKER.at(role=ROLE))
        await until(lambda: says_.has_readers, START_S)
        await until(lambda: states)
        assert not states[-1].recording
        before = states[-1].dropped
        noise = tone(HOSTILE_HZ, 1.0, rate_hz=BUS_HZ)
        # The last has 1.9 MB; it may get lost on its way, as the topic is best effort.
        for data in (noise[:641], noise[:3202], noise, noise * 60):
            says_.publish(AudioData(data))
            await let_pass(0.1)
        await until(lambda: states[-1].dropped >= before + 3)
        assert not played(asimov)
        says_.publish(AudioData(noise[:3200]))  # a program may speak while nobody else does
        await until(lambda: played(asimov))
        await until(lambda: states[-1].playing)
        await until(lambda: not states[-1].playing)
        assert not states[-1].recording


async def test_unplugged_device_is_named_by_the_node(asimov: Robot, request_: Request) -> None:
    plug = asimov.hw(NODE) / "sound-unplugged"
    plug.touch()
    try:
        async with teleop_peer(request_, says=ToneTrack(SAID_HZ)) as peer, peer.beating():
            text = f"{ROLE}: no microphone is plugged in"
            await until(lambda: peer.reports and peer.reports[-1]["sound"]["problem"] == text, 40.0)
            assert peer.reports[-1]["seat"] == "operator"
            async with asimov.client("adoptiond") as client:

                async def reason() -> bool:
                    found = await client.request(LIST_NODES, Nothing())
                    return any("no microphone is plugged in" in each.reason for each in found.nodes)

                await until(reason)
    finally:
        plug.unlink()
