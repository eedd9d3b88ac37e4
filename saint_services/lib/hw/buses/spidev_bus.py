"""Accesses an SPI bus by /dev/spidev<bus>.<select> (spidev)."""

from typing import Any

from ...errors import Code, SaintError


class SpidevBus:
    """One chip select, mode 0. Long writes are split into transfers of 4 KiB, the limit of the
    driver.
    """

    def __init__(self, bus: int, select: int, speed_hz: int) -> None:
        try:
            import spidev  # a node without SPI does not pay for it
        except ImportError as err:
            raise SaintError(
                Code.HARDWARE_MISSING,
                "the Python module spidev is not installed",
                fix="Install python3-spidev.",
            ) from err
        self._device: Any = spidev.SpiDev()
        try:
            self._device.open(bus, select)
            self._device.max_speed_hz = speed_hz
            self._device.mode = 0
        except OSError as err:
            raise SaintError(
                Code.HARDWARE_MISSING,
                f"SPI bus {bus}, select {select} cannot be opened ({err.strerror or err})",
                fix="Enable SPI in config.txt on this computer's card (dtoverlay=saint-spi; on"
                " Raspberry Pi OS dtparam=spi=on), restart, and add the daemon's user to"
                " group spi.",
            ) from err

    def write(self, data: bytes) -> None:
        self._device.writebytes2(data)

    def close(self) -> None:
        self._device.close()
