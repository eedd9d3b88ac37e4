"""The rules of an update up to the restart, one by one."""

from dataclasses import replace

import pytest

from saint_services.lib.api.firmware import UpdateState, UpdateVerdict
from saint_services.lib.state_machine import Answer
from saint_services.lib.update import events
from saint_services.lib.update.events import Update, WantedRelease
from saint_services.lib.update.installer import BundleInfo, SlotMark
from saint_services.lib.update.record import (
    BadRelease,
    LastUpdate,
    StateBefore,
    UpdatePhase,
    UpdateRecord,
)
from saint_services.lib.update.status import firmware_status
from tests.unit.lib.update.step_rig import (
    NEW,
    OLD,
    idle,
    kinds,
    on_trial,
    pending,
    run,
    started,
    writing,
)


def test_restart_waits_for_safe_outputs_and_is_requested_again():
    update, _ = writing()
    update, _ = run(update, events.BlockedChanged("outputs are live"), events.Installed())
    assert run(update, events.TimePassed(1.0))[1] == []
    update, actions = run(
        update, events.BlockedChanged(""), events.TimePassed(2.0), events.TimePassed(61.0)
    )
    assert kinds(actions).count("Restart") == 1
    assert kinds(run(update, events.TimePassed(62.0))[1]) == ["StopWork", "Restart"]


def test_machine_is_held_before_it_restarts_and_one_in_use_is_requested_again():
    update, _ = writing()
    update, actions = run(update, events.Installed(), events.TimePassed(1.0))
    assert kinds(actions)[-2:] == ["StopWork", "Restart"]
    update, actions = run(update, events.ActionFailed(events.StopWork(), "outputs are live"))
    assert (update.state, update.record.pending is None) == (UpdateState.RESTARTING, False)
    assert kinds(run(update, events.TimePassed(2.0))[1]) == ["StopWork", "Restart"]


def test_machine_that_cannot_be_restarted_works_on_and_is_requested_again():
    record = pending(UpdatePhase.CONDEMNED, reason="webd failed")
    update, actions = run(Update(NEW), started(record, "B"), events.TimePassed(1.0))
    update, actions = run(update, events.ActionFailed(actions[-1], "it cannot be written"))
    assert kinds(actions) == ["ResumeWork", "PublishStatus"]
    assert kinds(run(update, events.TimePassed(62.0))[1]) == ["StopWork", "Restart"]


def test_machine_in_use_does_not_end_the_watch_over_an_installation_that_runs():
    update, actions = run(
        Update(OLD), started(pending(UpdatePhase.WRITING), "A", is_installing=True)
    )
    assert kinds(actions) == ["Disarm", "StopWork", "FollowInstallation", "PublishStatus"]
    update, actions = run(update, events.ActionFailed(events.StopWork(), "outputs are live"))
    assert kinds(actions) == ["FollowInstallation", "PublishStatus"]
    assert (update.state, update.record.pending is None) == (UpdateState.INSTALLING, False)


def test_look_between_two_tries_of_an_installation_ends_nothing():
    update, _ = writing(idle())
    update = replace(update, needs_read=True)
    update, _ = run(update, events.InstallFailed("no server", is_transient=True))
    update, actions = run(update, started(update.record, "A"))
    assert (update.state, kinds(actions)) == (UpdateState.INSTALLING, ["PublishStatus"])


def test_installation_waits_until_the_disk_knows_and_the_machine_is_still():
    _, actions = writing()
    assert kinds(actions) == [
        "Answer",
        "PublishStatus",
        "Inspect",
        "SaveRecord",
        "StopWork",
        "Install",
        "PublishStatus",
    ]


def test_outputs_that_go_live_while_the_bundle_is_looked_at_stop_the_update():
    update, actions = run(
        idle(),
        events.InstallRequested(WantedRelease(NEW, "http://x"), request=1),
        events.BlockedChanged("outputs are live"),
        events.Inspected(StateBefore(), BundleInfo(NEW, "robot")),
    )
    assert "Install" not in kinds(actions)
    assert update.record.last.verdict is UpdateVerdict.REFUSED


def test_factory_resets_download_that_was_disturbed_is_still_wanted():
    for disturbed in (
        (events.BlockedChanged("it is being adopted"), events.Inspected(StateBefore())),
        (events.Inspected(StateBefore(), BundleInfo(NEW, "robot")),
         events.BlockedChanged("it is driven"),
         events.ActionFailed(events.StopWork(), "it is driven")),
    ):  # fmt: skip
        offer = events.InstallRequested(WantedRelease(NEW, "http://x"))
        update, _ = run(idle(), events.DownloadRequested(), offer, *disturbed)
        assert update.record.last.verdict is UpdateVerdict.REFUSED
        assert update.record.must_download


def test_bundle_for_other_machines_is_refused_before_a_slot_is_touched():
    update, actions = run(
        idle(),
        events.InstallRequested(WantedRelease(NEW, "http://x"), request=1),
        events.Inspected(StateBefore(), BundleInfo(NEW, "other")),
    )
    assert "Install" not in kinds(actions)
    assert update.record.last.reason == "the release is for 'other', this machine is 'robot'"


@pytest.mark.parametrize(
    "record",
    [
        UpdateRecord(bad=(BadRelease(version=NEW),)),
        UpdateRecord(last=LastUpdate(version=NEW, attempt=3, verdict=UpdateVerdict.FAILED)),
    ],
)
def test_offer_of_a_release_that_did_not_work_here_is_not_taken_but_a_request_is(
    record: UpdateRecord,
):
    update = idle(record=record)
    wanted = WantedRelease(NEW, "http://x", "c")
    assert run(update, events.InstallRequested(wanted))[0].state is UpdateState.IDLE
    requested = run(update, events.InstallRequested(wanted, request=1))[0]
    assert requested.state is UpdateState.INSTALLING


def test_new_build_of_a_bad_version_may_be_offered():
    update = idle(record=UpdateRecord(bad=(BadRelease(version=NEW, checksum_sha256="a"),)))
    offer = events.InstallRequested(WantedRelease(NEW, "http://x", "b"))
    assert run(update, offer)[0].state is UpdateState.INSTALLING


def test_offer_is_not_taken_by_a_machine_that_was_in_use():
    update, _ = run(idle(), events.BlockedChanged("outputs are live"), events.BlockedChanged(""))
    offer = events.InstallRequested(WantedRelease(NEW, "http://x"))
    assert run(update, offer)[0].state is UpdateState.IDLE


def test_failure_that_may_pass_is_tried_three_times_with_growing_pauses():
    update, _ = writing()
    failed = events.InstallFailed("no server", is_transient=True)
    update, actions = run(update, failed, failed)
    pauses = [action.pause_s for action in actions if isinstance(action, events.Install)]
    assert pauses == [4.0, 8.0]
    update, actions = run(update, failed)
    assert update.record.last.verdict is UpdateVerdict.FAILED
    assert kinds(actions) == ["ResumeWork", "SaveRecord", "ReadState", "PublishStatus"]


def test_connection_that_breaks_while_installing_gives_no_verdict():
    update, _ = writing()
    record = update.record
    update, actions = run(update, events.InstallationLost("the connection ended"))
    assert (update.state, kinds(actions)) == (
        UpdateState.INSTALLING,
        ["ReadState", "PublishStatus"],
    )
    update, actions = run(update, started(record, "A", is_installing=True))
    assert "FollowInstallation" in kinds(actions)


def test_status_has_no_verdict_while_something_is_under_way():
    record = UpdateRecord(last=LastUpdate(version="0.9", attempt=2, verdict=UpdateVerdict.HEALTHY))
    update, _ = run(
        idle(record=record), events.InstallRequested(WantedRelease(NEW, "http://x"), request=1)
    )
    status = firmware_status(update, "pi_1")
    assert (status.verdict, status.target_version, status.attempt) == ("", NEW, 1)
    status = firmware_status(on_trial(), "pi_1")
    assert (status.state, status.verdict, status.target_version) == ("verifying", "", NEW)


def test_verdict_that_cannot_be_saved_is_saved_again_and_nothing_else_is_repeated():
    update, actions = run(on_trial(), events.HealthChecked(0.0), events.HealthChecked(10.0))
    update, actions = run(update, events.Marked(SlotMark.GOOD))
    save, on_card = actions[1], on_trial().record
    update, _ = run(update, events.ActionFailed(save, "no space"))
    assert firmware_status(update, "pi_1").verdict == UpdateVerdict.HEALTHY
    assert firmware_status(update, "pi_1").reason == "no space"
    for now_s in (11.0, 12.0):
        update, actions = run(update, events.TimePassed(now_s))
        assert actions == [save, events.ReadState()]
        update, _ = run(update, events.ActionFailed(save, "no space"))
    update, actions = run(update, started(on_card, "B"))  # was on its way already
    assert (update.state, kinds(actions)) == (UpdateState.IDLE, ["PublishStatus"])
    wanted = events.InstallRequested(WantedRelease("1.2", "http://x"), request=1)
    assert kinds(run(update, wanted)[1]) == ["Answer"]
    update, actions = run(update, events.TimePassed(13.0), started(update.record, "B"))
    assert firmware_status(update, "pi_1").reason == ""
    assert run(update, events.TimePassed(14.0))[1] == []
    assert run(update, wanted)[0].state is UpdateState.INSTALLING


def test_nothing_begins_until_the_card_was_read_again():
    update, actions = run(
        idle(needs_read=True),
        events.InstallRequested(WantedRelease(NEW, "http://x", NEW), request=1),
    )
    assert (update.state, kinds(actions)) == (UpdateState.IDLE, ["Answer"])


def test_offer_is_declined_from_the_last_use_to_the_next_rest() -> None:
    offer = events.InstallRequested(WantedRelease(NEW, "http://x"))
    update, _ = run(idle(), events.BlockedChanged("its outputs are live"))
    update, _ = run(update, events.BlockedChanged(""), offer)
    assert update.state is UpdateState.IDLE
    update, _ = run(update, events.RestChanged(True), offer)
    assert update.state is UpdateState.INSTALLING


def test_machine_in_use_does_not_rest() -> None:
    update, _ = run(idle(), events.BlockedChanged("its outputs are live"), events.RestChanged(True))
    assert update.was_live


def test_outputs_that_could_not_be_made_safe_block_an_update_and_are_no_use() -> None:
    wanted = events.InstallRequested(WantedRelease(NEW, "http://x"), request=1)
    update, actions = run(idle(), events.BlockedChanged("", "no pins"), wanted)
    assert actions[-1] == Answer(1, False, "no pins")
    assert not update.was_live
    assert run(update, events.BlockedChanged(""), wanted)[0].state is UpdateState.INSTALLING


def test_requested_restart_waits_for_safe_outputs_and_that_of_a_rejected_release_does_not() -> None:
    unsafe = events.BlockedChanged("", "no pins")
    update, _ = run(writing()[0], events.Installed(), unsafe, events.TimePassed(1.0))
    assert update.blocked_by == "no pins"
    assert update.restart_requested_s is None
    record = pending(UpdatePhase.CONDEMNED, reason="no pins")
    update, _ = run(Update(NEW), started(record, "B"), unsafe)
    assert kinds(run(update, events.TimePassed(1.0))[1]) == ["StopWork", "Restart"]


def test_outputs_that_go_live_during_the_check_of_a_bundle_do_not_use_up_the_offers() -> None:
    offer = events.InstallRequested(WantedRelease(NEW, "http://x"))
    update = idle()
    for _ in range(40):
        update, _ = run(
            update, events.RestChanged(True), offer, events.BlockedChanged("its outputs are live"),
            events.Inspected(StateBefore(), BundleInfo(NEW, "robot")), events.BlockedChanged(""),
        )  # fmt: skip
        assert update.state is UpdateState.IDLE
    for _ in range(20):
        update, _ = run(update, events.RestChanged(True), offer)
    assert update.state is UpdateState.INSTALLING
