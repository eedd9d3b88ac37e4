"""Finds CRSF frames in the bytes of a receiver: channels and the state of its radio link."""

_SYNC = (0xC8, 0xEA, 0xEC, 0xEE)
_CHANNELS, _LINK = 0x16, 0x14
_CHANNELS_BYTES, _LINK_BYTES = 22, 10
_MOST_LENGTH = 62


def _crc_table() -> bytes:
    table = bytearray()
    for value in range(256):
        crc = value
        for _ in range(8):
            crc = (crc << 1 ^ 0xD5 if crc & 0x80 else crc << 1) & 0xFF
        table.append(crc)
    return bytes(table)


_CRC = _crc_table()


def crc_d5(data: bytes) -> int:
    """Compute CRC-8 with the polynomial 0xD5 (DVB-S2)."""
    crc = 0
    for byte in data:
        crc = _CRC[crc ^ byte]
    return crc


def channels_us(payload: bytes) -> "tuple[int, ...]":
    """Return 16 channels of 11 bits in microseconds; 992 is 1500, rounded to the nearest."""
    bits = int.from_bytes(payload[:_CHANNELS_BYTES], "little")
    return tuple(((bits >> 11 * n & 0x7FF) * 5 + 7044) // 8 for n in range(16))


class CrsfParser:
    """Finds frames however they are cut into reads. After a broken one the search goes on one byte
    later. What else the receiver sends is skipped.
    """

    def __init__(self) -> None:
        self.frames = 0
        self.discarded_bytes = 0
        self._held = b""

    def feed(self, data: bytes) -> list:
        """Return ("channels", us of 16) and ("link", RSSI in dBm, quality in percent)."""
        data, found, at = self._held + data, [], 0
        while at < len(data):
            if data[at] in _SYNC:
                if at + 1 == len(data):
                    break
                size = data[at + 1] + 2
                if 4 <= size <= _MOST_LENGTH + 2:
                    if at + size > len(data):
                        break
                    if crc_d5(data[at + 2 : at + size - 1]) == data[at + size - 1]:
                        found.append(_content(data[at + 2], data[at + 3 : at + size - 1]))
                        self.frames += 1
                        at += size
                        continue
            self.discarded_bytes += 1
            at += 1
        self._held = data[at:]
        return [each for each in found if each]

    def flush(self) -> list:
        """After a pause: nothing waits for its end any more. Return what stood behind a false
        start.
        """
        found: list = []
        while self._held:
            held, self._held = self._held[1:], b""
            self.discarded_bytes += 1
            found += self.feed(held)
        return found


def _content(kind: int, payload: bytes) -> "tuple | None":
    if kind == _CHANNELS and len(payload) >= _CHANNELS_BYTES:
        return "channels", channels_us(payload)
    if kind == _LINK and len(payload) >= _LINK_BYTES:
        antenna = payload[4]  # 0 or 1: which of the two is in use
        return "link", -payload[1 if antenna == 1 else 0], payload[2]
    return None
