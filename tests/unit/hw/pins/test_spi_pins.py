"""What the drawing of the header says of GPIO7 to GPIO11, with SPI on and off."""

from pathlib import Path

import pytest

from saint_services.lib.api.hardware import HeaderPinState, PinUse, RoleHardware
from saint_services.lib.generated.saint_msgs import GPIOPin
from saint_services.lib.hw.pins import spi_pins
from saint_services.lib.hw.pins.header import PINS, function_of, pin_name
from saint_services.lib.role_config.hardware import compare
from tools.sim.board import SimBoard

ALL = (7, 8, 9, 10, 11)


def lines() -> list[GPIOPin]:
    """As the kernel reports: of the bus, the chip selects alone."""
    found = [GPIOPin(n, pin_name(n), function_of(n), "unknown") for n in range(PINS)]
    for select in (7, 8):
        found[select] = GPIOPin(select, pin_name(select), "output", "unknown", True, "spi0 CS0")
    return found


def test_spi_that_is_on_holds_all_five() -> None:
    shown = lines()
    spi_pins.mark(shown, is_spi_on=True)
    states = {(shown[n].direction, shown[n].in_use, shown[n].used_by) for n in ALL}
    assert states == {("spi", True, "SPI0")}
    assert shown[12].used_by == ""


def test_program_that_took_a_pin_in_spite_of_it_is_named() -> None:
    shown = lines()
    shown[9] = GPIOPin(9, "GPIO9", "input", "high", True, "button_a")
    spi_pins.mark(shown, is_spi_on=True)
    assert (shown[9].direction, shown[9].used_by) == ("input", "button_a")


def test_without_spi_they_are_inputs_of_nobody() -> None:
    shown = [GPIOPin(n, pin_name(n), function_of(n), "unknown") for n in range(PINS)]
    spi_pins.mark(shown, is_spi_on=False)
    assert {(shown[n].direction, shown[n].in_use) for n in ALL} == {("input", False)}


def test_spi_is_on_when_it_has_chip_selects(tmp_path: Path) -> None:
    assert not spi_pins.is_on(tmp_path)
    (tmp_path / "sys/bus/spi/devices/spi0.0").mkdir(parents=True)
    assert spi_pins.is_on(tmp_path)


def test_simulated_header_shows_them_too(tmp_path: Path) -> None:
    board = SimBoard(tmp_path)
    assert [line.pin_number for line in board.pins() if line.used_by == "SPI0"] == list(ALL)
    board.close()


@pytest.mark.parametrize("bcm", ALL)
def test_role_that_needs_one_of_them_gets_the_setting_that_frees_it(bcm: int) -> None:
    needs = RoleHardware(pins=[PinUse(bcm=bcm, name="button_a", purpose="button")], devices=[])
    shown = lines()
    spi_pins.mark(shown, is_spi_on=True)
    held = [
        HeaderPinState(
            number=n + 1,
            pin_number=line.pin_number,
            pin_name=line.pin_name,
            direction=line.direction,
            current_state=line.current_state,
            in_use=line.in_use,
            used_by=line.used_by,
        )
        for n, line in enumerate(shown)
    ]
    (finding,) = compare(needs, held, [])
    assert finding.verdict == "taken"
    assert "dtoverlay=saint-spi in config.txt" in finding.text
