"""Starts the BALANCE board on its ESP32-S3. Not here: what it does (balance_board.py)."""

import machine

from ..shared import tables as t
from ..shared.esp32 import Clock, SerialLine, Terminal, serve
from . import pins
from .balance_board import BalanceBoard
from .qmi8658 import Qmi8658

BIT_RATE = 500_000


def open_can():
    """Open the chip's own controller where this firmware has it, else the MCP2515."""
    if hasattr(machine, "CAN"):
        from .twai import Twai

        return Twai(machine.CAN(0, bitrate=BIT_RATE, tx=pins.TWAI_TX, rx=pins.TWAI_RX))
    from .mcp2515 import Mcp2515

    spi = machine.SPI(
        1,
        baudrate=8_000_000,
        sck=machine.Pin(pins.SPI_SCK),
        mosi=machine.Pin(pins.SPI_MOSI),
        miso=machine.Pin(pins.SPI_MISO),
    )
    return Mcp2515(spi, machine.Pin(pins.SPI_CS, machine.Pin.OUT, value=1))


def main(version: str) -> None:
    """Run the board until it is interrupted, which is possible while it is not armed."""
    clock, terminal = Clock(), Terminal()
    link = SerialLine(1, t.LINK_BAUD, pins.LINK_TX, pins.LINK_RX)
    i2c = machine.I2C(0, scl=machine.Pin(pins.I2C_SCL), sda=machine.Pin(pins.I2C_SDA), freq=400_000)
    board = BalanceBoard(open_can(), Qmi8658(i2c), link, terminal, clock.now_ms(), version)
    if machine.reset_cause() == machine.WDT_RESET:  # its loop had stood still
        board.start_fault = t.FAULT_INTERNAL
    serve(board, clock, terminal, lambda: board.arming.is_armed)
