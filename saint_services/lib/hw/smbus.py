"""I2C by /dev/i2c-<n> (smbus2)."""

from typing import Any

from ..errors import Code, SaintError


class SmbusI2c:
    """One bus. The kernel turns a missing acknowledge into OSError (EREMOTEIO or ENXIO)."""

    def __init__(self, bus: int) -> None:
        import smbus2  # a node without I2C does not pay for it

        self._messages: Any = smbus2.i2c_msg
        try:
            self._bus = smbus2.SMBus(bus)
        except OSError as err:
            raise SaintError(
                Code.HARDWARE_MISSING,
                f"I2C bus {bus} cannot be opened ({err.strerror})",
                fix="Enable I2C (dtparam=i2c_arm=on) and let the daemon's user into group i2c.",
            ) from err

    def write(self, address: int, data: bytes) -> None:
        """One write."""
        self._bus.i2c_rdwr(self._messages.write(address, data))

    def transfer(self, address: int, data: bytes, length: int) -> bytes:
        """Write, repeated START, read."""
        answer = self._messages.read(address, length)
        self._bus.i2c_rdwr(self._messages.write(address, data), answer)
        return bytes(answer)

    def close(self) -> None:
        """Close the device."""
        self._bus.close()
