"""Packet serial protocol of RoboClaw motor controllers and the schedule of requests, without any
input or output. By Basicmicro's "RoboClaw Series User Manual", rev 5.7, "Packet Serial" and
"Advance Packet Serial"; the command's number stands beside each.

The controller stops its motors itself without a packet for TIMEOUT_S. Not here: the line
(roboclaw_line).
"""

import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass

SET_TIMEOUT, READ_VERSION, READ_VOLTAGE, DRIVE_DUTY = 14, 21, 24, 34
READ_CURRENTS, READ_ENCODERS, READ_STATUS = 49, 78, 90
ACKNOWLEDGED = b"\xff"
TIMEOUT_S = 0.2
FULL = 32767
REPLY_S = 0.03  # 10 ms are the controller's own longest; a USB adapter adds 16 at worst
_MOST_MISSED = 4  # in a row: then it counts as gone
_MOST_BYTES = 256
_FAULTS = {  # command 90; what has stopped a motor, not what only warns
    0x000001: "its emergency stop input is active",
    0x000002: "it is too hot",
    0x000004: "its second sensor is too hot",
    0x000008: "the main supply is too high",
    0x000010: "the logic supply is too high",
    0x000020: "the logic supply is too low",
    0x000040: "the driver of motor 1 has a fault",
    0x000080: "the driver of motor 2 has a fault",
    0x001000: "motor 1 takes too much current",
    0x002000: "motor 2 takes too much current",
}
_READS = {  # command -> form of the reply, and how often it is requested
    READ_ENCODERS: (struct.Struct(">II"), 0.01),
    READ_CURRENTS: (struct.Struct(">hh"), 0.04),
    READ_STATUS: (struct.Struct(">I"), 0.1),
    READ_VOLTAGE: (struct.Struct(">H"), 0.5),
}


def crc16(data: bytes) -> int:
    """Compute CRC-16/CCITT, polynomial 0x1021, from zero."""
    crc = 0
    for byte in data:
        crc ^= byte << 8
        for _ in range(8):
            crc = (crc << 1 ^ 0x1021 if crc & 0x8000 else crc << 1) & 0xFFFF
    return crc


def packet(address: int, command: int, data: bytes = b"") -> bytes:
    """Encode a command with its checksum, which one byte acknowledges."""
    body = bytes((address, command)) + data
    return body + crc16(body).to_bytes(2, "big")


def duties(address: int, first: float, second: float) -> bytes:
    """Encode the duties of both motors, -1 to 1."""
    steps = (round(max(-1.0, min(duty, 1.0)) * FULL) for duty in (first, second))
    return packet(address, DRIVE_DUTY, struct.pack(">hh", *steps))


@dataclass(slots=True)
class Readings:
    """Last values that the controller reported."""

    counts: list[int]
    currents_a: list[float]
    voltage_v: float = 0.0
    status: int = 0
    outages: int = 0  # after each, counts may have been lost


class RoboClaw:
    """One controller: one command at a time, newest duties first. `send` writes to the line."""

    def __init__(self, address: int, send: Callable[[bytes], object]) -> None:
        self.readings = Readings([0, 0], [0.0, 0.0])
        self.duties = [0.0, 0.0]
        self.missed = 0  # answers, in a row
        self._address = address
        self._send = send
        self._pending = 0  # command without its reply; 0: none
        self._deadline_s = 0.0
        self._buffer = b""
        self._is_news = True
        self._needs_timeout = True
        self._due_s = dict.fromkeys(_READS, 0.0)
        self._raw: list[int] | None = None

    @property
    def problem(self) -> str:
        """Return the fault, in words that follow the controller's name, or ""."""
        if self.missed >= _MOST_MISSED:
            return "it does not answer"
        return "; ".join(text for bit, text in _FAULTS.items() if self.readings.status & bit)

    def drive(self, channel: int, duty: float, now_s: float) -> None:
        """Set the duty of channel 0 or 1; the newest value counts."""
        self.duties[channel] = duty
        self._is_news = True
        self.step(now_s)

    def halt(self, channel: int, now_s: float) -> None:
        """Set both duties to zero without waiting for a pending reply, which may be lost. The
        command is repeated after that, as an acknowledgement does not name its command.
        """
        self.duties[channel] = 0.0
        self._send(duties(self._address, *self.duties))
        self._is_news = True
        if not self._pending:
            self._pending, self._deadline_s = DRIVE_DUTY, now_s + REPLY_S

    def step(self, now_s: float) -> None:
        """Send the next request, unless a reply is pending."""
        if self._pending and now_s < self._deadline_s:
            return
        if self._pending:
            self._lost()
        self._request(now_s)

    def received(self, data: bytes, now_s: float) -> None:
        """Accept received bytes."""
        self._buffer = (self._buffer + data)[:_MOST_BYTES]
        if self._pending and self._take():
            # One byte may be noise; only a reply with a checksum proves the connection.
            self.missed = 0 if self._pending in _READS else self.missed
            self._pending, self._buffer = 0, b""
            self.step(now_s)

    def _lost(self) -> None:
        if self._pending == DRIVE_DUTY:
            self._is_news = True
        self._pending, self._buffer = 0, b""
        self.missed += 1
        if self.missed == _MOST_MISSED:
            self._needs_timeout, self._raw = True, None
            self.readings.outages += 1

    def _request(self, now_s: float) -> None:
        self._buffer = b""
        order = next(self._wanted(now_s), None)
        if order is None:
            return
        self._pending, data = order
        self._deadline_s = now_s + REPLY_S
        self._send(data)

    def _wanted(self, now_s: float) -> Iterator[tuple[int, bytes]]:
        if self._needs_timeout:
            yield SET_TIMEOUT, packet(self._address, SET_TIMEOUT, bytes((round(10 * TIMEOUT_S),)))
        if self._is_news:
            self._is_news = False
            yield DRIVE_DUTY, duties(self._address, *self.duties)
        for command, (_, period_s) in _READS.items():
            if now_s >= self._due_s[command]:
                self._due_s[command] = now_s + period_s
                yield command, bytes((self._address, command))

    def _take(self) -> bool:
        """Check for a complete and valid reply."""
        if self._pending not in _READS:
            if self._buffer[:1] != ACKNOWLEDGED:
                return False
            self._needs_timeout = self._needs_timeout and self._pending != SET_TIMEOUT
            return True
        form, _ = _READS[self._pending]
        answer = self._buffer[: form.size + 2]
        body = bytes((self._address, self._pending)) + answer[:-2]
        if len(answer) < form.size + 2 or crc16(body) != int.from_bytes(answer[-2:], "big"):
            return False
        self._understood(form.unpack(answer[:-2]))
        return True

    def _understood(self, numbers: tuple[int, ...]) -> None:
        readings = self.readings
        if self._pending == READ_ENCODERS:
            self._count(list(numbers))
        elif self._pending == READ_CURRENTS:
            readings.currents_a = [number / 100 for number in numbers]  # 10 mA
        elif self._pending == READ_STATUS:
            readings.status = numbers[0]
        else:
            readings.voltage_v = numbers[0] / 10

    def _count(self, raw: list[int]) -> None:
        """Follow 32-bit counters, which wrap; after an outage the controller may start at zero."""
        if self._raw is not None:
            for channel, (now, before) in enumerate(zip(raw, self._raw, strict=True)):
                way = now - before & 0xFFFFFFFF
                self.readings.counts[channel] += way - (1 << 32 if way >> 31 else 0)
        self._raw = raw
