"""livelinkd at work: datagrams into a socket, samples out of the bus."""

import asyncio
import contextlib
import json
import socket
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from saint_services.lib.api.livelink import SubjectDetail, SubjectList
from saint_services.lib.bus import Sample
from saint_services.lib.bus.local import LocalDomain
from saint_services.lib.daemon import running
from saint_services.lib.errors import Code, SaintError
from saint_services.lib.generated.saint_msgs import InputSample, LiveLinkFrame
from saint_services.lib.generated.topics import INPUT_LIVELINK, LIVELINK_FRAME
from saint_services.lib.ipc import Client
from saint_services.lib.sd import Directories
from saint_services.livelinkd.config import Config
from saint_services.livelinkd.daemon import run

DATA = Path(__file__).parents[2] / "data" / "live-link-face.jsonl"
CAPTURE = [bytes.fromhex(json.loads(line)["hex"]) for line in DATA.read_text().splitlines()]


@dataclass
class Ears:
    """A running livelinkd and what it has published."""

    client: Client
    port: int
    samples: list[InputSample] = field(default_factory=list)
    frames: list[LiveLinkFrame] = field(default_factory=list)

    def send(self, *datagrams: bytes) -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as phone:
            for data in datagrams:
                phone.sendto(data, ("127.0.0.1", self.port))

    async def until(self, is_so: Callable[[], bool]) -> None:
        for _ in range(1000):
            if is_so():
                return
            await asyncio.sleep(0.005)
        raise TimeoutError

    async def subjects(self) -> SubjectList:
        return await self.client.get("/subjects", SubjectList)


@contextlib.asynccontextmanager
async def listening(root: Path, **settings: object) -> AsyncIterator[Ears]:
    udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    udp.bind(("127.0.0.1", 0))
    port = udp.getsockname()[1]
    domain = LocalDomain()
    directories = Directories(root, root, root, root)
    ear = domain.bus("ear")
    bus = domain.bus("livelinkd")
    config = Config.model_validate(settings)
    async with (
        running("livelinkd", config, run, directories, sockets={"llf": [udp]}, bus=bus),
        Client(root / "livelinkd.sock") as client,
    ):
        made = Ears(client, port)

        def hear(sample: Sample[InputSample]) -> None:
            made.samples.append(sample.message)

        def see(sample: Sample[LiveLinkFrame]) -> None:
            made.frames.append(sample.message)

        ear.subscribe(INPUT_LIVELINK, hear)
        ear.subscribe(LIVELINK_FRAME, see)
        yield made
    await ear.close()


async def test_capture_becomes_samples(tmp_path: Path) -> None:
    async with listening(tmp_path) as ears:
        ears.send(*CAPTURE)
        await ears.until(lambda: len(ears.samples) == 20)
        first = ears.samples[0]
        assert first.source == "livelink:FaceCapture-p"
        assert (first.names[0], len(first.names), len(first.values)) == ("eyeBlinkLeft", 61, 61)
        assert [sample.failsafe for sample in ears.samples] == [False] * 6 + [True] * 7 + [
            False
        ] * 7
        numbers = [sample.sequence for sample in ears.samples]
        assert numbers == list(range(numbers[0], numbers[0] + 20))
        assert len(ears.frames) == 1  # ten a second at most
        assert ears.frames[0].frame_number == 1096388


async def test_subjects_are_shown(tmp_path: Path) -> None:
    async with listening(tmp_path) as ears:
        ears.send(CAPTURE[0], CAPTURE[2])
        await ears.until(lambda: len(ears.samples) == 2)
        (subject,) = (await ears.subjects()).sources
        assert (subject.subject_name, subject.frames, subject.lost) == ("FaceCapture-p", 2, 1)
        assert subject.source_ip == "127.0.0.1" and subject.tracked
        detail = await ears.client.get("/subjects/FaceCapture-p", SubjectDetail)
        assert detail.values["eyeBlinkLeft"] == pytest.approx(0.837, abs=0.01)
        with pytest.raises(SaintError) as caught:
            await ears.client.get("/subjects/nobody", SubjectDetail)
        assert caught.value.code is Code.NOT_FOUND


async def test_noise_is_counted_by_reason(tmp_path: Path) -> None:
    async with listening(tmp_path) as ears:
        ears.send(b"\x05" + CAPTURE[0][1:], b"", b"\x06", CAPTURE[0] * 10, CAPTURE[0])
        await ears.until(lambda: len(ears.samples) == 1)
        assert (await ears.subjects()).refused == {
            "version 5 is not supported": 1,
            "it is empty": 1,
            "it ends inside the device id": 1,
            "it is too long": 1,
        }


async def test_flood_of_one_sender_is_limited(tmp_path: Path) -> None:
    async with listening(tmp_path, datagrams_per_second=5) as ears:
        ears.send(*CAPTURE)
        await ears.until(lambda: len(ears.samples) >= 5)
        refused: dict[str, int] = {}
        async with asyncio.timeout(5):
            while sum(refused.values()) + len(ears.samples) < 20:
                refused = (await ears.subjects()).refused
        assert len(ears.samples) <= 6
        assert set(refused) == {"its sender sends too fast"}
