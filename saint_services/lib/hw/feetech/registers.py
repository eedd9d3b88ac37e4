"""Tables of the registers of Feetech's servos: name, address, size, sign, and whether it is EEPROM.
Declared once for driver, decoder and simulation. Pure.

STS and SMS servos (protocol 0) have the low byte first, SCS servos (protocol 1) the high byte.
Sources: Feetech's memory tables of the STS3215 and SCS series, LeRobot's motors/feetech/tables.py.
"""

from enum import StrEnum
from typing import Literal, NamedTuple

EEPROM_END = 40  # registers below keep their value without power, and are written while lock is 0
TURN = 4096  # positions of one turn, STS and SMS
MOST_OFFSET = 2047  # magnitude of the homing offset


class Series(StrEnum):
    """Servos that understand the same packets."""

    STS = "sts"  # also SMS
    SCS = "scs"

    @property
    def byte_order(self) -> Literal["little", "big"]:
        """The order of the bytes of a number."""
        return "little" if self is Series.STS else "big"


class Register(NamedTuple):
    """One register. `sign_bit` is set in negative numbers, whose other bits are the magnitude."""

    name: str
    address: int
    size: int = 1
    sign_bit: int | None = None

    @property
    def is_eeprom(self) -> bool:
        """Whether it keeps its value without power."""
        return self.address < EEPROM_END

    @property
    def limits(self) -> tuple[int, int]:
        """The numbers that it can hold."""
        if self.sign_bit is None:
            return 0, (1 << 8 * self.size) - 1
        most = (1 << self.sign_bit) - 1
        return -most, most

    def decode(self, data: bytes, series: Series) -> int:
        """Return the number that the register's bytes are."""
        return self.number(int.from_bytes(data, series.byte_order))

    def number(self, raw: int) -> int:
        """Return the number that these bits are."""
        if self.sign_bit is None:
            return raw
        magnitude = raw & (1 << self.sign_bit) - 1
        return -magnitude if raw >> self.sign_bit & 1 else magnitude

    def encode(self, value: int, series: Series) -> bytes:
        """Return the bytes of a number. Raises ValueError outside of its limits."""
        low, high = self.limits
        if not low <= value <= high:
            raise ValueError(f"{self.name} holds {low} to {high}, not {value}")
        raw = abs(value) | (1 << self.sign_bit if self.sign_bit is not None and value < 0 else 0)
        return raw.to_bytes(self.size, series.byte_order)


_BOTH = (
    Register("firmware_major", 0),
    Register("firmware_minor", 1),
    Register("model", 3, 2),
    Register("id", 5),
    Register("baud_rate", 6),
    Register("return_delay", 7),  # in 2 us
    Register("response_level", 8),
    Register("min_position", 9, 2),
    Register("max_position", 11, 2),
    Register("max_temperature", 13),
    Register("max_voltage", 14),
    Register("min_voltage", 15),
    Register("max_torque", 16, 2),
    Register("phase", 18),
    Register("unloading_condition", 19),
    Register("alarm_condition", 20),
    Register("p_coefficient", 21),
    Register("d_coefficient", 22),
    Register("i_coefficient", 23),
    Register("minimum_force", 24, 2),
    Register("dead_zone_forward", 26),
    Register("dead_zone_backward", 27),
    Register("torque_enable", 40),
    Register("acceleration", 41),
    Register("present_voltage", 62),  # in 0.1 V
    Register("present_temperature", 63),
    Register("status", 65),
    Register("moving", 66),
)
_STS = (
    *_BOTH,
    Register("protection_current", 28, 2),
    Register("angular_resolution", 30),
    Register("homing_offset", 31, 2, sign_bit=11),
    Register("operating_mode", 33),
    Register("protective_torque", 34),
    Register("protection_time", 35),
    Register("overload_torque", 36),
    Register("velocity_p", 37),
    Register("overcurrent_time", 38),
    Register("velocity_i", 39),
    Register("goal_position", 42, 2, sign_bit=15),
    Register("goal_time", 44, 2),
    Register("goal_velocity", 46, 2, sign_bit=15),
    Register("torque_limit", 48, 2),
    Register("lock", 55),
    Register("present_position", 56, 2, sign_bit=15),
    Register("present_velocity", 58, 2, sign_bit=15),
    Register("present_load", 60, 2, sign_bit=10),
    Register("present_current", 69, 2),
    Register("goal_position_2", 71, 2),
    Register("moving_threshold", 80),
    Register("dts", 81),
    Register("velocity_unit", 82),
    Register("hts", 83),
    Register("max_velocity", 84),
    Register("max_acceleration", 85),
    Register("acceleration_multiplier", 86),
)
_SCS = (
    *_BOTH,
    Register("protective_torque", 37),
    Register("protection_time", 38),
    Register("goal_position", 42, 2),
    Register("goal_time", 44, 2),
    Register("goal_velocity", 46, 2),
    Register("lock", 48),
    Register("present_position", 56, 2),
    Register("present_velocity", 58, 2),
    Register("present_load", 60, 2),
    Register("sync_write_flag", 64),
    Register("pwm_step", 78),
    Register("moving_threshold", 79),
    Register("dts", 80),
    Register("min_velocity", 81),
    Register("max_velocity", 82),
    Register("acceleration_2", 83),
)
REGISTERS: dict[Series, dict[str, Register]] = {
    Series.STS: {each.name: each for each in _STS},
    Series.SCS: {each.name: each for each in _SCS},
}
_AT = {
    series: {(each.address, each.size): each for each in table.values()}
    for series, table in REGISTERS.items()
}
# What register 6 says.
BAUD_RATES = (1_000_000, 500_000, 250_000, 128_000, 115_200, 57_600, 38_400, 19_200)
MODELS = {777: "STS3215", 2825: "STS3250", 11272: "SM8512BL", 1284: "SCS0009"}


def register_at(series: Series, address: int, size: int) -> Register | None:
    """Return the register that has this place and size; None where they are no single one."""
    return _AT[series].get((address, size))
