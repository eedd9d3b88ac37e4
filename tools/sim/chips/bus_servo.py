"""One servo on a simulated bus: its registers and its mechanics. Time comes in as an argument. Not
here: packets, wires and their faults (servo_bus.py).

A servo that is blocked pushes with its torque limit; after its protection time it switches its
torque off and reports overload, as the STS3215 does. Numbers are those of its data sheet.
"""

import math

from saint_services.lib.hw.feetech.packets import ErrorBit
from saint_services.lib.hw.feetech.registers import (
    BAUD_RATES,
    EEPROM_END,
    REGISTERS,
    TURN,
    Register,
    Series,
)
from tools.sim.faults import Fault, FaultSwitch

REGISTER_BYTES = 128
_POSITION, _VELOCITY, _TEMPERATURE, _STAMP_NS, _BLOCKED_S = range(5)
_SEEN, _SEEN_NS, _GOAL_NS = range(5, 8)
OWN_NUMBERS = 8
NUMBERS = 12  # with those of other makers
BYTES = REGISTER_BYTES + EEPROM_END + 8 * NUMBERS  # a multiple of 8
_SLICE_S = 0.002
_LONGEST_S = 2.0  # after it a motion has ended
_TOP_TICKS_PER_S = 3400.0  # 50 turns a minute without load
_TOP_GAIN = 40_000.0  # ticks per second squared
_GAIN = 100.0  # of one unit of acceleration
_ROOM_C, _HEAT_C, _COOLING_S = 25.0, 45.0, 60.0
_NEAR = 4  # ticks: a goal at its position ends an overload
_FULL = 1000  # of load and torque
_SUPPLY_DV = 74
_FREE = FaultSwitch(Fault.LOAD)
_MAKERS = {
    "firmware_major": 3, "firmware_minor": 10, "model": 777, "return_delay": 250,
    "response_level": 1, "max_position": TURN - 1, "max_temperature": 70, "max_voltage": 80,
    "min_voltage": 40, "max_torque": _FULL, "phase": 0x0C, "unloading_condition": 44,
    "alarm_condition": 47, "p_coefficient": 32, "d_coefficient": 32, "protection_current": 500,
    "angular_resolution": 1, "protective_torque": 20, "protection_time": 200,
    "overload_torque": 80,
}  # fmt: skip
_OF_SCS = {"model": 1284, "max_position": 1023}


class SimBusServo:
    """A servo in the memory of its bus, which outlives processes."""

    register_bytes, eeprom_end = REGISTER_BYTES, EEPROM_END

    def __init__(self, memory: "memoryview[int]", series: Series = Series.STS) -> None:
        registers, saved = self.register_bytes, self.register_bytes + self.eeprom_end
        self._registers = memory[:registers]
        self._saved = memory[registers:saved]
        self._numbers = memory[saved:].cast("d")
        self._table = REGISTERS[series]
        self.series = series
        self.turn = TURN if series is Series.STS else 1024
        self._switch = _FREE

    # Registers

    def get(self, name: str) -> int:
        """Return a register's number."""
        register = self._table[name]
        at = register.address
        return register.decode(bytes(self._registers[at : at + register.size]), self.series)

    def put(self, name: str, value: int) -> None:
        """Set a register's number, cut off at what it can hold."""
        register = self._table.get(name)
        if register is not None:
            low, high = register.limits
            self._fill(register, max(low, min(value, high)))

    def load_bytes(self, address: int, length: int) -> bytes:
        """Return bytes as a read gets them; beyond the last register they are zero."""
        if self._covers("present_position", address, length):
            seen = self.get("present_position")
            if seen != self._numbers[_SEEN]:
                self._numbers[_SEEN], self._numbers[_SEEN_NS] = seen, self._numbers[_STAMP_NS]
        return bytes(self._registers[address : address + length]).ljust(length, b"\0")

    def store_bytes(self, address: int, data: bytes) -> None:
        """Set bytes as a write does. EEPROM is saved while it is unlocked only."""
        data = data[: max(0, REGISTER_BYTES - address)]
        self._registers[address : address + len(data)] = data
        if self._covers("goal_position", address, len(data)):
            self._numbers[_GOAL_NS] = self._numbers[_STAMP_NS]
        if self.get("lock") == 0:
            self._saved[:] = self._registers[:EEPROM_END]
        is_given_up = abs(self.get("goal_position") - self.position) <= _NEAR
        if self.get("torque_enable") == 0 or is_given_up:
            self._numbers[_BLOCKED_S] = 0.0

    def make(self, servo: int) -> None:
        """Give it the maker's registers, and its id; its shaft is in the middle."""
        self._registers[:] = bytes(REGISTER_BYTES)
        for name, value in _MAKERS.items():
            self.put(name, value)
        if self.series is Series.SCS:
            for name, value in _OF_SCS.items():
                self.put(name, value)
        self.put("id", servo)
        self._saved[:] = self._registers[:EEPROM_END]
        self._numbers[_POSITION] = self.turn / 2
        self._numbers[_TEMPERATURE] = _ROOM_C
        self.power_up()

    def power_up(self) -> None:
        """Have its power come back: EEPROM as it was saved, no torque, no memory of a goal."""
        self._registers[:EEPROM_END] = self._saved
        self._registers[EEPROM_END:] = bytes(REGISTER_BYTES - EEPROM_END)
        self.put("torque_limit", self.get("max_torque"))
        self.put("lock", 1)
        self.put("max_acceleration", 254)
        self.put("goal_position", self.position)
        self._numbers[_VELOCITY] = self._numbers[_BLOCKED_S] = 0.0

    @property
    def load(self) -> float:
        """The share of its torque that it needs."""
        return self._load

    @property
    def seen_ns(self) -> int:
        """When a program read a position that it had not read before."""
        return int(self._numbers[_SEEN_NS])

    @property
    def goal_ns(self) -> int:
        """When its goal was written last."""
        return int(self._numbers[_GOAL_NS])

    def _covers(self, name: str, address: int, length: int) -> bool:
        return address <= self._table[name].address < address + length

    # Mechanics

    @property
    def position(self) -> int:
        """The position that it reports: from its homing offset on, one turn unless bit 4 of the
        phase is set."""
        raw = round(self.shaft) - self._offset
        has_turns = "phase" in self._table and self.get("phase") & 0x10
        return raw if has_turns else raw % self.turn

    @property
    def shaft(self) -> float:
        """Where the shaft is, in ticks."""
        return self._numbers[_POSITION]

    @shaft.setter
    def shaft(self, ticks: float) -> None:
        self._numbers[_POSITION] = ticks % self.turn
        self._numbers[_VELOCITY] = 0.0

    @property
    def baud(self) -> int:
        """The rate at which it listens."""
        return BAUD_RATES[self.get("baud_rate") % len(BAUD_RATES)]

    @property
    def is_driven(self) -> bool:
        """Whether its motor has torque."""
        return bool(self.get("torque_enable")) and not self.errors & ErrorBit.OVERLOAD

    @property
    def errors(self) -> ErrorBit:
        """The error bits that it reports."""
        found = ErrorBit(0)
        if not self.get("min_voltage") <= self._supply_dv <= self.get("max_voltage"):
            found |= ErrorBit.VOLTAGE
        if self._celsius >= self.get("max_temperature"):
            found |= ErrorBit.TEMPERATURE
        protected_s = self.get("protection_time") / 100
        if protected_s and self._numbers[_BLOCKED_S] >= protected_s:
            found |= ErrorBit.OVERLOAD
        return found

    def advance(self, now_ns: int, switch: FaultSwitch | None = None) -> None:
        """Move to the present, and set the registers that measure."""
        self._switch = switch or _FREE
        elapsed_s = (now_ns - self._numbers[_STAMP_NS]) / 1e9
        self._numbers[_STAMP_NS] = float(now_ns)
        left_s = min(max(elapsed_s, 0.0), _LONGEST_S)
        self._warm(left_s)
        if not self.is_driven:
            self._numbers[_VELOCITY] = 0.0
        elif self._is_blocked:
            self._push(left_s)
        else:
            self._move(left_s)
        self._measure()

    def _push(self, dt_s: float) -> None:
        """Stand against a stop for a while."""
        numbers = self._numbers
        is_short = abs(self._goal - self._reached) > 2
        numbers[_VELOCITY] = 0.0
        numbers[_BLOCKED_S] = numbers[_BLOCKED_S] + dt_s if is_short else 0.0

    def _move(self, left_s: float) -> None:
        """Go towards the goal, in slices; its numbers stay the same meanwhile."""
        numbers = self._numbers
        numbers[_BLOCKED_S] = 0.0
        goal, gain, top, offset = self._goal, self._gain, self._top, self._offset
        place, speed = self._reached, numbers[_VELOCITY]
        while left_s > 0.0 and (place != goal or speed):
            dt_s = min(left_s, _SLICE_S)
            left_s -= dt_s
            gap = goal - place
            wanted = math.copysign(min(top, math.sqrt(2.0 * gain * abs(gap))), gap)
            speed += max(-gain * dt_s, min(wanted - speed, gain * dt_s))
            if abs(gap) <= abs(speed * dt_s) or abs(gap) < 0.5:
                place, speed = float(goal), 0.0
            else:
                place += speed * dt_s
        numbers[_VELOCITY] = speed
        numbers[_POSITION] = (place + offset) % self.turn

    @property
    def _reached(self) -> float:
        """Where it is, from its homing offset on."""
        return (self.shaft - self._offset) % self.turn

    def _measure(self) -> None:
        speed = self._numbers[_VELOCITY]
        self.put("present_position", self.position)
        self.put("present_velocity", round(speed))
        self.put("present_load", round(_FULL * self._load))
        self.put("present_voltage", self._supply_dv)
        self.put("present_temperature", round(self._celsius))
        self.put("present_current", round(200 * abs(self._load)))  # 6.5 mA each
        self.put("status", int(self.errors))
        self.put("moving", int(abs(speed) > 0.5))

    def _warm(self, dt_s: float) -> None:
        end_c = _ROOM_C + _HEAT_C * self._load**2
        gap_c = self._numbers[_TEMPERATURE] - end_c
        self._numbers[_TEMPERATURE] = end_c + gap_c * math.exp(-dt_s / _COOLING_S)

    @property
    def _goal(self) -> int:
        low, high = self.get("min_position"), self.get("max_position")
        return max(low, min(self.get("goal_position"), high)) if high else 0

    @property
    def _offset(self) -> int:
        return self.get("homing_offset") if "homing_offset" in self._table else 0

    @property
    def _is_blocked(self) -> bool:
        return self._switch.fault is Fault.STALL

    @property
    def _load(self) -> float:
        """The share of its torque that it needs."""
        if not self.is_driven:
            return 0.0
        limit = self.get("torque_limit") / _FULL if "torque_limit" in self._table else 1.0
        gap = self._goal - self.position
        if self._is_blocked:
            return math.copysign(limit, gap) if abs(gap) > 2 else 0.0
        return min(self._switch.value, limit) if self._switch.fault is Fault.LOAD else 0.0

    @property
    def _celsius(self) -> float:
        is_hot = self._switch.fault is Fault.HOT
        return self._switch.value if is_hot else self._numbers[_TEMPERATURE]

    @property
    def _supply_dv(self) -> int:
        is_low = self._switch.fault is Fault.BROWN_OUT
        return round(10 * self._switch.value) if is_low else _SUPPLY_DV

    @property
    def _top(self) -> float:
        share = self._switch.value if self._switch.fault is Fault.LOAD else 0.0
        wanted = abs(self.get("goal_velocity")) or _TOP_TICKS_PER_S
        return min(wanted, _TOP_TICKS_PER_S * max(0.0, 1.0 - share))

    @property
    def _gain(self) -> float:
        return min(_GAIN * self.get("acceleration") or _TOP_GAIN, _TOP_GAIN)

    def _fill(self, register: Register, value: int) -> None:
        at = register.address
        self._registers[at : at + register.size] = register.encode(value, self.series)
