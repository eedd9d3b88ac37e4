"""Control table of the Dynamixel X series: name, address, size, sign, and whether it is EEPROM.
Declared once for driver, decoder and simulation. Pure.

Numbers have their low byte first, in two's complement. Where Feetech has a register of the same
meaning, the name is the same. Source: Robotis e-Manual, XL330, XL430 and XM430, compared with the
tables that Robotis's dynamixel-sdk ships (tests/unit/sim/test_dynamixel_sdk.py).
"""

from typing import NamedTuple

EEPROM_END = 64  # registers below keep their value without power, and need torque off
TURN = 4096  # positions
MOST_OFFSET = 1024  # of the homing offset, beyond which position mode does not apply it
WATCHDOG_STEP_S = 0.02
FULL_PWM = 885  # 100 %
POSITION_MODE = 3
TABLE_END = 147


class XRegister(NamedTuple):
    """One register."""

    name: str
    address: int
    size: int = 1
    is_signed: bool = False

    @property
    def is_eeprom(self) -> bool:
        """Whether it keeps its value without power."""
        return self.address < EEPROM_END

    @property
    def limits(self) -> tuple[int, int]:
        """The numbers that it can hold."""
        bits = 8 * self.size
        return (-(1 << bits - 1), (1 << bits - 1) - 1) if self.is_signed else (0, (1 << bits) - 1)

    def decode(self, data: bytes) -> int:
        """Return the number that the register's bytes are."""
        return int.from_bytes(data, "little", signed=self.is_signed)

    def encode(self, value: int) -> bytes:
        """Return the bytes of a number. Raises ValueError outside of its limits."""
        low, high = self.limits
        if not low <= value <= high:
            raise ValueError(f"{self.name} holds {low} to {high}, not {value}")
        return value.to_bytes(self.size, "little", signed=self.is_signed)


_TABLE = (
    XRegister("model", 0, 2),
    XRegister("model_information", 2, 4),
    XRegister("firmware", 6),
    XRegister("id", 7),
    XRegister("baud_rate", 8),
    XRegister("return_delay", 9),  # in 2 us
    XRegister("drive_mode", 10),
    XRegister("operating_mode", 11),
    XRegister("secondary_id", 12),
    XRegister("protocol_type", 13),
    XRegister("homing_offset", 20, 4, is_signed=True),  # is added to what it measures
    XRegister("moving_threshold", 24, 4),
    XRegister("max_temperature", 31),
    XRegister("max_voltage", 32, 2),  # in 0.1 V
    XRegister("min_voltage", 34, 2),
    XRegister("pwm_limit", 36, 2),
    XRegister("current_limit", 38, 2),  # not XL430
    XRegister("velocity_limit", 44, 4),
    XRegister("max_position", 48, 4),
    XRegister("min_position", 52, 4),
    XRegister("shutdown", 63),  # which errors switch torque off
    XRegister("torque_enable", 64),
    XRegister("led", 65),
    XRegister("status_return_level", 68),  # 2: everything is answered
    XRegister("registered_instruction", 69),
    XRegister("hardware_error", 70),
    XRegister("velocity_i", 76, 2),
    XRegister("velocity_p", 78, 2),
    XRegister("position_d", 80, 2),
    XRegister("position_i", 82, 2),
    XRegister("position_p", 84, 2),
    XRegister("feedforward_2", 88, 2),
    XRegister("feedforward_1", 90, 2),
    XRegister("bus_watchdog", 98, is_signed=True),  # in 20 ms; 0: off, -1: it has stopped
    XRegister("goal_pwm", 100, 2, is_signed=True),  # limits the others in position mode
    XRegister("goal_current", 102, 2, is_signed=True),
    XRegister("goal_velocity", 104, 4, is_signed=True),
    XRegister("profile_acceleration", 108, 4),
    XRegister("profile_velocity", 112, 4),
    XRegister("goal_position", 116, 4, is_signed=True),
    XRegister("realtime_tick", 120, 2),
    XRegister("moving", 122),
    XRegister("moving_status", 123),
    XRegister("present_pwm", 124, 2, is_signed=True),
    XRegister("present_load", 126, 2, is_signed=True),  # in 0.1 % on XL430, else a current
    XRegister("present_velocity", 128, 4, is_signed=True),  # in 0.229 rev/min
    XRegister("present_position", 132, 4, is_signed=True),
    XRegister("velocity_trajectory", 136, 4, is_signed=True),
    XRegister("position_trajectory", 140, 4, is_signed=True),
    XRegister("present_voltage", 144, 2),  # in 0.1 V
    XRegister("present_temperature", 146),
)
TABLE = {each.name: each for each in _TABLE}
_AT = {(each.address, each.size): each for each in _TABLE}
# What register 8 says.
BAUD_RATES = (9_600, 57_600, 115_200, 1_000_000, 2_000_000, 3_000_000, 4_000_000)
MODELS = {
    1020: "XM430-W350", 1030: "XM430-W210", 1060: "XL430-W250", 1070: "XC430-W150",
    1080: "XC430-W240", 1090: "2XL430-W250", 1120: "XM540-W270", 1130: "XM540-W150",
    1160: "2XC430-W250", 1190: "XL330-M077", 1200: "XL330-M288", 1210: "XC330-T181",
    1220: "XC330-T288", 1230: "XC330-M181", 1240: "XC330-M288",
}  # fmt: skip
WITHOUT_CURRENT = (1060, 1070, 1080, 1090, 1160)  # models that measure a load in 0.1 %


def x_register_at(address: int, size: int) -> XRegister | None:
    """Return the register that has this place and size; None where they are no single one."""
    return _AT.get((address, size))
