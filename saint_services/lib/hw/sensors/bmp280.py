"""BMP280: pressure and temperature of the air on I2C. Registers and equations by Bosch
BST-BMP280-DS001, rev 1.26. Also the pressure part of a BME280, whose registers are the same here.
"""

import struct
import time
from dataclasses import dataclass

from ...role_config.devices import I2cDevice
from ..buses.i2c_chip import I2cChip
from ..ports import I2cBus, PressureSample

IDENTITY_AT, RESET_AT, CONTROL, CONFIG, PRESSURE = 0xD0, 0xE0, 0xF4, 0xF5, 0xF7  # table 18
CALIBRATION = 0x88  # table 17
IDENTITY, IDENTITY_BME = 0x58, 0x60
RESET = 0xB6
X2_X16_NORMAL = 2 << 5 | 5 << 2 | 3  # temperature twice, pressure 16 times, repeated
FILTER_4_PAUSE_62_MS = 1 << 5 | 2 << 2
RATE_HZ = 5.0
_NUMBERS = struct.Struct("<HhhHhhhhhhhh")
_START_S = 0.003  # table 2: 2 ms
_SKIPPED = 0x80000  # a measurement that was not made reads like this


@dataclass(frozen=True, slots=True)
class Bmp280Calibration:
    """Calibration constants of this chip."""

    t1: int
    t2: int
    t3: int
    p1: int
    p2: int
    p3: int
    p4: int
    p5: int
    p6: int
    p7: int
    p8: int
    p9: int


def compensate(raw_t: int, raw_p: int, c: Bmp280Calibration) -> PressureSample:
    """Compensate a measurement by appendix 8.1, in floating point."""
    var1 = (raw_t / 16384 - c.t1 / 1024) * c.t2
    fine = var1 + (raw_t / 131072 - c.t1 / 8192) ** 2 * c.t3
    half = fine / 2 - 64000
    var2 = half * half * c.p6 / 32768 + half * c.p5 * 2
    var2 = var2 / 4 + c.p4 * 65536
    var1 = (c.p3 * half * half / 524288 + c.p2 * half) / 524288
    var1 = (1 + var1 / 32768) * c.p1
    if var1 == 0:
        raise OSError(33, "the BMP280's calibration is damaged")
    pressure = (1048576 - raw_p - var2 / 4096) * 6250 / var1
    var1 = c.p9 * pressure * pressure / 2147483648
    var2 = pressure * c.p8 / 32768
    return PressureSample(pressure + (var1 + var2 + c.p7) / 16, fine / 5120)


class Bmp280:
    """One chip. Opening raises SaintError; reading OSError, also when it lost its settings."""

    def __init__(self, bus: I2cBus, device: I2cDevice, name: str) -> None:
        self._chip = I2cChip(bus, device.address, "BMP280", name)
        try:
            self._calibration = self._start()
        except OSError as err:
            raise self._chip.missing(err) from err

    def read(self) -> PressureSample | None:
        """Read the newest measurement in one block, so that its parts belong together (3.9)."""
        data = self._chip.read(CONTROL, 9)
        if data[0] != X2_X16_NORMAL:
            raise self._chip.lost()
        raw_p = int.from_bytes(data[3:6], "big") >> 4
        raw_t = int.from_bytes(data[6:9], "big") >> 4
        if _SKIPPED in (raw_p, raw_t):
            return None
        return compensate(raw_t, raw_p, self._calibration)

    def _start(self) -> Bmp280Calibration:
        found = self._chip.byte(IDENTITY_AT)
        if found not in (IDENTITY, IDENTITY_BME):
            raise self._chip.other(found, IDENTITY)
        self._chip.write(RESET_AT, RESET)
        time.sleep(_START_S)
        calibration = Bmp280Calibration(
            *_NUMBERS.unpack(self._chip.read(CALIBRATION, _NUMBERS.size))
        )
        self._chip.write(CONFIG, FILTER_4_PAUSE_62_MS)  # while it sleeps, or it may be ignored
        self._chip.write(CONTROL, X2_X16_NORMAL)
        return calibration
