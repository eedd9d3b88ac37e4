"""The SPI CAN controller MCP2515, for firmware without TWAI. Registers: data sheet DS20001801.

16 MHz crystal, 500 kbit/s. Two receive buffers, no filters; frames are polled.
"""

import time

_RESET, _READ, _WRITE, _STATUS, _BIT = 0xC0, 0x03, 0x02, 0xA0, 0x05
_LOAD, _READ_RX, _RTS = (0x40, 0x42, 0x44), (0x90, 0x94), (0x81, 0x82, 0x84)
_CANCTRL, _CANSTAT, _CNF3, _EFLG, _CANINTF = 0x0F, 0x0E, 0x28, 0x2D, 0x2C
_RXB0CTRL, _RXB1CTRL = 0x60, 0x70
_BUS_OFF, _OVERFLOWS = 0x20, 0xC0
_BITS_500K = b"\x86\xf0\x00"  # CNF3, CNF2, CNF1: 8 time quanta, sample point 75 %
_MOST_AT_ONCE = 16


def packed(identifier: int, data: bytes, is_extended: bool) -> bytes:
    """Return a transmit buffer: identifier registers, length, data."""
    if is_extended:
        high = identifier >> 18
        head = (high >> 3, (high & 7) << 5 | 8 | identifier >> 16 & 3)
        tail = (identifier >> 8 & 0xFF, identifier & 0xFF)
    else:
        head, tail = (identifier >> 3, (identifier & 7) << 5), (0, 0)
    return bytes(head + tail + (len(data),)) + data


def unpacked(buffer: bytes) -> "tuple[int, bytes, bool] | None":
    """Return the frame of a receive buffer; None for a remote frame."""
    sidh, sidl, eid8, eid0, dlc = buffer[:5]
    data = bytes(buffer[5 : 5 + min(8, dlc & 0x0F)])
    if sidl & 8:
        if dlc & 0x40:
            return None
        identifier = (sidh << 3 | sidl >> 5) << 18 | (sidl & 3) << 16 | eid8 << 8 | eid0
        return identifier, data, True
    if sidl & 0x10:
        return None
    return sidh << 3 | sidl >> 5, data, False


class Mcp2515:
    """`spi` as machine.SPI, `select` a pin that is low while the chip is addressed."""

    def __init__(self, spi, select) -> None:
        self._spi, self._select = spi, select
        self.lost = 0
        self._begin()

    def _begin(self) -> None:
        self._command(bytes((_RESET,)))
        time.sleep_ms(5)  # type: ignore[attr-defined]
        self._command(bytes((_WRITE, _CNF3)) + _BITS_500K)
        for register in (_RXB0CTRL, _RXB1CTRL):
            self._command(bytes((_WRITE, register, 0x64)))  # all frames, roll over to the second
        self._command(bytes((_WRITE, _CANCTRL, 0x00)))

    def _command(self, out: bytes, reply: int = 0) -> bytes:
        self._select.value(0)
        try:
            self._spi.write(out)
            return self._spi.read(reply) if reply else b""
        finally:
            self._select.value(1)

    def send(self, identifier: int, data: bytes, is_extended: bool) -> bool:
        """Send a frame; False: all three buffers wait."""
        status = self._command(bytes((_STATUS,)), 1)[0]
        for number, pending in enumerate((0x04, 0x10, 0x40)):
            if not status & pending:
                self._command(bytes((_LOAD[number],)) + packed(identifier, data, is_extended))
                self._command(bytes((_RTS[number],)))
                return True
        self.lost += 1
        return False

    def receive(self) -> "list[tuple[int, bytes, bool]]":
        """Return frames that have arrived."""
        found = []
        for _ in range(_MOST_AT_ONCE):
            status = self._command(bytes((_STATUS,)), 1)[0]
            if not status & 3:
                break
            frame = unpacked(self._command(bytes((_READ_RX[0 if status & 1 else 1],)), 13))
            if frame:
                found.append(frame)
        return found

    def is_off(self) -> bool:
        """Return whether the controller is bus-off; it returns by itself after 128 pauses."""
        flags = self._command(bytes((_READ, _EFLG)), 1)[0]
        if flags & _OVERFLOWS:
            self.lost += 1
            self._command(bytes((_BIT, _EFLG, _OVERFLOWS, 0)))
        return bool(flags & _BUS_OFF)
