"""Answers the polls of a FlySky receiver for sensors: 4 bytes in, 4 or 6 out, on one wire.

The receiver discovers sensors from address 1 on, polls each for its type, then for its value,
every 7 ms. On one wire our replies come back to us: the answer to a discovery is the same bytes as
the poll, so the echo must not be answered again. Pure: values come in.

Sources: Betaflight's tests for the bytes, its list of sensor types for the numbers.
"""

from collections.abc import Sequence
from enum import IntEnum

DISCOVER, TYPE, VALUE = 0x8, 0x9, 0xA
VALUE_BYTES = 2
ECHO_US = 5_000  # polls are 7 ms apart


class SensorType(IntEnum):
    """What a FlySky transmitter shows a value as."""

    VOLTAGE = 0x03  # 0.01 V
    CURRENT = 0x05  # 0.01 A
    CHARGE = 0x06  # percent
    SPEED = 0x13  # 0.01 m/s
    ARMED = 0x15  # 1: the robot may move; 0: stopped, no signal, or unknown


SENSORS = tuple(SensorType)  # at the addresses 1, 2, ...


class IbusSensors:
    """Replies to polls; an echo of the last reply is recognised by its time."""

    def __init__(self) -> None:
        self._discovered = 0
        self._replied_us = -ECHO_US

    def reply(self, poll: int, values: Sequence[int], now_us: int) -> bytes:
        """Return the reply to a poll's second byte; empty for other addresses and for echoes."""
        command, address = poll >> 4, poll & 0x0F
        if not 1 <= address <= len(SENSORS):
            return b""
        if command == DISCOVER:
            is_echo = poll == self._discovered and now_us - self._replied_us < ECHO_US
            self._discovered, self._replied_us = (0 if is_echo else poll), now_us
            return b"" if is_echo else _framed(bytes([4, poll]))
        if command == TYPE:
            return _framed(bytes([6, poll, SENSORS[address - 1], VALUE_BYTES]))
        if command == VALUE:
            return _framed(bytes([6, poll]) + values[address - 1].to_bytes(2, "little"))
        return b""


def _framed(data: bytes) -> bytes:
    return data + (0xFFFF - sum(data)).to_bytes(2, "little")
