"""Pins of both boards: no pin twice, none of flash, memory, USB or strapping, and not too many PWM
signals.

Sources: ESP32-S3 data sheet, sections 2.2 to 2.6 and 4.1; technical reference, LED PWM.
"""

import pytest

from image.boards.balance import pins as balance
from image.boards.io import pins as io

FLASH = set(range(26, 33))
OCTAL_MEMORY = set(range(33, 38))
USB = {19, 20}
STRAPPING = {0, 3, 45, 46}
UART0 = {43, 44}
EXISTING = set(range(22)) | set(range(26, 49))
PULSES_AT_POWER_ON = set(range(1, 19))
PWM_SIGNALS = 8


def check(fixed: dict[str, int], chosen: dict[str, int], forbidden: set[int]) -> None:
    """Assert that chosen pins clash neither with each other nor with anything else."""
    numbers = list(chosen.values())
    assert len(set(numbers)) == len(numbers)
    assert not set(numbers) & set(fixed.values())
    assert not set(numbers) & forbidden
    assert set(numbers) <= EXISTING


def io_chosen() -> dict[str, int]:
    bridges = {
        f"bridge {n} {name}": pin
        for n, each in enumerate(io.BRIDGES)
        for name, pin in zip(("forward", "reverse", "enable"), each, strict=True)
    }
    return io.CHOSEN | bridges


def test_balance_with_twai_has_no_clash() -> None:
    check(balance.FIXED, balance.WITH_TWAI, FLASH | OCTAL_MEMORY | USB | STRAPPING | UART0)


def test_balance_with_mcp2515_has_no_clash_where_the_memory_has_four_lines() -> None:
    forbidden = FLASH | USB | STRAPPING | UART0
    check(balance.FIXED, balance.WITH_MCP2515, forbidden)
    clashes = set(balance.WITH_MCP2515.values()) & OCTAL_MEMORY
    assert clashes == {balance.SPI_CS}  # as its comment says


def test_io_has_no_clash() -> None:
    check(io.FIXED, io_chosen(), FLASH | OCTAL_MEMORY | USB | STRAPPING | UART0)


@pytest.mark.parametrize(
    ("name", "pin"),
    [
        ("LCD_SCLK", 10),
        ("LCD_MOSI", 11),
        ("LCD_CS", 9),
        ("LCD_DC", 8),
        ("LCD_BACKLIGHT", 2),
        ("TOUCH_INT", 5),
        ("TOUCH_RESET", 4),
        ("I2C_SDA", 6),
        ("I2C_SCL", 7),
        ("IMU_INT", 3),
        ("CONSOLE_TX", 43),
        ("CONSOLE_RX", 44),
    ],
)
def test_fixed_pins_of_balance_are_those_of_the_document(name: str, pin: int) -> None:
    assert balance.FIXED[name] == pin


def test_fixed_pins_of_io_are_those_of_the_document() -> None:
    assert io.FIXED == {"CROSSFIRE_TX": 43, "CROSSFIRE_RX": 44}


def test_enables_do_not_pulse_at_power_on_and_pwm_signals_suffice() -> None:
    enables = {enable for _, _, enable in io.BRIDGES}
    assert not enables & PULSES_AT_POWER_ON
    assert 2 * len(io.BRIDGES) <= PWM_SIGNALS
