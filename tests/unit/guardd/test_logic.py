"""When a will is carried out: the rules, with hand-typed limits."""

from hypothesis import given
from hypothesis import strategies as st

from saint_services.guardd.logic import (
    EStopState,
    Reading,
    Watched,
    carried_out,
    is_well,
    may_enable,
    period_ns,
    verdict,
)

MS = 1_000_000
CALM = EStopState()


def test_moving_role_that_beats_is_left_alone() -> None:
    assert verdict(Watched(0), Reading(1000 * MS, True), CALM, 1150 * MS) == ""


def test_moving_role_without_a_beat_for_151_ms_is_tripped() -> None:
    why = verdict(Watched(0), Reading(1000 * MS, True), CALM, 1151 * MS)
    assert why == "its process stood still for 151 ms"


def test_resting_role_needs_no_beat() -> None:
    assert verdict(Watched(0), Reading(0, False), CALM, 10_000 * MS) == ""


def test_new_role_is_not_judged_by_a_beat_from_before_its_will() -> None:
    assert verdict(Watched(1000 * MS), Reading(0, True), CALM, 1100 * MS) == ""


def test_stop_gives_a_role_60_ms_to_come_to_rest() -> None:
    stop = CALM.reported(True, 1000 * MS)
    assert verdict(Watched(0), Reading(1060 * MS, True), stop, 1060 * MS) == ""
    why = verdict(Watched(0), Reading(1060 * MS, True), stop, 1060 * MS + 1)
    assert why == "it still moved 60 ms after the e-stop"


def test_repeated_stop_does_not_prolong_the_time() -> None:
    stop = CALM.reported(True, 1000 * MS).reported(True, 1050 * MS)
    assert verdict(Watched(0), Reading(1070 * MS, True), stop, 1070 * MS)


def test_tripped_role_is_tripped_at_every_look() -> None:
    tripped = carried_out(Watched(0), "why", [], 0)
    assert verdict(tripped, Reading(5 * MS, False), CALM, 6 * MS) == "why"


@given(st.integers(0, 2_000 * MS), st.booleans(), st.booleans(), st.integers(0, 2_000 * MS))
def test_moving_role_is_never_unwatched_for_longer_than_150_ms(
    role_ns: int, is_moving: bool, is_stopped: bool, now_ns: int
) -> None:
    stop = EStopState(is_stopped, 0)
    why = verdict(Watched(0), Reading(role_ns, is_moving), stop, now_ns)
    if is_moving and now_ns - role_ns > 150 * MS:
        assert why
    if not is_moving:
        assert not why


def test_unplugged_device_does_not_restart_the_machine() -> None:
    failing = carried_out(Watched(0), "why", ["line: no such device"], 1000 * MS)
    assert is_well([failing], 9000 * MS)


def test_own_pin_that_refuses_for_two_seconds_makes_the_guard_unwell() -> None:
    failing = carried_out(Watched(0), "why", ["pin: refused"], 1000 * MS, is_refused=True)
    failing = carried_out(failing, "why", ["pin: refused"], 1500 * MS, is_refused=True)
    assert is_well([failing], 3000 * MS)
    assert not is_well([failing], 3000 * MS + 1)
    assert not is_well([Watched(0), failing], 3000 * MS + 1)  # one of several is enough
    assert is_well([carried_out(failing, "why", [], 2900 * MS)], 9000 * MS)


def test_enable_line_needs_a_role_no_trip_and_no_stop() -> None:
    assert may_enable([Watched(0)], CALM)
    assert not may_enable([], CALM)
    assert not may_enable([Watched(0)], EStopState(True, 0))
    assert not may_enable([Watched(0), carried_out(Watched(0), "why", [], 0)], CALM)


def test_guard_looks_often_while_something_moves_and_seldom_else() -> None:
    rest, motion = Reading(0, False), Reading(0, True)
    assert period_ns([Watched(0)], [rest], has_enable_line=False) == 50 * MS
    assert period_ns([Watched(0)], [motion], has_enable_line=False) == 20 * MS
    both = [Watched(0), Watched(0)]
    assert period_ns(both, [rest, motion], has_enable_line=False) == 20 * MS
    tripped = carried_out(Watched(0), "why", [], 0)
    assert period_ns([tripped, Watched(0)], [rest, rest], has_enable_line=False) == 20 * MS
    assert period_ns([tripped], [rest], has_enable_line=False) == 20 * MS
    assert period_ns([Watched(0)], [rest], has_enable_line=True) == 10 * MS  # 50 Hz
