"""When a standing track is a stall, and when it may be tried again."""

import pytest

from saint_services.role_tracksd.stall import Retry, StallDetector, Verdict


def runs(duty: float, share: float | None, current_a: float | None, seconds: float) -> bool:
    watch = StallDetector(stall_current_a=12.0)
    steps = range(round(seconds / 0.02) + 1)
    return any(watch.is_stalled(duty, share, current_a, step * 0.02) for step in steps)


@pytest.mark.parametrize(
    ("duty", "share", "current_a", "expected"),
    [
        (1.0, 0.0, None, True),
        (-1.0, 0.0, None, True),
        (1.0, -0.3, None, True),  # it is pushed back
        (1.0, 0.5, None, False),
        (-1.0, -0.5, None, False),
        (1.0, 0.029, None, True),
        (-1.0, -0.029, None, True),
        (1.0, 0.03, None, False),  # slow, but it turns
        (0.4, 0.0, None, True),
        (0.39, 0.0, None, False),  # too little to harm
        (0.39, 0.0, 6.0, True),  # but the meter says otherwise
        (0.39, 0.5, 6.0, False),  # uphill
        (1.0, None, 6.0, True),  # no encoder
        (1.0, None, 5.9, False),
        (1.0, None, None, False),  # nothing can be known
        (0.0, 0.0, 12.0, False),
    ],
)
def test_stall_needs_power_and_no_motion(
    duty: float, share: float | None, current_a: float | None, expected: bool
) -> None:
    assert runs(duty, share, current_a, 0.6) is expected
    assert not runs(duty, share, current_a, 0.48)


def test_half_a_second_of_standing_is_a_stall() -> None:
    watch = StallDetector(stall_current_a=12.0)
    assert not watch.is_stalled(1.0, 0.0, None, 8.0)
    assert not watch.is_stalled(1.0, 0.0, None, 8.4375)
    assert watch.is_stalled(1.0, 0.0, None, 8.5)


def test_one_turn_of_the_wheel_restarts_the_time() -> None:
    watch = StallDetector(stall_current_a=12.0)
    for step in range(200):
        share = 0.2 if step % 20 == 0 else 0.0
        assert not watch.is_stalled(1.0, share, None, step * 0.02)


def test_retry_needs_neutral_and_a_second() -> None:
    retry = Retry()
    assert retry.may_drive(False, 10.0)
    assert retry.stalled(10.0) is Verdict.PAUSE
    assert not retry.may_drive(True, 10.5)
    assert not retry.may_drive(False, 10.9)
    assert retry.may_drive(False, 11.0)


def test_held_stick_never_retries() -> None:
    retry = Retry()
    retry.stalled(10.0)
    assert not any(retry.may_drive(False, 10.0 + second) for second in range(100))


def test_third_stall_within_a_minute_is_for_a_person() -> None:
    retry = Retry()
    assert [retry.stalled(at) for at in (0.0, 30.0, 59.0)] == [
        Verdict.PAUSE, Verdict.PAUSE, Verdict.STOP_ROBOT
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("third_s", "verdict"), [(1060.0, Verdict.STOP_ROBOT), (1060.5, Verdict.PAUSE)]
)
def test_minute_of_stalls_is_counted_from_the_first(third_s: float, verdict: Verdict) -> None:
    retry = Retry()
    assert [retry.stalled(at) for at in (1000.0, 1030.0, third_s)][-1] is verdict


def test_person_that_came_and_looked_gets_all_tries_again() -> None:
    retry = Retry()
    assert [retry.stalled(at) for at in (0.0, 1.0, 2.0)][-1] is Verdict.STOP_ROBOT
    assert [retry.stalled(at) for at in (3.0, 4.0, 5.0)] == [
        Verdict.PAUSE, Verdict.PAUSE, Verdict.STOP_ROBOT
    ]  # fmt: skip


def test_stalls_are_forgotten() -> None:
    retry = Retry()
    assert {retry.stalled(at) for at in (0.0, 31.0, 62.0, 93.0)} == {Verdict.PAUSE}
