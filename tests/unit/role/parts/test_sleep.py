"""A servo that sleeps: no pulses once it stands still, and no jump when it wakes."""

from pathlib import Path

import pytest

from tests.unit.role.parts.parts_rig import FIELDS, PINS, PartsRig, config

PULSE_US = 1500 + 10 / 60 * 1000  # of 10 degrees


@pytest.fixture
def rig(tmp_path: Path) -> PartsRig:
    pin = PINS["brow"] | {"sleep_after_s": 2.0}
    return PartsRig(tmp_path, config({"brow": FIELDS["brow"]}, {"brow": pin}))


def test_pulses_end_after_it_has_stood_still(rig: PartsRig) -> None:
    rig.hold(1.9, brow=10.0)
    assert rig.channels()[0] == pytest.approx(PULSE_US, abs=5)
    rig.hold(0.3, brow=10.0)  # the router repeats what is in force: that does not wake it
    assert rig.channels()[0] == 0.0
    assert rig.session.is_safe


def test_it_wakes_where_it_fell_asleep(rig: PartsRig) -> None:
    rig.hold(3.0, brow=10.0)
    rig.beat()
    rig.command(brow=-30.0)
    assert rig.channels()[0] == pytest.approx(PULSE_US, abs=5)  # the first pulse is no jump
    before = rig.channels()[0]
    for _ in range(20):
        rig.hold(0.02, brow=-30.0)
        now = rig.channels()[0]
        assert before - now <= 210.0  # 20 ms at 300 degrees a second, and 20 ms for a rest
        before = now
    assert before == pytest.approx(1000, abs=5)


def test_motion_puts_sleep_off(rig: PartsRig) -> None:
    for _ in range(5):
        rig.hold(1.0, brow=10.0)
        rig.hold(1.0, brow=-10.0)
        assert rig.channels()[0] > 0.0


def test_it_sleeps_during_an_estop_too(rig: PartsRig) -> None:
    rig.hold(0.5, brow=10.0)
    rig.estop(True, 1)
    assert rig.channels()[0] > 0.0
    rig.clock.advance(3.0)
    assert rig.channels()[0] == 0.0


def test_estop_before_the_first_pulse_leaves_it_asleep(rig: PartsRig) -> None:
    rig.hold(3.0, brow=10.0)
    rig.servo_chip.set_answers(False)
    rig.beat()
    rig.command(brow=-30.0)  # awake, but its pulse could not be written
    rig.estop(True, 1)
    rig.servo_chip.set_answers(True)
    rig.clock.advance(1.0)
    assert rig.channels()[0] == 0.0
