"""One Dynamixel of the X series on a simulated bus: its registers, what it refuses, its watchdog
and how it shuts itself down. Its mechanics are those of the other bus servos. Not here: packets,
wires and their faults (x_bus.py).

Numbers are those of the XM430-W350. What a watchdog leaves of a motion is assumed: it stands where
it is, with torque.
"""

import math

from saint_services.lib.hw.dynamixel.packets import XRefusal
from saint_services.lib.hw.dynamixel.registers import (
    BAUD_RATES,
    EEPROM_END,
    FULL_PWM,
    POSITION_MODE,
    TABLE,
    TURN,
    WATCHDOG_STEP_S,
)
from saint_services.lib.hw.feetech.packets import ErrorBit
from tools.sim.chips.bus_servo import NUMBERS, OWN_NUMBERS, SimBusServo
from tools.sim.faults import Fault, FaultSwitch

REGISTER_BYTES = 152
BYTES = REGISTER_BYTES + EEPROM_END + 8 * NUMBERS  # a multiple of 8
_POSITION, _VELOCITY, _TEMPERATURE, _STAMP_NS, _BLOCKED_S = range(5)  # as of other servos
_RECEIVED_NS, _LATCHED, _AWAY_NS = range(OWN_NUMBERS, OWN_NUMBERS + 3)
_ROOM_C = 25.0
_SUPPLY_DV = 120
_OVERLOAD_S = 2.0  # against a stop
_REBOOT_NS = 300_000_000
_TICKS_PER_UNIT = 0.229 * TURN / 60  # of a velocity, in a second
_TOP_TICKS_PER_S = 3400.0
_TOP_GAIN = 40_000.0
_GAIN = 214.577 * TURN / 3600  # ticks/s^2 of one unit of acceleration
_VOLTAGE, _HOT, _OVERLOAD = 0x01, 0x04, 0x20
_GOALS = range(TABLE["goal_pwm"].address, TABLE["realtime_tick"].address)
_FIRST_WRITABLE = TABLE["id"].address
_MAKERS = {
    "model": 1020, "firmware": 48, "baud_rate": 3, "return_delay": 250, "secondary_id": 255,
    "operating_mode": POSITION_MODE, "protocol_type": 2, "moving_threshold": 10,
    "max_temperature": 80, "max_voltage": 160, "min_voltage": 95, "pwm_limit": FULL_PWM,
    "current_limit": 1193, "velocity_limit": 200, "max_position": TURN - 1, "shutdown": 0x34,
}  # fmt: skip


class SimXServo(SimBusServo):
    """A servo in the memory of its bus, which outlives processes."""

    register_bytes, eeprom_end = REGISTER_BYTES, EEPROM_END

    def get(self, name: str) -> int:
        """Return a register's number."""
        register = TABLE[name]
        at = register.address
        return register.decode(bytes(self._registers[at : at + register.size]))

    def put(self, name: str, value: int) -> None:
        """Set a register's number, cut off at what it can hold."""
        register = TABLE[name]
        low, high = register.limits
        at, kept = register.address, max(low, min(value, high))
        self._registers[at : at + register.size] = register.encode(kept)

    def write(self, address: int, data: bytes) -> int:
        """Carry a write out; return the number of its error, 0 for none."""
        if refusal := self._refusal(address, data):
            return refusal
        self._registers[address : address + len(data)] = data
        self._saved[:] = self._registers[:EEPROM_END]
        if not self.get("torque_enable"):
            self._numbers[_BLOCKED_S] = 0.0
        return 0

    def make(self, servo: int) -> None:
        """Give it the maker's registers, and its id; its shaft is in the middle."""
        self._registers[:] = bytes(REGISTER_BYTES)
        for name, value in _MAKERS.items():
            self.put(name, value)
        self.put("id", servo)
        self._saved[:] = self._registers[:EEPROM_END]
        self._numbers[_POSITION] = TURN / 2
        self._numbers[_TEMPERATURE] = _ROOM_C
        self.power_up()

    def power_up(self) -> None:
        """Have its power come back: EEPROM as it was saved, no torque, no memory of a goal."""
        self._registers[:EEPROM_END] = self._saved
        self._registers[EEPROM_END:] = bytes(REGISTER_BYTES - EEPROM_END)
        self.put("status_return_level", 2)
        self.put("goal_pwm", self.get("pwm_limit"))
        self.put("goal_position", self.position)
        for number in (_VELOCITY, _BLOCKED_S, _LATCHED, _AWAY_NS):
            self._numbers[number] = 0.0

    def reboot(self) -> None:
        """Start again; it is silent for a moment."""
        self.power_up()
        self._numbers[_AWAY_NS] = self._numbers[_STAMP_NS] + _REBOOT_NS

    def note_instruction(self) -> None:
        """Note that an instruction is on the line."""
        self._numbers[_RECEIVED_NS] = self._numbers[_STAMP_NS]

    @property
    def is_away(self) -> bool:
        """Whether it is starting."""
        return self._numbers[_STAMP_NS] < self._numbers[_AWAY_NS]

    @property
    def position(self) -> int:
        """The position that it reports, with its offset."""
        return round(self.shaft) - self._offset

    @property
    def baud(self) -> int:
        """The rate at which it listens."""
        return BAUD_RATES[self.get("baud_rate") % len(BAUD_RATES)]

    @property
    def is_driven(self) -> bool:
        """Whether its motor has torque."""
        return bool(self.get("torque_enable")) and self.get("operating_mode") == POSITION_MODE

    @property
    def hardware_error(self) -> int:
        """What register 70 says: a shutdown stays, the rest is as it is now."""
        return int(self._numbers[_LATCHED]) | self._error_now

    @property
    def errors(self) -> ErrorBit:
        """Nothing: its statuses have an alert bit, and register 70."""
        return ErrorBit(0)

    def advance(self, now_ns: int, switch: FaultSwitch | None = None) -> None:
        """Move to the present, stop when the host was silent for too long, shut down by a fault."""
        end_ns = self._numbers[_RECEIVED_NS] + self.get("bus_watchdog") * WATCHDOG_STEP_S * 1e9
        if self.get("bus_watchdog") > 0 and self.get("torque_enable") and now_ns > end_ns:
            super().advance(int(end_ns), switch)
            self.put("bus_watchdog", -1)
            self.put("goal_position", self.position)
            self._numbers[_VELOCITY] = 0.0
        super().advance(now_ns, switch)
        if shutdown := self.hardware_error & self.get("shutdown"):
            self._numbers[_LATCHED] = float(int(self._numbers[_LATCHED]) | shutdown)
            self.put("torque_enable", 0)
        self.put("hardware_error", self.hardware_error)

    @property
    def _error_now(self) -> int:
        found = 0
        if not self.get("min_voltage") <= self._supply_dv <= self.get("max_voltage"):
            found |= _VOLTAGE
        if self._celsius >= self.get("max_temperature"):
            found |= _HOT
        return found | (_OVERLOAD if self._numbers[_BLOCKED_S] >= _OVERLOAD_S else 0)

    def _refusal(self, address: int, data: bytes) -> int:
        end = address + len(data)
        if address < _FIRST_WRITABLE or end > TABLE["realtime_tick"].address:
            return XRefusal.ACCESS
        if address < EEPROM_END and self.get("torque_enable"):
            return XRefusal.ACCESS
        written = {
            name: each.decode(data[each.address - address : each.address - address + each.size])
            for name, each in TABLE.items()
            if address <= each.address and each.address + each.size <= end
        }
        return next((why for name, n in written.items() if (why := self._refused(name, n))), 0)

    def _refused(self, name: str, value: int) -> int:
        is_stopped = self.get("bus_watchdog") < 0
        if is_stopped and TABLE[name].address in _GOALS and not name.startswith("profile"):
            return XRefusal.RANGE
        if name == "bus_watchdog" and (value < 0 or (is_stopped and value)):
            return XRefusal.RANGE
        if name == "goal_pwm" and abs(value) > self.get("pwm_limit"):
            return XRefusal.LIMIT
        if name == "torque_enable" and value and self._numbers[_LATCHED]:
            return XRefusal.FAILED
        if name == "goal_position" and self.get("operating_mode") == POSITION_MODE:
            fits = self.get("min_position") <= value <= self.get("max_position")
            return 0 if fits else XRefusal.LIMIT
        return 0

    def _measure(self) -> None:
        speed = self._numbers[_VELOCITY]
        self.put("present_position", self.position)
        self.put("position_trajectory", self.position)
        self.put("present_velocity", round(speed / _TICKS_PER_UNIT))
        self.put("present_load", round(self.get("current_limit") * self._load))
        self.put("present_pwm", round(FULL_PWM * self._load))
        self.put("present_voltage", self._supply_dv)
        self.put("present_temperature", round(self._celsius))
        self.put("moving", int(abs(speed) > 0.5))

    @property
    def _reached(self) -> float:
        return self.shaft - self._offset

    @property
    def _goal(self) -> int:
        return self.get("goal_position")

    @property
    def _offset(self) -> int:
        """What is subtracted; this maker's register is added."""
        return -self.get("homing_offset")

    @property
    def _load(self) -> float:
        if not self.is_driven:
            return 0.0
        limit = self.get("goal_pwm") / FULL_PWM
        gap = self._goal - self.position
        if self._is_blocked:
            return math.copysign(limit, gap) if abs(gap) > 2 else 0.0
        return min(self._switch.value, limit) if self._switch.fault is Fault.LOAD else 0.0

    @property
    def _supply_dv(self) -> int:
        is_low = self._switch.fault is Fault.BROWN_OUT
        return round(10 * self._switch.value) if is_low else _SUPPLY_DV

    @property
    def _top(self) -> float:
        share = self._switch.value if self._switch.fault is Fault.LOAD else 0.0
        wanted = self.get("profile_velocity") * _TICKS_PER_UNIT or _TOP_TICKS_PER_S
        return min(wanted, _TOP_TICKS_PER_S * max(0.0, 1.0 - share))

    @property
    def _gain(self) -> float:
        return min(self.get("profile_acceleration") * _GAIN or _TOP_GAIN, _TOP_GAIN)
