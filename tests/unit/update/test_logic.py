"""The rules of an update, one by one."""

from dataclasses import replace

import pytest

from saint_services.lib.api.firmware import UpdateState, Verdict
from saint_services.lib.update import events as words
from saint_services.lib.update.events import Limits, Update, Wanted
from saint_services.lib.update.installer import Bundle, Mark, Slot, Slots
from saint_services.lib.update.logic import step
from saint_services.lib.update.record import (
    BadRelease,
    Before,
    Kind,
    LastTry,
    Pending,
    Phase,
    Record,
)
from saint_services.lib.update.report import firmware_status

OLD, NEW = "1.0", "1.1"
GOOD = words.SetMark(Mark.GOOD, "booted")
BAD = words.SetMark(Mark.BAD, "booted")


def slots(booted: str = "A", primary: str = "A", activations: int = 0) -> Slots:
    spare = "B" if booted == "A" else "A"
    other = Slot("x", spare, is_bootable=True, version="0.9", activations=activations)
    return Slots(Slot("y", booted, is_booted=True), other, primary, "robot")


def pending(phase: Phase, **more: object) -> Record:
    facts: dict[str, object] = {
        "kind": Kind.INSTALL,
        "phase": phase,
        "version": NEW,
        "from_version": OLD,
        "from_slot": "A",
        "to_slot": "B",
        "attempt": 1,
        "before": Before(role_answered=True),
    }
    return Record(pending=Pending(**(facts | more)))  # type: ignore[arg-type]


def started(record: Record, booted: str, **more: object) -> words.Looked:
    facts: dict[str, object] = {"slots": slots(booted), "slot": booted}
    return words.Looked(0.0, record, **(facts | more))  # type: ignore[arg-type]


def run(update: Update, *events: words.Event) -> tuple[Update, list[words.Action]]:
    done: list[words.Action] = []
    for event in events:
        update, actions = step(update, event)
        done += actions
    return update, done


def idle(**more: object) -> Update:
    update, _ = run(Update(OLD), started(Record(), "A"))
    return replace(update, **more)  # type: ignore[arg-type]


def on_trial(limits: Limits | None = None) -> Update:
    start = Update(NEW, limits or Limits())
    return run(start, started(pending(Phase.SWITCHED, restarts=1), "B"))[0]


def kinds(actions: list[words.Action]) -> list[str]:
    return [type(action).__name__ for action in actions]


def test_proven_slot_is_disarmed_and_marked_good():
    update, actions = run(Update(OLD), started(Record(), "A"))
    assert kinds(actions) == ["Disarm", "SetMark", "Save", "Tell"]
    assert actions[1] == GOOD
    assert update.record.slots == {"A": OLD}


def test_slot_that_was_given_up_and_is_all_that_starts_is_not_marked_good():
    record = Record(bad=(BadRelease(version=NEW, checksum_sha256="c"),))
    update, actions = run(Update(NEW), started(record, "B"))
    assert GOOD not in actions
    assert "the other slot does not start" in firmware_status(update, "pi_1").reason


def test_trial_marks_nothing_until_it_has_passed():
    update = on_trial(Limits(settle_s=10.0))
    assert update.state is UpdateState.VERIFYING
    update, actions = run(update, words.Checked(0.0), words.Checked(9.0))
    assert actions == []
    update, actions = run(update, words.Checked(10.0))
    assert actions == [GOOD]
    assert update.state is UpdateState.VERIFYING
    update, actions = run(update, words.Marked(Mark.GOOD))
    assert kinds(actions) == ["Disarm", "Save", "Tell"]
    assert (update.state, update.record.last.verdict) == (UpdateState.IDLE, Verdict.HEALTHY)


def test_trial_that_falters_starts_its_settling_anew():
    update = on_trial(Limits(settle_s=10.0))
    ill = words.Checked(5.0, role_problem="no answer")
    update, actions = run(update, words.Checked(0.0), ill, words.Checked(6.0), words.Checked(15.0))
    assert GOOD not in actions
    assert GOOD in run(update, words.Checked(16.0))[1]


def test_trial_is_given_its_whole_time_before_it_is_condemned():
    update = on_trial(Limits(health_timeout_s=120.0))
    update, actions = run(update, words.Checked(119.0, role_problem="no answer"))
    assert "ReadLog" not in kinds(actions)
    update, actions = run(update, words.Checked(120.0, role_problem="no answer", role_unit="u"))
    assert actions == [words.ReadLog(("u",))]
    update, actions = run(update, words.LogRead("x" * 9000))
    assert kinds(actions) == ["Save", "SetMark", "Tell"]
    assert actions[1] == BAD
    assert len(firmware_status(update, "pi_1").log_excerpt) == 4096


def test_failed_unit_that_was_well_before_ends_a_trial_early_and_a_broken_one_does_not():
    record = pending(Phase.SWITCHED, before=Before(failed_units=("old.service",)))
    update, _ = run(Update(NEW, Limits(settle_s=10.0)), started(record, "B"))
    seen = words.Checked(0.0, failed_units=("old.service",))
    assert run(update, seen, replace(seen, now_s=10.0))[1][-1] == GOOD
    seen = words.Checked(0.0, failed_units=("old.service", "new.service"))
    _, actions = run(update, seen, replace(seen, now_s=10.0))
    assert actions[-1] == words.ReadLog(("new.service",))


def test_role_that_dies_three_times_ends_a_trial_early():
    _, actions = run(on_trial(), words.Checked(5.0, role_deaths=3, role_unit="u"))
    assert actions == [words.ReadLog(("u",))]


def test_what_comes_and_goes_for_ever_does_not_pass():
    update = on_trial(Limits(health_timeout_s=100.0, settle_s=10.0))
    happened: list[words.Action] = []
    for second in range(0, 200, 4):
        problem = "no answer" if second % 8 else ""
        update, actions = run(update, words.Checked(float(second), role_problem=problem))
        happened += actions
    assert GOOD not in happened
    assert "ReadLog" in kinds(happened)


def test_server_that_was_heard_before_has_to_be_heard():
    record = pending(Phase.SWITCHED, before=Before(server_heard=True))
    update, _ = run(Update(NEW, Limits(settle_s=0.0)), started(record, "B"))
    assert run(update, words.Checked(1.0))[1] != [GOOD]
    assert run(update, words.Checked(1.0, server_heard=True))[1] == [GOOD]


def test_trial_whose_slot_cannot_be_marked_good_is_condemned_in_the_end():
    update = on_trial(Limits(health_timeout_s=60.0, settle_s=0.0))
    update, actions = run(
        update,
        words.Checked(1.0),
        words.ActionFailed(GOOD, "the card is full"),
        words.Checked(2.0),
        words.ActionFailed(GOOD, "the card is full"),
    )
    assert actions == [GOOD, GOOD]
    update, actions = run(update, words.Checked(61.0))
    assert kinds(actions) == ["ReadLog"]
    assert "the card is full" in update.condemned_for


def test_trial_without_the_installer_waits_for_it_and_goes_back_in_the_end():
    record = pending(Phase.SWITCHED)
    looked = words.Looked(0.0, record, "B", None, "RAUC does not run here")
    update, actions = run(Update(NEW), looked)
    assert (update.state, kinds(actions)) == (UpdateState.VERIFYING, ["Tell"])
    update, _ = run(update, words.Checked(120.0), words.LogRead(""))
    update, actions = run(update, words.ActionFailed(BAD, "no RAUC"), words.Ticked(121.0))
    assert isinstance(actions[-1], words.Restart)


def test_condemned_slot_that_starts_again_is_left_without_another_look():
    record = pending(Phase.CONDEMNED, reason="webd failed")
    _, actions = run(Update(NEW), started(record, "B"), words.Ticked(1.0))
    assert kinds(actions) == ["SetMark", "Tell", "Hold", "Restart"]
    assert actions[0] == BAD


@pytest.mark.parametrize(
    ("record", "where", "verdict", "reason"),
    [
        (
            pending(Phase.CONDEMNED, reason="webd failed", log_excerpt="boom"),
            slots(activations=1),
            Verdict.ROLLED_BACK,
            "webd failed",
        ),
        (
            pending(Phase.SWITCHED),
            slots(activations=1),
            Verdict.ROLLED_BACK,
            "slot B never reached its health check (3 tries)",
        ),
        (
            pending(Phase.WRITING),
            slots(activations=1),  # the power went before that could be noted
            Verdict.ROLLED_BACK,
            "slot B never reached its health check (3 tries)",
        ),
        (
            pending(Phase.WRITING),
            slots(),
            Verdict.FAILED,
            "writing 1.1 was cut off by a restart or by the installer's end",
        ),
        (
            pending(Phase.WRITING, kind=Kind.ROLLBACK),
            slots(),
            Verdict.FAILED,
            "the machine restarted before it had switched the slots",
        ),
    ],
)
def test_old_slot_that_is_back_gives_the_verdict(
    record: Record, where: Slots, verdict: Verdict, reason: str
):
    update, actions = run(Update(OLD), started(record, "A", slots=where))
    last = update.record.last
    assert (last.verdict, last.reason, last.attempt) == (verdict, reason, 1)
    assert update.record.is_bad(NEW) is (verdict is Verdict.ROLLED_BACK)
    assert kinds(actions)[-3:] == ["Save", "Resume", "Tell"]
    assert GOOD in actions
    other = words.SetMark(Mark.BAD, "other")
    assert (other in actions) is (verdict is Verdict.ROLLED_BACK)


def test_process_that_was_restarted_before_the_machine_asks_again_but_not_for_ever():
    record = pending(Phase.SWITCHED, restarts=1)
    for _ in range(2):
        where = slots(primary="B", activations=1)
        update, actions = run(Update(OLD), started(record, "A", slots=where), words.Ticked(1.0))
        assert isinstance(actions[-1], words.Restart)
        record = update.record
    update, actions = run(Update(OLD), started(record, "A", slots=where), words.Ticked(1.0))
    assert update.record.last.verdict is Verdict.ROLLED_BACK
    assert "Restart" not in kinds(actions)


def test_card_that_came_from_another_machine_is_settled():
    record = pending(Phase.SWITCHED, from_slot="X", to_slot="Y")
    update, _ = run(Update(OLD), started(record, "A"))
    assert update.record.last.verdict is Verdict.FAILED


def test_restart_waits_for_safe_outputs_and_is_asked_for_again():
    update = idle()
    update, _ = run(
        update,
        words.InstallRequested(Wanted(NEW, "http://x"), request=1),
        words.Inspected(Before(), Bundle(NEW, "robot")),
        words.BlockedChanged("outputs are live"),
        words.Installed(),
    )
    assert run(update, words.Ticked(1.0))[1] == []
    update, actions = run(update, words.BlockedChanged(""), words.Ticked(2.0), words.Ticked(61.0))
    assert kinds(actions).count("Restart") == 1
    assert kinds(run(update, words.Ticked(62.0))[1]) == ["Hold", "Restart"]


def test_machine_is_held_before_it_restarts_and_one_in_use_is_asked_again():
    update, _ = run(
        idle(),
        words.InstallRequested(Wanted(NEW, "http://x"), request=1),
        words.Inspected(Before(), Bundle(NEW, "robot")),
        words.Installed(),
    )
    update, actions = run(update, words.Ticked(1.0))
    assert kinds(actions) == ["Hold", "Restart"]
    update, actions = run(update, words.ActionFailed(words.Hold(), "outputs are live"))
    assert (update.state, update.record.pending is None) == (UpdateState.RESTARTING, False)
    assert kinds(run(update, words.Ticked(2.0))[1]) == ["Hold", "Restart"]


def test_machine_that_cannot_be_restarted_works_on_and_is_asked_again():
    record = pending(Phase.CONDEMNED, reason="webd failed")
    update, actions = run(Update(NEW), started(record, "B"), words.Ticked(1.0))
    update, actions = run(update, words.ActionFailed(actions[-1], "it cannot be written"))
    assert kinds(actions) == ["Resume", "Tell"]
    assert kinds(run(update, words.Ticked(62.0))[1]) == ["Hold", "Restart"]


def test_machine_in_use_does_not_end_the_watch_over_an_installation_that_runs():
    update, actions = run(Update(OLD), started(pending(Phase.WRITING), "A", is_installing=True))
    assert kinds(actions) == ["Disarm", "Hold", "Follow", "Tell"]
    update, actions = run(update, words.ActionFailed(words.Hold(), "outputs are live"))
    assert kinds(actions) == ["Follow", "Tell"]
    assert (update.state, update.record.pending is None) == (UpdateState.INSTALLING, False)


def test_look_between_two_tries_of_an_installation_ends_nothing():
    update, _ = run(
        idle(needs_look=True),
        words.InstallRequested(Wanted(NEW, "http://x"), request=1),
        words.Inspected(Before(), Bundle(NEW, "robot")),
        words.InstallFailed("no server", is_transient=True),
    )
    update, actions = run(update, started(update.record, "A"))
    assert (update.state, kinds(actions)) == (UpdateState.INSTALLING, ["Tell"])


def test_installation_waits_until_the_disk_knows_and_the_machine_is_still():
    _, actions = run(
        idle(),
        words.InstallRequested(Wanted(NEW, "http://x"), request=1),
        words.Inspected(Before(), Bundle(NEW, "robot")),
    )
    assert kinds(actions) == ["Answer", "Tell", "Inspect", "Save", "Hold", "Install", "Tell"]


def test_outputs_that_go_live_while_the_bundle_is_looked_at_stop_the_update():
    update, actions = run(
        idle(),
        words.InstallRequested(Wanted(NEW, "http://x"), request=1),
        words.BlockedChanged("outputs are live"),
        words.Inspected(Before(), Bundle(NEW, "robot")),
    )
    assert "Install" not in kinds(actions)
    assert update.record.last.verdict is Verdict.REFUSED


def test_bundle_for_other_machines_is_refused_before_a_slot_is_touched():
    update, actions = run(
        idle(),
        words.InstallRequested(Wanted(NEW, "http://x"), request=1),
        words.Inspected(Before(), Bundle(NEW, "other")),
    )
    assert "Install" not in kinds(actions)
    assert update.record.last.reason == "it is made for 'other', this machine takes 'robot'"


@pytest.mark.parametrize(
    "record",
    [
        Record(bad=(BadRelease(version=NEW),)),
        Record(last=LastTry(version=NEW, attempt=3, verdict=Verdict.FAILED)),
    ],
)
def test_offer_of_a_release_that_did_not_work_here_is_not_taken_but_a_request_is(record: Record):
    update = idle(record=record)
    wanted = Wanted(NEW, "http://x", "c")
    assert run(update, words.InstallRequested(wanted))[0].state is UpdateState.IDLE
    asked = run(update, words.InstallRequested(wanted, request=1))[0]
    assert asked.state is UpdateState.INSTALLING


def test_new_build_of_a_bad_version_may_be_offered():
    update = idle(record=Record(bad=(BadRelease(version=NEW, checksum_sha256="a"),)))
    offer = words.InstallRequested(Wanted(NEW, "http://x", "b"))
    assert run(update, offer)[0].state is UpdateState.INSTALLING


def test_offer_is_not_taken_by_a_machine_that_was_in_use():
    update, _ = run(idle(), words.BlockedChanged("outputs are live"), words.BlockedChanged(""))
    offer = words.InstallRequested(Wanted(NEW, "http://x"))
    assert run(update, offer)[0].state is UpdateState.IDLE


def test_failure_that_may_pass_is_tried_three_times_with_growing_pauses():
    update, _ = run(
        idle(),
        words.InstallRequested(Wanted(NEW, "http://x"), request=1),
        words.Inspected(Before(), Bundle(NEW, "robot")),
    )
    failed = words.InstallFailed("no server", is_transient=True)
    update, actions = run(update, failed, failed)
    pauses = [action.pause_s for action in actions if isinstance(action, words.Install)]
    assert pauses == [4.0, 8.0]
    update, actions = run(update, failed)
    assert update.record.last.verdict is Verdict.FAILED
    assert kinds(actions) == ["Save", "Resume", "Look", "Tell"]


def test_connection_that_breaks_while_installing_gives_no_verdict():
    update, _ = run(
        idle(),
        words.InstallRequested(Wanted(NEW, "http://x"), request=1),
        words.Inspected(Before(), Bundle(NEW, "robot")),
    )
    record = update.record
    update, actions = run(update, words.Lost("the connection ended"))
    assert (update.state, kinds(actions)) == (UpdateState.INSTALLING, ["Look", "Tell"])
    update, actions = run(update, started(record, "A", is_installing=True))
    assert "Follow" in kinds(actions)


def test_status_has_no_verdict_while_something_is_under_way():
    record = Record(last=LastTry(version="0.9", attempt=2, verdict=Verdict.HEALTHY))
    update, _ = run(idle(record=record), words.InstallRequested(Wanted(NEW, "http://x"), request=1))
    status = firmware_status(update, "pi_1")
    assert (status.verdict, status.target_version, status.attempt) == ("", NEW, 1)
    status = firmware_status(on_trial(), "pi_1")
    assert (status.state, status.verdict, status.target_version) == ("verifying", "", NEW)
