"""Installations that a power cut interrupts: automatic tries go on, with a growing pause."""

from saint_services.lib.api.firmware import UpdateState, UpdateVerdict
from saint_services.lib.update import events
from saint_services.lib.update.events import Update, WantedRelease
from saint_services.lib.update.installer import BundleInfo
from saint_services.lib.update.record import StateBefore, UpdateRecord
from tests.unit.lib.update.step_rig import NEW, OLD, run, slots, started

OFFER = events.InstallRequested(WantedRelease(NEW, "http://x"))


def boot(record: UpdateRecord) -> Update:
    return run(Update(OLD), started(record, "A", slots=slots()))[0]


def offered(record: UpdateRecord) -> tuple[Update, bool]:
    """One boot with its offer; whether the slot is being written."""
    update, _ = run(boot(record), OFFER)
    is_begun = update.state is UpdateState.INSTALLING
    if is_begun:
        update, _ = run(update, events.Inspected(StateBefore(), BundleInfo(NEW, "robot")))
        assert update.record.pending
    return update, is_begun


def tries(boots: int) -> list[bool]:
    """Which of so many boots tries again, if each try is interrupted."""
    record, found = UpdateRecord(), []
    for _ in range(boots):
        update, is_begun = offered(record)
        record = update.record
        found.append(is_begun)
    return found


def test_interrupted_installation_is_tried_again_with_a_growing_pause() -> None:
    assert [number for number, is_begun in enumerate(tries(60)) if is_begun] == [
        0, 1, 2, 4, 7, 12, 21, 38, 55,
    ]  # fmt: skip


def test_release_is_installed_after_any_number_of_cuts() -> None:
    record = UpdateRecord()
    for _ in range(100):
        record = offered(record)[0].record
    for _ in range(20):
        update, is_begun = offered(record)
        if is_begun:
            break
        record = update.record
    assert is_begun
    update, _ = run(update, events.Installed())
    assert update.state is UpdateState.RESTARTING


def test_user_does_not_wait() -> None:
    record = UpdateRecord()
    for _ in range(3):
        record = offered(record)[0].record
    wanted = events.InstallRequested(WantedRelease(NEW, "http://x"), request=1)
    assert run(boot(record), wanted)[0].state is UpdateState.INSTALLING


def test_server_that_is_switched_off_does_not_use_up_the_tries() -> None:
    gone = events.InstallFailed("the release could not be read", is_transient=True)
    record, begun = UpdateRecord(), 0
    for _ in range(40):
        update, is_begun = offered(record)
        begun += is_begun
        if is_begun:
            update, _ = run(update, gone, gone, gone)
            assert update.record.last.verdict is UpdateVerdict.FAILED
        record = update.record
    assert begun > 5


def test_server_that_goes_before_its_bundle_is_checked_does_not_use_up_the_tries() -> None:
    gone = events.InspectFailed("the release could not be read", is_transient=True)
    record, begun = UpdateRecord(), 0
    for _ in range(40):
        update, _ = run(boot(record), OFFER)
        if update.state is UpdateState.INSTALLING:
            begun += 1
            update, _ = run(update, gone, gone, gone)
            assert update.record.last.verdict is UpdateVerdict.FAILED
        record = update.record
    assert begun > 5


def test_release_that_cannot_be_written_is_still_given_up() -> None:
    record = UpdateRecord()
    for _ in range(3):
        update, is_begun = offered(record)
        assert is_begun
        update, _ = run(update, events.InstallFailed("no space"))
        assert update.record.last.verdict is UpdateVerdict.FAILED
        record = update.record
    assert not offered(record)[1]
