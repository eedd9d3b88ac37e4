"""When the address is looked at and a release downloaded."""

import random
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from saint_services.otad.sources import schedule
from saint_services.otad.sources.schedule import (
    ImportAct,
    ImportSituation,
    ImportStep,
    WaitReason,
    next_step,
)

DAY_S = 86400.0
NOW = ImportSituation(now_s=1000.0, is_on=True, due_s=900.0, rest_since_s=0.0)
TIMES = st.floats(min_value=0, max_value=1e6)
SITUATIONS = st.builds(
    ImportSituation,
    now_s=TIMES, is_on=st.booleans(), due_s=TIMES, is_requested=st.booleans(),
    has_found=st.booleans(), is_wanted=st.booleans(), retry_s=TIMES,
    is_window_open=st.booleans(), rest_since_s=st.none() | TIMES,
)  # fmt: skip


@given(SITUATIONS)
def test_nothing_is_done_while_outputs_are_live_or_nobody_knows(found: ImportSituation) -> None:
    step = next_step(replace(found, rest_since_s=None))
    assert step.act in (ImportAct.WAIT, ImportAct.OFF)


@given(SITUATIONS)
def test_switched_off_means_off(found: ImportSituation) -> None:
    assert next_step(replace(found, is_on=False)) == ImportStep(ImportAct.OFF)


@given(SITUATIONS)
def test_download_by_itself_stays_within_the_window(found: ImportSituation) -> None:
    closed = replace(found, is_window_open=False, is_wanted=False)
    assert next_step(closed).act is not ImportAct.DOWNLOAD


@given(SITUATIONS)
def test_wait_has_an_end_in_the_future_or_a_change_to_wait_for(found: ImportSituation) -> None:
    step = next_step(found)
    if step.act is ImportAct.WAIT:
        assert step.until_s is None or step.until_s > found.now_s
        assert step.until_s is not None or step.reason is WaitReason.REST


@given(SITUATIONS)
def test_wait_leads_on(found: ImportSituation) -> None:
    """At the end of a wait something else is decided, so no robot stands still."""
    step = next_step(found)
    if step.act is ImportAct.WAIT and step.until_s is not None:
        later = next_step(replace(found, now_s=step.until_s, is_window_open=True))
        assert later.act is not ImportAct.WAIT or later.until_s != step.until_s


@given(SITUATIONS)
def test_rest_is_half_a_minute_unless_a_user_requests_it(found: ImportSituation) -> None:
    act = next_step(found).act
    rested_s = found.now_s - (found.rest_since_s or 0.0)
    if act is ImportAct.LOOK and not found.is_requested:
        assert rested_s >= 29.9
    if act is ImportAct.DOWNLOAD and not found.is_wanted:
        assert rested_s >= 29.9


def test_look_comes_before_a_download() -> None:
    assert next_step(replace(NOW, has_found=True)).act is ImportAct.LOOK
    later = replace(NOW, has_found=True, due_s=2000.0)
    assert next_step(later).act is ImportAct.DOWNLOAD


def test_closed_window_is_looked_at_again_though_the_clock_may_be_set() -> None:
    step = next_step(replace(NOW, has_found=True, due_s=9e6, is_window_open=False))
    assert step == ImportStep(ImportAct.WAIT, 1900.0, WaitReason.WINDOW)
    wanted = replace(NOW, has_found=True, due_s=9e6, is_window_open=False, is_wanted=True)
    assert next_step(wanted).act is ImportAct.DOWNLOAD


def test_user_need_not_wait_for_half_a_minute_of_rest() -> None:
    fresh = replace(NOW, rest_since_s=999.0)
    assert next_step(fresh) == ImportStep(ImportAct.WAIT, 1029.0, WaitReason.REST)
    assert next_step(replace(fresh, is_requested=True)).act is ImportAct.LOOK


@given(st.floats(min_value=0, max_value=1, exclude_max=True), st.integers(1, 720))
def test_robots_come_once_a_period_but_not_all_at_once(roll: float, hours: int) -> None:
    assert 120 <= schedule.first_s(roll) <= 600
    assert 3239 * hours <= schedule.period_s(hours, roll) <= 3961 * hours


@given(st.integers(1, 10**6), st.integers(1, 720), st.floats(0, 1))
def test_pause_grows_to_an_hour(failures: int, hours: int, roll: float) -> None:
    pause_s = schedule.pause_s(failures, hours, roll)
    assert 53.9 <= pause_s <= 3960.1
    assert schedule.pause_s(failures + 1, hours, 0.5) >= schedule.pause_s(failures, hours, 0.5)


def test_server_that_fails_for_a_week_gets_few_requests() -> None:
    roll = random.Random(7).random
    now_s, requests = 0.0, 0
    while now_s < 7 * DAY_S:
        requests += 1
        now_s += schedule.pause_s(requests, 24, roll())
    assert requests < 7 * 24 * 1.2 + 7
