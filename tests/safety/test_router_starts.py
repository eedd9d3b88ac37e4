"""How a position starts: where the joint stands, without a jump. Numbers are typed by hand."""

import pytest

from tests.unit.routerd.rig import DIRECT, Rig

PAGE = "websocket:page"
JOINT = "arms.left.joint_5"  # 240 degrees a second


def standing(place: float | None) -> Rig:
    rig = Rig(DIRECT)
    rig.router.masters.places_of = lambda _: {} if place is None else {"joint_5": place}
    return rig


def test_start_from_standstill_does_not_jump_and_goes_on_at_the_rate() -> None:
    rig = standing(None)
    rig.stream(1.0, PAGE, "arms.left", joint_5=0.0)
    rig.send(PAGE, "arms.left", joint_5=90.0)
    assert 0.0 < (rig.value(JOINT) or 0.0) <= 0.5
    rig.wait(0.1)
    assert rig.value(JOINT) == pytest.approx(24.0, abs=2.5)


def test_value_that_follows_a_moving_input_is_not_held_back() -> None:
    rig = standing(None)
    rig.stream(0.5, PAGE, "arms.left", joint_5=0.0)
    for step in range(1, 20):
        rig.send(PAGE, "arms.left", joint_5=2.0 * step)  # 2 degrees in 20 ms
        rig.wait(0.02)
        assert rig.value(JOINT) == 2.0 * step


def test_first_command_starts_slowly_where_the_joint_stands() -> None:
    rig = standing(-40.0)
    rig.send(PAGE, "arms.left", joint_5=80.0)
    assert rig.value(JOINT) == pytest.approx(-40.0, abs=0.5)
    for _ in range(10):
        rig.wait(0.01)
        rig.send(PAGE, "arms.left", joint_5=80.0)
    assert rig.value(JOINT) == pytest.approx(-40.0 + 0.1 * 60.0, abs=1.0)


def test_after_a_stop_the_joint_goes_from_where_it_has_sagged_not_to_the_last_command() -> None:
    rig = standing(0.0)
    rig.stream(3.0, PAGE, "arms.left", joint_5=80.0)
    assert rig.value(JOINT) == 80.0
    rig.router.raise_estop("a person", "", rig.now)
    rig.router.masters.places_of = lambda _: {"joint_5": 10.0}  # it was limp
    rig.clear("a person", rig.now)
    rig.send(PAGE, "arms.left", joint_5=5.0)
    assert rig.value(JOINT) == pytest.approx(10.0, abs=0.5)


def test_place_beyond_the_limits_is_clamped() -> None:
    rig = standing(175.0)
    rig.send(PAGE, "arms.left", joint_5=80.0)
    assert rig.value(JOINT) == pytest.approx(170.0, abs=0.5)
