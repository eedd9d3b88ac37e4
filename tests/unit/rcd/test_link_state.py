"""State of the RC link as published: the whole table of phases and events, typed by hand."""

import pytest

from saint_services.lib.api.rc import FailsafeAction
from saint_services.rcd.link_state import Blocker, LinkPhase, LinkState

IDLE, LIVE, QUIET, WAITING, LOST, RELEASED = LinkPhase
# Phase: the next one after a frame, missing frames, a loss that the standby receiver covers, a
# loss of all, a blocker, and an acquisition that timed out.
TABLE = {
    IDLE: (LIVE, IDLE, IDLE, IDLE, IDLE, IDLE),
    LIVE: (LIVE, QUIET, WAITING, LOST, RELEASED, LIVE),
    QUIET: (LIVE, QUIET, WAITING, LOST, RELEASED, QUIET),
    WAITING: (LIVE, WAITING, WAITING, LOST, RELEASED, WAITING),
    LOST: (LIVE, LOST, WAITING, LOST, RELEASED, LOST),
    RELEASED: (LIVE, RELEASED, RELEASED, RELEASED, RELEASED, LOST),
}


@pytest.mark.parametrize("phase", list(LinkPhase))
def test_each_event_changes_the_phase_and_returns_whether_to_publish(phase: LinkPhase) -> None:
    events = (
        LinkState.missing,
        LinkState.wait_for_standby,
        LinkState.lose,
        LinkState.acquisition_timed_out,
    )
    frame, missing, wait, lose, block, timed_out = TABLE[phase]
    for event, expected in zip(events, (missing, wait, lose, timed_out), strict=True):
        link = LinkState(phase, set())
        assert event(link) is (expected is not phase), event
        assert link.phase is expected, event
    link = LinkState(phase, set())
    assert link.frame()
    assert link.phase is frame
    link = LinkState(phase, set())
    assert link.block(Blocker.LINE) is (phase is not IDLE)
    assert link.phase is block


@pytest.mark.parametrize("blocker", list(Blocker))
def test_blocker_permits_neither_driving_nor_a_loss_until_removed(blocker: Blocker) -> None:
    link = LinkState(LIVE, set())
    link.block(blocker)
    assert not link.frame() and not link.acquisition_timed_out()
    assert link.phase is RELEASED
    link.unblock(blocker)
    assert link.frame() and link.phase is LIVE


def test_all_blockers_must_be_removed() -> None:
    link = LinkState()
    link.block(Blocker.CALIBRATION)
    link.unblock(Blocker.OFF)
    link.unblock(Blocker.LINE)
    assert not link.frame()
    link.unblock(Blocker.CALIBRATION)
    assert link.frame()


def test_receiver_is_off_and_silent_at_the_start() -> None:
    link = LinkState()
    assert link.phase is IDLE and link.blockers == {Blocker.OFF}
    assert not link.frame()


@pytest.mark.parametrize(
    ("phase", "published"),
    [
        (IDLE, (None, None, None, None)),
        (LIVE, (None, None, None, None)),
        (QUIET, ("hold", "hold", "hold", "hold")),
        (WAITING, ("hold", "hold", "hold", "passthrough")),
        (LOST, ("hold", "neutral", "estop", "passthrough")),
        (RELEASED, (None, None, None, None)),
    ],
)
def test_published_action_depends_on_the_phase(
    phase: LinkPhase, published: tuple[FailsafeAction | None, ...]
) -> None:
    wanted: tuple[FailsafeAction, ...] = ("hold", "neutral", "estop", "passthrough")
    assert tuple(LinkState(phase, set()).action(each) for each in wanted) == published
    assert LinkState(phase).is_lost is (phase in (IDLE, LOST, RELEASED))
