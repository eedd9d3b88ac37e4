"""Table of the 40-pin header: each pin by its number on the header and by its BCM number, with its
alternate functions and its pull. The same on every Pi with 40 pins.

Sources: Raspberry Pi documentation, "GPIO and the 40-pin header"; pulls and alternate functions by
the BCM2711 data sheet, table 94 (those that hats use; RP1 of a Pi 5 has the same at these pins).
Not here: who holds a pin now (the board reports that).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from ...generated.saint_msgs import GPIOPin
from ...role_config.devices import HEADER_UART as HEADER_UART

PINS = 28  # BCM 0 to 27
PULLED_UP = range(9)  # from power-on, until something sets the pin; the others are pulled down
WITH_RESISTOR = (2, 3)  # pulled up with 1.8 kΩ on the board, for I2C 1
NO_BCM = 255  # GPIOPin.pin_number of a pin without a BCM number: power and ground

_FUNCTIONS = {
    **dict.fromkeys((0, 1, 2, 3), "i2c"),
    **dict.fromkeys((7, 8, 9, 10, 11), "spi"),
    **dict.fromkeys((14, 15), "uart"),
}

# BCM number (or what else is there) by number on the header, 1 to 40: odd ones, even ones.
_Row = tuple[str | int, ...]
_INNER: _Row = (
    *("3V3", 2, 3, 4, "GND", 17, 27, 22, "3V3", 10, 9, 11),
    *("GND", 0, 5, 6, 13, 19, 26, "GND"),
)
_OUTER: _Row = (
    *("5V", "5V", "GND", 14, 15, 18, "GND", 23, 24, "GND", 25, 8),
    *(7, 1, "GND", 12, "GND", 16, 20, 21),
)

ALTERNATES: dict[int, tuple[str, ...]] = {
    0: ("ID EEPROM SDA", "I2C0 SDA"),
    1: ("ID EEPROM SCL", "I2C0 SCL"),
    2: ("I2C1 SDA",),
    3: ("I2C1 SCL",),
    4: ("GPCLK0", "1-Wire"),
    5: ("GPCLK1",),
    6: ("GPCLK2",),
    7: ("SPI0 CE1",),
    8: ("SPI0 CE0",),
    9: ("SPI0 MISO",),
    10: ("SPI0 MOSI",),
    11: ("SPI0 SCLK",),
    12: ("PWM0",),
    13: ("PWM1",),
    14: ("UART0 TXD",),
    15: ("UART0 RXD",),
    16: ("SPI1 CE2",),
    17: ("SPI1 CE1",),
    18: ("PCM CLK", "SPI1 CE0"),  # no PWM here and on 19: see pwm/sysfs_pwm.py
    19: ("PCM FS", "SPI1 MISO"),
    20: ("PCM DIN", "SPI1 MOSI"),
    21: ("PCM DOUT", "SPI1 SCLK"),
}


@dataclass(frozen=True, slots=True)
class HeaderPin:
    """One pin of the header."""

    number: int  # on the header, 1 to 40
    name: str  # "3V3", "5V", "GND", "GPIO17"
    bcm: int | None
    function: Literal["power", "ground", "gpio"]
    alternates: tuple[str, ...] = ()


def pin_name(pin: int) -> str:
    """Return the name as in GPIOPin.pin_name."""
    return f"GPIO{pin}"


def function_of(pin: int) -> str:
    """Return the direction of a pin that no driver holds."""
    return _FUNCTIONS.get(pin, "input")


def whole_header(lines: Iterable[GPIOPin]) -> list[GPIOPin]:
    """Arrange what a board reports of its lines as the 40 pins in the header's order (the first is
    pin 1). A line that is not reported is included in an unknown state.
    """
    by_bcm = {line.pin_number: line for line in lines}
    return [_shown(pin, by_bcm) for pin in HEADER]


def _shown(pin: HeaderPin, lines: dict[int, GPIOPin]) -> GPIOPin:
    if pin.bcm is None:
        state = "low" if pin.function == "ground" else "high"
        return GPIOPin(NO_BCM, pin.name, pin.function, state)
    if line := lines.get(pin.bcm):
        return line
    return GPIOPin(pin.bcm, pin.name, function_of(pin.bcm), "unknown")


def _pin(number: int, what: str | int) -> HeaderPin:
    if isinstance(what, int):
        return HeaderPin(number, pin_name(what), what, "gpio", ALTERNATES.get(what, ()))
    return HeaderPin(number, what, None, "ground" if what == "GND" else "power")


_ROWS = zip(_INNER, _OUTER, strict=True)
HEADER: tuple[HeaderPin, ...] = tuple(
    _pin(2 * row + column + 1, what)
    for row, pair in enumerate(_ROWS)
    for column, what in enumerate(pair)
)
