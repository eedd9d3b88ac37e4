"""Accesses an I2C bus by /dev/i2c-<n> (smbus2)."""

import contextlib
import fcntl
from typing import Any

from ...errors import Code, SaintError

_TIMEOUT = 0x0702  # ioctl of i2c-dev.h; its unit is 10 ms
# The longest transfer of ours, a page of the display, takes 12 ms at 100 kHz. With the kernel's
# second of patience an SCL that is held low would stop a role's loop for longer than its deadline.
_PATIENCE = 3


class SmbusI2c:
    """An I2C bus. The kernel turns a missing acknowledge into OSError (EREMOTEIO or ENXIO), an SCL
    that is held low into ETIMEDOUT after 30 ms; an SDA that is held low it does not notice.
    """

    def __init__(self, bus: int) -> None:
        import smbus2  # a node without I2C does not pay for it

        self._messages: Any = smbus2.i2c_msg
        try:
            self._bus = smbus2.SMBus(bus)
        except OSError as err:
            raise SaintError(
                Code.HARDWARE_MISSING,
                f"I2C bus {bus} cannot be opened ({err.strerror})",
                fix="Enable I2C in config.txt (dtoverlay=saint-buses; on Raspberry Pi OS"
                " dtparam=i2c_arm=on), and add the daemon's user to group i2c.",
            ) from err
        descriptor = self._bus.fd
        assert descriptor is not None  # it was opened
        with contextlib.suppress(OSError):  # some controllers have no time-out
            fcntl.ioctl(descriptor, _TIMEOUT, _PATIENCE)

    def write(self, address: int, data: bytes) -> None:
        self._bus.i2c_rdwr(self._messages.write(address, data))

    def transfer(self, address: int, data: bytes, length: int) -> bytes:
        answer = self._messages.read(address, length)
        # An empty write is left out: controllers refuse it, and some memories run a command by it.
        before = (self._messages.write(address, data),) if data else ()
        self._bus.i2c_rdwr(*before, answer)
        return bytes(answer)

    def close(self) -> None:
        self._bus.close()
