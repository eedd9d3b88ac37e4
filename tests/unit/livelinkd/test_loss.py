"""Loss counted from frame numbers: gaps, order, restarts, midnight at every rate."""

from fractions import Fraction

import pytest

from saint_services.livelinkd.loss import FrameLoss
from saint_services.livelinkd.protocols import Frame

DAY = 86_400 * 60


def frame(number: int, rate: tuple[int, int]) -> Frame:
    return Frame("Face", "phone", "face", number, 0.0, rate, ("jawOpen",), (0.5,))


def lost(*numbers: int, rate: tuple[int, int] = (60, 1)) -> int:
    loss = FrameLoss()
    for number in numbers:
        loss.is_late(frame(number, rate))
    return loss.lost


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        ((10, 11, 12), 0),
        ((10, 12, 15), 3),
        ((10, 12, 11, 13), 0),  # late is not lost
        ((10, 14, 12, 11, 13, 15), 0),
        ((-3, -2, 0, 1), 1),  # a time code before zero
        ((10, 11, 11, 12), 0),  # twice
        ((10, 12, 12, 13), 1),
        ((10, 70), 59),
        ((1000, 5), 0),  # the app was started again
        ((10, 100_000, 100_001), 0),
        ((DAY - 1, 0, 1), 0),  # midnight
        ((DAY - 2, 1), 2),
        ((DAY - 2, 0, DAY - 1, 1), 0),  # the last of the day comes late
        ((DAY - 1, DAY - 1, 0, 0, 1), 0),
    ],
)
def test_loss_is_counted_by_numbers(numbers: tuple[int, ...], expected: int) -> None:
    assert lost(*numbers) == expected


@pytest.mark.parametrize("days", [2_592_000, 2_589_411, 2_589_408])
def test_midnight_at_30000_1001_whatever_a_day_is(days: int) -> None:
    rate = (30000, 1001)
    assert round(86_400 * Fraction(*rate)) == 2_589_411
    assert lost(days - 2, days - 1, 0, 1, rate=rate) == 0


def test_streams_without_numbers_lose_nothing() -> None:
    loss = FrameLoss()
    assert not any(loss.is_late(frame(number, (0, 1))) for number in (5, 5, 3, 1000, 7))
    assert loss.lost == 0
