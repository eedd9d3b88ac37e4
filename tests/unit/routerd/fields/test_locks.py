"""Exclusive control of a target."""

import pytest

from saint_services.lib.errors import Code, SaintError
from tests.unit.routerd.rig import DIRECT, DRIVE, STOP, Rig, route

LEAD = route("lead", "leader", "arms.left", [{"from": "j0", "to": "joint_0"}])


def take(
    rig: Rig, target: str = "tracks", holder: str = "websocket:1", timeout_s: float = 5.0
) -> None:
    rig.router.take_control(target, holder, timeout_s, rig.now)


def drive_both(rig: Rig, seconds: float) -> None:
    for _ in range(round(seconds * 100)):
        rig.send("rc", stick=0.02)
        rig.send("websocket:1", "tracks", linear=0.04)
        rig.wait(0.01)


def test_holder_drives_against_higher_priorities_with_the_reason() -> None:
    rig = Rig(DRIVE, DIRECT)
    drive_both(rig, 0.1)
    take(rig)
    output = rig.output("tracks.linear")
    assert (output.source, output.rivals[0].reason) == (
        "websocket:1", "panel locked by websocket:1",
    )  # fmt: skip
    drive_both(rig, 0.3)
    assert rig.value("tracks.linear") == pytest.approx(0.04)


def test_others_are_refused_while_the_holder_is_silent() -> None:
    rig = Rig(DRIVE, DIRECT)
    take(rig)
    rig.stream(0.3, "rc", stick=0.5)
    assert rig.output("tracks.linear").winner == ""
    assert rig.value("tracks.linear") == 0.0


def test_other_targets_are_free() -> None:
    rig = Rig(DRIVE, DIRECT)
    take(rig, "head")
    rig.send("rc", stick=0.02)
    assert rig.output("tracks.linear").winner == "rc_drive"


def test_lock_ends_when_its_holder_is_silent_for_too_long() -> None:
    rig = Rig(DRIVE, DIRECT)
    take(rig, timeout_s=1.0)
    for _ in range(5):
        rig.wait(0.9)
        rig.send("websocket:1", "tracks", linear=0.0)  # each sample renews it
    assert [each.holder for each in rig.status().control] == ["websocket:1"]
    rig.stream(0.98, "rc", stick=0.02)
    assert rig.output("tracks.linear").winner == ""
    rig.stream(0.04, "rc", stick=0.02)
    assert rig.output("tracks.linear").winner == "rc_drive"
    assert rig.status().control == []


def test_lock_ends_by_time_alone() -> None:
    rig = Rig(DRIVE.model_copy(update={"timeout_ms": 5000}))
    take(rig, timeout_s=0.5)
    rig.send("rc", stick=0.02)
    rig.wait(0.501)
    assert rig.output("tracks.linear").winner == "rc_drive"


def test_taking_again_renews_and_another_is_refused() -> None:
    rig = Rig(DRIVE, DIRECT)
    take(rig, timeout_s=1.0)
    rig.wait(0.9)
    take(rig, timeout_s=1.0)
    rig.wait(0.9)
    with pytest.raises(SaintError, match=r"tracks is locked by websocket:1 for 0\.1 s more") as err:
        take(rig, holder="rc")
    assert err.value.code is Code.CONFLICT


def test_all_targets_are_taken_or_none() -> None:
    rig = Rig(DRIVE, DIRECT)
    take(rig, "head", "websocket:2")
    with pytest.raises(SaintError, match="head is locked by websocket:2"):
        take(rig, "*")
    assert [each.target for each in rig.status().control] == ["head"]
    rig.router.release_control("head", "websocket:2", rig.now)
    take(rig, "*")
    assert len(rig.status().control) == 4


def test_release_lets_the_others_in_with_a_fade() -> None:
    rig = Rig(DRIVE, DIRECT)
    take(rig)
    drive_both(rig, 0.3)
    rig.router.release_control("tracks", "websocket:1", rig.now)
    assert rig.output("tracks.linear").winner == "rc_drive"
    assert rig.value("tracks.linear") == pytest.approx(0.04)
    drive_both(rig, 0.3)
    assert rig.value("tracks.linear") == pytest.approx(0.03)


def test_release_by_another_needs_force() -> None:
    rig = Rig(DRIVE, DIRECT)
    take(rig)
    with pytest.raises(SaintError, match="locked by websocket:1, not by rc"):
        rig.router.release_control("tracks", "rc", rig.now)
    rig.router.release_control("tracks", "", rig.now, force=True)
    rig.router.release_control("tracks", "rc", rig.now)
    assert rig.status().control == []


def test_safety_is_never_locked_out() -> None:
    guard = route("g", "websocket", "tracks", [{"from": "v", "to": "linear"}], priority=1000)
    device = route("d", "safety", "tracks", [{"from": "v", "to": "linear"}], priority=500)
    for each, source in ((guard, "websocket:9"), (device, "safety:x")):
        rig = Rig(each, DRIVE)
        take(rig, holder="rc")
        rig.send("rc", stick=0.02)
        rig.send(source, v=0.0)
        assert rig.output("tracks.linear").winner == each.id


def test_estop_passes_every_lock() -> None:
    rig = Rig(DRIVE, STOP, DIRECT)
    take(rig, "*")
    rig.stream(0.3, "websocket:1", "tracks", linear=0.5)
    rig.send("rc", stick=0.0, switch=1.0)
    assert rig.router.latch.active
    assert rig.value("tracks.linear") == 0.0


def test_lock_ends_a_failsafe_hold() -> None:
    rig = Rig(DRIVE, DIRECT)
    drive_both(rig, 0.1)
    rig.send("rc", failsafe=True, stick=0.02)
    take(rig)
    assert rig.output("tracks.linear").source == "websocket:1"


def test_lock_holds_for_routes_and_sources_that_come_later() -> None:
    rig = Rig(DIRECT)
    take(rig)
    rig.router.set_routes([DIRECT, DRIVE], rig.now)
    rig.stream(0.1, "rc", stick=0.0)
    rig.stream(0.1, "rc", stick=0.5)
    rig.send("websocket:2", "tracks", linear=0.04)
    output = rig.output("tracks.linear")
    assert output.winner == ""
    assert {r.reason for r in output.rivals} <= {"panel locked by websocket:1", "timed out"}


def test_leader_of_an_arm_takes_it() -> None:
    rig = Rig(LEAD, DIRECT)
    take(rig, "arms.left", "leader:left")
    rig.send("websocket:1", "arms.left", joint_0=5.0)
    assert rig.value("arms.left.joint_0") is None
    rig.send("leader:left", j0=7.0)
    assert rig.value("arms.left.joint_0") == 7.0


def test_lock_renewed_by_refused_samples_is_not() -> None:
    rig = Rig(DIRECT)
    rig.send("websocket:1", "tracks", linear=0.0)
    take(rig, timeout_s=0.5)
    for _ in range(6):
        rig.send("websocket:1", "tracks", sequence=1, linear=0.0)
        rig.wait(0.1)
    assert rig.status().control == []


def test_lock_of_another_target_ends_no_hold() -> None:
    rig = Rig(DRIVE, DIRECT)
    drive_both(rig, 0.1)
    rig.send("rc", failsafe=True, stick=0.02)
    take(rig, "head")
    rig.send("websocket:1", "tracks", linear=0.04)
    assert rig.output("tracks.linear").winner == ""


@pytest.mark.parametrize("holder", ["me", "", "rc:2", "websocket:"])
def test_holder_that_is_no_source_gets_nothing(holder: str) -> None:
    rig = Rig(DIRECT)
    with pytest.raises(SaintError, match="is not the name of a source") as caught:
        take(rig, "head", holder)
    assert caught.value.code is Code.REQUEST_INVALID
    assert rig.router.locks.held == {}
