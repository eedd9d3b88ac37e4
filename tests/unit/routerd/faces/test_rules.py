"""The rules of the face mapping against numbers that were worked out by hand."""

import random

import pytest

from saint_services.lib.api.measurement import MeasuredValue, Measurement
from saint_services.lib.role_config.fields import FieldSpec
from saint_services.routerd.faces import rules
from saint_services.routerd.faces.rules import InputNoise, Travel, cutoff_hz, mapping, travel
from saint_services.routerd.faces.templates import Pull
from saint_services.routerd.routes.filters import OneEuro

JAW = Pull("jawOpen", "open", "high")
BLINK = Pull("eyeBlinkLeft", "blink", "low")
NOD = Pull("headPitch", "nod", "both")
QUIET = InputNoise(0.0, 60.0)


def value(low: float, middle: float, high: float, noise: float = 0.0) -> MeasuredValue:
    return MeasuredValue(low=low, middle=middle, high=high, noise=noise)


def field(low: float, high: float, neutral: float = 0.0, unit: str = "deg") -> FieldSpec:
    return FieldSpec.model_validate(
        {"command": "cmd", "kind": "position", "unit": unit, "limits": [low, high], "max_rate": 100,
         "neutral": neutral, "on_loss": "neutral"}
    )  # fmt: skip


@pytest.mark.parametrize(
    ("noise", "rate_hz", "expected"),
    [
        (0.0, 60, None),
        (0.0025, 60, None),
        (0.0026, 60, 10.0),  # 234 Hz by the formula: more than the fastest
        (0.005, 60, 6.37),  # r = 1/4, w = 0.4
        (0.005, 30, 3.18),
        (0.0075, 60, 2.39),  # r = 1/9, w = 0.2
        (0.05, 60, 0.3),  # 0.05 Hz by the formula: less than the slowest
    ],
)
def test_cutoff_follows_from_noise_and_rate(
    noise: float, rate_hz: float, expected: float | None
) -> None:
    assert cutoff_hz(noise, rate_hz) == expected


def test_movement_begins_three_deviations_beyond_rest_and_ends_at_the_percentile() -> None:
    rest = value(0.0, 0.05, 0.08, noise=0.02)
    assert travel(JAW, rest, value(0.05, 0.4, 0.7)) == Travel(pytest.approx(0.11), 0.7)
    still = value(0.05, 0.05, 0.05)
    assert travel(JAW, still, value(0.05, 0.4, 0.7)) == Travel(pytest.approx(0.07), 0.7)


@pytest.mark.parametrize(
    ("noise", "high", "is_moved"),
    [(0.0, 0.19, False), (0.0, 0.21, True), (0.05, 0.34, False), (0.05, 0.36, True)],
)
def test_movement_counts_from_its_least_travel_on(
    noise: float, high: float, is_moved: bool
) -> None:
    found = travel(JAW, value(0, 0.05, 0.1, noise), value(0, 0.1, high))
    assert (found is not None) is is_moved


def test_angle_needs_both_ways() -> None:
    rest = value(-0.02, 0.0, 0.02)
    assert travel(NOD, rest, value(-0.3, 0.0, 0.4)) == Travel(-0.3, 0.4, 0.0)
    assert travel(NOD, rest, value(-0.09, 0.0, 0.4)) is None
    assert travel(NOD, rest, value(-0.3, 0.0, 0.09)) is None


def test_jaw_opens_from_neutral_to_its_upper_limit() -> None:
    found = mapping(JAW, Travel(0.1, 0.6), "jaw", field(0, 1, unit="ratio"), QUIET)
    assert found is not None
    assert (found.curve, found.points, found.scale) == ("points", [(0.1, 0.0), (0.6, 1.0)], 1.0)
    assert (found.from_, found.to, found.filter) == ("jawOpen", "jaw", "none")


def test_lid_closes_from_its_open_rest() -> None:
    found = mapping(BLINK, Travel(0.2, 0.8), "lid", field(0, 1, neutral=1), QUIET)
    assert found is not None and found.scale == -1.0


def test_way_is_shared() -> None:
    half = Pull("eyeLookUpLeft", "up", "high", 0.5)
    found = mapping(half, Travel(0.1, 0.6), "eye_tilt", field(-25, 25), QUIET)
    assert found is not None and found.scale == 12.5


def test_part_without_way_to_go_has_no_mapping() -> None:
    assert mapping(JAW, Travel(0.1, 0.6), "jaw", field(0, 1, neutral=1), QUIET) is None


def test_angle_goes_from_limit_over_neutral_to_limit() -> None:
    found = mapping(NOD, Travel(-0.3, 0.4, 0.0), "neck", field(-20, 30, neutral=5), QUIET)
    assert found is not None
    assert found.points == [(-0.3, -0.5), (0.0, 0.0), (0.4, 0.5)] and found.scale == 50.0


def test_filter_is_chosen_by_the_noise_of_the_part() -> None:
    # 0.003 of the input over half of the input's range is 0.006 of the part's range.
    noise = InputNoise(0.00375, 60.0)
    found = mapping(JAW, Travel(0.1, 0.6), "jaw", field(0, 1), noise)
    assert found is not None
    assert (found.filter, found.cutoff_hz, found.beta) == ("one_euro", 2.39, 5.0)
    assert found.derivative_hz == 1.0
    # The same noise moves a part that uses the half of its range half as far: 0.375 %.
    found = mapping(JAW, Travel(0.1, 0.6), "jaw", field(-1, 1), noise)
    assert found is not None and found.cutoff_hz == 10.0


def test_filter_keeps_its_promise_at_rest_and_in_motion() -> None:
    dice = random.Random(5)
    for noise in (0.004, 0.006, 0.01, 0.02):
        cutoff = cutoff_hz(noise, 60.0)
        assert cutoff is not None
        chosen = OneEuro(cutoff, rules.BETA, 1.0, 1.0)
        chosen.start(0.0)
        still = [chosen.run(dice.gauss(0.0, noise), 1 / 60) for _ in range(3000)][600:]
        deviation = (sum(x * x for x in still) / len(still)) ** 0.5
        # The noise of its own speed raises the cut-off a little.
        assert deviation < (0.0055 if noise <= 0.01 else 0.007), (noise, deviation)
        chosen.start(0.0)
        steps = range(1, 31)  # the full range in half a second
        lags = [at / 30 - chosen.run(at / 30, 1 / 60) for at in steps]
        assert lags[-1] / 2.0 < 0.040, (noise, lags[-1])  # seconds behind


def test_stream_without_frames_or_faces_is_refused_with_a_sentence() -> None:
    assert rules.unseen(Measurement(frames=3, tracked=3, rate_hz=1)).startswith("The phone sends")
    seen = Measurement(frames=100, tracked=79, rate_hz=60)
    assert rules.unseen(seen).startswith("The phone does not see your face.")
    assert rules.unseen(Measurement(frames=100, tracked=80, rate_hz=60)) == ""
