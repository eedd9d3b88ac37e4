"""VL53L0X: distance by time of flight on I2C, 3 cm to 2 m. ST publishes no list of its registers;
order and values below are those of ST's own library (STSW-IMG005: ResetDevice, DataInit,
StaticInit, PerformRefCalibration). Its further computation, which spreads 33 ms over the steps of a
measurement, is left out: a measurement takes a little less.

Tested only with the model of the chip (tools/sim), not yet with a sensor.
"""

import errno
import math
import time
from collections.abc import Callable

from ...role_config.devices import I2cDevice
from ..buses.i2c_chip import I2cChip
from ..ports import DistanceSample, I2cBus

START, SEQUENCE, INTERRUPT_CONFIG, INTERRUPT_CLEAR = 0x00, 0x01, 0x0A, 0x0B
INTERRUPT_STATUS, RESULT = 0x13, 0x14
RATE_LIMIT, SIGNAL_CHECKS, ACTIVE_HIGH, SPAD_MAP = 0x44, 0x60, 0x84, 0xB0
STOP_VARIABLE, IDENTITY_AT, PAGE, POWER = 0x91, 0xC0, 0xFF, 0x80
IDENTITY = 0xEE
RUNNING = 0xBF  # 0 holds the chip in reset; its identity then reads 0
CONTINUOUS, SINGLE = 0x02, 0x01
DISTANCE, PHASES, ALL_STEPS = 0xE8, 0x02, 0x01  # of SEQUENCE: normal; phase; vhv calibration
VALID = 11  # status of a measurement, bits 3 to 6 of RESULT
FURTHEST_MM = 2000  # beyond, and with any other status, nothing was seen
RATE_HZ = 20.0
_WAIT_S, _PAUSE_S = 0.5, 0.001
_SILENT_S = 0.5  # without a measurement it has stopped: its power was away
_SPADS, _APERTURE_FROM = 48, 12

# Register and value by turns: StaticInit's "default tuning settings".
_TUNING = bytes.fromhex(
    "ff01 0000 ff00 0900 1000 1100 2401 25ff 7500 ff01 4e2c 4800 3020 ff00 3009 5400 3104 3203"
    "4083 4625 6000 2700 5006 5100 5296 5608 5730 6100 6200 6400 6500 66a0 ff01 2232 4714 49ff"
    "4a00 ff00 7a0a 7b00 7821 ff01 2334 4200 44ff 4526 4605 4040 0e06 201a 4340 ff00 3403 3544"
    "ff01 3104 4b09 4c05 4d04 ff00 4400 4520 4708 4828 6700 7004 7101 72fe 7600 7700 ff01 0d01"
    "ff00 8001 01f8 ff01 8e01 0001 ff00 8000"
)
_PRIVATE = bytes.fromhex("8001 ff01 0000")
_PUBLIC = bytes.fromhex("0001 ff00 8000")


class Vl53l0x:
    """One chip, measuring without a pause. Opening raises SaintError; reading OSError."""

    def __init__(
        self,
        bus: I2cBus,
        device: I2cDevice,
        name: str,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._chip = I2cChip(bus, device.address, "VL53L0X", name)
        self._clock = clock
        try:
            self._start()
        except OSError as err:
            raise self._chip.missing(err) from err
        self._measured_s = clock()

    def read(self) -> DistanceSample | None:
        """Read the newest measurement; None while the next one is not ready."""
        if not self._chip.byte(INTERRUPT_STATUS) & 7:
            if self._clock() - self._measured_s > _SILENT_S:
                raise self._chip.lost()
            return None
        result = self._chip.read(RESULT, 12)
        self._chip.write(INTERRUPT_CLEAR, 1)
        self._measured_s = self._clock()
        distance_mm = int.from_bytes(result[10:12], "big")
        if result[0] >> 3 & 0xF != VALID or distance_mm > FURTHEST_MM:
            return DistanceSample(math.inf)
        return DistanceSample(distance_mm / 1000)

    def _start(self) -> None:
        found = self._chip.byte(IDENTITY_AT)
        if found != IDENTITY:
            raise self._chip.other(found, IDENTITY)
        self._reset()
        stop = self._data_init()
        self._choose_spads(*self._spads())
        self._write_all(_TUNING)
        self._chip.write(INTERRUPT_CONFIG, 4)  # a new measurement is ready
        self._chip.write(ACTIVE_HIGH, self._chip.byte(ACTIVE_HIGH) & ~0x10 & 0xFF)
        self._chip.write(INTERRUPT_CLEAR, 1)
        self._calibrate(ALL_STEPS, 0x40)
        self._calibrate(PHASES, 0x00)
        self._chip.write(SEQUENCE, DISTANCE)
        self._write_all(_PRIVATE)
        self._chip.write(STOP_VARIABLE, stop)
        self._write_all(_PUBLIC)
        self._chip.write(START, CONTINUOUS)

    def _reset(self) -> None:
        """Reset the chip, which may still be measuring for an earlier process."""
        self._chip.write(RUNNING, 0)
        self._wait(lambda: self._chip.byte(IDENTITY_AT) == 0, "its reset")
        self._chip.write(RUNNING, 1)
        self._wait(lambda: self._chip.byte(IDENTITY_AT) == IDENTITY, "its start")

    def _data_init(self) -> int:
        self._chip.write(0x88, 0x00)  # I2C in standard mode
        self._write_all(_PRIVATE)
        stop = self._chip.byte(STOP_VARIABLE)
        self._write_all(_PUBLIC)
        self._chip.write(SIGNAL_CHECKS, self._chip.byte(SIGNAL_CHECKS) | 0x12)
        self._chip.write_word(RATE_LIMIT, 32)  # 0.25 million photons a second, 9.7 fixed point
        self._chip.write(SEQUENCE, 0xFF)
        return stop

    def _spads(self) -> tuple[int, bool]:
        """Read how many reference detectors this chip needs, and whether behind an aperture."""
        self._write_all(bytes.fromhex("8001 ff01 0000 ff06"))
        self._chip.write(0x83, self._chip.byte(0x83) | 0x04)
        self._write_all(bytes.fromhex("ff07 8101 8001 946b 8300"))
        self._wait(lambda: self._chip.byte(0x83) != 0, "its memory")
        self._chip.write(0x83, 0x01)
        answer = self._chip.byte(0x92)
        self._write_all(bytes.fromhex("8100 ff06"))
        self._chip.write(0x83, self._chip.byte(0x83) & ~0x04 & 0xFF)
        self._write_all(bytes.fromhex("ff01 0001 ff00 8000"))
        return answer & 0x7F, bool(answer & 0x80)

    def _choose_spads(self, count: int, is_aperture: bool) -> None:
        good = int.from_bytes(self._chip.read(SPAD_MAP, _SPADS // 8), "little")
        self._write_all(bytes.fromhex("ff01 4f00 4e2c ff00 b6b4"))
        chosen = 0
        for spad in range(_APERTURE_FROM if is_aperture else 0, _SPADS):
            if good >> spad & 1 and chosen.bit_count() < count:
                chosen |= 1 << spad
        self._chip.write(SPAD_MAP, *chosen.to_bytes(_SPADS // 8, "little"))

    def _calibrate(self, step: int, mode: int) -> None:
        self._chip.write(SEQUENCE, step)
        self._chip.write(START, SINGLE | mode)
        self._wait(lambda: self._chip.byte(INTERRUPT_STATUS) & 7 != 0, "its calibration")
        self._chip.write(INTERRUPT_CLEAR, 1)
        self._chip.write(START, 0)

    def _write_all(self, pairs: bytes) -> None:
        for at in range(0, len(pairs), 2):
            self._chip.write(pairs[at], pairs[at + 1])

    def _wait(self, is_done: Callable[[], bool], what: str) -> None:
        """Wait for the chip, which may not acknowledge while it starts."""
        end_s = self._clock() + _WAIT_S
        while True:
            try:
                if is_done():
                    return
            except OSError:
                if self._clock() > end_s:
                    raise
            if self._clock() > end_s:
                raise OSError(errno.ETIMEDOUT, f"{what} does not end")
            time.sleep(_PAUSE_S)
