"""Which protocol speaks on a line, by what the parsers make of it."""

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from saint_services.lib.api.rc import DetectedSettings
from saint_services.lib.errors import Code, SaintError
from saint_services.rcd.detection import report, run_trials
from tests.waiting import every

DATA = Path(__file__).parents[2] / "data"
FRAMES = {
    "crsf": (DATA / "crsf-receiver.bin").read_bytes()[:26],
    "sbus": (DATA / "sbus-single.bin").read_bytes(),
    "ibus": (DATA / "ibus-single.bin").read_bytes(),
}


def seen(protocol: str = "crsf", **counts: int) -> DetectedSettings:
    none = {"bytes": 0, "frames": 0, "rejected": 0, "discarded_bytes": 0}
    return DetectedSettings(protocol=protocol, baud_rate=420_000, **(none | counts))  # type: ignore[arg-type]


def test_several_frames_with_hardly_anything_between_are_a_proof() -> None:
    found = report([seen("sbus", bytes=500, discarded_bytes=500), seen(bytes=260, frames=8)])
    assert (found.protocol, found.baud_rate) == ("crsf", 420_000)
    assert found.text.startswith("CRSF at 420000 baud: 8 good frames")


@pytest.mark.parametrize(
    "counts",
    [
        {"bytes": 182, "frames": 7},
        {"bytes": 1000, "frames": 8, "discarded_bytes": 101},
    ],
)
def test_few_frames_or_much_waste_are_none(counts: dict[str, int]) -> None:
    assert report([seen(**counts)]).protocol is None


def test_better_proof_wins() -> None:
    assert (
        report([seen(bytes=300, frames=9), seen("ibus", bytes=640, frames=20)]).protocol == "ibus"
    )


def test_silence_and_noise_are_distinguished() -> None:
    assert "nothing was received" in report([seen()]).text
    assert "90 bytes were received" in report([seen(bytes=90, discarded_bytes=90)]).text


@pytest.fixture
def pair() -> Iterator[tuple[int, str]]:
    ours, theirs = os.openpty()
    yield ours, os.ttyname(theirs)
    os.close(theirs)
    os.close(ours)


@pytest.mark.parametrize("protocol", ["crsf", "sbus", "ibus"])
async def test_receiver_on_the_line_is_recognised(pair: tuple[int, str], protocol: str) -> None:
    async def send() -> None:
        async for _ in every(0.01):
            os.write(pair[0], FRAMES[protocol])

    sending = asyncio.create_task(send())
    found = report(await run_trials(pair[1], 0.3))
    sending.cancel()
    assert found.protocol == protocol


async def test_missing_line_is_reported() -> None:
    with pytest.raises(SaintError) as caught:
        await run_trials("/dev/nowhere", 0.2)
    assert caught.value.code is Code.HARDWARE_MISSING
