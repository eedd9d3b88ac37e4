"""The table of the header, against the numbers of the printed pin-out."""

import pytest

from saint_services.lib.generated.saint_msgs import GPIOPin
from saint_services.lib.hw.pins.header import HEADER, NO_BCM, PINS, whole_header


def test_header_has_forty_pins_in_order() -> None:
    assert [pin.number for pin in HEADER] == list(range(1, 41))


def test_header_has_every_bcm_line_once() -> None:
    lines = [pin.bcm for pin in HEADER if pin.bcm is not None]
    assert sorted(lines) == list(range(PINS))


@pytest.mark.parametrize(
    ("name", "numbers"),
    [("3V3", [1, 17]), ("5V", [2, 4]), ("GND", [6, 9, 14, 20, 25, 30, 34, 39])],
)
def test_power_and_ground_stand_where_they_are(name: str, numbers: list[int]) -> None:
    assert [pin.number for pin in HEADER if pin.name == name] == numbers


def test_number_on_the_header_is_the_bcm_line() -> None:
    by_number = {pin.number: pin.bcm for pin in HEADER if pin.bcm is not None}
    assert by_number == {
        **{3: 2, 5: 3, 7: 4, 8: 14, 10: 15, 11: 17, 12: 18, 13: 27, 15: 22, 16: 23},
        **{18: 24, 19: 10, 21: 9, 22: 25, 23: 11, 24: 8, 26: 7, 27: 0, 28: 1, 29: 5},
        **{31: 6, 32: 12, 33: 13, 35: 19, 36: 16, 37: 26, 38: 20, 40: 21},
    }


def test_alternates_name_the_buses() -> None:
    by_bcm = {pin.bcm: pin.alternates for pin in HEADER}
    assert by_bcm[2] == ("I2C1 SDA",)
    assert by_bcm[10] == ("SPI0 MOSI",)
    assert [bcm for bcm, names in by_bcm.items() if "PWM" in "".join(names)] == [12, 13]
    assert by_bcm[27] == ()


def test_whole_header_keeps_what_the_board_reports() -> None:
    shown = whole_header([GPIOPin(17, "GPIO17", "output", "high", True, "left_encoder")])
    assert len(shown) == 40
    assert shown[10] == GPIOPin(17, "GPIO17", "output", "high", True, "left_encoder")
    assert shown[0] == GPIOPin(NO_BCM, "3V3", "power", "high")
    assert shown[5] == GPIOPin(NO_BCM, "GND", "ground", "low")


def test_whole_header_without_a_board_says_that_it_does_not_know() -> None:
    shown = whole_header([])
    assert shown[2] == GPIOPin(2, "GPIO2", "i2c", "unknown")
    assert shown[36] == GPIOPin(26, "GPIO26", "input", "unknown")
