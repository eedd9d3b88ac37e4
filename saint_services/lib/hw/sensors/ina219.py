"""INA219: voltage, current and power of a supply on I2C. Registers by Texas Instruments SBOS448G,
section 8.6; equations by section 8.5.
"""

from ...errors import Code, SaintError
from ...role_config.devices import I2cDevice
from ..buses.i2c_chip import I2cChip
from ..ports import I2cBus, PowerSample

CONFIG, SHUNT, BUS, POWER, CURRENT, CALIBRATION = range(6)
RESET, DEFAULT = 0x8000, 0x399F
RANGE_32_V = 0x2000
AVERAGE_8 = 0xB << 7 | 0xB << 3  # 8 samples of bus and shunt: 8.5 ms together
CONTINUOUS = 7
OVERFLOW = 0x0001  # in BUS: current or power are beyond their registers
GAINS_V = (0.04, 0.08, 0.16, 0.32)  # full scale of the shunt
BUS_STEP_V, SHUNT_STEP_V = 0.004, 0.00001
RATE_HZ = 50.0


class Ina219:
    """One chip. Opening raises SaintError; reading OSError, also when it lost its settings."""

    def __init__(self, bus: I2cBus, device: I2cDevice, name: str) -> None:
        self._chip = I2cChip(bus, device.address, "INA219", name)
        shunt_v = device.max_current_a * device.shunt_ohm
        gain = next(
            (index for index, most_v in enumerate(GAINS_V) if shunt_v <= 1.001 * most_v), None
        )
        if gain is None:
            raise SaintError(
                Code.CONFIG_INVALID,
                f"{name}: {device.max_current_a} A through {device.shunt_ohm} ohm are "
                f"{shunt_v:.2f} V; an INA219 measures {GAINS_V[-1]} V",
                fix="Correct max_current_a or shunt_ohm, or use a smaller shunt.",
            )
        self._config = RANGE_32_V | gain << 11 | AVERAGE_8 | CONTINUOUS
        self._calibration = min(0xFFFE, int(0.04096 * 32768 / shunt_v)) & 0xFFFE  # equation 1
        self._shunt_ohm = device.shunt_ohm
        self._step_a = 0.04096 / (self._calibration * device.shunt_ohm)
        try:
            self._start()
        except OSError as err:
            raise self._chip.missing(err) from err

    def read(self) -> PowerSample:
        """Read the newest measurement."""
        if self._chip.word(CALIBRATION) != self._calibration:
            raise self._chip.lost()  # it would show 0 A from now on
        voltage = self._chip.word(BUS)
        if voltage & OVERFLOW:  # of the most important readings: the shunt voltage is still valid
            current_a = _signed(self._chip.word(SHUNT)) * SHUNT_STEP_V / self._shunt_ohm
        else:
            current_a = _signed(self._chip.word(CURRENT)) * self._step_a
        voltage_v = (voltage >> 3) * BUS_STEP_V
        return PowerSample(voltage_v, current_a, voltage_v * current_a)

    def _start(self) -> None:
        self._chip.write_word(CONFIG, RESET)
        found = self._chip.word(CONFIG)
        if found != DEFAULT:  # the chip has no identification register
            raise self._chip.other(found, DEFAULT)
        self._chip.write_word(CONFIG, self._config)
        self._chip.write_word(CALIBRATION, self._calibration)
        if self._chip.word(CONFIG) != self._config:
            raise self._chip.lost()


def _signed(word: int) -> int:
    return word - 0x10000 if word & 0x8000 else word
