"""SPI by /dev/spidev<bus>.<select> (spidev)."""

from typing import Any

from ...errors import Code, SaintError


class SpidevBus:
    """One chip select, mode 0. Long writes are cut into what the driver takes at once (4 KiB)."""

    def __init__(self, bus: int, select: int, speed_hz: int) -> None:
        try:
            import spidev  # a node without SPI does not pay for it
        except ImportError as err:
            raise SaintError(
                Code.HARDWARE_MISSING,
                "the Python module spidev is not installed",
                fix="Install python3-spidev, or set SAINT_HW=sim:<directory>.",
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
                fix="Switch SPI on in config.txt of this computer's card (dtoverlay=saint-spi; on"
                " Raspberry Pi OS dtparam=spi=on), start it anew, and let the daemon's user into"
                " group spi.",
            ) from err

    def write(self, data: bytes) -> None:
        """One way."""
        self._device.writebytes2(data)

    def close(self) -> None:
        """Close the device."""
        self._device.close()
