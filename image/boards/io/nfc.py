"""The NFC reader of the IO board: a PN532 on I2C. Frames and commands: its user manual (UM0701-02).

A chip at the document's other address, 0x28, is another one (MFRC522), which is not driven.
"""

from .chips import TAG, ChipError

ADDRESS = 0x24
_TO_CHIP, _TO_US = 0xD4, 0xD5
_READY = 0x01
_ACK = b"\x00\x00\xff\x00\xff\x00"
_WAKE = (0x14, 1, 0, 0)  # SAMConfiguration: no security module
_RETRIES = (0x32, 5, 0xFF, 1, 2)  # RFConfiguration: a look for a tag ends by itself
_LOOK = (0x4A, 1, 0)  # InListPassiveTarget: one, ISO 14443 type A at 106 kbit/s
_LONGEST_REPLY = 24
_WAIT_MS, _MOST_WAITS = 5, 40
_PERIOD_MS = 200
_SIZES = (4, 7)  # of a UID; one of 10 bytes has no place in the link's message


def framed_command(command: "tuple[int, ...]") -> bytes:
    """Return a command in a normal frame."""
    body = bytes((_TO_CHIP,) + command)
    head = b"\x00\x00\xff" + bytes((len(body), -len(body) & 0xFF))
    return head + body + bytes((-sum(body) & 0xFF, 0))


def reply_of(data: bytes, command: int) -> bytes:
    """Return what follows the code of a reply. Raises ChipError."""
    start = data.find(b"\x00\xff")
    if start < 0 or start + 4 > len(data):
        raise ChipError("no frame")
    length, check = data[start + 2], data[start + 3]
    body = data[start + 4 : start + 4 + length]
    if (length + check) & 0xFF or length < 2 or start + 5 + length > len(data):
        raise ChipError("no whole frame")
    if (sum(body) + data[start + 4 + length]) & 0xFF:
        raise ChipError("a broken frame")
    if body[0] != _TO_US or body[1] != command + 1:
        raise ChipError("a reply to another command")
    return bytes(body[2:])


def uid_of(reply: bytes) -> bytes:
    """Return the UID in a reply to a look; b"" without a tag. Raises ChipError."""
    if not reply or reply[0] == 0:
        return b""
    size = reply[5] if len(reply) > 5 else 0
    uid = reply[6 : 6 + size]
    if len(uid) != size or size not in _SIZES:
        raise ChipError("a tag that is not known")
    return uid


class NfcReader:
    """Reports the UID of a tag while it is there."""

    name = "nfc"

    def life(self, bus, show):
        """Wake the chip, then look for a tag again and again."""
        for command in (_WAKE, _RETRIES):
            yield from self._request(bus, command, [])
        while True:
            reply: list = []
            yield from self._request(bus, _LOOK, reply)
            try:
                uid = uid_of(reply[0])
            except ChipError:
                uid = b""  # the chip is well: the tag is one of another size
            show(TAG, uid or None)
            yield _PERIOD_MS

    def _request(self, bus, command, reply: list):
        """Send a command; append the reply."""
        bus.writeto(ADDRESS, framed_command(command))
        yield _WAIT_MS
        yield from self._until_ready(bus)
        if bytes(bus.readfrom(ADDRESS, 1 + len(_ACK)))[1:] != _ACK:
            raise ChipError("no acknowledgement")
        yield _WAIT_MS
        yield from self._until_ready(bus)
        reply.append(reply_of(bytes(bus.readfrom(ADDRESS, 1 + _LONGEST_REPLY))[1:], command[0]))
        yield 0

    def _until_ready(self, bus):
        for _ in range(_MOST_WAITS):
            if bus.readfrom(ADDRESS, 1)[0] == _READY:
                yield 0
                return
            yield _WAIT_MS
        raise ChipError("it does not reply")
