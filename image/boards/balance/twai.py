"""CAN of a firmware that has the ESP32's own controller (TWAI) as machine.CAN. No release of
MicroPython has it for the ESP32 yet; the names are those of its machine.CAN elsewhere.
"""

_EXTENDED = 2  # flag of a message with 29 bits
_BUS_OFF = 4
_MOST_AT_ONCE = 16


class Twai:
    """`can` as machine.CAN, open at 500 kbit/s."""

    def __init__(self, can) -> None:
        self._can = can
        self.lost = 0

    def send(self, identifier: int, data: bytes, is_extended: bool) -> bool:
        """Send a frame; False: there is no room."""
        if self._can.send(identifier, data, _EXTENDED if is_extended else 0) is None:
            self.lost += 1
            return False
        return True

    def receive(self) -> "list[tuple[int, bytes, bool]]":
        """Return frames that have arrived."""
        found = []
        for _ in range(_MOST_AT_ONCE):
            message = self._can.recv()
            if message is None:
                break
            found.append((message[0], bytes(message[1]), bool(message[2] & _EXTENDED)))
        return found

    def is_off(self) -> bool:
        """Return whether the controller is bus-off."""
        return self._can.state() >= _BUS_OFF
