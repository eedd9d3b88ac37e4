"""What a measurement makes of frames."""

import random

import pytest

from saint_services.livelinkd.measuring import RunningMeasurement, measured, noise, percentile

NAMES = ("jawOpen", "browInnerUp")


def test_percentiles_lie_between_neighbours_in_proportion() -> None:
    assert percentile([0.0, 1.0, 2.0, 3.0, 4.0], 0.5) == 2.0
    assert percentile([0.0, 1.0], 0.25) == 0.25
    assert percentile([7.0], 0.95) == 7.0


def test_range_leaves_a_single_outlier_out() -> None:
    series = [0.1] * 50 + [0.5] * 50
    series[3] = 1.0
    found = measured(series)
    assert (found.low, found.high) == (0.1, 0.5)


def test_noise_is_the_deviation_without_slow_movements_and_blinks() -> None:
    dice = random.Random(3)
    series = [dice.gauss(0.2 + at * 0.001, 0.01) for at in range(600)]
    series[100:106] = [0.3, 0.7, 1.0, 1.0, 0.6, 0.3]
    assert noise(series) == pytest.approx(0.01, rel=0.15)
    assert noise([0.5]) == 0.0


def test_result_counts_repeated_frames_once_and_frames_without_a_face() -> None:
    running = RunningMeasurement("Face")
    for at in range(40):
        running.take(NAMES, (at / 40, 0.25))
        running.take(NAMES, (at / 40, 0.25))
    for _ in range(10):
        running.take(NAMES, ())
    found = running.result(2.0, {"jawOpen"})
    assert (found.frames, found.tracked, found.rate_hz) == (50, 40, 25.0)
    assert list(found.values) == ["jawOpen"]
    assert found.values["jawOpen"].middle == pytest.approx(0.4875)


def test_result_of_nothing_has_no_values() -> None:
    assert RunningMeasurement("Face").result(2.0).model_dump() == {
        "frames": 0, "tracked": 0, "rate_hz": 0.0, "values": {},
    }  # fmt: skip
