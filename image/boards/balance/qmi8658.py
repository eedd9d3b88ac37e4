"""The attitude sensor QMI8658 on I2C. Register addresses: data sheet revision A."""

import struct

ADDRESSES = (0x6B, 0x6A)  # drivers disagree on which level of SA0 gives which: both are tried
_WHO_AM_I, _ID = 0x00, 0x05
_CTRL1, _CTRL2, _CTRL3, _CTRL5, _CTRL7 = 0x02, 0x03, 0x04, 0x06, 0x08
_DATA = 0x35
_G = 1 / 4096  # of the range of 8 g
_DPS = 1 / 64  # of the range of 512 degrees per second


class Qmi8658:
    """Reads the sensor. `i2c` as machine.I2C. `read` returns raw bytes and a sample, or None."""

    def __init__(self, i2c) -> None:
        self._i2c = i2c
        self._address = 0
        self._buffer = bytearray(12)

    def _begin(self) -> bool:
        """Find the sensor and set it up; return whether it is there."""
        for address in ADDRESSES:
            try:
                if self._i2c.readfrom_mem(address, _WHO_AM_I, 1)[0] != _ID:
                    continue
                for register, value in (
                    (_CTRL7, 0x00),
                    (_CTRL1, 0x40),  # addresses count up, little-endian
                    (_CTRL2, 0x25),  # 8 g, 235 Hz
                    (_CTRL3, 0x55),  # 512 degrees per second, 235 Hz
                    (_CTRL5, 0x11),  # low-pass filters on
                    (_CTRL7, 0x03),  # both on
                ):
                    self._i2c.writeto_mem(address, register, bytes((value,)))
            except OSError:
                continue
            self._address = address
            return True
        return False

    def read(self) -> "tuple | None":
        """Return (raw bytes, sample in g and degrees per second), or None."""
        if not self._address and not self._begin():
            return None
        try:
            self._i2c.readfrom_mem_into(self._address, _DATA, self._buffer)
        except OSError:
            self._address = 0  # it may have lost its power: set it up again
            return None
        raw = bytes(self._buffer)
        ax, ay, az, gx, gy, gz = struct.unpack("<6h", raw)
        return raw, (ax * _G, ay * _G, az * _G, gx * _DPS, gy * _DPS, gz * _DPS)
