"""What the robot is told of the RC signal: the whole table of phases and events, typed by hand."""

import pytest

from saint_services.lib.api.rc import FailsafeAction
from saint_services.rcd.link_state import Blocker, LinkPhase, LinkState

IDLE, LIVE, QUIET, WAITING, LOST, RELEASED = LinkPhase
# Phase: what it becomes by a frame, by missing frames, by a loss that the other receiver makes
# good, by a loss, by work that begins, and when the time to come back is over.
TABLE = {
    IDLE: (LIVE, IDLE, IDLE, IDLE, IDLE, IDLE),
    LIVE: (LIVE, QUIET, WAITING, LOST, RELEASED, LIVE),
    QUIET: (LIVE, QUIET, WAITING, LOST, RELEASED, QUIET),
    WAITING: (LIVE, WAITING, WAITING, LOST, RELEASED, WAITING),
    LOST: (LIVE, LOST, WAITING, LOST, RELEASED, LOST),
    RELEASED: (LIVE, RELEASED, RELEASED, RELEASED, RELEASED, LOST),
}


@pytest.mark.parametrize("phase", list(LinkPhase))
def test_each_event_leads_on_and_says_whether_that_is_news(phase: LinkPhase) -> None:
    events = (LinkState.missing, LinkState.wait, LinkState.lose, LinkState.overdue)
    frame, missing, wait, lose, begin, overdue = TABLE[phase]
    for event, expected in zip(events, (missing, wait, lose, overdue), strict=True):
        telling = LinkState(phase, set())
        assert event(telling) is (expected is not phase), event
        assert telling.phase is expected, event
    telling = LinkState(phase, set())
    assert telling.frame()
    assert telling.phase is frame
    telling = LinkState(phase, set())
    assert telling.begin(Blocker.LINE) is (phase is not IDLE)
    assert telling.phase is begin


@pytest.mark.parametrize("work", list(Blocker))
def test_work_lets_nothing_drive_and_no_loss_be_told_until_it_is_done(work: Blocker) -> None:
    telling = LinkState(LIVE, set())
    telling.begin(work)
    assert not telling.frame() and not telling.overdue()
    assert telling.phase is RELEASED
    telling.end(work)
    assert telling.frame() and telling.phase is LIVE


def test_all_work_must_be_done() -> None:
    telling = LinkState()
    telling.begin(Blocker.CALIBRATION)
    telling.end(Blocker.OFF)
    telling.end(Blocker.LINE)
    assert not telling.frame()
    telling.end(Blocker.CALIBRATION)
    assert telling.frame()


def test_receiver_is_off_and_silent_at_the_start() -> None:
    telling = LinkState()
    assert telling.phase is IDLE and telling.works == {Blocker.OFF}
    assert not telling.frame()


@pytest.mark.parametrize(
    ("phase", "told"),
    [
        (IDLE, (None, None, None, None)),
        (LIVE, (None, None, None, None)),
        (QUIET, ("hold", "hold", "hold", "hold")),
        (WAITING, ("hold", "hold", "hold", "passthrough")),
        (LOST, ("hold", "neutral", "estop", "passthrough")),
        (RELEASED, (None, None, None, None)),
    ],
)
def test_what_is_told_depends_on_the_phase(
    phase: LinkPhase, told: tuple[FailsafeAction | None, ...]
) -> None:
    wanted: tuple[FailsafeAction, ...] = ("hold", "neutral", "estop", "passthrough")
    assert tuple(LinkState(phase, set()).action(each) for each in wanted) == told
    assert LinkState(phase).is_lost is (phase in (IDLE, LOST, RELEASED))
