"""Filters against numbers worked out by hand, and their delay as routerd/README.md states it."""

from cmath import phase
from collections.abc import Callable, Iterable
from math import cos, degrees, pi, sin
from pathlib import Path

import pytest

from saint_services.routerd.routes.filters import LowPass, OneEuro, RateLimit

README = Path(__file__).parents[4] / "saint_services/routerd/README.md"


def run(made: LowPass | OneEuro | RateLimit, *samples: tuple[float, float]) -> list[float]:
    """Start at 0 and return the output at each pair of a value and the time since the last."""
    made.start(0.0)
    return [made.run(value, elapsed_s) for value, elapsed_s in samples]


def test_low_pass_of_a_held_step_is_at_63_percent_after_its_time_constant() -> None:
    """1 / (2 pi 1 Hz) is 0.15915 s; 1 - 1/e is 0.63212. The step itself takes no time."""
    assert run(LowPass(1.0), (1.0, 0.0), (1.0, 0.159155)) == [0.0, pytest.approx(0.63212, abs=1e-5)]


def test_low_pass_of_a_ramp_is_that_of_the_differential_equation() -> None:
    """y(t) = t - tau (1 - exp(-t / tau)) of a ramp of 1/s, tau 0.159155 s: 0.15915 - 0.10061."""
    assert run(LowPass(1.0), (0.159155, 0.159155)) == [pytest.approx(0.058550, abs=1e-5)]


def test_low_pass_does_not_depend_on_where_a_straight_input_is_sampled() -> None:
    steps = (0.001, 0.05, 0.0001, 0.02, 0.0289)
    at, samples = 0.0, []
    for step in steps:
        at += step
        samples.append((at, step))
    assert run(LowPass(3.0), *samples)[-1] == pytest.approx(run(LowPass(3.0), (0.1, 0.1))[0])


def test_one_euro_is_algorithm_1_of_the_paper() -> None:
    """10 Hz, mincutoff 1, beta 2, dcutoff 1: alpha(1 Hz) = 1 / (1 + 1.59155) = 0.385869.

    First: speed 10, of which 3.85869; cut-off 1 + 2 x 3.85869 = 8.71737 Hz, tau 0.0182573 s,
    alpha 0.845616. Second: speed 1.543840, filtered 3.85869 + 0.385869 x (1.543840 - 3.85869) =
    2.965461; cut-off 6.930922, tau 0.0229629, alpha 0.813253; 0.845616 + 0.813253 x 0.154384.
    """
    found = run(OneEuro(1.0, 2.0, 1.0, span=1.0), (1.0, 0.1), (1.0, 0.1))
    assert found == [pytest.approx(0.845616, abs=1e-5), pytest.approx(0.971169, abs=1e-5)]


def test_one_euro_measures_the_speed_in_ranges_of_the_field() -> None:
    small = run(OneEuro(1.0, 2.0, 1.0, span=1.0), (1.0, 0.1), (0.4, 0.02))
    large = run(OneEuro(1.0, 2.0, 1.0, span=360.0), (360.0, 0.1), (144.0, 0.02))
    assert large == pytest.approx([360 * value for value in small])


def test_samples_of_one_moment_leave_the_one_euro_where_it_is() -> None:
    assert run(OneEuro(1.0, 5.0, 1.0, span=1.0), (1.0, 0.0), (0.5, 0.0)) == [0.0, 0.0]


def test_rate_limit_goes_so_many_units_a_second_both_ways() -> None:
    samples = ((5.0, 0.1), (5.0, 0.3), (0.25, 0.1), (0.25, 0.5))
    assert run(RateLimit(2.0), *samples) == pytest.approx([0.2, 0.8, 0.6, 0.25])


# Hz of the input, degrees of delay. Low-pass: atan(f / 3 Hz). One-euro: at 60 samples a second, of
# a sine far below and of one over the full range.
LOW_PASS_3_HZ = {1: 18.4, 5: 59.0, 10: 73.3}
ONE_EURO_AT_REST = {1: 43.3, 5: 64.5, 10: 55.1}
ONE_EURO_FULL_RANGE = {1: 4.8, 5: 22.7, 10: 32.4}


def delay_deg(made: LowPass | OneEuro, hz: float, size: float, steps: Iterable[float]) -> float:
    """Return by how many degrees the filter delays a sine, by its first harmonic."""
    made.start(0.0)
    at, total = 0.0, 0j
    last = 8.0 - 4.0 / hz  # whole periods, long after the start
    for step in steps:
        at += step
        if at > 8.0:
            break
        y = made.run(size * sin(2 * pi * hz * at), step)
        if at > last:
            total += step * y * complex(sin(2 * pi * hz * at), cos(2 * pi * hz * at))
    return -degrees(phase(total))


def regular(period_s: float) -> Iterable[float]:
    while True:
        yield period_s


def irregular() -> Iterable[float]:
    """2, 14 and 9 ms in turns."""
    while True:
        yield from (0.002, 0.014, 0.009)


@pytest.mark.parametrize("hz", [1, 5, 10])
@pytest.mark.parametrize("steps", [lambda: regular(0.004), lambda: regular(1 / 60), irregular])
def test_delay_of_the_low_pass_is_as_stated_whatever_the_samples_rate(
    hz: int, steps: Callable[[], Iterable[float]]
) -> None:
    found = delay_deg(LowPass(3.0), hz, 1.0, steps())
    assert found == pytest.approx(LOW_PASS_3_HZ[hz], abs=3.0)


@pytest.mark.parametrize("hz", [1, 5, 10])
def test_delay_of_the_one_euro_is_as_stated(hz: int) -> None:
    small = delay_deg(OneEuro(1.0, 5.0, 1.0, span=1.0), hz, 1e-4, regular(1 / 60))
    assert small == pytest.approx(ONE_EURO_AT_REST[hz], abs=0.5)
    full = delay_deg(OneEuro(1.0, 5.0, 1.0, span=1.0), hz, 0.5, regular(1 / 60))
    assert full == pytest.approx(ONE_EURO_FULL_RANGE[hz], abs=0.5)


@pytest.mark.parametrize(
    ("name", "delays"),
    [
        ("low_pass, 3 Hz", LOW_PASS_3_HZ),
        ("one_euro, 1 Hz, beta 5: at rest", ONE_EURO_AT_REST),
        ("one_euro, 1 Hz, beta 5: full range", ONE_EURO_FULL_RANGE),
    ],
)
def test_readme_states_these_delays(name: str, delays: dict[int, float]) -> None:
    row = next(line for line in README.read_text().splitlines() if line.startswith(f"| {name} |"))
    stated = [float(cell.split("°")[0]) for cell in row.split("|")[2:-1]]
    assert stated == list(delays.values())
