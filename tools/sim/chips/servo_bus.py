"""Model of a line with Feetech servos, byte for byte. Its state is in a mapped file, so servos hold
and move on after the process that drives them. Not here: a servo (bus_servo.py), the time that
bytes take (servo_pty.py).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from time import monotonic_ns
from typing import Any, NamedTuple

from saint_services.lib.hw.bus_servos.finder import PacketSearch
from saint_services.lib.hw.feetech.packets import BROADCAST, Code, Packet, PacketFinder, block_of
from saint_services.lib.hw.feetech.registers import Series
from tools.sim.chips.base import ChipFile
from tools.sim.chips.bus_servo import BYTES, SimBusServo
from tools.sim.chips.roboclaw import SimSerial
from tools.sim.faults import Fault, FaultSwitch

_MOST = 64  # servos
_PREPARED = 64  # bytes of a reg write: length, address, data
_IS_PRESENT, _IS_STS = 0, 1
PREFIX = "servos-"
X_PREFIX = "dynamixels-"


class TimedReply(NamedTuple):
    """A status, and how long its servo waits before it."""

    delay_us: int
    data: bytes


def servo_file(port: str, protocol: str = "sts") -> str:
    """Return the file name of a line's servos below the board's directory."""
    prefix = X_PREFIX if protocol == "x" else PREFIX
    return prefix + port.removeprefix("/dev/").replace("/", "-")


class ServoBusPeer(ChipFile):
    """All servos of one line. `switches` are the faults by id."""

    servo_bytes = BYTES

    def __init__(
        self, path: Path, ids: Iterable[int] = (), series: Series = Series.STS, baud: int = 0
    ) -> None:
        self.switches: Callable[[], Mapping[int, FaultSwitch]] = dict
        self.clock_ns: Callable[[], int] = monotonic_ns
        self.has_echo = False  # of what is sent, as on an adapter with one wire
        self.baud = baud  # of the line; 0: any
        self.packets = 0
        self._finder = self._make_finder()
        self._broken = 0.0
        self._slot = 8 + self.servo_bytes + _PREPARED
        super().__init__(path, _MOST * self._slot)
        self.servos = list(self._present())
        known = {servo.get("id") for servo in self.servos}
        for wanted in ids:
            if wanted not in known:
                self.plug(wanted, series)

    def plug(self, servo: int, series: Series = Series.STS) -> SimBusServo:
        """Put one more servo on the line, also one with an id that is there already."""
        slot = len(self.servos)
        start = slot * self._slot
        self._memory[start + _IS_PRESENT] = 1
        self._memory[start + _IS_STS] = series is Series.STS
        found = self._at(slot)
        found.make(servo)
        self.servos.append(found)
        return found

    def servo(self, servo: int) -> SimBusServo:
        """Return the first servo of an id, at the present time."""
        found = next(each for each in self.servos if each.get("id") == servo)
        found.advance(self.clock_ns(), self.switches().get(servo))
        return found

    def received(self, data: bytes) -> bytes:
        """Process bytes; return what the line carries then, faults included."""
        return b"".join(reply.data for reply in self.replies(data))

    def replies(self, data: bytes) -> list[TimedReply]:
        """Process bytes; return the replies in their order."""
        try:
            self._answer()
        except OSError:
            return []
        echo = [TimedReply(0, data)] if self.has_echo else []
        found = [reply for packet in self._finder.feed(data) for reply in self._obey(packet)]
        return echo + [TimedReply(each.delay_us, self._sent(each.data)) for each in found]

    def close(self) -> None:
        """Unmap; servos keep their state."""
        self.servos.clear()
        super().close()

    def _power_up(self) -> None:
        for servo in self._present():
            servo.advance(self.clock_ns())
            servo.power_up()

    def _present(self) -> Iterator[SimBusServo]:
        for slot in range(_MOST):
            if self._memory[slot * self._slot + _IS_PRESENT]:
                yield self._at(slot)

    def _make_finder(self) -> PacketSearch[Any]:
        return PacketFinder()

    def _at(self, slot: int) -> SimBusServo:
        start = slot * self._slot
        series = Series.STS if self._memory[start + _IS_STS] else Series.SCS
        return SimBusServo(self._memory[start + 8 : start + 8 + BYTES], series)

    def _prepared(self, servo: SimBusServo) -> "memoryview[int]":
        start = self.servos.index(servo) * self._slot + 8 + BYTES
        return self._memory[start : start + _PREPARED]

    def _obey(self, packet: Any) -> Iterator[TimedReply]:
        self.packets += 1
        now_ns, switches = self.clock_ns(), self.switches()
        for servo in self.servos:
            servo.advance(now_ns, switches.get(servo.get("id")))
        yield from self._replies_to(packet, switches)

    def _replies_to(
        self, packet: Packet, switches: Mapping[int, FaultSwitch]
    ) -> Iterator[TimedReply]:
        block = block_of(packet)
        order = block.servos if block and packet.id == BROADCAST else (packet.id,)
        if packet.id == BROADCAST and packet.code not in (Code.SYNC_READ, Code.SYNC_WRITE):
            order = [servo.get("id") for servo in self.servos]
        for named in order:
            for servo in self._listening(named, switches):
                switch, servo_id = switches.get(named), servo.get("id")
                answer = self._carry_out(servo, packet, named)
                if answer is not None:
                    yield from self._reply(servo, servo_id, answer, switch)

    def _listening(self, named: int, switches: Mapping[int, FaultSwitch]) -> list[SimBusServo]:
        switch = switches.get(named)
        if switch and switch.fault is Fault.UNPLUG:
            return []
        return [
            servo
            for servo in self.servos
            if servo.get("id") == named and self.baud in (0, servo.baud)
        ]

    def _carry_out(self, servo: SimBusServo, packet: Packet, named: int) -> bytes | None:
        """Carry an instruction out; return the parameters of the status, None for no status."""
        block = block_of(packet)
        is_acknowledged = packet.id != BROADCAST and servo.get("response_level") > 0
        empty = b"" if is_acknowledged else None
        match packet.code:
            case Code.PING:
                return b""
            case Code.READ if block and packet.id != BROADCAST:
                return servo.load_bytes(block.address, block.length)
            case Code.SYNC_READ if block and servo.series is Series.STS:
                return servo.load_bytes(block.address, block.length)
            case Code.WRITE | Code.SYNC_WRITE if block:
                data = block.data.get(named, block.data.get(packet.id, b""))
                servo.store_bytes(block.address, data)
                return empty
            case Code.REG_WRITE if block:
                kept = bytes((len(packet.parameters),)) + packet.parameters
                self._prepared(servo)[:] = kept[:_PREPARED].ljust(_PREPARED, b"\0")
                return empty
            case Code.ACTION:
                self._act(servo)
                return empty
            case Code.RESET:
                servo.make(servo.get("id"))
                return empty
        return None

    def _act(self, servo: SimBusServo) -> None:
        prepared = self._prepared(servo)
        if length := prepared[0]:
            servo.store_bytes(prepared[1], bytes(prepared[2 : 1 + length]))
            prepared[0] = 0

    def _status(self, servo: SimBusServo, named: int, data: bytes) -> bytes:
        return Packet(named, int(servo.errors), data).encoded()

    def _reply(
        self, servo: SimBusServo, named: int, data: bytes, switch: FaultSwitch | None
    ) -> Iterator[TimedReply]:
        delay_us = 2 * servo.get("return_delay")
        reply = self._status(servo, named, data)
        if switch and switch.fault is Fault.NOISE:
            self._broken += switch.value
            if self._broken >= 1.0:
                self._broken -= 1.0
                reply = reply[:-1] + bytes((reply[-1] ^ 0x55,))
        yield TimedReply(delay_us, reply)
        if switch and switch.fault is Fault.DOUBLED:
            yield TimedReply(0, reply)


def open_servo_bus(port: str, peer: ServoBusPeer) -> SimSerial:
    """Open the line; its servos reply inside the write."""
    return SimSerial(port, peer)


def switches_of(
    read: Callable[[], Mapping[str, FaultSwitch]], names: Mapping[int, str]
) -> Callable[[], Mapping[int, FaultSwitch]]:
    """Return what reads the faults by id, given those by name."""

    def found() -> Mapping[int, FaultSwitch]:
        switches = read()
        return {servo: switches[name] for servo, name in names.items() if name in switches}

    return found
