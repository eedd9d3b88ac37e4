"""WebSocket frames (RFC 6455) and close codes of a server: hostile bytes in, whole messages out.
Not here: when to answer, who is connected (wire.py).
"""

from enum import IntEnum

HEAD_BYTES = 14  # the longest header that a client sends
_FINAL = 0x80
_RESERVED = 0x70
_MASKED = 0x80
_LONGEST_CONTROL = 125


class CloseCode(IntEnum):
    """All close codes that webd uses (section 7.4.1); a client's own code is repeated."""

    DONE = 1000
    STOPPING = 1001
    BROKEN = 1002
    NO_TEXT = 1007
    REFUSED = 1008
    TOO_LARGE = 1009
    TRY_LATER = 1013


CLOSE_TEXTS = {
    CloseCode.DONE: "The client closed the connection.",
    CloseCode.STOPPING: "webd is stopping; connect again, it restarts.",
    CloseCode.BROKEN: "The client's bytes are no valid WebSocket frames.",
    CloseCode.NO_TEXT: "A text is not UTF-8.",
    CloseCode.REFUSED: "No token came within 10 s, the sign-in has ended, or an admin ended it.",
    CloseCode.TOO_LARGE: "A message has more than 64 KiB.",
    CloseCode.TRY_LATER: "Too slow, no answer to a ping, or not signed in while others wait.",
}


class Opcode(IntEnum):
    """Opcodes (section 5.2)."""

    CONTINUATION = 0
    TEXT = 1
    BINARY = 2
    CLOSE = 8
    PING = 9
    PONG = 10


_DATA = (Opcode.TEXT, Opcode.BINARY)
_HEAD_BYTES = 256
_CONTROL = (Opcode.CLOSE, Opcode.PING, Opcode.PONG)


class FrameError(Exception):
    """The connection has to be closed with this code (section 7.4.1)."""

    def __init__(self, code: int, reason: str, head: bytes = b"") -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason
        self.head = head  # of a message that is too large: its first bytes that have arrived


class Frames:
    """Parses bytes into whole messages and control frames. It holds no more than one message and
    the bytes that were read with it.
    """

    __slots__ = ("_at", "_data", "_kind", "_largest", "_parts", "_size")

    def __init__(self, largest_bytes: int) -> None:
        self._largest = largest_bytes
        self._data = b""
        self._at = 0
        self._kind = Opcode.CONTINUATION  # of the message whose fragments are being collected
        self._parts: list[bytes] = []
        self._size = 0

    def feed(self, data: bytes) -> None:
        """Add the next bytes."""
        rest = self._data[self._at :] if self._at else self._data
        self._data = rest + data if rest else data
        self._at = 0

    def next(self) -> tuple[Opcode, bytes] | None:
        """Return the next message or control frame; None: more bytes are needed. Raises
        FrameError.
        """
        while True:
            frame = self._frame()
            if frame is None:
                return None
            kind, is_final, payload = frame
            if kind >= Opcode.CLOSE:
                return kind, payload
            if kind and is_final and not self._kind:
                return kind, payload
            if whole := self._collected(kind, is_final, payload):
                return whole

    def _frame(self) -> tuple[Opcode, bool, bytes] | None:
        data, at = self._data, self._at
        have = len(data) - at
        if have < 2:
            return None
        first, second = data[at], data[at + 1]
        kind = self._checked(first, second)
        size, start = second & 0x7F, at + 2
        if size >= 126:
            width = 2 if size == 126 else 8
            if have < 2 + width:
                return None
            size = int.from_bytes(data[start : start + width], "big")
            start += width
        if kind < Opcode.CLOSE and self._size + size > self._largest:
            text = f"a message has {self._largest} bytes at most"
            raise FrameError(CloseCode.TOO_LARGE, text, self._head(start))
        end = start + 4 + size
        if len(data) < end:
            return None
        self._at = end
        payload = unmasked(data[start + 4 : end], data[start : start + 4])
        return kind, bool(first & _FINAL), payload

    def _head(self, start: int) -> bytes:
        """Return the first bytes of a message whose newest frame has its mask at `start`."""
        data = self._data
        newest = data[start + 4 : start + 4 + _HEAD_BYTES]
        known = b"".join(self._parts)[:_HEAD_BYTES]
        return known + (unmasked(newest, data[start : start + 4]) if newest else b"")

    def _checked(self, first: int, second: int) -> Opcode:
        opcode = first & 0x0F
        if first & _RESERVED:
            raise FrameError(CloseCode.BROKEN, "reserved bits are set")
        if not second & _MASKED:
            raise FrameError(CloseCode.BROKEN, "a client's frame must be masked")
        if opcode in _CONTROL:
            if not first & _FINAL or second & 0x7F > _LONGEST_CONTROL:
                raise FrameError(CloseCode.BROKEN, "a control frame is too long or in fragments")
        elif opcode not in _DATA and opcode != Opcode.CONTINUATION:
            raise FrameError(CloseCode.BROKEN, f"opcode {opcode} is not known")
        elif bool(opcode) == bool(self._kind):
            raise FrameError(CloseCode.BROKEN, "fragments are out of order")
        return Opcode(opcode)

    def _collected(
        self, kind: Opcode, is_final: bool, payload: bytes
    ) -> tuple[Opcode, bytes] | None:
        """Add a fragment; return the message when it is the last one."""
        self._kind = self._kind or kind
        self._size += len(payload)
        if payload:  # a client may send any number of empty ones
            self._parts.append(payload)
        if not is_final:
            return None
        whole = (self._kind, b"".join(self._parts))
        self._kind, self._size = Opcode.CONTINUATION, 0
        self._parts.clear()
        return whole


def unmasked(payload: bytes, key: bytes) -> bytes:
    """Unmask a payload (section 5.3), as one operation on large integers."""
    size = len(payload)
    mask = (key * (size // 4 + 1))[:size]
    number = int.from_bytes(payload, "little") ^ int.from_bytes(mask, "little")
    return number.to_bytes(size, "little")


def is_text(kind: Opcode, payload: bytes) -> bool:
    """Return whether the message is a text that can be decoded."""
    if kind is not Opcode.TEXT:
        return False
    try:
        payload.decode()
    except UnicodeDecodeError:
        return False
    return True


def text_frame(payload: bytes) -> bytes:
    """Return a whole text message, unmasked as servers send it."""
    size = len(payload)
    if size < 126:
        return bytes((0x81, size)) + payload
    if size < 1 << 16:
        return b"\x81\x7e" + size.to_bytes(2, "big") + payload
    return b"\x81\x7f" + size.to_bytes(8, "big") + payload


def control_frame(kind: Opcode, payload: bytes = b"") -> bytes:
    """Return a control frame; its payload is cut to what one may hold."""
    payload = payload[:_LONGEST_CONTROL]
    return bytes((_FINAL | kind, len(payload))) + payload


def close_frame(code: int, reason: str = "") -> bytes:
    """Return the frame that closes a connection with a code and a reason."""
    return control_frame(Opcode.CLOSE, code.to_bytes(2, "big") + reason.encode()[:120])


def close_code(payload: bytes) -> int:
    """Return the code that answers a close frame: its own. Raises FrameError for an invalid one."""
    if not payload:
        return CloseCode.DONE
    code = int.from_bytes(payload[:2], "big")
    is_known = code in (1000, 1001, 1002, 1003, *range(1007, 1015)) or 3000 <= code <= 4999
    if len(payload) < 2 or not is_known:
        raise FrameError(CloseCode.BROKEN, "the close frame's code is invalid")
    try:
        payload[2:].decode()
    except UnicodeDecodeError:
        raise FrameError(CloseCode.NO_TEXT, "the close frame's reason is not UTF-8") from None
    return code
