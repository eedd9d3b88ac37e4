"""Which protocol speaks on a line, by what the parsers make of it."""

import asyncio
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

from saint_services.lib.api.rc import (
    DETECT_PROTOCOL,
    DetectedSettings,
    DetectRequest,
    RcProtocol,
)
from saint_services.lib.errors import Code, SaintError
from saint_services.rcd.config import LINES
from saint_services.rcd.detection import PORT_TRIALS, report, run_trials
from tests.waiting import every
from tools.fuzz.targets import TARGETS

DATA = Path(__file__).parents[2] / "data"
DSMX = [
    bytes.fromhex(json.loads(line)["hex"])
    for line in (DATA / "dsmx-22ms.jsonl").read_text().splitlines()
]
FRAMES = {
    "crsf": (DATA / "crsf-receiver.bin").read_bytes()[:26],
    "sbus": (DATA / "sbus-single.bin").read_bytes(),
    "ibus": (DATA / "ibus-single.bin").read_bytes(),
    "ghst": (DATA / "ghst-published.bin").read_bytes()[:14],
    "mavlink": (DATA / "mavlink2-override.bin").read_bytes(),
    "dsm": b"".join(DSMX[:2]),  # both halves of the channels
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


def test_check_sums_prove_more_than_frames() -> None:
    found = [seen("dsm", bytes=640, frames=40), seen("ibus", bytes=640, frames=20)]
    assert report(found).protocol == "ibus"


@pytest.mark.parametrize("baud_rate", [921_600, 1_870_000, 3_750_000])
def test_crsf_is_tried_at_the_rates_of_modules(baud_rate: int) -> None:
    (trial,) = [trial for trial in PORT_TRIALS if trial.baud_rate == baud_rate]
    assert "crsf" in trial.protocols


def test_all_trials_fit_into_the_time_of_the_request() -> None:
    longest_s = DetectRequest.model_fields["seconds"].metadata[-1].le
    assert len(PORT_TRIALS) * longest_s < (DETECT_PROTOCOL.limit_s or 0)


def test_every_serial_protocol_is_tried_at_its_own_rate() -> None:
    tried = {(name, trial.baud_rate) for trial in PORT_TRIALS for name in trial.protocols}
    assert {(name, line[0]) for name, line in LINES.items()} <= tried


def test_silence_and_noise_are_distinguished() -> None:
    assert "nothing was received" in report([seen()]).text
    assert "90 bytes were received" in report([seen(bytes=90, discarded_bytes=90)]).text


@pytest.fixture
def pair() -> Iterator[tuple[int, str]]:
    ours, theirs = os.openpty()
    yield ours, os.ttyname(theirs)
    os.close(theirs)
    os.close(ours)


def test_every_serial_protocol_has_foreign_bytes_a_trial_and_is_fuzzed() -> None:
    """The bytes' origin: tests/data/README.md. PPM and PWM are pulses: tests/property."""
    serial = set(get_args(RcProtocol)) - {"ppm", "pwm"}
    assert set(FRAMES) == serial
    assert {name for trial in PORT_TRIALS for name in trial.protocols} == serial
    assert serial <= set(TARGETS)


@pytest.mark.parametrize("protocol", sorted(FRAMES))
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
