"""The updater against a RAUC and a systemd on a real bus: installations, trials, roll-backs."""

import asyncio
import os
from dataclasses import replace
from pathlib import Path

import pytest

from saint_services.lib.errors import Code, SaintError
from saint_services.lib.state import StateStore
from saint_services.lib.update import events
from saint_services.lib.update.events import UpdateLimits, WorkPart
from saint_services.lib.update.installer import BundleInfo, RaucInstaller
from saint_services.lib.update.record import StateBefore, UpdateRecord, store
from tests.unit.lib.update.machine_rig import QUICK, Machine
from tests.waiting import until
from tools.fake_rauc.bundle_writer import COMPATIBLE, make_keys
from tools.fake_rauc.faults import Fault
from tools.fake_rauc.systemd import Unit

pytestmark = pytest.mark.timeout(60)  # real programs, and a disk that others use too

IMPATIENT = replace(QUICK, health_timeout_s=1.0)  # where what is missing never comes

NO_TRACKS = WorkPart("role tracks", "the role tracks does not answer: no such device")


async def install(machine: Machine, version: str) -> None:
    """Until the machine is to be restarted."""
    wanted = await machine.bundle(version)
    async with machine.running() as updater:
        answer = await updater.install(wanted)
        assert answer.success, answer.message
        await until(machine.request.exists)
        assert machine.owner.is_held


async def test_release_that_is_healthy_is_proven_and_marked_good(machine: Machine):
    await install(machine, "1.1")
    assert machine.owner.states == ["installing", "restarting"]
    assert machine.owner.last.progress == 100
    assert machine.request.read_text() == "update to 1.1\n"
    assert machine.restart() == "B"
    assert machine.fake.installer.slots.b.left == 2
    async with machine.running():
        await until(lambda: machine.owner.last.verdict == "healthy")
    status = machine.owner.last
    assert machine.owner.states == ["verifying", "idle"]
    assert (status.version, status.slot, status.target_version) == ("1.1", "B", "1.1")
    assert (status.attempt, status.reason, status.spare_version) == (1, "", "1.0")
    assert machine.fake.installer.slots.b.left == 3


async def test_release_with_a_failed_unit_is_left_at_once_and_the_old_slot_says_why(
    machine: Machine,
):
    machine.fake.units = [Unit("saint-webd.service"), Unit("bad-before.service", "failed")]
    await install(machine, "1.1")
    machine.restart()
    machine.fake.units.append(Unit("saint-noded.service", "failed", "failed"))
    async with machine.running():
        await until(machine.request.exists)
    assert machine.request.read_text() == "rollback from 1.1: saint-noded.service failed\n"
    assert machine.restart() == "A"  # not after three tries: at once
    async with machine.running():
        await until(lambda: machine.owner.last.verdict == "rolled_back")
    status = machine.owner.last
    assert (status.version, status.slot, status.target_version) == ("1.0", "A", "1.1")
    assert status.reason == "saint-noded.service failed"
    assert status.spare_version == "", "what was rolled back is no release to go to"
    assert "verifying" not in machine.owner.states


async def test_role_that_answered_before_has_to_answer_in_the_new_release(machine: Machine):
    machine.works(parts=(replace(NO_TRACKS, problem=""),))
    await install(machine, "1.1")
    machine.restart()
    machine.limits = IMPATIENT
    machine.works(parts=(NO_TRACKS,))
    async with machine.running():
        await until(machine.request.exists)
    assert machine.restart() == "A"
    async with machine.running():
        await until(lambda: machine.owner.last.verdict == "rolled_back")
    assert "no such device" in machine.owner.last.reason


async def test_role_that_was_broken_before_does_not_condemn_the_new_release(machine: Machine):
    machine.works(parts=(NO_TRACKS,))
    await install(machine, "1.1")
    machine.restart()
    async with machine.running():
        await until(lambda: machine.owner.last.verdict == "healthy")


async def test_role_that_was_well_before_is_judged_beside_one_that_was_not(machine: Machine):
    head = WorkPart("role head")
    machine.works(parts=(NO_TRACKS, head))
    await install(machine, "1.1")
    machine.restart()
    machine.limits = IMPATIENT
    machine.works(parts=(NO_TRACKS, replace(head, problem="the role head does not answer")))
    async with machine.running():
        await until(machine.request.exists)
    assert "rollback from 1.1: the role head does not answer" in machine.request.read_text()


async def test_unit_that_looped_before_does_not_condemn_the_new_release(machine: Machine):
    machine.fake.units = [Unit("saint-rcd.service", "activating", "auto-restart", restarts=40)]
    await install(machine, "1.1")
    machine.restart()
    async with machine.running():
        await until(lambda: machine.owner.last.verdict == "healthy")


async def test_unit_that_was_just_starting_before_has_to_come_up(machine: Machine):
    machine.fake.units = [Unit("saint-webd.service", "activating", "start")]
    await install(machine, "1.1")
    machine.restart()
    machine.limits = IMPATIENT
    async with machine.running():
        await until(machine.request.exists)
    assert "rollback from 1.1: saint-webd.service is not up" in machine.request.read_text()


async def test_crash_loop_is_seen_and_its_log_kept(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    journal = tmp_path / "journalctl"
    journal.write_text('#!/bin/sh\necho "$@"\necho boom in line 7\n')
    journal.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    await install(machine, "1.1")
    machine.restart()
    looping = Unit("saint-role-headd.service", "activating", "auto-restart", restarts=9)
    machine.fake.units = [looping]
    async with machine.running():
        await until(machine.request.exists)
    machine.restart()
    async with machine.running():
        await until(lambda: machine.owner.last.verdict == "rolled_back")
    status = machine.owner.last
    assert status.reason == "saint-role-headd.service keeps crashing"
    assert "--unit=saint-role-headd.service" in status.log_excerpt
    assert "boom in line 7" in status.log_excerpt


async def test_release_that_never_gets_so_far_is_reported_by_the_old_slot(machine: Machine):
    await install(machine, "1.1")
    assert [machine.restart() for _ in range(4)] == ["B", "B", "B", "A"]
    async with machine.running() as updater:
        await until(lambda: machine.owner.last.verdict == "rolled_back")
        reason = machine.owner.last.reason
        assert reason == "slot B never reached its health check (3 tries)"
        offer = await machine.bundle("1.1")
        assert not updater.offer(offer), "it is not tried again by itself"
        answer = await updater.install(offer)
        assert answer.success, "a person may ask for it again"
        await until(lambda: machine.owner.last.attempt == 2)


async def test_power_cut_while_writing_leaves_the_old_slot_and_says_so(machine: Machine):
    machine.fake.faults.ask_for(Fault.CUT)
    async with machine.running() as updater:
        assert (await updater.install(await machine.bundle("1.1"))).success
        await until(machine.fake.power_was_cut.is_set)
    assert machine.restart() == "A"
    async with machine.running():
        await until(lambda: machine.owner.last.verdict == "failed")
    assert "was interrupted" in machine.owner.last.reason
    assert machine.fake.installer.slots.a.left == 3


async def test_process_that_dies_during_an_installation_takes_it_up_again(machine: Machine):
    machine.fake.faults.ask_for(Fault.SLOW)
    async with machine.running() as updater:
        assert (await updater.install(await machine.bundle("1.1"))).success
        await until(lambda: machine.owner.last.progress > 0)
    async with machine.running():
        await until(lambda: "installing" in machine.owner.states)
        assert machine.owner.is_held, "nothing may move while a slot is written"


async def test_failure_that_passes_is_tried_again(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("saint_services.lib.update.logic.FIRST_PAUSE_S", 0.01)
    machine.fake.faults.ask_for(Fault.TRANSIENT)
    await install(machine, "1.1")


@pytest.mark.parametrize("maker", ["SAINT.OS simulation", "Another maker", ""])
async def test_release_of_another_key_is_refused_and_nothing_is_touched(
    machine: Machine, tmp_path: Path, maker: str
):
    """An authority of the same name, one of another, and a signer without any: OpenSSL has three
    names for it, users read one sentence.
    """
    foreign = await asyncio.to_thread(make_keys, tmp_path / "foreign", maker or "Nobody")
    if not maker:
        ca_key = foreign.ca.with_suffix(".key")
        foreign = replace(foreign, certificate=foreign.ca, key=ca_key)
    async with machine.running() as updater:
        assert (await updater.install(await machine.bundle("1.1", foreign))).success
        await until(lambda: machine.owner.last.verdict == "refused")
        said = "the release is signed by a key that this robot does not trust"
        assert machine.owner.last.reason.endswith(said)
        assert not machine.owner.is_held
    assert machine.fake.installer.slots.b.version == "1.0"


async def test_release_that_is_not_what_was_announced_is_refused(machine: Machine):
    old = await machine.bundle("0.9")
    async with machine.running() as updater:
        wanted = type(old)("2.0", old.source)
        assert (await updater.install(wanted)).success
        await until(lambda: machine.owner.last.verdict == "refused")
    assert machine.owner.last.reason == "the bundle holds 0.9, not 2.0 as announced"


async def test_older_and_same_release_need_force(machine: Machine):
    async with machine.running() as updater:
        for version, word in (("1.0", "runs already"), ("0.9", "is older than the running 1.0")):
            wanted = await machine.bundle(version)
            answer = await updater.install(wanted)
            assert not answer.success
            assert word in answer.message
        assert (await updater.install(wanted, force=True)).success
        await until(machine.request.exists)


async def test_rollback_goes_to_the_other_slot_and_is_proven_there(machine: Machine):
    await install(machine, "1.1")
    machine.restart()
    async with machine.running() as updater:
        await until(lambda: machine.owner.last.verdict == "healthy")
        answer = await updater.rollback()
        assert (answer.success, answer.message) == (True, "rolling back to 1.0")
        await until(machine.request.exists)
    assert machine.request.read_text() == "rollback to 1.0, as requested\n"
    assert machine.restart() == "A"
    async with machine.running():
        await until(lambda: machine.owner.last.verdict == "healthy")
    status = machine.owner.last
    assert (status.version, status.target_version, status.spare_version) == ("1.0", "1.0", "1.1")


async def test_nothing_is_installed_while_outputs_are_live(machine: Machine):
    async with machine.running() as updater:
        updater.block("its outputs are live")
        answer = await updater.install(await machine.bundle("1.1"))
        assert (answer.success, answer.message) == (False, "its outputs are live")
        assert not (await updater.rollback()).success
        await until(lambda: machine.owner.last.blocked_by == "its outputs are live")
        updater.block("")
        await until(lambda: machine.owner.last.blocked_by == "")


async def test_outputs_that_go_live_after_the_decision_keep_the_slot_unwritten(machine: Machine):
    wanted = await machine.bundle("1.1")
    async with machine.running() as updater:
        await until(lambda: bool(machine.owner.statuses))
        updater.handle(events.InstallRequested(wanted))
        updater.handle(events.Inspected(StateBefore(), BundleInfo("1.1", COMPATIBLE)))
        updater.block("its outputs are live")
        await until(lambda: machine.owner.last.verdict == "refused")
        assert machine.owner.last.reason == "its outputs are live"
    assert machine.fake.installer.slots.b.version == "1.0"


async def test_installation_that_takes_too_long_is_not_taken_for_one_that_failed(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("saint_services.lib.update.installer._INSTALL_LIMIT_S", 0.2)
    machine.fake.faults.ask_for(Fault.SLOW)
    async with machine.running() as updater:
        assert (await updater.install(await machine.bundle("1.1"))).success
        await until(lambda: "was not done within" in machine.owner.last.reason)
        assert machine.owner.last.state == "installing"
        assert machine.owner.is_held, "the slot is still being written"


async def test_machine_that_cannot_be_stopped_is_not_written_to(machine: Machine):
    machine.owner.refuses = "pi_1 is busy (adopting)"
    async with machine.running() as updater:
        assert (await updater.install(await machine.bundle("1.1"))).success
        await until(lambda: machine.owner.last.verdict == "refused")
    assert machine.owner.last.reason == "pi_1 is busy (adopting)"
    assert machine.fake.installer.slots.b.version == "1.0"


async def test_proven_slot_is_marked_good_whatever_is_broken(machine: Machine):
    machine.fake.units = [Unit("saint-webd.service", "failed", "failed")]
    machine.works(parts=(WorkPart("role tracks", "no motor driver answers"),))
    machine.restart()
    assert machine.fake.installer.slots.a.left == 2
    async with machine.running():
        await until(lambda: machine.fake.installer.slots.a.left == 3)
    assert not machine.request.exists()


async def test_deadman_is_disarmed_by_a_proven_slot_and_not_during_a_trial(machine: Machine):
    deadman = machine.reboots.parent / "deadman"
    os.mkfifo(deadman)
    reader = os.open(deadman, os.O_RDONLY | os.O_NONBLOCK)
    try:
        await install(machine, "1.1")
        assert os.read(reader, 100) == b"good\n"
        machine.restart()
        machine.limits = UpdateLimits(health_timeout_s=60.0, settle_s=60.0)
        async with machine.running():
            await until(lambda: machine.owner.last.state == "verifying")
            assert os.read(reader, 100) == b"", "nobody writes to it"
    finally:
        os.close(reader)


async def test_trial_is_fitted_to_the_timer_in_force(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
):
    machine.limits = UpdateLimits(health_timeout_s=900.0, settle_s=600.0)
    for timer_s, expected in ((300.0, (90.0, 90.0)), (3600.0, (900.0, 600.0))):
        monkeypatch.setattr(
            "saint_services.lib.update.boot.deadman_s", lambda timer_s=timer_s: timer_s
        )
        async with machine.running() as updater:
            limits = updater.update.limits
        assert (limits.health_timeout_s, limits.settle_s) == expected


async def test_judge_that_keeps_crashing_after_its_trial_is_left_at_its_next_start(
    machine: Machine,
):
    await install(machine, "1.1")
    machine.restart()
    async with machine.running():
        await until(lambda: machine.owner.last.verdict == "healthy")
    machine.fake.units = [Unit("saint-noded.service", restarts=3)]
    async with machine.running() as updater:
        updater.rest(is_resting=False)  # this process was restarted, not the machine
        await until(lambda: updater.update.is_condemned)
    async with machine.running() as updater:
        updater.rest(is_resting=False)
        await until(machine.request.exists)
    assert machine.request.read_text().startswith("rollback from 1.1: after its trial: saint-noded")


async def test_machine_without_rauc_works_and_says_that_updates_are_off(machine: Machine):
    await machine.fake.installer.close()
    machine.fake.address = f"unix:path={machine.reboots}/nobody"
    async with machine.running() as updater:
        await until(lambda: bool(machine.owner.statuses))
        assert "updates are off on this machine" in machine.owner.last.blocked_by
        answer = await updater.install(await machine.bundle("1.1"))
        assert not answer.success
        assert "updates are off" in answer.message


async def test_rauc_that_hangs_in_a_new_release_does_not_keep_it_from_being_left(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
):
    await install(machine, "1.1")
    machine.restart()
    machine.limits = IMPATIENT
    machine.is_rauc_hanging = True
    for name, limit_s in (("_FIRST_READ_LIMIT_S", 0.1), ("_READ_LIMIT_S", 0.3)):
        monkeypatch.setattr(f"saint_services.lib.update.updater.{name}", limit_s)
    monkeypatch.setattr("saint_services.lib.update.boot.booted_slot", lambda *_: "B")
    monkeypatch.setattr(os, "sync", lambda: None)
    async with machine.running():
        await until(lambda: machine.owner.last.state == "verifying")
        await until(machine.request.exists)
    assert "RAUC has not answered" in machine.request.read_text()
    assert machine.restart() == "A", "it could still be marked bad"


async def test_factory_reset_downloads_the_release_that_runs_already(machine: Machine):
    async with machine.running() as updater:
        assert not updater.offer(await machine.bundle("1.0"))
        updater.want_download()
        assert updater.offer(await machine.bundle("1.0"))
        await until(machine.request.exists)
    machine.restart()
    async with machine.running() as updater:
        await until(lambda: machine.owner.last.verdict == "healthy")
        assert not updater.update.record.must_download


async def test_full_disk_stops_an_update_before_a_slot_is_touched(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
):
    async with machine.running() as updater:
        await until(lambda: bool(machine.owner.statuses))

        def full(*_: object, **__: object) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr("saint_services.lib.state.write_atomic", full)
        assert (await updater.install(await machine.bundle("1.1"))).success
        await until(lambda: machine.owner.last.verdict == "refused")
        assert "the record could not be written" in machine.owner.last.reason
    assert machine.fake.installer.slots.b.version == "1.0"
    assert not machine.owner.is_held


async def test_full_disk_at_the_end_of_a_trial_repeats_the_saving_alone(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("saint_services.lib.update.updater._FIRST_PAUSE_S", 0.05)
    await install(machine, "1.1")
    machine.restart()
    is_full, tries, marks = True, 0, 0
    save, mark = StateStore.save, RaucInstaller.mark

    def try_to_save(self: StateStore[UpdateRecord], record: UpdateRecord) -> None:
        nonlocal tries
        tries += 1
        if is_full:
            raise SaintError(Code.INTERNAL, "no space left")
        save(self, record)

    async def count_mark(self: RaucInstaller, *args: object) -> None:
        nonlocal marks
        marks += 1
        await mark(self, *args)  # type: ignore[arg-type]

    monkeypatch.setattr(StateStore, "save", try_to_save)
    monkeypatch.setattr(RaucInstaller, "mark", count_mark)
    async with machine.running() as updater:
        await until(lambda: tries > 3)
        assert machine.owner.states == ["verifying", "idle"]
        assert (machine.owner.last.verdict, marks) == ("healthy", 1)
        assert "no space left" in machine.owner.last.reason
        is_full = False
        await until(lambda: not updater.update.is_unsaved)
        await until(lambda: machine.owner.last.reason == "")


async def test_release_that_meets_a_newer_record_alone_can_be_updated(
    machine: Machine,
):
    file = machine.reboots.parent / "state/update.json"
    file.parent.mkdir()
    file.write_text('{"version_of_format": 99, "pending": {"to_slot": "A"}}')
    async with machine.running() as updater:
        assert "version 99" in updater.problem
        answer = await updater.install(await machine.bundle("1.1"))
        assert answer.success, answer.message
        await until(machine.request.exists)
    assert "99" in file.read_text()
    machine.restart()
    async with machine.running() as updater:
        await until(lambda: machine.owner.last.verdict == "healthy")
        assert not updater.problem


async def test_record_that_is_damaged_is_set_aside_and_the_slot_counts_as_proven(machine: Machine):
    path = store(machine.reboots.parent / "state").path
    path.parent.mkdir()
    path.write_text("{")
    async with machine.running() as updater:
        await until(lambda: bool(machine.owner.statuses))
        assert "kept as" in updater.problem
        assert machine.owner.last.state == "idle"
