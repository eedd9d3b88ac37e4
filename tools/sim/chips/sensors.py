"""Register models of I2C sensors. `feed` sets the physical inputs, which the chip converts to raw
registers by its settings, as its data sheet describes. Asleep it measures nothing.
"""

import math
from collections.abc import Callable
from pathlib import Path

from saint_services.lib.hw.sensors import bmp280, ina219, mpu6050, tsl2561, vl53l0x
from tools.sim.chips.base import Chip, RegisterChip


class Mpu6050Chip(RegisterChip):
    """At rest and level until it is fed."""

    NUMBERS = 7  # rates, accelerations, temperature

    def feed(
        self,
        gyro_rads: tuple[float, float, float],
        accel_mps2: tuple[float, float, float],
        temperature_c: float = 25.0,
    ) -> None:
        """Set the motion along the chip's own axes."""
        for index, number in enumerate((*gyro_rads, *accel_mps2, temperature_c)):
            self.world[index] = number

    def _power_up(self) -> None:
        self._reset({mpu6050.POWER: mpu6050.SLEEP, mpu6050.WHO_AM_I: mpu6050.IDENTITY})
        if not any(self.world):
            self.feed((0.0, 0.0, 0.0), (0.0, 0.0, mpu6050.GRAVITY))

    def _store(self, register: int, value: int) -> None:
        if register == mpu6050.POWER and value & mpu6050.RESET:
            self._power_up()
        elif register != mpu6050.WHO_AM_I:
            super()._store(register, value)

    def _refresh(self) -> None:
        if self.registers[mpu6050.POWER] & mpu6050.SLEEP:
            return
        rates = 32768 / (250 << (self.registers[mpu6050.GYRO_CONFIG] >> 3 & 3))
        pulls = 32768 / (2 << (self.registers[mpu6050.ACCEL_CONFIG] >> 3 & 3)) / mpu6050.GRAVITY
        world = self.world
        for axis in range(3):
            self._put(mpu6050.ACCEL_OUT + 2 * axis, round(world[3 + axis] * pulls))
            self._put(mpu6050.ACCEL_OUT + 8 + 2 * axis, round(math.degrees(world[axis]) * rates))
        self._put(mpu6050.ACCEL_OUT + 6, round((world[6] - 36.53) * 340))


class Ina219Chip(RegisterChip):
    """Words instead of bytes: two bytes of the map for each register."""

    NUMBERS = 3  # voltage, current, shunt
    SHUNT_OHM = 0.1

    def feed(self, voltage_v: float, current_a: float, shunt_ohm: float = SHUNT_OHM) -> None:
        """Set voltage and current of the supply."""
        for index, number in enumerate((voltage_v, current_a, shunt_ohm)):
            self.world[index] = number

    def write(self, data: bytes) -> None:
        """Write a register, then the high and the low byte."""
        super().write(bytes((2 * data[0],)) + data[1:] if data else data)

    def _power_up(self) -> None:
        self._reset({0: ina219.DEFAULT >> 8, 1: ina219.DEFAULT & 0xFF})
        if not any(self.world):
            self.feed(0.0, 0.0)

    def _store(self, register: int, value: int) -> None:
        if register in (2 * ina219.CONFIG, 2 * ina219.CALIBRATION):
            super()._store(register, value)
        elif register in (2 * ina219.CONFIG + 1, 2 * ina219.CALIBRATION + 1):
            super()._store(register, value)
            if self.registers[0] & ina219.RESET >> 8:
                self._power_up()

    def _refresh(self) -> None:
        voltage_v, current_a, shunt_ohm = self.world
        config, calibration = self._word(ina219.CONFIG), self._word(ina219.CALIBRATION)
        most = round(ina219.GAINS_V[config >> 11 & 3] / 1e-5)
        shunt = max(-most, min(round(current_a * shunt_ohm / 1e-5), most))
        current = shunt * calibration >> 12  # equation 4
        overflow = int(not -32768 <= current <= 32767)
        bus = min(round(voltage_v / ina219.BUS_STEP_V), 0x1FFF) << 3 | 2 | overflow
        self._put(2 * ina219.SHUNT, shunt)
        self.registers[2 * ina219.BUS : 2 * ina219.BUS + 2] = bus.to_bytes(2, "big")
        self._put(2 * ina219.CURRENT, current)
        self._put(2 * ina219.POWER, current * (bus >> 3) // 5000)

    def _word(self, register: int) -> int:
        return int.from_bytes(self.registers[2 * register : 2 * register + 2], "big")


class Bmp280Chip(RegisterChip):
    """With the calibration of the data sheet's example (3.12)."""

    NUMBERS = 2  # pressure, temperature
    CALIBRATION = bmp280.Bmp280Calibration(
        27504, 26435, -1000, 36477, -10685, 3024, 2855, 140, -7, 15500, -14600, 6000
    )

    def feed(self, pressure_pa: float, temperature_c: float) -> None:
        """Set pressure and temperature of the air."""
        self.world[0], self.world[1] = pressure_pa, temperature_c

    def _power_up(self) -> None:
        c = self.CALIBRATION
        burnt = (c.t1, c.t2, c.t3, c.p1, c.p2, c.p3, c.p4, c.p5, c.p6, c.p7, c.p8, c.p9)
        data = b"".join((number & 0xFFFF).to_bytes(2, "little") for number in burnt)
        self._reset({bmp280.IDENTITY_AT: bmp280.IDENTITY})
        self.registers[bmp280.CALIBRATION : bmp280.CALIBRATION + len(data)] = data
        self._measured(0x80000, 0x80000)
        if not any(self.world):
            self.feed(101_325.0, 20.0)

    def _store(self, register: int, value: int) -> None:
        if register == bmp280.RESET_AT and value == bmp280.RESET:
            self._power_up()
        elif register in (bmp280.CONTROL, bmp280.CONFIG):
            super()._store(register, value)

    def _refresh(self) -> None:
        if self.registers[bmp280.CONTROL] & 3 != 3:
            return
        pressure_pa, temperature_c = self.world
        raw_t = _searched(lambda raw: self._air(raw, 0x60000)[1] >= temperature_c)
        raw_p = _searched(lambda raw: self._air(raw_t, raw)[0] <= pressure_pa)
        self._measured(raw_p, raw_t)

    def _air(self, raw_t: int, raw_p: int) -> tuple[float, float]:
        air = bmp280.compensate(raw_t, raw_p, self.CALIBRATION)
        return air.pressure_pa, air.temperature_c

    def _measured(self, raw_p: int, raw_t: int) -> None:
        data = (raw_p << 4).to_bytes(3, "big") + (raw_t << 4).to_bytes(3, "big")
        self.registers[bmp280.PRESSURE : bmp280.PRESSURE + 6] = data


class Vl53l0xChip(RegisterChip):
    """As much of the chip as its start needs: identity, memory, calibration, measurements. Its
    pages are one here, except for the registers that would collide.
    """

    NUMBERS = 1
    SPADS = 0x85  # five, behind the aperture

    def feed(self, distance_m: float) -> None:
        """Set the distance; inf: nothing is within reach."""
        self.world[0] = distance_m

    def _power_up(self) -> None:
        self._reset(
            {vl53l0x.IDENTITY_AT: vl53l0x.IDENTITY, vl53l0x.STOP_VARIABLE: 0x3C, 0x92: self.SPADS}
        )
        start = vl53l0x.SPAD_MAP
        self.registers[start : start + 6] = bytes.fromhex("ff0f fef7 ff7f")
        if not any(self.world):
            self.feed(math.inf)

    def _store(self, register: int, value: int) -> None:
        """Some registers mean something else on another page; those of page 0 are kept."""
        is_private = self.registers[vl53l0x.PAGE] or self.registers[vl53l0x.POWER]
        if register == vl53l0x.RUNNING:
            self._power_up()
            self.registers[vl53l0x.IDENTITY_AT] = vl53l0x.IDENTITY if value else 0
        elif register in (vl53l0x.PAGE, vl53l0x.POWER, vl53l0x.STOP_VARIABLE):
            super()._store(register, value)
        elif register == 0x83:
            super()._store(register, value or 0x10)  # the memory answers at once
        elif is_private or register == vl53l0x.IDENTITY_AT:
            return
        elif register == vl53l0x.INTERRUPT_CLEAR:
            self.registers[vl53l0x.INTERRUPT_STATUS] = 0
        else:
            super()._store(register, value)
            if register == vl53l0x.START and value:
                self.registers[vl53l0x.INTERRUPT_STATUS] = 4

    def _refresh(self) -> None:
        if self.registers[vl53l0x.START] != vl53l0x.CONTINUOUS:
            return
        distance_m = self.world[0]
        is_seen = distance_m < 2.0
        self.registers[vl53l0x.INTERRUPT_STATUS] = 4
        self.registers[vl53l0x.RESULT] = (vl53l0x.VALID if is_seen else 4) << 3
        self._put(vl53l0x.RESULT + 10, round(distance_m * 1000) if is_seen else 8190)


class Tsl2561Chip(RegisterChip):
    """In light of which a fixed share is infrared."""

    NUMBERS = 2  # lux, share of infrared

    def feed(self, lux: float, infrared: float = 0.3) -> None:
        """Set the light that falls on it."""
        self.world[0], self.world[1] = lux, infrared

    def _power_up(self) -> None:
        self._reset({tsl2561.IDENTITY_AT: tsl2561.OTHERS << 4, tsl2561.TIMING: 0x02})
        if not any(self.world):
            self.feed(300.0)

    def _store(self, register: int, value: int) -> None:
        if register in (tsl2561.CONTROL, tsl2561.TIMING):
            super()._store(register, value)

    def _refresh(self) -> None:
        if self.registers[tsl2561.CONTROL] & tsl2561.POWERED != tsl2561.POWERED:
            return
        wanted, share = self.world
        gain = 1 if self.registers[tsl2561.TIMING] & tsl2561.GAIN_16 else 16
        light = wanted / tsl2561.lux(1.0, share) / (402 / 101) / gain
        for register, counts in ((tsl2561.ALL_LIGHT, light), (tsl2561.INFRARED, light * share)):
            data = min(round(counts), tsl2561.FULL).to_bytes(2, "little")
            self.registers[register : register + 2] = data


def _searched(is_reached: Callable[[int], bool]) -> int:
    """Return the least 20-bit number from which on a condition is true."""
    low, high = 0, 0xFFFFF
    while low < high:
        middle = (low + high) // 2
        if is_reached(middle):
            high = middle
        else:
            low = middle + 1
    return low


SENSOR_CHIPS: dict[str, Callable[[Path], Chip]] = {
    "mpu6050": Mpu6050Chip,
    "ina219": Ina219Chip,
    "bmp280": Bmp280Chip,
    "vl53l0x": Vl53l0xChip,
    "tsl2561": Tsl2561Chip,
}
