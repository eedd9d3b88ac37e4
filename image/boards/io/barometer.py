"""The barometer of the IO board: a BMP280 or a BMP388/390. Registers and formulas: data sheets
BST-BMP280-DS001 (3.11.3, 4) and BST-BMP388-DS001 (4, 9); integers, which are alike everywhere.
"""

import struct

from ..shared import tables as t
from .chips import ChipError

ADDRESSES = (0x76, 0x77)
_ID_280, _IDS_280, _CALIBRATION_280 = 0xD0, (0x56, 0x57, 0x58, 0x60), 0x88
_CONTROL_280, _CONFIG_280, _DATA_280 = 0xF4, 0xF5, 0xF7
_ID_388, _IDS_388, _CALIBRATION_388 = 0x00, (0x50, 0x60), 0x31
_DATA_388, _POWER_388, _OVERSAMPLING_388, _RATE_388 = 0x04, 0x1B, 0x1C, 0x1D
_PERIOD_MS = 200
_PA, _C = (30_000.0, 125_000.0), (-40.0, 85.0)  # what the chips measure
_ABSENT_280, _ABSENT_388 = 0x80000, 0x800000  # a measurement that was skipped


class Barometer:
    """Reports pressure in Pa and temperature in degrees Celsius."""

    name = "barometer"

    def life(self, bus, show):
        """Find the chip, set it up, measure."""
        found = None
        for address in ADDRESSES:
            found = _found(bus, address)
            if found:
                break
            yield 0
        if found is None:
            raise ChipError("no barometer")
        chip = found(bus, address)
        for register, value in chip.SETUP:
            bus.writeto_mem(address, register, bytes((value,)))
            yield 10
        chip.calibrate()
        yield _PERIOD_MS
        while True:
            data = bus.readfrom_mem(address, chip.DATA, 6)
            pressure, temperature = chip.measured(data)
            if not (_PA[0] <= pressure <= _PA[1] and _C[0] <= temperature <= _C[1]):
                raise ChipError("beyond its range")
            show(t.SENSOR_PRESSURE, pressure)
            show(t.SENSOR_TEMPERATURE, temperature)
            yield _PERIOD_MS


def _found(bus, address: int):
    """Return the class of the chip at an address, or None."""
    try:
        if bus.readfrom_mem(address, _ID_280, 1)[0] in _IDS_280:
            return Bmp280
        if bus.readfrom_mem(address, _ID_388, 1)[0] in _IDS_388:
            return Bmp388
    except OSError:
        pass
    return None


class Bmp280:
    """BMP280; a BME280 has the same registers."""

    SETUP = ((_CONFIG_280, 0x48), (_CONTROL_280, 0x2F))  # 125 ms, filter 4; x1, x4, normal mode
    DATA = _DATA_280

    def __init__(self, bus, address: int) -> None:
        self._bus, self._address = bus, address
        self._t: tuple = ()
        self._p: tuple = ()

    def calibrate(self) -> None:
        """Read the constants of this chip."""
        data = self._bus.readfrom_mem(self._address, _CALIBRATION_280, 24)
        values = struct.unpack("<HhhH8h", data)
        self._t, self._p = values[:3], values[3:]
        if not (self._t[0] and self._p[0]):
            raise ChipError("no calibration")

    def measured(self, data: bytes) -> "tuple[float, float]":
        """Return pressure and temperature; 3.11.3 of the data sheet, with 64 bits."""
        adc_p = data[0] << 12 | data[1] << 4 | data[2] >> 4
        adc_t = data[3] << 12 | data[4] << 4 | data[5] >> 4
        if _ABSENT_280 in (adc_p, adc_t):
            raise ChipError("no measurement")
        t1, t2, t3 = self._t
        first = (((adc_t >> 3) - (t1 << 1)) * t2) >> 11
        offset = (adc_t >> 4) - t1
        fine = first + ((((offset * offset) >> 12) * t3) >> 14)
        return self._pressure(adc_p, fine) / 256, ((fine * 5 + 128) >> 8) / 100

    def _pressure(self, adc: int, fine: int) -> int:
        """Return the pressure in 1/256 Pa."""
        p1, p2, p3, p4, p5, p6, p7, p8, p9 = self._p
        first = fine - 128000
        second = first * first * p6 + ((first * p5) << 17) + (p4 << 35)
        first = ((first * first * p3) >> 8) + ((first * p2) << 12)
        first = (((1 << 47) + first) * p1) >> 33
        if first == 0:
            raise ChipError("no calibration")
        found = (((1048576 - adc) << 31) - second) * 3125 // first
        first = (p9 * (found >> 13) * (found >> 13)) >> 25
        second = (p8 * found) >> 19
        return ((found + first + second) >> 8) + (p7 << 4)


class Bmp388:
    """BMP388 and BMP390."""

    SETUP = ((_OVERSAMPLING_388, 0x02), (_RATE_388, 0x05), (_POWER_388, 0x33))  # x4, 160 ms, on
    DATA = _DATA_388

    def __init__(self, bus, address: int) -> None:
        self._bus, self._address = bus, address
        self._t: tuple = ()
        self._p: tuple = ()

    def calibrate(self) -> None:
        """Read the constants of this chip."""
        data = self._bus.readfrom_mem(self._address, _CALIBRATION_388, 21)
        values = struct.unpack("<HHbhhbbHHbbhbb", data)
        self._t, self._p = values[:3], values[3:]
        if not (self._t[0] and self._t[1]):
            raise ChipError("no calibration")

    def measured(self, data: bytes) -> "tuple[float, float]":
        """Return pressure and temperature; section 9, in units of a power of two each."""
        adc_p = data[0] | data[1] << 8 | data[2] << 16
        adc_t = data[3] | data[4] << 8 | data[5] << 16
        if _ABSENT_388 in (adc_p, adc_t):
            raise ChipError("no measurement")
        t1, t2, t3 = self._t
        offset = adc_t - (t1 << 8)
        fine = ((t2 * offset << 18) + t3 * offset * offset) >> 32  # in 1/65536 degrees
        return self._pressure(adc_p, fine) / 256, fine / 65536

    def _pressure(self, adc: int, fine: int) -> int:
        """Return the pressure in 1/256 Pa."""
        p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11 = self._p
        second, third = fine * fine >> 16, fine * fine * fine >> 32
        # All in 1/2**48 Pa; p5 * 8 Pa, p6 / 2**6, p7 / 2**8, p8 / 2**15.
        offset = (p5 << 51) + (p6 * fine << 26) + (p7 * second << 24) + (p8 * third << 17)
        share = ((p1 - 16384) << 28) + ((p2 - 16384) * fine << 3)
        share += (p3 * second) + ((p4 * third) >> 5)  # in 1/2**48 Pa per count
        square = adc * adc
        curve = (p9 << 16) + p10 * fine  # in 1/2**64 Pa per count squared
        found = offset + adc * share + (square * curve >> 16) + (p11 * square * adc >> 17)
        return found >> 40
