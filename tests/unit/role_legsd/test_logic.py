"""The mode machine: what rises, when, and why not."""

import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saint_services.lib.walker.model import Severity, WalkAlert, WalkMode, WalkState
from saint_services.role_legsd.logic import DAMP_FIRST, Times, WalkMachine, requested_mode
from tests.examples import examples

UPRIGHT = WalkState(WalkMode.DAMP)
LYING = replace(UPRIGHT, gravity=(1.0, 0.0, 0.0))


def obedient(machine: WalkMachine, seconds: float, request: float, now_s: float) -> float:
    """Let time pass with a controller that does what it is commanded, and a held request."""
    for _ in range(round(seconds * 100)):
        machine.request(request, now_s)
        machine.report(replace(UPRIGHT, mode=machine.mode), now_s)
        machine.command(now_s)
        now_s += 0.01
    return now_s


def standing() -> tuple[WalkMachine, float]:
    machine = WalkMachine(Times())
    now_s = obedient(machine, 0.1, 0, 10.0)
    now_s = obedient(machine, 2.7, 1, now_s)
    assert machine.mode is WalkMode.STAND
    return machine, now_s


@pytest.mark.parametrize(
    ("number", "mode"),
    [(0, 0), (0.99, 1), (0.98, 0), (1.7, 1), (3.0, 3), (3.009, 3), (3.1, 0), (-1, 0),
     (math.nan, 0), (math.inf, 0)],
)  # fmt: skip
def test_number_between_two_modes_is_the_lower_one(number: float, mode: int) -> None:
    assert requested_mode(number) == mode


def test_modes_rise_one_after_the_other_each_after_its_time() -> None:
    machine = WalkMachine(Times())
    now_s = obedient(machine, 0.1, 0, 10.0)
    now_s = obedient(machine, 0.02, 1, now_s)
    assert machine.mode is WalkMode.STAND
    now_s = obedient(machine, 2.3, 3, now_s)
    assert machine.mode is WalkMode.STAND
    assert machine.reason.startswith("still standing up: 0.")
    now_s = obedient(machine, 0.3, 3, now_s)
    assert (machine.mode, machine.reason[:15]) == (WalkMode.BALANCE, "still balancing")
    obedient(machine, 0.6, 3, now_s)
    assert (machine.mode, machine.reason) == (WalkMode.MOVE, "")


@pytest.mark.parametrize("request_number", [2, 3])
def test_robot_does_not_stand_up_because_it_is_to_walk(request_number: float) -> None:
    machine = WalkMachine(Times())
    now_s = obedient(machine, 0.1, 0, 10.0)
    obedient(machine, 5.0, request_number, now_s)
    assert machine.mode is WalkMode.DAMP
    assert machine.reason.startswith("request stand before")


def test_first_request_must_be_to_damp() -> None:
    machine = WalkMachine(Times())
    machine.report(UPRIGHT, 10.0)
    obedient(machine, 1.0, 1, 10.0)
    assert (machine.mode, machine.reason) == (WalkMode.DAMP, DAMP_FIRST)


def test_modes_fall_at_once() -> None:
    machine, now_s = standing()
    machine.request(0, now_s)
    assert machine.command(now_s).mode is WalkMode.DAMP


def test_after_a_stop_nothing_rises_before_damp_was_requested() -> None:
    machine, now_s = standing()
    machine.stop("emergency stop", now_s)
    assert machine.reason == "emergency stop: the robot sits down or falls"
    now_s = obedient(machine, 1.0, 1, now_s)
    assert (machine.mode, machine.reason) == (WalkMode.DAMP, DAMP_FIRST)
    now_s = obedient(machine, 0.05, 0, now_s)
    obedient(machine, 0.05, 1, now_s)
    assert machine.mode is WalkMode.STAND


@pytest.mark.parametrize(
    ("state", "fault"),
    [
        (WalkState(WalkMode.FAULT), "the controller is damped by a fault"),
        (WalkState(WalkMode.STAND, error_flags=1 << 8 | 1), "the robot fell"),
        (WalkState(WalkMode.STAND, alerts=(WalkAlert(13, Severity.CRITICAL),)),
         "the battery protects itself"),
        (WalkState(WalkMode.IMITATION), "the controller plays a recorded motion back"),
        (WalkState(WalkMode.STAND, is_emergency=True),
         "the controller reports an emergency stop"),
    ],
)  # fmt: skip
def test_fault_of_the_controller_damps_at_once_and_lasts_until_damp_is_requested(
    state: WalkState, fault: str
) -> None:
    machine, now_s = standing()
    machine.report(state, now_s)
    assert (machine.command(now_s).mode, machine.fault, machine.shown) == (
        WalkMode.DAMP, fault, "fault",
    )  # fmt: skip
    now_s = obedient(machine, 1.0, 1, now_s + 0.01)
    assert machine.mode is WalkMode.DAMP
    assert machine.reason.startswith("request damp first")
    now_s = obedient(machine, 0.05, 0, now_s)
    assert (machine.fault, machine.shown) == ("", "damp")


def test_warning_is_no_fault() -> None:
    machine, now_s = standing()
    state = replace(UPRIGHT, mode=WalkMode.STAND, alerts=(WalkAlert(27, Severity.WARNING),))
    machine.report(state, now_s)
    assert machine.command(now_s).mode is WalkMode.STAND


def test_controller_that_does_not_report_is_damped_after_a_quarter_of_a_second() -> None:
    machine, now_s = standing()
    assert machine.command(now_s + 0.23).mode is WalkMode.STAND
    assert machine.command(now_s + 0.26).mode is WalkMode.DAMP
    assert machine.fault == "the controller does not report"


def test_controller_that_damped_itself_is_not_commanded_to_stand_again() -> None:
    machine, now_s = standing()
    machine.report(UPRIGHT, now_s)
    assert machine.command(now_s).mode is WalkMode.DAMP
    assert machine.fault == "the controller has damped itself during stand"


def test_robot_that_leans_is_damped_once_it_balances_but_not_while_it_stands_up() -> None:
    machine, now_s = standing()
    machine.report(replace(LYING, mode=WalkMode.STAND), now_s)
    assert machine.command(now_s).mode is WalkMode.STAND
    machine, now_s = standing()
    now_s = obedient(machine, 0.5, 2, now_s)
    assert machine.mode is WalkMode.BALANCE
    machine.report(replace(LYING, mode=WalkMode.MOVE), now_s)
    assert machine.fault == "the robot leans by more than 45 degrees"


def test_robot_that_lies_while_it_should_stand_never_balances() -> None:
    machine = WalkMachine(Times())
    now_s = obedient(machine, 0.1, 0, 10.0)
    for _ in range(1000):
        machine.request(2 if machine.mode is WalkMode.STAND else 1, now_s)
        machine.report(replace(LYING, mode=machine.mode), now_s)
        now_s += 0.01
    assert machine.mode is WalkMode.STAND
    assert machine.reason == "the controller does not report stand, upright, yet"


def test_velocity_counts_in_move_alone() -> None:
    machine, now_s = standing()
    machine.velocity = (0.3, 0.0, 0.0)
    assert machine.command(now_s).vx == 0.0
    now_s = obedient(machine, 2.0, 3, now_s)
    assert machine.command(now_s).vx == 0.3


events = st.one_of(
    st.tuples(st.just("request"), st.sampled_from([0, 1, 2, 3, 1.5, -1, math.nan])),
    st.tuples(st.just("obey"), st.floats(0.01, 3.0)),
    st.tuples(st.just("report"), st.sampled_from(list(WalkMode))),
    st.tuples(st.just("lean"), st.floats(0.01, 0.6)),
    st.tuples(st.just("alert"), st.integers(0, 47)),
    st.tuples(st.just("silence"), st.floats(0.01, 0.6)),
    st.tuples(st.just("stop"), st.just(0)),
)


@settings(max_examples=examples(200))
@given(st.lists(events, max_size=40))
def test_no_history_enters_a_mode_without_those_before(history: list[tuple[str, float]]) -> None:
    machine = WalkMachine(Times(stand_s=0.4, settle_s=0.1))
    now_s, wanted, before = 10.0, 0.0, WalkMode.DAMP
    stood_s = balanced_s = 0.0  # in a row, as reported by the controller, upright
    for kind, value in history:
        steps = round(value * 100) if kind in ("obey", "lean", "silence") else 1
        for _ in range(steps):
            if kind == "request":
                wanted = value
            machine.request(wanted, now_s)
            if kind == "stop":
                machine.stop("stop", now_s)
            elif kind in ("report", "alert", "obey", "lean"):
                state = replace(UPRIGHT if kind != "lean" else LYING, mode=machine.mode)
                if kind == "report":
                    state = replace(state, mode=WalkMode(int(value)))
                if kind == "alert":
                    severity = Severity(min(int(value) // 16, 2))
                    state = replace(state, alerts=(WalkAlert(int(value), severity),))
                machine.report(state, now_s)
            mode = machine.command(now_s).mode
            assert mode <= max(before + 1, WalkMode.STAND if before is WalkMode.DAMP else 0)
            assert mode is WalkMode.DAMP or mode <= requested_mode(wanted)
            if mode is WalkMode.BALANCE and before < WalkMode.BALANCE:
                assert stood_s >= 0.49
            if mode is WalkMode.MOVE and before < WalkMode.MOVE:
                assert balanced_s >= 0.09
            stood_s = stood_s + 0.01 if mode is before is WalkMode.STAND else 0.0
            balanced_s = balanced_s + 0.01 if mode is before is WalkMode.BALANCE else 0.0
            before = mode
            now_s += 0.01
