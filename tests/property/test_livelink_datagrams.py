"""Whatever datagram arrives: the decoder does not raise, and hands out finite values only."""

import json
import math
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from saint_services.lib.bus import cdr
from saint_services.livelinkd.logic import LONG_NAME, Subject, SubjectRegistry
from saint_services.livelinkd.loss import FrameLoss
from saint_services.livelinkd.protocols import Frame, Refused, decode_llf
from saint_services.livelinkd.protocols.llf import NAMES
from saint_services.livelinkd.reports import info, message

DATA = Path(__file__).parents[1] / "data" / "live-link-face.jsonl"
CAPTURE = [bytes.fromhex(json.loads(line)["hex"]) for line in DATA.read_text().splitlines()]

damaged = st.builds(
    lambda data, changes, length: bytes(
        changes.get(i, byte) for i, byte in enumerate(data[:length])
    ),
    st.sampled_from(CAPTURE),
    st.dictionaries(st.integers(0, 330), st.integers(0, 255), max_size=8),
    st.integers(0, 330),
)


def check(data: bytes) -> None:
    outcome = decode_llf(data)
    if isinstance(outcome, Refused):
        assert outcome.reason
        return
    assert len(outcome.names) == len(outcome.values) in (0, 61)
    assert all(math.isfinite(value) for value in outcome.values)
    assert 0.0 <= outcome.subframe < 1.0
    subject = SubjectRegistry().take(outcome, ("10.0.0.1", 1), 1.0)
    if subject is LONG_NAME:
        return
    assert isinstance(subject, Subject)
    bounded = subject.shaper.values(outcome)
    for i, value in enumerate(bounded):
        assert (0.0 if i < 52 else -3.2) <= value <= (1.0 if i < 52 else 3.2)
    cdr.encode(message(subject, bounded, 1.0))
    info(subject, 2.0, 2.0)


@given(st.binary(max_size=1000))
def test_any_bytes_are_survived(data: bytes) -> None:
    check(data)


@given(st.binary(max_size=1000))
def test_any_bytes_of_the_right_version_are_survived(data: bytes) -> None:
    check(b"\x06\0\0\0" + data)


@given(damaged)
def test_damaged_datagrams_are_survived(data: bytes) -> None:
    check(data)


@given(
    st.lists(st.integers(0, 2**31 - 1), max_size=50),
    st.tuples(st.integers(1, 2**31 - 1), st.integers(1, 2**31 - 1)),
)
def test_loss_is_never_negative(numbers: list[int], rate: tuple[int, int]) -> None:
    loss = FrameLoss()
    for number in numbers:
        loss.is_late(Frame("s", "d", "face", number, 0.0, rate, NAMES, (0.0,) * 61))
        assert loss.lost >= 0
