"""What the Dynamixel X series understands, behind the port of all bus servos. Pure.

A servo's own watchdog stops it when its host is silent; it then refuses goals without a word in a
sync write. So each turn reads the watchdog and the goal beside the measurements, which also shows
that a servo has lost its power.
"""

from collections.abc import Callable, Iterable, Mapping

from ..bus_servos.port import (
    MOST_REFUSED,
    NO_FAULT,
    BusPacket,
    BusServo,
    RegisterRange,
    ServoFault,
    ServoReading,
    ServoStatus,
    SurveyedServo,
    Torque,
)
from . import packets
from .packets import ALERT, MOST_ID, Order, XPacket, XPacketFinder, XRefusal, block_of
from .registers import (
    BAUD_RATES,
    FULL_PWM,
    MODELS,
    POSITION_MODE,
    TABLE,
    TABLE_END,
    TURN,
    WATCHDOG_STEP_S,
    WITHOUT_CURRENT,
)

WATCHDOG_S = 0.5  # of silence; the slowest turn is 0.1 s, with repetitions less than 0.3 s
WATCHDOG = round(WATCHDOG_S / WATCHDOG_STEP_S)
_REVERSED = 0x01  # of the drive mode: the only bit that is kept
_ANSWERS_ALL = 2
_FULL_LOAD = 1000
_FAULTS = {
    0x01: ServoFault.VOLTAGE,
    0x04: ServoFault.TEMPERATURE,
    0x08: ServoFault.SENSOR,
    0x10: ServoFault.SHOCK,
    0x20: ServoFault.OVERLOAD,
}
_MEASURED = RegisterRange(TABLE["bus_watchdog"].address, TABLE_END - TABLE["bus_watchdog"].address)
_SURVEYED = RegisterRange(0, TABLE_END)
_WATCHED = RegisterRange(TABLE["shutdown"].address, 8)  # shutdown, torque, hardware error


class DynamixelTalk:
    """Follows what is on the wire. Only a status answers, so an echo is none."""

    def __init__(self) -> None:
        self._finder = XPacketFinder()
        self._lengths: tuple[int, ...] = ()  # of the data of answers
        self._garbled = 0

    @property
    def rejected(self) -> int:
        """The number of broken packets, also of those that a servo reports."""
        return self._finder.rejected + self._garbled

    def request(self, packet: BusPacket) -> None:
        """Expect the answers to this one."""
        assert isinstance(packet, XPacket)
        block = block_of(packet)
        is_read = packet.code in (Order.READ, Order.SYNC_READ)
        self._lengths = (block.length,) if block and is_read else (0,)
        if packet.code == Order.PING:
            self._lengths = (3,)
        self._finder.flush()

    def received(self, data: bytes) -> list[ServoStatus]:
        """Return the statuses that are complete."""
        found = []
        for packet in self._finder.feed(data):
            if packet.code != Order.STATUS or not packet.parameters:
                continue
            error, rest = packet.parameters[0], packet.parameters[1:]
            if error & ~ALERT == XRefusal.CRC:  # the instruction was damaged: it is repeated
                self._garbled += 1
                continue
            is_answer = len(rest) in self._lengths or _is_refusal(error)
            found.append(ServoStatus(packet.id, error, rest, is_answer))
        return found

    def awaited(self, answers: int) -> int:
        """Return how many bytes still come; an echo only wakes the line once more."""
        return answers - self._finder.held_bytes

    def expire(self) -> None:
        """Expect no more of an answer that has begun."""
        self._finder.flush()


class DynamixelDialect:
    """The X series. Implements ServoDialect."""

    turn = TURN
    most_id = MOST_ID
    status_bytes = 11
    measured = _MEASURED
    surveyed = _SURVEYED
    watched: RegisterRange | None = _WATCHED
    has_sync_read = True
    gives_up = False  # it stays off until it is restarted
    baud_rates: tuple[int, ...] = BAUD_RATES
    tried_rates: tuple[int, ...] = (
        1_000_000, 57_600, 115_200, 2_000_000, 3_000_000, 4_000_000, 9_600,
    )  # fmt: skip

    def talk(self) -> DynamixelTalk:
        """Return what follows a line."""
        return DynamixelTalk()

    def ping(self, servo: int) -> XPacket:
        """Return the request for a sign of life."""
        return packets.ping(servo)

    def read(self, servo: int, registers: RegisterRange) -> XPacket:
        """Return the request to one servo."""
        return packets.read(servo, *registers)

    def sync_read(self, servos: Iterable[int], registers: RegisterRange) -> XPacket:
        """Return the request to several servos."""
        return packets.sync_read(*registers, servos)

    def put(self, servo: int, register: str, value: int) -> XPacket:
        """Return the instruction to write a number. Raises ValueError outside of its limits."""
        place = TABLE[register]
        return packets.write(servo, place.address, place.encode(value))

    def goals(self, positions: Mapping[int, int]) -> XPacket:
        """Return the instruction that sets goals."""
        place = TABLE["goal_position"]
        values = {servo: place.encode(goal) for servo, goal in positions.items()}
        return packets.sync_write(place.address, values)

    def release(self, servos: Iterable[int]) -> XPacket:
        """Return the instruction that switches torque off."""
        place = TABLE["torque_enable"]
        return packets.sync_write(place.address, dict.fromkeys(servos, b"\0"))

    def errors(self, servo: BusServo, code: int) -> ServoFault:
        """Return what is known of its faults: the alert bit says only that there is one."""
        return (servo.errors or ServoFault.ALERT) if code & ALERT else NO_FAULT

    def is_refusal(self, code: int) -> bool:
        """Whether it has not done what it was requested to do."""
        return _is_refusal(code)

    def reading(self, servo: BusServo, data: bytes, now_s: float) -> ServoReading:
        """Return what a servo measures."""
        return _reading(servo, _MEASURED, data, now_s)

    def survey(self, servo: BusServo, data: bytes) -> SurveyedServo:
        """Return what a servo that was silent says."""
        get = _getter(_SURVEYED, data)
        servo.full_load = self.full_load(get)
        servo.errors = _faults(get)
        is_stopped = get("bus_watchdog") < 0
        writes: list[tuple[str, int]] = []
        if is_stopped:
            writes += [("bus_watchdog", 0), ("goal_position", get("present_position"))]
        wanted = {"profile_acceleration": 0, "profile_velocity": 0}
        if servo.torque_limit is not None:
            most = get("pwm_limit") or FULL_PWM
            wanted["goal_pwm"] = min(round(FULL_PWM * servo.torque_limit), most)
        writes += [(name, value) for name, value in wanted.items() if get(name) != value]
        if get("bus_watchdog") != WATCHDOG:
            writes.append(("bus_watchdog", WATCHDOG))
        goal = get("goal_position")
        return SurveyedServo(bool(get("torque_enable")), goal, tuple(writes), is_stopped)

    def survey_reading(self, servo: BusServo, data: bytes, now_s: float) -> ServoReading:
        """Return what it measures."""
        return _reading(servo, _SURVEYED, data, now_s)

    def is_changed(self, servo: BusServo, data: bytes) -> bool:
        """Whether it has stopped by itself, or its power was away; a goal that it has not accepted
        is sent again."""
        get = _getter(_MEASURED, data)
        if get("bus_watchdog") != WATCHDOG:
            return True
        if servo.torque is Torque.ON and not servo.is_news:
            if get("goal_position") == servo.sent:
                servo.refused = 0
            else:
                servo.is_news = servo.goal is not None
                servo.refused = min(servo.refused + 1, MOST_REFUSED)
        return False

    def watch(self, servo: BusServo, data: bytes) -> bool:
        """Note the faults; return whether it has torque."""
        get = _getter(_WATCHED, data)
        servo.errors = _faults(get)
        return bool(get("torque_enable"))

    def place(self, register: str) -> RegisterRange | None:
        """Return where a register is."""
        found = TABLE.get(register)
        return RegisterRange(found.address, found.size) if found else None

    def number(self, register: str, data: bytes) -> int:
        """Return the number that a register's bytes are."""
        return TABLE[register].decode(data)

    def model(self, number: int) -> str:
        """Return the name of a model."""
        return MODELS.get(number, str(number))

    def openers(self, servo: int) -> list[BusPacket]:
        """Return what makes a servo answer to everything."""
        return [self.put(servo, "status_return_level", _ANSWERS_ALL)]

    def restart(self, servo: int) -> XPacket | None:
        """Return the instruction to start again."""
        return packets.reboot(servo)

    def full_load(self, get: Callable[[str], int]) -> int:
        """Return what register 126 says at full torque: a current, or a load in 0.1 %."""
        has_current = get("model") not in WITHOUT_CURRENT
        return (has_current and get("current_limit")) or _FULL_LOAD

    def configuration(self, get: Callable[[str], int]) -> dict[str, int]:
        """Return the EEPROM of a servo that answers at once and holds positions of one turn. Its
        profile has velocities and no times, and a goal switches no torque on."""
        drive_mode = get("drive_mode") & _REVERSED
        return {"return_delay": 0, "operating_mode": POSITION_MODE, "drive_mode": drive_mode}


def _is_refusal(error: int) -> bool:
    return bool(error & ~ALERT)


def _getter(block: RegisterRange, data: bytes) -> Callable[[str], int]:
    def get(name: str) -> int:
        register = TABLE[name]
        at = register.address - block.address
        return register.decode(data[at : at + register.size])

    return get


def _reading(servo: BusServo, block: RegisterRange, data: bytes, now_s: float) -> ServoReading:
    get = _getter(block, data)
    return ServoReading(
        get("present_position"),
        get("present_velocity"),
        get("present_load") / servo.full_load,
        get("present_voltage") / 10,
        get("present_temperature"),
        now_s,
    )


def _faults(get: Callable[[str], int]) -> ServoFault:
    error = get("hardware_error")
    found = NO_FAULT
    for bit, fault in _FAULTS.items():
        if error & bit:
            found |= fault
    if error & get("shutdown") and not get("torque_enable"):
        found |= ServoFault.SHUT
    return found
