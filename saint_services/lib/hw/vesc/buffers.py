"""Requests the configuration of a VESC and assembles the reply, which takes several frames. Pure.
Source: bldc, comm_can.c (comm_can_send_buffer) and confgenerator.c.
"""

from typing import Final

from ..can.frame import CanFrame
from ..motors.roboclaw import crc16  # the same polynomial, from zero

_FILL, _FILL_LONG, _PROCESS, _SHORT = 5, 6, 7, 8
_GET_APPCONF: Final = 17
_MOST_BYTES: Final = 1024
_TIMEOUT_AT: Final = 6  # after the command, a signature of 4 bytes and the id


def request_configuration(number: int, own_id: int) -> CanFrame:
    """Return the request for a VESC's application configuration."""
    return CanFrame(_SHORT << 8 | number, bytes((own_id, 0, _GET_APPCONF)), True)


class BufferAssembler:
    """Assembles the messages of several frames that are addressed to one id."""

    def __init__(self, own_id: int) -> None:
        self._own_id = own_id
        self._buffer = bytearray()

    def received(self, frame: CanFrame) -> bytes:
        """Return the message that a frame completes; empty for all others."""
        if not frame.is_extended or frame.id & 0xFF != self._own_id:
            return b""
        command, data = frame.id >> 8, frame.data
        if command == _FILL and data:
            self._fill(data[0], data[1:])
        elif command == _FILL_LONG and len(data) >= 2:
            self._fill(int.from_bytes(data[:2], "big"), data[2:])
        elif command == _PROCESS and len(data) == 6:
            return self._complete(data)
        return b""

    def _fill(self, at: int, part: bytes) -> None:
        if at == 0:
            self._buffer.clear()
        if at == len(self._buffer) and at + len(part) <= _MOST_BYTES:  # else one is missing
            self._buffer += part

    def _complete(self, end: bytes) -> bytes:
        size, expected = int.from_bytes(end[2:4], "big"), int.from_bytes(end[4:6], "big")
        message = bytes(self._buffer)
        self._buffer.clear()
        return message if len(message) == size and crc16(message) == expected else b""


def timeout_s(message: bytes, number: int) -> float | None:
    """Return the time-out in an application configuration; None for other messages, and for one
    of a form that is not known: where the id is expected stands another number.
    """
    if len(message) < _TIMEOUT_AT + 4 or message[0] != _GET_APPCONF or message[5] != number:
        return None
    return int.from_bytes(message[_TIMEOUT_AT : _TIMEOUT_AT + 4], "big") / 1000.0


def split(message: bytes, to_id: int, from_id: int) -> list[CanFrame]:
    """Return the frames of a message, as a VESC sends them."""
    frames, at = [], 0
    while at < len(message):
        head = bytes((at,)) if at < 256 else at.to_bytes(2, "big")
        part = message[at : at + 8 - len(head)]
        command = _FILL if at < 256 else _FILL_LONG
        frames.append(CanFrame(command << 8 | to_id, head + part, True))
        at += len(part)
    end = bytes((from_id, 1)) + len(message).to_bytes(2, "big") + crc16(message).to_bytes(2, "big")
    return [*frames, CanFrame(_PROCESS << 8 | to_id, end, True)]


def is_request(frame: CanFrame, number: int) -> bool:
    """Return whether a frame requests the configuration of this VESC."""
    expected = request_configuration(number, 0)
    return frame.id == expected.id and frame.is_extended and frame.data[1:] == expected.data[1:]
