"""A part is tried under exclusive control of 300 ms: nothing else drives it meanwhile, and the loss
of the page, the e-stop or the release ends it. Numbers are typed by hand.
"""

import pytest

from tests.unit.routerd.rig import DIRECT, FACE, STOP, Rig

PAGE = "websocket:page"
LOCK_S = 0.300


def trying(rig: Rig, seconds: float = 0.4) -> None:
    """The page takes the head and moves its pan as long as the button is held."""
    rig.router.take_control("head", PAGE, LOCK_S, rig.now)
    for at in range(round(seconds / 0.04)):
        rig.send(PAGE, "head", pan=5.0 + at / 10)
        rig.send("livelink:Phone", headYaw=0.5)
        rig.wait(0.04)


def test_nothing_else_drives_the_target_while_a_part_is_tried() -> None:
    rig = Rig(DIRECT, FACE)
    trying(rig)
    output = rig.output("head.pan")
    assert output.source == PAGE
    assert "panel locked by websocket:page" in {each.reason for each in output.rivals}
    rig.send("websocket:other", "head", pan=-90.0)
    rig.send("autonomous:show", "head", pan=-90.0)
    assert rig.output("head.pan").source == PAGE


@pytest.mark.parametrize("timeout_ms", [None, 2000])
def test_loss_of_the_page_is_the_loss_policy_within_300_ms(timeout_ms: int | None) -> None:
    """However long the owner lets a page be silent."""
    rig = Rig(DIRECT, source_timeout_ms={"websocket": timeout_ms} if timeout_ms else None)
    trying(rig)
    since = rig.now - 0.04  # of the last sample
    rig.wait(since + 0.299 - rig.now)
    assert rig.output("head.pan").policy == "live"
    rig.wait(since + 0.301 - rig.now)
    assert rig.output("head.pan").policy != "live"
    assert rig.status().control == []


def test_loss_of_the_page_lets_the_others_drive_again() -> None:
    rig = Rig(DIRECT, FACE)
    trying(rig)
    rig.stream(0.6, "livelink:Phone", headYaw=0.5)
    assert rig.output("head.pan").source == "livelink:Phone"


def test_late_samples_of_a_page_that_was_lost_do_not_lock_again() -> None:
    rig = Rig(DIRECT, FACE)
    trying(rig)
    rig.stream(0.4, "livelink:Phone", headYaw=0.5)
    rig.send(PAGE, "head", pan=9.0)
    assert rig.status().control == []


def test_estop_ends_the_lock_of_a_person_and_the_page_that_goes_on_gets_none() -> None:
    rig = Rig(DIRECT, FACE, STOP)
    trying(rig)
    rig.send("rc", switch=1.0)
    assert rig.router.latch.active and rig.status().control == []
    rig.send(PAGE, "head", pan=9.0)
    assert rig.status().control == []


def test_estop_leaves_a_leader_its_lock() -> None:
    rig = Rig(DIRECT, STOP)
    rig.router.take_control("arms.left", "leader:left", 5.0, rig.now)
    rig.send("rc", switch=1.0)
    assert [each.holder for each in rig.status().control] == ["leader:left"]


def test_release_lets_the_others_drive_at_once() -> None:
    rig = Rig(DIRECT, FACE)
    trying(rig)
    rig.router.release_control("head", PAGE, rig.now)
    rig.stream(0.4, "livelink:Phone", headYaw=0.5)
    assert rig.output("head.pan").source == "livelink:Phone"
