"""The e-stop as the guard of a node gets it: raised by anyone, ended by the roles alone."""

from saint_services.noded.stopping import StopState


def test_stop_on_the_bus_counts_at_once() -> None:
    state = StopState()
    state.raised()
    assert state.is_active


def test_stop_ends_when_every_role_has_released_it() -> None:
    state = StopState()
    state.raised()
    state.reported(0, True)
    state.reported(1, True)
    state.reported(0, False)
    assert state.is_active
    state.reported(1, False)
    assert not state.is_active


def test_role_that_latched_by_itself_counts() -> None:
    state = StopState()
    state.reported(0, True)
    assert state.is_active


def test_role_that_was_taken_away_holds_nothing() -> None:
    state = StopState()
    state.reported(0, True)
    state.gone(0)
    assert not state.is_active
