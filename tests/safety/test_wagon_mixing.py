"""Mixing, ramps, stability assist and gains of the wagon's boards, at the very bound of each rule.
Numbers are typed by hand.
"""

import pytest

from image.boards.balance.mixing import Slew, StabilityAssist, accepted_gains, mixed


@pytest.mark.parametrize(
    ("speed", "steer", "limit", "sides"),
    [
        (500, 200, 1.0, (300, 700)),
        (1000, 0, 1.0, (1000, 1000)),
        (1000, 0, 0.5, (500, 500)),
        (800, 400, 1.0, (400 / 1.2, 1000)),
        (-800, 400, 1.0, (-1000, -400 / 1.2)),
        (0, 1000, 0.2, (-200, 200)),
    ],
)
def test_mixing(speed: float, steer: float, limit: float, sides: tuple[float, float]) -> None:
    assert mixed(speed, steer, limit) == pytest.approx(sides)


def test_slew_gains_2000_and_loses_5000_a_second() -> None:
    slew = Slew()
    assert slew.value == 0
    assert slew.step(1000, 0.1) == pytest.approx(200)
    assert slew.step(150, 0.005) == pytest.approx(175)
    assert slew.step(150, 0.005) == pytest.approx(150)
    assert slew.step(-1000, 0.01) == pytest.approx(100)  # through rest first
    assert slew.step(-1000, 0.1) == pytest.approx(0)
    assert slew.step(-1000, 0.1) == pytest.approx(-200)
    assert slew.step(-200, 0.1) == pytest.approx(-200)
    assert slew.step(0.0, 0.01) == pytest.approx(-150)
    slew.stop()
    assert slew.value == 0
    assert slew.step(0.0, 0.01) == 0


@pytest.mark.parametrize(
    ("speed", "pitch", "rate", "found"),
    [
        (800, -10.0, 0.0, 680),
        (800, 10.0, 0.0, 800),
        (800, 0.0, -10.0, 785),
        (800, -90.0, 0.0, 200),  # it takes 600 away at most
        (500, -90.0, 0.0, 0),
        (-800, 10.0, 0.0, -680),
        (-800, -10.0, 0.0, -800),
        (-800, 90.0, 0.0, -200),
        (-500, 90.0, 0.0, 0),
        (1, 0.0, 0.0, 1),
        (-1, 0.0, 0.0, -1),
        (0, -40.0, 0.0, 0),
        (0, 40.0, 0.0, 0),
    ],
)
def test_assist_takes_away_by_pitch_and_rate(
    speed: float, pitch: float, rate: float, found: float
) -> None:
    assist = StabilityAssist((12.0, 0.0, 1.5))
    assert assist.step(speed, pitch, rate, 0.0) == pytest.approx(found)


def test_assist_follows_a_slope_in_3_s_and_forgets_it() -> None:
    assist = StabilityAssist((10.0, 0.0, 0.0))
    assert assist.step(800, -30.0, 0.0, 1.5) == pytest.approx(650)  # half of it is slope by now
    assert assist.step(800, -30.0, 0.0, 6.0) == pytest.approx(800)
    assert assist.step(-800, -30.0, 0.0, 0.0) == pytest.approx(-800)  # and no further than it
    assist.reset(-10.0)
    assert assist.step(800, -20.0, 0.0, 0.0) == pytest.approx(700)


def test_assist_sums_up_at_most_600() -> None:
    assist = StabilityAssist((0.0, 10.0, 0.0))
    # The slope is followed by 1/30 in a step of 100 ms.
    assert assist.step(800, -30.0, 0.0, 0.1) == pytest.approx(800 - 29, abs=0.01)
    assert assist.step(800, -30.0, 0.0, 0.1) == pytest.approx(800 - 29 - 28.033, abs=0.01)
    for _ in range(50):
        assist.step(800, -3000.0, 0.0, 0.1)
    assert assist.step(800, -3000.0, 0.0, 0.0) == pytest.approx(200)
    assist.reset(0.0)
    assert assist.step(800, 0.0, 0.0, 0.1) == pytest.approx(800)
    for _ in range(50):
        assist.step(-800, 3000.0, 0.0, 0.1)
    assert assist.step(-800, 3000.0, 0.0, 0.0) == pytest.approx(-200)


def test_assist_sums_up_nothing_while_the_sum_has_no_gain() -> None:
    assist = StabilityAssist((0.0, 0.0, 0.0))
    assist.step(800, -30.0, 0.0, 1.0)
    assist.gains = (0.0, 100.0, 0.0)
    assert assist.step(800, 0.0, 0.0, 0.0) == pytest.approx(800)


def test_sum_of_the_assist_is_bounded_where_it_is_held() -> None:
    assist = StabilityAssist((0.0, 10.0, 0.0))
    for _ in range(100):
        assist.step(800, -900.0, 0.0, 0.1)
        assist._slope = 0.0
    assist.step(800, 30.0, 0.0, 1.0)  # what was summed up beyond the bound would still be there
    assert assist.step(800, 0.0, 0.0, 0.0) > 300


@pytest.mark.parametrize(
    ("wanted", "is_armed", "is_accepted"),
    [
        ((100.0, 0.0, 0.0), False, True),
        ((100.1, 0.0, 0.0), False, False),
        ((-0.1, 0.0, 0.0), False, False),
        ((11.0, 0.05, 1.1), True, True),
        ((9.0, 0.0, 0.9), True, True),
        ((11.02, 0.0, 1.0), True, False),
        ((10.0, 0.0506, 1.0), True, False),
        ((10.0, 0.0505, 1.0), True, True),
        ((10.0, 0.0504, 1.0), True, True),
        ((10.0, 0.0, 1.2), True, False),
        ((10.0, 0.0, 1.2), False, True),
    ],
)
def test_gains_have_their_bounds(
    wanted: tuple[float, ...], is_armed: bool, is_accepted: bool
) -> None:
    found = accepted_gains((10.0, 0.0, 1.0), wanted, is_armed)
    assert found == (wanted if is_accepted else None)
