"""livelinkd at work: datagrams into a socket, samples out of the bus."""

import asyncio
from pathlib import Path

import pytest

from saint_services.lib.api import livelink
from saint_services.lib.errors import Code, SaintError
from tests.unit.livelinkd.rig import CAPTURE, listening
from tests.waiting import until

WHO = livelink.SubjectRef(subject_name="FaceCapture-p")


async def test_capture_becomes_samples(tmp_path: Path) -> None:
    async with listening(tmp_path) as ears:
        ears.send(*CAPTURE)
        await until(lambda: len(ears.samples) == 20)
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
        await until(lambda: len(ears.samples) == 2)
        (subject,) = (await ears.subjects()).sources
        assert (subject.subject_name, subject.frames, subject.lost) == ("FaceCapture-p", 2, 1)
        assert subject.source_ip == "127.0.0.1" and subject.tracked
        detail = await ears.client.request(livelink.GET_SUBJECT, WHO)
        assert detail.values["eyeBlinkLeft"] == pytest.approx(0.837, abs=0.01)
        with pytest.raises(SaintError) as caught:
            await ears.client.request(
                livelink.GET_SUBJECT, livelink.SubjectRef(subject_name="nobody")
            )
        assert caught.value.code is Code.NOT_FOUND


async def test_noise_is_counted_by_reason(tmp_path: Path) -> None:
    async with listening(tmp_path) as ears:
        ears.send(b"\x05" + CAPTURE[0][1:], b"", b"\x06", CAPTURE[0] * 10, CAPTURE[0])
        await until(lambda: len(ears.samples) == 1)
        assert (await ears.subjects()).refused == {
            "version 5 is not supported": 1,
            "the datagram is empty": 1,
            "the datagram ends inside the device id": 1,
            "the datagram is too long": 1,
        }


async def test_flood_of_one_sender_is_limited(tmp_path: Path) -> None:
    async with listening(tmp_path, datagrams_per_second=5) as ears:
        ears.send(*CAPTURE)
        await until(lambda: len(ears.samples) >= 5)
        refused: dict[str, int] = {}
        async with asyncio.timeout(5):
            while sum(refused.values()) + len(ears.samples) < 20:
                refused = (await ears.subjects()).refused
        assert len(ears.samples) <= 6
        assert set(refused) == {"the sender exceeds its rate limit"}
