"""MPU6050: gyroscope and accelerometer on I2C. Registers by InvenSense RM-MPU-6000A-00, rev 4.2;
the section stands beside each.
"""

import contextlib
import math
import struct
import time

from ...role_config.devices import I2cDevice
from ..buses.i2c_chip import I2cChip
from ..ports import I2cBus, ImuSample, Vector
from .gyro_bias import GyroBias

DIVIDER, CONFIG, GYRO_CONFIG, ACCEL_CONFIG = 0x19, 0x1A, 0x1B, 0x1C  # 4.2 to 4.5
ACCEL_OUT = 0x3B  # 4.17 to 4.19: acceleration, temperature, rates, each high byte first
POWER = 0x6B  # 4.28
WHO_AM_I, IDENTITY = 0x75, 0x68  # 4.32; the same with the other address too
RESET, SLEEP, CLOCK_GYRO_X = 0x80, 0x40, 0x01
LOW_PASS_44_HZ = 3
GRAVITY = 9.80665
RATE_HZ = 50.0
_OUT = struct.Struct(">7h")
_RESET_TRIES, _RESET_S = 10, 0.01  # a reset takes up to 100 ms


class Mpu6050:
    """One chip. Opening raises SaintError; reading OSError, also when it lost its settings."""

    def __init__(self, bus: I2cBus, device: I2cDevice, name: str) -> None:
        self._chip = I2cChip(bus, device.address, "MPU6050", name)
        self._rads = math.radians(device.gyro_range_dps) / 32768
        self._mps2 = device.accel_range_g * GRAVITY / 32768
        self._axes = tuple(
            ("xyz".index(axis[-1]), -1 if axis[0] == "-" else 1) for axis in device.axes
        )
        self._settings = bytes(
            (
                max(0, min(255, round(1000 / (device.rate_hz or RATE_HZ)) - 1)),
                LOW_PASS_44_HZ,
                (250, 500, 1000, 2000).index(device.gyro_range_dps) << 3,
                (2, 4, 8, 16).index(device.accel_range_g) << 3,
            )
        )
        self.bias = GyroBias()
        try:
            self._start()
        except OSError as err:
            raise self._chip.missing(err) from err

    def read(self) -> ImuSample:
        """Read the newest measurement."""
        data = self._chip.read(ACCEL_OUT, _OUT.size)
        # A chip that lost power sleeps, with zeroes in all registers, which no acceleration has.
        if not any(data) and self._chip.byte(POWER) != CLOCK_GYRO_X:
            raise self._chip.lost()
        x, y, z, warmth, p, q, r = _OUT.unpack(data)
        rates = self._turned((p * self._rads, q * self._rads, r * self._rads))
        self.bias.learn(rates)
        bx, by, bz = self.bias.value
        return ImuSample(
            (rates[0] - bx, rates[1] - by, rates[2] - bz),
            self._turned((x * self._mps2, y * self._mps2, z * self._mps2)),
            warmth / 340 + 36.53,  # 4.18
            self.bias.is_known,
        )

    def _turned(self, vector: Vector) -> Vector:
        x, y, z = (vector[index] * sign for index, sign in self._axes)
        return x, y, z

    def _start(self) -> None:
        found = self._chip.byte(WHO_AM_I)
        if found != IDENTITY:
            raise self._chip.other(found, IDENTITY)
        self._chip.write(POWER, RESET)
        for _ in range(_RESET_TRIES):
            time.sleep(_RESET_S)
            with contextlib.suppress(OSError):  # it may not acknowledge meanwhile
                if not self._chip.byte(POWER) & RESET:
                    break
        self._chip.write(POWER, CLOCK_GYRO_X)  # steadier than the inner oscillator
        self._chip.write(DIVIDER, *self._settings)
        if self._chip.read(DIVIDER, len(self._settings)) != self._settings:
            raise self._chip.lost()
