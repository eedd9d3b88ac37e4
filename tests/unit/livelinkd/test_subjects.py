"""Order, loss, bounds and rate limits of subjects."""

from dataclasses import replace

import pytest

from saint_services.livelinkd.logic import (
    FULL,
    LATE,
    MAX_SUBJECTS,
    Loss,
    Registry,
    SenderLimit,
    Subject,
    bounded,
)
from saint_services.livelinkd.protocols import Frame
from saint_services.livelinkd.protocols.llf import NAMES

PHONE = ("192.168.1.50", 50000)
DAY = 86_400 * 60


def frame(number: int, subject: str = "Face", **changes: object) -> Frame:
    made = Frame(subject, "phone", "face", number, 0.0, (60, 1), NAMES, (0.5,) * 61)
    return replace(made, **changes)  # type: ignore[arg-type]


def lost(*numbers: int) -> int:
    loss = Loss()
    for number in numbers:
        loss.is_late(frame(number))
    return loss.lost


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        ((10, 11, 12), 0),
        ((10, 12, 15), 3),
        ((10, 12, 11, 13), 0),  # late is not lost
        ((10, 11, 11, 12), 0),  # twice
        ((10, 70), 59),
        ((1000, 5), 0),  # the app was started again
        ((10, 100_000, 100_001), 0),
        ((DAY - 1, 0, 1), 0),  # midnight
        ((DAY - 2, 1), 2),
    ],
)
def test_loss_is_counted_by_numbers(numbers: tuple[int, ...], expected: int) -> None:
    assert lost(*numbers) == expected


def test_late_and_repeated_frames_are_not_used() -> None:
    registry = Registry()
    outcomes = [registry.take(frame(n), PHONE, 1.0) for n in (10, 12, 11, 12, 13)]
    assert [outcome is LATE for outcome in outcomes] == [False, False, True, True, False]
    subject = registry.subjects["Face"]
    assert (subject.frames, subject.loss.lost) == (3, 0)


def test_a_clock_set_back_by_less_than_a_second_is_believed_after_five_frames() -> None:
    registry = Registry()
    numbers = (*range(100, 120), *range(100, 110))
    outcomes = [registry.take(frame(n), PHONE, 1.0) is LATE for n in numbers]
    assert outcomes == [False] * 20 + [True] * 4 + [False] * 6


def test_a_frozen_stream_is_never_fresh() -> None:
    registry = Registry()
    outcomes = [registry.take(frame(7), PHONE, 1.0) is LATE for _ in range(50)]
    assert outcomes == [False] + [True] * 49


def test_another_sender_starts_a_new_count() -> None:
    registry = Registry()
    registry.take(frame(10), PHONE, 1.0)
    subject = registry.take(frame(5), ("192.168.1.51", 50000), 1.1)
    assert isinstance(subject, Subject)
    assert subject.loss.lost == 0


def test_sequences_rise_over_a_restart() -> None:
    old, new = Registry(), Registry()
    for i in range(1000):
        before = old.take(frame(i), PHONE, 1.0 + i / 60)
    after = new.take(frame(0), PHONE, 20.0)
    assert isinstance(before, Subject) and isinstance(after, Subject)
    assert after.sequence > before.sequence


def test_subjects_are_bounded_and_silent_ones_make_room() -> None:
    registry = Registry()
    for i in range(MAX_SUBJECTS):
        registry.take(frame(1, f"s{i}"), PHONE, 1.0 + i)
    assert registry.take(frame(1, "one more"), PHONE, 60.0) is FULL
    assert isinstance(registry.take(frame(1, "one more"), PHONE, 62.0), Subject)
    assert "s0" not in registry.subjects and len(registry.subjects) == MAX_SUBJECTS


def test_rate_is_measured_and_falls_in_silence() -> None:
    registry = Registry()
    for i in range(61):
        registry.take(frame(i), PHONE, 1.0 + i / 60)
    subject = registry.subjects["Face"]
    assert subject.rate_hz(2.0) == pytest.approx(60, rel=0.02)
    assert subject.rate_hz(10.0) < 10


def test_sender_limit_is_per_address_and_refills() -> None:
    limit = SenderLimit(10)
    assert sum(limit.allows("a", 1.0) for _ in range(100)) == 10
    assert limit.allows("b", 1.0)
    assert sum(limit.allows("a", 1.5) for _ in range(100)) == 5


def test_sender_limit_forgets_the_oldest() -> None:
    limit = SenderLimit(10, max_senders=4)
    for i in range(1000):
        limit.allows(f"10.0.0.{i}", 1.0)
    assert len(limit._buckets) == 4


def test_values_are_bounded_for_the_router() -> None:
    wild = frame(1, values=(-1.0, 7.0, *(0.5,) * 50, 100.0, -100.0, *(0.5,) * 7))
    values = bounded(wild)
    assert values[:3] == (0.0, 1.0, 0.5)
    assert values[52] == pytest.approx(3.14159265) and values[53] == pytest.approx(-3.14159265)
    assert bounded(frame(1)) == (0.5,) * 61
