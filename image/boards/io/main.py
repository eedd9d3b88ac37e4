"""Starts the IO board on its ESP32-S3. Not here: what it does (io_board.py)."""

import machine
import neopixel

from ..shared import tables as t
from ..shared.esp32 import Clock, OutputPin, PwmPin, SerialLine, Terminal, serve
from . import pins
from .accessories import Accessories
from .barometer import Barometer
from .bridges import Bridge, Bridges
from .chips import Chips
from .distance import DistanceSensor
from .io_board import IoBoard
from .nfc import NfcReader

CRSF_BAUD = 420_000
_LEDS = 16
_I2C_LIMIT_US = 3000  # a chip that holds the bus costs so much of a turn, and then a pause


class Strip:
    """The WS2812B strip, all in one colour."""

    def __init__(self) -> None:
        self._leds = neopixel.NeoPixel(machine.Pin(pins.STRIP), _LEDS)

    def show(self, colour: "tuple[int, ...]") -> None:
        self._leds.fill(colour)
        self._leds.write()


def main(version: str) -> None:
    """Run the board until it is interrupted, which is possible while the wagon is not armed."""
    enables = [OutputPin(each[2]) for each in pins.BRIDGES]  # first of all
    clock, terminal = Clock(), Terminal()
    wheels = [
        Bridge(PwmPin(forward), PwmPin(reverse), enable)
        for (forward, reverse, _), enable in zip(pins.BRIDGES, enables)
    ]
    outputs = [OutputPin(each) for each in (pins.HORN, pins.LIGHT, pins.FAN, pins.BUZZER)]
    board = IoBoard(
        SerialLine(0, CRSF_BAUD, pins.CROSSFIRE_TX, pins.CROSSFIRE_RX),
        SerialLine(2, CRSF_BAUD, pins.ELRS_TX, pins.ELRS_RX),
        SerialLine(1, t.LINK_BAUD, pins.LINK_TX, pins.LINK_RX),
        terminal,
        Bridges(tuple(wheels[:2]), tuple(wheels[2:])),
        Accessories(Strip(), outputs[0], outputs[1], outputs[2], outputs[3]),
        clock.now_ms(),
        version,
    )
    board.chips = Chips(
        machine.I2C(
            0,
            scl=machine.Pin(pins.I2C_SCL),
            sda=machine.Pin(pins.I2C_SDA),
            freq=400_000,
            timeout=_I2C_LIMIT_US,
        ),
        (DistanceSensor(), Barometer(), NfcReader()),
    )
    serve(board, clock, terminal, lambda: board.is_armed)
