"""Live Link Face datagrams: an iPhone's, other senders', and what must be refused."""

import json
import struct
from pathlib import Path

import pytest

from saint_services.livelinkd.protocols import Frame, Refused, decode_llf
from saint_services.livelinkd.protocols.llf import NAMES

DATA = Path(__file__).parents[3] / "data" / "live-link-face.jsonl"
CAPTURE = [bytes.fromhex(json.loads(line)["hex"]) for line in DATA.read_text().splitlines()]
VALUES = tuple(i / 64 for i in range(61))  # exact in 32 bits


def llf(
    device: bytes = b"A0000000-0000-4000-8000-000000000001",
    subject: bytes = b"Face",
    time: tuple[int, float, int, int] = (1000, 0.25, 60, 1),
    values: tuple[float, ...] | None = VALUES,
    version: int = 6,
) -> bytes:
    data = struct.pack(">Bi", version, len(device)) + device
    data += struct.pack(">i", len(subject)) + subject + struct.pack(">ifii", *time)
    if values is not None:
        data += struct.pack(f">B{len(values)}f", len(values), *values)
    return data


def test_capture_is_read_whole() -> None:
    frames = [decode_llf(data) for data in CAPTURE]
    assert all(isinstance(frame, Frame) for frame in frames)
    assert [frame.number for frame in frames] == list(range(1096388, 1096408))
    assert [frame.is_tracked for frame in frames] == [True] * 6 + [False] * 7 + [True] * 7
    first = frames[0]
    assert (first.subject, first.rate, first.type) == ("FaceCapture-p", (60, 1), "face")
    assert first.values[0] == pytest.approx(0.73195779)


def test_values_have_their_names_in_order() -> None:
    frame = decode_llf(llf())
    assert len(NAMES) == len(set(NAMES)) == 61
    assert (NAMES[0], NAMES[17], NAMES[51], NAMES[52], NAMES[60]) == (
        "eyeBlinkLeft", "jawOpen", "tongueOut", "headYaw", "rightEyeRoll",
    )  # fmt: skip
    assert frame.names is NAMES and frame.values == VALUES


@pytest.mark.parametrize("device", [b"", b"x", b"phone", b"d" * 100])
@pytest.mark.parametrize("subject", ["", "Face", "Gesicht äöü 顔 👩‍🚀"])
def test_texts_may_have_any_length(device: bytes, subject: str) -> None:
    frame = decode_llf(llf(device=device, subject=subject.encode()))
    assert (frame.device, frame.subject) == (device.decode(), subject)


def test_subframe_is_brought_below_one() -> None:
    for given, expected in ((0.25, 0.25), (1.25, 0.25), (1.0, 0.0), (-0.25, 0.75), (1e30, 0.0)):
        assert decode_llf(llf(time=(1, given, 30000, 1001))).subframe == expected


@pytest.mark.parametrize("version", [0, 1, 2, 3, 4, 5, 7, 255])
def test_other_versions_are_refused_by_number(version: int) -> None:
    outcome = decode_llf(llf(version=version))
    assert outcome == Refused(f"version {version} is not supported")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "the datagram is empty"),
        (llf(values=VALUES[:-1]), "the number of values is not 61"),
        (llf(values=()), "the number of values is not 61"),
        (llf() + b"\0", "bytes follow the values"),
        (llf(values=None) + b"\x3d", "the datagram ends inside the values"),
        (llf(values=(*VALUES[:-1], float("nan"))), "a value is not finite"),
        (llf(values=(float("inf"), -float("inf"), *VALUES[2:])), "a value is not finite"),
        (llf(time=(1, float("nan"), 60, 1)), "the frame time is not valid"),
        (llf(time=(1, 0.0, 0, 1)), "the frame time is not valid"),
        (llf(time=(1, 0.0, 60, 0)), "the frame time is not valid"),
        (b"\x06\x7f\xff\xff\xff" + b"x" * 80, "the length of the device id is not valid"),
        (b"\x06\xff\xff\xff\xff" + b"x" * 80, "the length of the device id is not valid"),
        (llf(device=b"\xff\xfe"), "the device id is not UTF-8"),
        (llf(subject=b"\xc3"), "the subject name is not UTF-8"),
        (llf(subject=b"a\0b"), "the subject name has control characters"),
        (llf(subject=b"x" * 700), "the datagram is too long"),
    ],
)
def test_what_is_not_exact_is_refused(data: bytes, reason: str) -> None:
    assert decode_llf(data) == Refused(reason)


@pytest.mark.parametrize("number", [-(1 << 31), -1, (1 << 31) - 1])
def test_every_frame_number_is_a_face(number: int) -> None:
    """A time code may be negative; the face is as good as any."""
    frame = decode_llf(llf(time=(number, 0.0, 60, 1)))
    assert isinstance(frame, Frame) and frame.is_tracked and frame.number == number


def test_every_cut_is_refused_or_a_frame_without_face() -> None:
    whole = llf()
    without_face = len(llf(values=None))
    for length in range(len(whole)):
        outcome = decode_llf(whole[:length])
        if length == without_face:
            assert isinstance(outcome, Frame) and not outcome.is_tracked
        else:
            assert isinstance(outcome, Refused), length
