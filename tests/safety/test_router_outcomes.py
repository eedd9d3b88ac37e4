"""What counts as a confirmed stop. Numbers are typed by hand."""

from saint_services.routerd.estop.outcomes import ReceivedReport, StopState, TargetOutcomes

TARGETS = ("head", "tracks")
HELD = {"head": "pi_1", "tracks": "pi_2"}


def stopped(holders: dict[str, str] | None = HELD) -> TargetOutcomes:
    return TargetOutcomes(TARGETS).held_by(holders).latched(7, 100.0, is_active=True)


def said(target: str, state: StopState = StopState.STOPPED, **changes: object) -> ReceivedReport:
    facts = {"generation": 7, "is_proven": True, "node_id": HELD[target], **changes}
    return ReceivedReport(target=target, state=state, **facts)  # type: ignore[arg-type]


def states(outcomes: TargetOutcomes) -> list[str]:
    return [each.state.value for each in outcomes.listed()]


def test_stop_that_nobody_confirmed_is_silent_everywhere() -> None:
    assert states(stopped()) == ["silent", "silent"]
    assert not stopped().is_confirmed


def test_stop_is_confirmed_with_its_times_when_everyone_has_answered() -> None:
    found = stopped().after(said("head"), 100.012).after(said("tracks", StopState.GUARD), 100.061)
    assert found.is_confirmed
    assert [(each.state.value, each.after_ms) for each in found.listed()] == [
        ("stopped", 12.0),
        ("guard", 61.0),
    ]


def test_stop_of_an_unproven_writer_is_not_believed() -> None:
    found = stopped().after(said("head", is_proven=False), 100.01).after(said("tracks"), 100.01)
    assert states(found) == ["silent", "stopped"] and not found.is_confirmed


def test_doubt_of_an_unproven_writer_counts_for_the_node_that_holds_the_role() -> None:
    found = stopped().after(said("head"), 100.01).after(said("tracks"), 100.01)
    doubt = found.after(said("head", StopState.STOPPING, is_proven=False), 100.02)
    assert states(doubt) == ["stopping", "stopped"] and not doubt.is_confirmed
    other = said("head", StopState.STOPPING, is_proven=False, node_id="other")
    assert found.after(other, 100.02) == found


def test_report_of_the_press_before_confirms_nothing() -> None:
    again = stopped().after(said("head"), 100.01).latched(8, 101.0, is_active=True)
    assert states(again.after(said("tracks"), 101.01)) == ["silent", "silent"]


def test_role_that_no_node_holds_is_absent_and_not_waited_for() -> None:
    found = stopped({"tracks": "pi_2"}).after(said("tracks"), 100.01)
    assert states(found) == ["absent", "stopped"] and found.is_confirmed


def test_everyone_is_expected_while_it_is_unknown_who_holds_what() -> None:
    found = stopped(None).after(said("tracks"), 100.01)
    assert states(found) == ["silent", "stopped"] and not found.is_confirmed


def test_role_that_moved_to_another_node_has_not_confirmed() -> None:
    found = stopped().after(said("head"), 100.01).held_by({"head": "pi_9", "tracks": "pi_2"})
    assert states(found) == ["silent", "silent"]


def test_first_confirmation_keeps_its_time() -> None:
    found = stopped().after(said("head"), 100.01).after(said("head", StopState.GUARD), 109.0)
    assert found.listed()[0].after_ms == 10.0


def test_nothing_is_listed_after_the_clear() -> None:
    found = stopped().after(said("head"), 100.01).latched(8, 101.0, is_active=False)
    assert found.listed() == () and not found.is_confirmed


def test_confirmation_of_the_same_press_outlasts_its_repetition() -> None:
    found = stopped().after(said("head"), 100.01)
    assert found.latched(7, 105.0, is_active=True) is found


def test_time_of_a_confirmation_is_to_a_tenth_of_a_millisecond_and_never_negative() -> None:
    assert stopped().after(said("head"), 100.01234).listed()[0].after_ms == 12.3
    assert stopped().after(said("head"), 100.0).listed()[0].after_ms == 0.0
    assert stopped().after(said("head"), 99.0).listed()[0].after_ms == 0.0


def test_doubt_of_the_node_before_is_still_shown() -> None:
    found = stopped().after(said("head", StopState.STOPPING), 100.01)
    moved = found.held_by({"head": "pi_9", "tracks": "pi_2"})
    assert states(moved) == ["stopping", "silent"]


def test_silent_role_is_listed_with_the_node_that_holds_it() -> None:
    assert [each.node_id for each in stopped().listed()] == ["pi_1", "pi_2"]
    assert [each.node_id for each in stopped(None).listed()] == ["", ""]
