"""The sound process at work: what it publishes and plays, with devices and a bus of the test."""

import asyncio
import threading
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from saint_services.lib.bus.local import LocalBus, LocalDomain
from saint_services.lib.generated.audio_common_msgs import AudioData
from saint_services.lib.generated.topics import ROLE_LOUDSPEAKER, ROLE_MICROPHONE
from saint_services.lib.hw.sound.port import BUS_PIECE_BYTES
from saint_services.lib.role.sound import node_sound
from saint_services.lib.role.sound.node_sound import NodeLoudspeaker, NodeMicrophone
from tests.waiting import until

RECORDED, SPOKEN = ROLE_MICROPHONE.at(role="head"), ROLE_LOUDSPEAKER.at(role="head")
LOUD = bytes(range(1, 161)) * 4
QUIET = bytes(BUS_PIECE_BYTES)


class FakeMicrophone:
    """Returns as many pieces as a test releases."""

    def __init__(self) -> None:
        self.opened = self.closed = 0
        self.pieces = threading.Semaphore(0)

    def open(self) -> None:
        self.opened += 1

    def read(self) -> bytes:
        if not self.pieces.acquire(timeout=0.05):
            raise OSError(110, "nothing comes")
        return LOUD

    def close(self) -> None:
        self.closed += 1


class FakeLoudspeaker:
    """Plays a piece when a test allows it."""

    def __init__(self) -> None:
        self.played: list[bytes] = []
        self.is_open = False
        self.turns = threading.Semaphore(0)

    def open(self) -> None:
        self.is_open = True

    def write(self, piece: bytes) -> None:
        if self.turns.acquire(timeout=5.0):
            self.played.append(piece)

    def close(self) -> None:
        self.is_open = False


class Microphone:
    """A microphone on a bus, and who listens."""

    def __init__(self) -> None:
        self.domain = LocalDomain()
        self.devices: list[FakeMicrophone] = []
        self.device = FakeMicrophone()  # the first that is opened
        self.is_muted = False
        self.counters: Counter[str] = Counter()
        self.received: list[bytes] = []
        self.node = NodeMicrophone(
            self.domain.bus("node"), "head", self._open, lambda: self.is_muted, self.counters
        )

    def _open(self) -> FakeMicrophone:
        self.devices.append(FakeMicrophone() if self.devices else self.device)
        return self.devices[-1]

    def listener(self) -> LocalBus:
        bus = self.domain.bus("listener")
        bus.subscribe(RECORDED, lambda sample: self.received.append(bytes(sample.message.data)))
        return bus


@asynccontextmanager
async def a_microphone() -> AsyncIterator[Microphone]:
    made = Microphone()
    yield made
    made.node.close()
    assert await asyncio.to_thread(made.node.join)


async def test_microphone_is_open_only_while_a_program_listens() -> None:
    async with a_microphone() as microphone:
        microphone.node.look()
        assert microphone.device.opened == 0
        listener = microphone.listener()
        microphone.node.look()
        await until(lambda: microphone.device.opened)
        microphone.device.pieces.release()
        await until(lambda: microphone.received == [LOUD])
        assert microphone.node.is_recording
        await listener.close()
        microphone.node.look()
        assert not microphone.node.is_recording
        await until(lambda: microphone.device.closed == microphone.device.opened)


async def test_listener_who_comes_back_gets_a_device_of_his_own() -> None:
    """The thread of the one before may still be reading, and closes its device later."""
    async with a_microphone() as microphone:
        listener = microphone.listener()
        microphone.node.look()
        await listener.close()
        microphone.node.look()
        microphone.listener()
        microphone.node.look()
        first, second = microphone.devices
        await until(lambda: first.closed == first.opened and second.opened)
        second.pieces.release()
        await until(lambda: microphone.received == [LOUD])


async def test_microphone_is_silent_while_the_loudspeaker_sounds() -> None:
    async with a_microphone() as microphone:
        microphone.listener()
        microphone.node.look()
        microphone.is_muted = True
        microphone.device.pieces.release()
        await until(lambda: microphone.received == [QUIET])


async def test_old_pieces_of_a_loop_that_stood_still_are_dropped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now_s = 100.0
    monkeypatch.setattr(node_sound, "monotonic_s", lambda: now_s)
    async with a_microphone() as microphone:
        microphone.listener()
        microphone.node.look()
        for _ in range(25):  # in its thread's place, while the loop stands still
            microphone.node._on_piece(LOUD)
        assert len(microphone.node._pieces) == 10  # 0.2 s
        now_s += 0.3
        await until(lambda: microphone.counters["late"] == 10)
        assert microphone.received == []


async def test_microphone_that_fails_is_named_until_nobody_listens() -> None:
    async with a_microphone() as microphone:
        listener = microphone.listener()
        microphone.node.look()
        await until(lambda: "nothing comes" in microphone.node.problem)
        await listener.close()
        microphone.node.look()
        assert microphone.node.problem == ""


class Speaker:
    """A loudspeaker on a bus."""

    def __init__(self) -> None:
        self.domain = LocalDomain()
        self.device = FakeLoudspeaker()
        self.counters: Counter[str] = Counter()
        self.node = NodeLoudspeaker(self.domain.bus("node"), "head", self.device, self.counters)
        self.says = self.domain.bus("olga").publisher(SPOKEN)


async def test_loudspeaker_plays_what_comes_and_is_released_after_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("saint_services.lib.hw.sound.speech._IDLE_S", 0.1)
    speaker = Speaker()
    assert not speaker.device.is_open
    speaker.device.turns.release(3)
    speaker.says.publish(AudioData(LOUD * 2))
    await until(lambda: speaker.device.played == [LOUD, LOUD])
    assert speaker.node.is_playing
    await until(lambda: not speaker.device.is_open)


async def test_what_waits_is_bounded_and_the_oldest_is_dropped() -> None:
    speaker = Speaker()
    for _ in range(30):
        speaker.says.publish(AudioData(LOUD))
    await until(lambda: speaker.counters["speech_dropped"] >= 19)
    speaker.device.turns.release(100)
    await until(lambda: len(speaker.device.played) >= 10)
    assert len(speaker.device.played) + speaker.counters["speech_dropped"] == 30
    assert len(speaker.device.played) <= 11  # 0.2 s, and the one that is being played
    speaker.node.close()


async def test_end_of_speech_drops_what_waits() -> None:
    speaker = Speaker()
    for _ in range(9):
        speaker.says.publish(AudioData(LOUD))
    speaker.says.publish(AudioData(b""))
    speaker.says.publish(AudioData(LOUD[::-1]))
    await until(lambda: speaker.device.is_open)
    speaker.device.turns.release(100)
    await until(lambda: LOUD[::-1] in speaker.device.played)
    assert len(speaker.device.played) <= 2  # one was being played
    speaker.node.close()


async def test_hostile_messages_are_counted_and_never_played() -> None:
    speaker = Speaker()
    speaker.device.turns.release(100)
    for data in (bytes(641), bytes(3202), bytes(4_000_000)):
        speaker.says.publish(AudioData(data))
    speaker.says.publish(AudioData(LOUD))
    await until(lambda: speaker.device.played == [LOUD])
    assert speaker.counters["damaged"] == 3
    speaker.node.close()
