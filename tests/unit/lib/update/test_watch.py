"""The rules of a proven release: what an update is compared with, and the hour after a trial."""

from dataclasses import replace

import pytest

from saint_services.lib.api.firmware import UpdateState, UpdateVerdict
from saint_services.lib.update import events
from saint_services.lib.update.events import Update, WorkPart
from saint_services.lib.update.installer import SlotMark
from saint_services.lib.update.record import LastRun, UpdateKind, UpdatePhase, UpdateRecord
from saint_services.lib.update.watch import WATCH_S, before
from tests.unit.lib.update.step_rig import BAD, NEW, kinds, on_trial, pending, run, slots, started

HEAD, TRACKS = WorkPart("role head", unit="saint-role-headd.service"), WorkPart("role tracks")
SILENT = replace(HEAD, problem="the role head does not answer")
DYING = replace(HEAD, crashes=3)


def check(now_s: float, *parts: WorkPart, **more: object) -> events.HealthChecked:
    return events.HealthChecked(now_s, parts=parts, **more)  # type: ignore[arg-type]


def passed(kind: UpdateKind = UpdateKind.INSTALL, **more: object) -> Update:
    """A release that was marked good a moment ago, at 10 s."""
    update = run(Update(NEW), started(pending(UpdatePhase.SWITCHED, kind=kind, **more), "B"))[0]
    update, _ = run(update, check(0, HEAD), check(10, HEAD), events.Marked(SlotMark.GOOD))
    assert update.record.last.verdict is UpdateVerdict.HEALTHY
    return update


def lasting(
    update: Update, since_s: float, until_s: float, *parts: WorkPart, **more: object
) -> tuple[Update, list[events.Action]]:
    """Checks every 10 s; stops when the log is to be read."""
    done: list[events.Action] = []
    now_s = since_s
    while now_s <= until_s and "ReadLog" not in kinds(done):
        update, actions = run(update, check(now_s, *parts, **more))
        done += actions
        now_s += 10
    return update, done


@pytest.mark.parametrize("after_s", [60, 600, 3000])
def test_role_that_is_silent_after_its_trial_leads_back(after_s: float) -> None:
    update, _ = lasting(passed(), 20, after_s, HEAD)
    update, actions = lasting(update, after_s, after_s + 100, SILENT)
    assert isinstance(actions[-1], events.ReadLog)
    assert actions[-1].units == ("saint-role-headd.service",)
    update, actions = run(update, events.LogRead("servo table"))
    assert kinds(actions) == ["SaveRecord", "SetMark", "PublishStatus"]
    assert actions[1] == BAD
    assert update.state is UpdateState.RESTARTING
    condemned = update.record.pending
    assert condemned and condemned.phase is UpdatePhase.CONDEMNED
    assert (condemned.from_slot, condemned.to_slot) == ("A", "B")
    assert condemned.reason == "after its trial: the role head does not answer"
    old, actions = run(Update("1.0"), started(update.record, "A"))
    assert old.record.last.verdict is UpdateVerdict.ROLLED_BACK
    assert old.record.is_bad(NEW)
    assert "B" not in old.record.slots, "it is proven no longer"
    assert events.SetMark(SlotMark.BAD, "other") in actions


def test_crash_loop_leads_back_at_once() -> None:
    update, actions = run(lasting(passed(), 20, 90, HEAD)[0], check(100, DYING))
    assert kinds(actions)[-1] == "ReadLog"
    assert update.condemned_for == "the role head crashed 3 times"


def test_rejected_release_restarts_when_the_machine_has_rested() -> None:
    """A stick that is released for a second is no moment for a minute without control."""
    update, _ = lasting(passed(), 20, 60, HEAD)
    update, _ = run(update, events.BlockedChanged("outputs are live"), check(70, DYING))
    update, _ = run(update, events.LogRead(""))
    update, actions = run(update, events.TimePassed(71), events.BlockedChanged(""))
    assert update.blocked_by == "outputs have been live, and the machine has not rested since"
    update, actions = run(update, events.TimePassed(72))
    assert actions == []
    update, actions = run(update, events.RestChanged(True), events.TimePassed(400))
    assert kinds(actions) == ["StopWork", "Restart"]


def test_dead_man_does_not_force_a_restart_that_waits_for_a_rest() -> None:
    update, _ = run(passed(), events.RestChanged(False), check(70, DYING), events.LogRead(""))
    assert run(update, events.TimePassed(71))[1] == [events.Disarm()]


def test_process_that_starts_in_a_rejected_release_waits_only_for_live_outputs() -> None:
    """One that dies within minutes would never see a rest."""
    record = pending(UpdatePhase.CONDEMNED, reason="after its trial: noded keeps crashing")
    update, _ = run(Update(NEW), started(record, "B"), events.RestChanged(False))
    update, _ = run(update, events.BlockedChanged("outputs are live"))
    assert run(update, events.TimePassed(1))[1] == [events.Disarm()]
    update, _ = run(update, events.BlockedChanged(""))
    assert kinds(run(update, events.TimePassed(2))[1]) == ["StopWork", "Restart"]


def test_daemon_that_dies_minutes_after_each_start_leads_back() -> None:
    """Also the one that judges: systemd counts its restarts, and its first check is enough."""
    update = run(Update(NEW), started(passed().record, "B"), events.RestChanged(False))[0]
    crashed = {"restarting_units": ("saint-noded.service", "e2scrub_reap.service")}
    update, actions = run(update, check(0, SILENT, **crashed))
    assert kinds(actions)[-1] == "ReadLog"
    assert update.condemned_for == (
        "the role head does not answer; saint-noded.service keeps crashing"
    )


def test_daemon_that_kept_crashing_before_the_update_does_not_lead_back() -> None:
    update = passed(before={"failed_units": ("saint-noded.service",)})
    crashed = {"restarting_units": ("saint-noded.service",)}
    assert "ReadLog" not in kinds(lasting(update, 20, 400, HEAD, **crashed)[1])


def test_unit_of_ours_that_keeps_crashing_leads_back_and_one_of_debian_does_not() -> None:
    bad = {"restarting_units": ("saint-webd.service",)}
    assert "ReadLog" in kinds(lasting(passed(), 20, 120, HEAD, **bad)[1])
    other = {"failed_units": ("e2scrub_reap.service",)}
    assert "ReadLog" not in kinds(lasting(passed(), 20, 120, HEAD, **other)[1])


def test_pause_of_a_role_that_is_started_again_is_no_fault() -> None:
    update = passed()
    for minute in range(1, 50):
        update, actions = lasting(update, 60 * minute, 60 * minute + 40, SILENT)
        update, more = run(update, check(60 * minute + 50, HEAD))
        assert "ReadLog" not in kinds([*actions, *more])


def test_hour_ends() -> None:
    update, _ = lasting(passed(), 20, WATCH_S + 400, HEAD)
    assert update.record.watched is None
    _, actions = lasting(update, WATCH_S + 410, WATCH_S + 1000, SILENT)
    assert "ReadLog" not in kinds(actions)


def test_each_start_costs_five_minutes_of_the_hour() -> None:
    record = passed().record
    for _ in range(13):
        update = run(Update(NEW), started(record, "B"))[0]
        record = run(update, check(0, HEAD))[0].record
    assert record.watched is None


def test_watch_goes_on_after_a_power_cut() -> None:
    update = run(Update(NEW), started(passed().record, "B"))[0]
    assert "ReadLog" in kinds(lasting(update, 0, 100, SILENT)[1])


def test_part_that_was_broken_before_the_update_is_not_watched() -> None:
    ill = passed(before={"failed_units": ("role tracks",)})
    broken = replace(TRACKS, problem="no driver")
    assert "ReadLog" not in kinds(lasting(ill, 20, 200, HEAD, broken)[1])


def test_rollback_by_a_user_is_not_watched() -> None:
    assert passed(UpdateKind.ROLLBACK).record.watched is None


def test_nothing_leads_back_where_the_slot_before_is_gone() -> None:
    update = passed()
    found = slots("B")
    assert found.spare
    gone = replace(found, spare=replace(found.spare, is_bootable=False))
    update = replace(update, slots=gone)
    update, actions = lasting(update, 20, 200, SILENT)
    assert "ReadLog" not in kinds(actions)
    assert update.record.watched is None


def test_installation_ends_the_watch() -> None:
    update, _ = run(
        passed(),
        events.InstallRequested(events.WantedRelease("1.2", "http://x"), request=1),
        events.Inspected(before(LastRun(), (), ())),
    )
    assert update.record.pending and update.record.watched is None


def test_proven_slot_is_not_left_for_a_role_that_fails() -> None:
    update = run(Update(NEW), started(UpdateRecord(slots={"B": NEW}), "B"))[0]
    update, actions = lasting(update, 0, 2000, SILENT, failed_units=("saint-webd.service",))
    assert set(kinds(actions)) == {"SaveRecord"}
    assert update.record.last_run == LastRun(silent=("role head", "the server"))


# -- what an update is compared with ---------------------------------------------------------------


def test_part_that_answers_for_a_minute_is_remembered() -> None:
    update = run(Update(NEW), started(UpdateRecord(), "B"))[0]
    update, _ = run(update, check(0, HEAD), check(50, HEAD))
    assert update.record.last_run == LastRun()
    update, actions = run(update, check(60, HEAD))
    assert update.record.last_run.answered == ("role head",)
    assert kinds(actions) == ["SaveRecord"]
    assert run(update, check(120, HEAD))[1] == [], "nothing is written again"


def test_part_is_forgotten_with_its_role() -> None:
    record = UpdateRecord(last_run=LastRun(answered=("role head",), silent=("role tracks",)))
    update = run(Update(NEW), started(record, "B"))[0]
    assert run(update, check(0))[0].record.last_run == LastRun()


def test_update_at_boot_is_compared_with_the_run_before() -> None:
    last = LastRun(answered=("role head",), silent=("role tracks",))
    starting = (SILENT, replace(TRACKS, problem="it is being started"))
    for parts in ((), starting):
        found = before(last, parts, ("saint-rcd.service",))
        assert found.failed_units == ("saint-rcd.service", "role tracks")


def test_role_that_starts_beside_the_update_is_judged_by_its_last_run() -> None:
    found = before(LastRun(answered=("role head",)), (SILENT,), ())
    assert (found.failed_units, found.role_answered) == ((), True)
    update = run(Update(NEW), started(pending(UpdatePhase.SWITCHED, before=found), "B"))[0]
    _, actions = lasting(update, 0, 200, SILENT)
    assert "ReadLog" in kinds(actions)


def test_role_that_was_silent_but_answers_now_is_judged() -> None:
    found = before(LastRun(silent=("role head",)), (HEAD,), ())
    assert (found.failed_units, found.role_answered) == ((), True)


def test_unknown_role_that_does_not_answer_is_not_judged() -> None:
    found = before(LastRun(), (SILENT,), ())
    assert (found.failed_units, found.role_answered) == (("role head",), False)


@pytest.mark.parametrize("parts", [(), (SILENT,)])
def test_only_what_answered_before_is_judged(parts: tuple[WorkPart, ...]) -> None:
    """An update at boot, of a node whose runs never last: no run says anything about the head."""
    found = before(LastRun(answered=("role tracks",)), parts, ())
    assert found.answered == ("role tracks",)
    update = run(Update(NEW), started(pending(UpdatePhase.SWITCHED, before=found), "B"))[0]
    update, actions = run(update, check(0, SILENT, TRACKS), check(10, SILENT, TRACKS))
    assert actions[-1] == events.SetMark(SlotMark.GOOD, "booted")
    update, _ = run(update, events.Marked(SlotMark.GOOD))
    update, actions = lasting(update, 20, 200, replace(SILENT, crashes=3), TRACKS)
    assert "ReadLog" not in kinds(actions)
    broken = replace(TRACKS, problem="no driver")
    assert "ReadLog" in kinds(lasting(update, 210, 400, SILENT, broken)[1])


def test_role_that_is_adopted_after_the_update_is_not_judged() -> None:
    update = passed(before=before(LastRun(), (HEAD,), ()))
    broken = replace(TRACKS, problem="no driver")
    assert "ReadLog" not in kinds(lasting(update, 20, 400, HEAD, broken)[1])
    assert "ReadLog" in kinds(lasting(update, 410, 800, SILENT, broken)[1])


def test_trial_is_as_it_was() -> None:
    update, actions = run(on_trial(), check(0, HEAD), check(10, HEAD))
    assert update.is_marking and actions[-1] == events.SetMark(SlotMark.GOOD, "booted")
