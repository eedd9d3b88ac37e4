"""The serial link between the boards: frames out, frames found in a byte stream."""

from . import tables as t
from .codec import pack, unpack
from .freshness import Freshness

_ROWS = {row[0]: row for row in t.LINK_ROWS}
_PAUSE_MS = 10  # no frame is longer on the wire
_MOST_PAYLOAD = 64  # more than any message has: a false start must cost little


def crc8(data: bytes) -> int:
    """Compute CRC-8/MAXIM."""
    crc = 0
    for byte in data:
        crc = t.CRC8[crc ^ byte]
    return crc


def framed(row: tuple, *values) -> bytes:
    """Return the frame of a message. Raises ValueError for a value that cannot be carried."""
    payload = pack(row, *values)
    body = bytes((len(payload), row[0])) + payload
    return bytes((t.LINK_START,)) + body + bytes((crc8(body),))


class LinkParser:
    """Finds frames however they are cut into reads. After a broken one the search goes on one byte
    later.
    """

    def __init__(self) -> None:
        self.frames = 0
        self.discarded_bytes = 0
        self._held = b""
        self._last = Freshness(_PAUSE_MS)

    def feed(self, data: bytes, now_ms: int) -> list:
        """Return (type, values) of each complete frame; values are the payload for a type that is
        not in the table. What waits for its end is searched again after a pause.
        """
        if data:
            found = self._scan(data, self._held != b"" and not self._last.is_fresh(now_ms))
            self._last.feed(now_ms)
            return found
        if self._held and not self._last.is_fresh(now_ms):
            return self._scan(b"", True)
        return []

    def _scan(self, data: bytes, is_held_final: bool) -> list:
        found: list = []
        if is_held_final:
            held, self._held = self._held, b""
            self._held = self._frames_of(held, True, found)
        self._held = self._frames_of(self._held + data, False, found)
        return found

    def _frames_of(self, data: bytes, is_final: bool, found: list) -> bytes:
        """Append complete frames to `found`; return what may be the begin of another."""
        at = 0
        while at < len(data):
            if data[at] == t.LINK_START:
                length = data[at + 1] if at + 1 < len(data) else 0
                size = length + t.LINK_OVERHEAD
                if at + size > len(data) and length <= _MOST_PAYLOAD:
                    if not is_final:
                        break
                elif length <= _MOST_PAYLOAD:
                    message = _message(data[at : at + size])
                    if message is not None:
                        found.append(message)
                        self.frames += 1
                        at += size
                        continue
            self.discarded_bytes += 1
            at += 1
        return data[at:]


def _message(frame: bytes) -> "tuple | None":
    """Return type and values of a frame; None for a broken one."""
    body = frame[1:-1]
    if crc8(body) != frame[-1]:
        return None
    row = _ROWS.get(body[1])
    if row is None:
        return body[1], body[2:]
    values = unpack(row, body[2:])
    return None if values is None else (body[1], values)
