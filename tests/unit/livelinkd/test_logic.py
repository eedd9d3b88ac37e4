"""Order, loss, bounds and rate limits of subjects."""

from dataclasses import replace

import pytest

from saint_services.livelinkd.logic import (
    FULL,
    FULL_FOR_ONE,
    LATE,
    LONG_NAME,
    MAX_SUBJECTS,
    MAX_SUBJECTS_OF_ONE,
    TAKEN,
    Subject,
    SubjectRegistry,
)
from saint_services.livelinkd.protocols import Frame
from saint_services.livelinkd.protocols.llf import NAMES

PHONE = ("192.168.1.50", 50000)


def frame(number: int, subject: str = "Face", **changes: object) -> Frame:
    made = Frame(subject, "phone", "face", number, 0.0, (60, 1), NAMES, (0.5,) * 61)
    return replace(made, **changes)  # type: ignore[arg-type]


def test_late_and_repeated_frames_are_not_used() -> None:
    registry = SubjectRegistry()
    outcomes = [registry.take(frame(n), PHONE, 1.0) for n in (10, 12, 11, 12, 13)]
    assert [outcome is LATE for outcome in outcomes] == [False, False, True, True, False]
    subject = registry.subjects["Face"]
    assert (subject.frames, subject.loss.lost) == (3, 0)


def test_a_clock_set_back_by_less_than_a_second_is_believed_after_five_frames() -> None:
    registry = SubjectRegistry()
    numbers = (*range(100, 120), *range(100, 110))
    outcomes = [registry.take(frame(n), PHONE, 1.0) is LATE for n in numbers]
    assert outcomes == [False] * 20 + [True] * 4 + [False] * 6


def test_a_frozen_stream_is_never_fresh() -> None:
    registry = SubjectRegistry()
    outcomes = [registry.take(frame(7), PHONE, 1.0) is LATE for _ in range(50)]
    assert outcomes == [False] + [True] * 49


OTHER = ("192.168.1.51", 50000)


def test_another_sender_is_refused_while_the_first_one_sends() -> None:
    registry = SubjectRegistry(release_after_s=10.0)
    outcomes = []
    for i in range(100):
        registry.take(frame(i), PHONE, 1.0 + i)
        outcomes.append(registry.take(frame(i), OTHER, 1.5 + i))
    assert outcomes == [TAKEN] * 100
    assert registry.subjects["Face"].address == PHONE


@pytest.mark.parametrize(
    ("address", "device", "format"),
    [(OTHER, "phone", "llf"), (PHONE, "tablet", "llf"), (PHONE, "phone", "vmc")],
)
def test_a_sender_is_address_device_and_format(
    address: tuple[str, int], device: str, format: str
) -> None:
    registry = SubjectRegistry()
    registry.take(frame(10), PHONE, 1.0)
    assert registry.take(frame(11, device=device), address, 1.1, format) is TAKEN


def test_the_same_sender_may_come_from_another_port() -> None:
    registry = SubjectRegistry()
    registry.take(frame(1000), PHONE, 1.0)
    subject = registry.take(frame(990), (PHONE[0], 50001), 1.1)
    assert isinstance(subject, Subject)
    assert (subject.address[1], subject.loss.lost) == (50001, 0)


def test_a_silent_subject_is_free_after_the_time_set() -> None:
    registry = SubjectRegistry(release_after_s=5.0)
    registry.take(frame(10), PHONE, 1.0)
    assert registry.take(frame(5), OTHER, 5.9) is TAKEN
    subject = registry.take(frame(5), OTHER, 6.0)
    assert isinstance(subject, Subject)
    assert (subject.address, subject.loss.lost) == (OTHER, 0)
    assert registry.take(frame(11), PHONE, 6.1) is TAKEN


def test_without_a_time_only_a_release_frees_a_subject() -> None:
    registry = SubjectRegistry(release_after_s=None)
    registry.take(frame(10), PHONE, 1.0)
    assert registry.take(frame(5), OTHER, 1e6) is TAKEN
    assert registry.release("Face") and not registry.release("nobody")
    # The first one goes on until another sender comes; then it is locked out.
    assert isinstance(registry.take(frame(11), PHONE, 1e6), Subject)
    assert isinstance(registry.take(frame(5), OTHER, 1e6), Subject)
    assert registry.take(frame(12), PHONE, 1e6) is TAKEN


def test_one_sender_cannot_fill_the_table() -> None:
    registry = SubjectRegistry()
    for i in range(MAX_SUBJECTS_OF_ONE):
        registry.take(frame(1, f"s{i}"), PHONE, 1.0)
    assert registry.take(frame(1, "one more"), PHONE, 1.0) is FULL_FOR_ONE
    assert isinstance(registry.take(frame(1, "one more"), OTHER, 1.0), Subject)


def test_names_that_the_router_would_not_take() -> None:
    registry = SubjectRegistry()
    assert registry.take(frame(1, "x" * 101), PHONE, 1.0) is LONG_NAME
    for number in (1, 2, 3):
        subject = registry.take(frame(number, ""), PHONE, 1.0)
        assert isinstance(subject, Subject)
        assert (subject.source, subject.frames) == ("livelink:unnamed", number)


def test_sequences_rise_over_a_restart() -> None:
    old, new = SubjectRegistry(), SubjectRegistry()
    for i in range(1000):
        before = old.take(frame(i), PHONE, 1.0 + i / 60)
    after = new.take(frame(0), PHONE, 20.0)
    assert isinstance(before, Subject) and isinstance(after, Subject)
    assert after.sequence > before.sequence


def test_subjects_are_bounded_and_silent_ones_make_room() -> None:
    registry = SubjectRegistry()
    for i in range(MAX_SUBJECTS):
        registry.take(frame(1, f"s{i}"), (f"10.0.0.{i}", 1), 1.0 + i)
    assert registry.take(frame(1, "one more"), PHONE, 60.0) is FULL
    assert isinstance(registry.take(frame(1, "one more"), PHONE, 62.0), Subject)
    assert "s0" not in registry.subjects and len(registry.subjects) == MAX_SUBJECTS


def test_rate_is_measured_and_falls_in_silence() -> None:
    registry = SubjectRegistry()
    for i in range(61):
        registry.take(frame(i), PHONE, 1.0 + i / 60)
    subject = registry.subjects["Face"]
    assert subject.rate_hz(2.0) == pytest.approx(60, rel=0.02)
    assert subject.rate_hz(10.0) < 10
