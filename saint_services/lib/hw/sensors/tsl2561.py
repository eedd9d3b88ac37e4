"""TSL2561: ambient light in lux on I2C, 0.1 to 40,000. Registers and formula are those of the data
sheet (ams TSL2560/TSL2561, TAOS059N: registers p. 13, lux p. 23).

Tested only with the model of the chip (tools/sim), not yet with a sensor.
"""

import math
import time

from ...role_config.devices import I2cDevice
from ..buses.i2c_chip import I2cChip
from ..ports import I2cBus, LightSample

# Every register behind the command bit; the channels with the bit for two bytes as well.
CONTROL, TIMING, IDENTITY_AT = 0x80, 0x81, 0x8A
ALL_LIGHT, INFRARED = 0xAC, 0xAE
POWERED = 0x03
CHIP_SCALE, OTHERS = 0x1, 0x5  # part numbers, the high half of the identity: TSL2561CS and T/FN/CL
TIME_101_MS, GAIN_16 = 0x01, 0x10
FULL = 37_177  # counts of 101 ms
RATE_HZ = 5.0
_INTEGRATION_S = 0.11  # with the tolerance of its clock
_DIM = 1_000  # counts below which the higher gain leaves room to spare
# Up to which share of infrared: lux is the first times all light less the second times infrared.
_STEPS = {
    OTHERS: ((0.61, 0.0224, 0.031), (0.80, 0.0128, 0.0153), (1.30, 0.00146, 0.00112)),
    CHIP_SCALE: ((0.65, 0.0229, 0.0291), (0.80, 0.0157, 0.0180), (1.30, 0.00338, 0.00260)),
}
_CURVES = {OTHERS: (0.50, 0.0304, 0.062), CHIP_SCALE: (0.52, 0.0315, 0.0593)}


class Tsl2561:
    """One chip, measuring without a pause. Opening raises SaintError; reading OSError."""

    def __init__(self, bus: I2cBus, device: I2cDevice, name: str) -> None:
        self._chip = I2cChip(bus, device.address, "TSL2561", name)
        self._gain = GAIN_16
        try:
            found = self._chip.byte(IDENTITY_AT)
            self._part = found >> 4
            if self._part not in _STEPS:
                raise self._chip.other(found, OTHERS << 4)
            self._chip.write(CONTROL, POWERED)
            self._measure(GAIN_16)
        except OSError as err:
            raise self._chip.missing(err) from err
        time.sleep(_INTEGRATION_S)  # before it, the channels read 0: darkness that is none

    def read(self) -> LightSample | None:
        """Read the newest measurement; None while the chip measures with another gain."""
        if self._chip.byte(CONTROL) & POWERED != POWERED:
            raise self._chip.lost()
        light, infrared = self._channel(ALL_LIGHT), self._channel(INFRARED)
        brightest = max(light, infrared)
        if self._gain and brightest >= FULL:
            self._measure(0)
            return None
        if not self._gain and brightest < _DIM:
            self._measure(GAIN_16)
            return None
        if brightest >= FULL:
            return LightSample(math.inf)
        scale = 402 / 101 * (1 if self._gain else 16)
        return LightSample(lux(light * scale, infrared * scale, self._part))

    def _channel(self, register: int) -> int:
        return int.from_bytes(self._chip.read(register, 2), "little")

    def _measure(self, gain: int) -> None:
        """Begin with a gain. The measurement under way is finished with the gain before."""
        self._gain = gain
        self._chip.write(TIMING, gain | TIME_101_MS)


def lux(light: float, infrared: float, part: int = OTHERS) -> float:
    """Compute lux of counts in 402 ms at the higher gain."""
    if light <= 0:
        return 0.0
    share = infrared / light
    end, all_light, curve = _CURVES[part]
    if share <= end:
        return light * (all_light - curve * float(share**1.4))
    for end, all_light, less in _STEPS[part]:
        if share <= end:
            return max(0.0, all_light * light - less * infrared)
    return 0.0
