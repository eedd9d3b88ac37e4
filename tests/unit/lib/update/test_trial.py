"""The rules after a restart, one by one: trial, verdict, rollback."""

from dataclasses import replace

import pytest

from saint_services.lib.api.firmware import UpdateState, UpdateVerdict
from saint_services.lib.update import events
from saint_services.lib.update.events import Update, UpdateLimits, WorkPart
from saint_services.lib.update.installer import SlotMark, Slots
from saint_services.lib.update.record import (
    BadRelease,
    LastUpdate,
    StateBefore,
    UpdateKind,
    UpdatePhase,
    UpdateRecord,
)
from saint_services.lib.update.status import firmware_status
from tests.unit.lib.update.step_rig import (
    BAD,
    GOOD,
    NEW,
    OLD,
    kinds,
    on_trial,
    pending,
    run,
    slots,
    started,
)

SILENT = WorkPart("role head", "no answer", "u")


def test_proven_slot_is_disarmed_and_marked_good():
    update, actions = run(Update(OLD), started(UpdateRecord(), "A"))
    assert kinds(actions) == ["Disarm", "SetMark", "SaveRecord", "PublishStatus"]
    assert actions[1] == GOOD
    assert update.record.slots == {"A": OLD}


def test_slot_that_was_given_up_and_is_all_that_starts_is_not_marked_good():
    record = UpdateRecord(bad=(BadRelease(version=NEW, checksum_sha256="c"),))
    update, actions = run(Update(NEW), started(record, "B"))
    assert GOOD not in actions
    assert "the other slot does not start" in firmware_status(update, "pi_1").reason


def passed(version: str, **slots: str) -> UpdateRecord:
    last = LastUpdate(version=version, attempt=1, verdict=UpdateVerdict.HEALTHY)
    return UpdateRecord(last=last, slots=slots)


def test_release_that_was_left_without_a_verdict_is_named_with_the_way_to_it():
    """Three starts that a bouncing switch cut short look to the boot loader like a dead slot."""
    update, actions = run(Update(OLD), started(passed(NEW, A=OLD, B=NEW), "A"))
    assert GOOD in actions
    status = firmware_status(update, "pi_1")
    assert f"slot A runs {OLD}, although {NEW} passed in slot B" in status.reason
    assert f"saintctl firmware rollout {NEW}" in status.reason
    assert (status.target_version, status.verdict) == (NEW, "healthy")
    update, _ = run(Update(NEW), started(passed(NEW, A=OLD, B=NEW), "B"))
    assert firmware_status(update, "pi_1").reason == ""


@pytest.mark.parametrize(
    ("record", "version"),
    [
        (passed(OLD, A=OLD, B=NEW), OLD),  # a user rolled back to it
        (passed(NEW, A=OLD), OLD),  # that slot was rejected since
        (UpdateRecord(slots={"A": OLD, "B": NEW}), OLD),
    ],
)
def test_release_that_runs_by_a_decision_is_no_fault(record: UpdateRecord, version: str):
    assert not firmware_status(run(Update(version), started(record, "A"))[0], "pi_1").reason


def test_trial_marks_nothing_until_it_has_passed():
    update = on_trial(UpdateLimits(settle_s=10.0))
    assert update.state is UpdateState.VERIFYING
    update, actions = run(update, events.HealthChecked(0.0), events.HealthChecked(9.0))
    assert actions == []
    update, actions = run(update, events.HealthChecked(10.0))
    assert actions == [GOOD]
    assert update.state is UpdateState.VERIFYING
    update, actions = run(update, events.Marked(SlotMark.GOOD))
    assert kinds(actions) == ["Disarm", "SaveRecord", "PublishStatus"]
    assert (update.state, update.record.last.verdict) == (UpdateState.IDLE, UpdateVerdict.HEALTHY)


def test_trial_that_falters_starts_its_settling_again():
    update = on_trial(UpdateLimits(settle_s=10.0))
    ill = events.HealthChecked(5.0, parts=(SILENT,))
    update, actions = run(
        update,
        events.HealthChecked(0.0),
        ill,
        events.HealthChecked(6.0),
        events.HealthChecked(15.0),
    )
    assert GOOD not in actions
    assert GOOD in run(update, events.HealthChecked(16.0))[1]


def test_trial_is_given_its_whole_time_before_it_is_condemned():
    update = on_trial(UpdateLimits(health_timeout_s=120.0))
    update, actions = run(update, events.HealthChecked(119.0, parts=(SILENT,)))
    assert "ReadLog" not in kinds(actions)
    update, actions = run(update, events.HealthChecked(120.0, parts=(SILENT,)))
    assert actions == [events.ReadLog(("u",))]
    update, actions = run(update, events.LogRead("x" * 9000))
    assert kinds(actions) == ["SaveRecord", "SetMark", "PublishStatus"]
    assert actions[1] == BAD
    assert len(firmware_status(update, "pi_1").log_excerpt) == 4096


def test_failed_unit_that_was_well_before_ends_a_trial_early_and_a_broken_one_does_not():
    record = pending(UpdatePhase.SWITCHED, before=StateBefore(failed_units=("old.service",)))
    update, _ = run(Update(NEW, UpdateLimits(settle_s=10.0)), started(record, "B"))
    seen = events.HealthChecked(0.0, failed_units=("old.service",))
    assert run(update, seen, replace(seen, now_s=10.0))[1][-1] == GOOD
    seen = events.HealthChecked(0.0, failed_units=("old.service", "new.service"))
    _, actions = run(update, seen, replace(seen, now_s=10.0))
    assert actions[-1] == events.ReadLog(("new.service",))


def test_role_that_dies_three_times_ends_a_trial_early():
    _, actions = run(
        on_trial(), events.HealthChecked(5.0, parts=(WorkPart("role head", crashes=3, unit="u"),))
    )
    assert actions == [events.ReadLog(("u",))]


@pytest.mark.parametrize(
    ("before", "is_well"),
    [
        (StateBefore(failed_units=("role head",)), True),
        (StateBefore(failed_units=("role tracks",)), False),
        (StateBefore(failed_units=("old.service",)), True),  # noted by a release before
        (StateBefore(role_answered=True), False),
    ],
)
def test_each_role_is_judged_by_how_it_was_before(before: StateBefore, is_well: bool):
    record = pending(UpdatePhase.SWITCHED, before=before)
    update, _ = run(Update(NEW, UpdateLimits(settle_s=0.0)), started(record, "B"))
    seen = events.HealthChecked(1.0, parts=(SILENT, WorkPart("role tracks")))
    update, actions = run(update, seen)
    assert (GOOD in actions) is is_well
    assert update.fault == ("" if is_well else "no answer")


def test_deaths_of_a_role_that_was_ill_before_condemn_nothing():
    before = StateBefore(failed_units=("role head",))
    update, _ = run(
        Update(NEW, UpdateLimits()), started(pending(UpdatePhase.SWITCHED, before=before), "B")
    )
    _, actions = run(update, events.HealthChecked(5.0, parts=(replace(SILENT, crashes=9),)))
    assert "ReadLog" not in kinds(actions)


def test_what_comes_and_goes_does_not_pass():
    update = on_trial(UpdateLimits(health_timeout_s=100.0, settle_s=10.0))
    happened: list[events.Action] = []
    for second in range(0, 200, 4):
        head = SILENT if second % 8 else replace(SILENT, problem="")
        update, actions = run(update, events.HealthChecked(float(second), parts=(head,)))
        happened += actions
    assert GOOD not in happened
    assert "ReadLog" in kinds(happened)


def test_server_that_answered_before_has_to_answer():
    record = pending(UpdatePhase.SWITCHED, before=StateBefore(server_answers=True))
    update, _ = run(Update(NEW, UpdateLimits(settle_s=0.0)), started(record, "B"))
    assert run(update, events.HealthChecked(1.0))[1] != [GOOD]
    assert run(update, events.HealthChecked(1.0, server_answers=True))[1] == [GOOD]


def after_a_trial_without_the_server(*checks: events.HealthChecked) -> Update:
    """The old slot, after a trial that failed; the server had answered before."""
    record = pending(UpdatePhase.SWITCHED, before=StateBefore(server_answers=True))
    update, _ = run(Update(NEW), started(record, "B"), *checks, events.LogRead(""))
    assert update.state is UpdateState.RESTARTING
    return run(Update(OLD), started(update.record, "A"))[0]


def test_release_is_not_bad_for_a_server_that_was_switched_off():
    early = replace(SILENT, problem="the role head is being started")
    old = after_a_trial_without_the_server(
        events.HealthChecked(1.0, parts=(early,)), events.HealthChecked(120.0)
    )
    last = old.record.last
    assert last.verdict is UpdateVerdict.ROLLED_BACK
    assert last.reason == "the server, which answered before the update, is not online"
    assert not old.record.is_bad(NEW) and "B" not in old.record.slots
    offer = events.InstallRequested(events.WantedRelease(NEW, "http://x"))
    assert run(old, offer)[0].state is UpdateState.INSTALLING
    # Like a power cut: without end, but not at each offer.
    assert last.cuts == 1
    _, actions = run(Update(NEW), started(old.record, "B"))
    assert GOOD not in actions, "it has not passed"


def test_release_is_bad_for_what_failed_beside_the_server():
    check = events.HealthChecked(120.0, bus_problem="the bus is down")
    old = after_a_trial_without_the_server(check)
    assert old.record.is_bad(NEW)


def test_trial_whose_slot_cannot_be_marked_good_is_condemned_in_the_end():
    update = on_trial(UpdateLimits(health_timeout_s=60.0, settle_s=0.0))
    update, actions = run(
        update,
        events.HealthChecked(1.0),
        events.ActionFailed(GOOD, "the card is full"),
        events.HealthChecked(2.0),
        events.ActionFailed(GOOD, "the card is full"),
    )
    assert actions == [GOOD, GOOD]
    update, actions = run(update, events.HealthChecked(61.0))
    assert kinds(actions) == ["ReadLog"]
    assert "the card is full" in update.condemned_for


def test_trial_without_the_installer_waits_for_it_and_rolls_back_in_the_end():
    record = pending(UpdatePhase.SWITCHED)
    state_read = events.StateRead(0.0, record, "B", None, "RAUC does not run here")
    update, actions = run(Update(NEW), state_read)
    assert (update.state, kinds(actions)) == (UpdateState.VERIFYING, ["PublishStatus"])
    update, _ = run(update, events.HealthChecked(120.0), events.LogRead(""))
    update, actions = run(update, events.ActionFailed(BAD, "no RAUC"), events.TimePassed(121.0))
    assert isinstance(actions[-1], events.Restart)


def test_condemned_slot_that_starts_again_is_left_without_another_look():
    record = pending(UpdatePhase.CONDEMNED, reason="webd failed")
    _, actions = run(Update(NEW), started(record, "B"), events.TimePassed(1.0))
    assert kinds(actions) == ["SetMark", "PublishStatus", "StopWork", "Restart"]
    assert actions[0] == BAD


def test_dead_man_does_not_force_a_restart_that_waits_for_safe_outputs():
    ill = events.HealthChecked(120.0, parts=(SILENT,))
    live = events.BlockedChanged("outputs are live")
    update, _ = run(on_trial(), live, ill, events.LogRead(""))
    update, actions = run(update, events.TimePassed(121.0), events.TimePassed(122.0))
    assert actions == [events.Disarm()]
    record = pending(UpdatePhase.CONDEMNED, reason="webd failed")  # power was lost meanwhile
    _, actions = run(Update(NEW), started(record, "B"), live, events.TimePassed(1.0))
    assert actions[-1] == events.Disarm()


def test_dead_man_stays_for_a_release_that_cannot_be_restarted():
    ill = events.HealthChecked(120.0, parts=(SILENT,))
    _, actions = run(on_trial(), ill, events.LogRead(""), events.TimePassed(121.0))
    assert "Restart" in kinds(actions) and "Disarm" not in kinds(actions)


@pytest.mark.parametrize(
    ("record", "where", "verdict", "reason"),
    [
        (
            pending(UpdatePhase.CONDEMNED, reason="webd failed", log_excerpt="boom"),
            slots(activations=1),
            UpdateVerdict.ROLLED_BACK,
            "webd failed",
        ),
        (
            pending(UpdatePhase.SWITCHED),
            slots(activations=1),
            UpdateVerdict.ROLLED_BACK,
            "slot B never reached its health check (3 tries)",
        ),
        (
            pending(UpdatePhase.WRITING),
            slots(activations=1),  # the power went before that could be noted
            UpdateVerdict.ROLLED_BACK,
            "slot B never reached its health check (3 tries)",
        ),
        (
            pending(UpdatePhase.WRITING),
            slots(),
            UpdateVerdict.FAILED,
            "writing 1.1 was interrupted by a restart or by the installer's end",
        ),
        (
            pending(UpdatePhase.WRITING, kind=UpdateKind.ROLLBACK),
            slots(),
            UpdateVerdict.FAILED,
            "the machine restarted before it had switched the slots",
        ),
    ],
)
def test_old_slot_that_is_back_gives_the_verdict(
    record: UpdateRecord, where: Slots, verdict: UpdateVerdict, reason: str
):
    update, actions = run(Update(OLD), started(record, "A", slots=where))
    last = update.record.last
    assert (last.verdict, last.reason, last.attempt) == (verdict, reason, 1)
    assert update.record.is_bad(NEW) is (verdict is UpdateVerdict.ROLLED_BACK)
    assert kinds(actions)[:2] == ["Disarm", "ResumeWork"]
    assert kinds(actions)[-2:] == ["SaveRecord", "PublishStatus"]
    assert GOOD in actions
    other = events.SetMark(SlotMark.BAD, "other")
    assert (other in actions) is (verdict is UpdateVerdict.ROLLED_BACK)


def test_process_that_was_restarted_before_the_machine_requests_again_with_a_limit():
    record = pending(UpdatePhase.SWITCHED, restarts=1)
    for _ in range(2):
        where = slots(primary="B", activations=1)
        update, actions = run(
            Update(OLD), started(record, "A", slots=where), events.TimePassed(1.0)
        )
        assert isinstance(actions[-1], events.Restart)
        record = update.record
    update, actions = run(Update(OLD), started(record, "A", slots=where), events.TimePassed(1.0))
    assert update.record.last.verdict is UpdateVerdict.ROLLED_BACK
    assert "Restart" not in kinds(actions)


def test_card_that_came_from_another_machine_is_settled():
    record = pending(UpdatePhase.SWITCHED, from_slot="X", to_slot="Y")
    update, _ = run(Update(OLD), started(record, "A"))
    assert update.record.last.verdict is UpdateVerdict.FAILED
