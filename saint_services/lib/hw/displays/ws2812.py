"""WS2812 lights (NeoPixel) on the data line of an SPI bus: the clock is not connected, each bit of
a light becomes three bits of SPI. Times by Worldsemi's data sheet, "Data transfer time": a 0 is
high for 0.2 to 0.5 us, a 1 for 0.65 to 0.95 us, a bit takes 1.25 us +-0.6 us.

At 2.4 MHz a bit of SPI takes 0.42 us, so 0 is 100 and 1 is 110. A pause of 280 us latches.
"""

from collections.abc import Sequence

from ...role_config.devices import SpiDevice
from ..ports import SpiBus

SPEED_HZ = 2_400_000
_LATCH = bytes(90)  # 300 us low, before and after: what the bus did before must not count as a bit
_ORDERS = {"grb": (1, 0, 2), "rgb": (0, 1, 2)}


def _encoded(value: int) -> bytes:
    """Encode eight bits as 24, the highest first."""
    bits = 0
    for place in range(7, -1, -1):
        bits = bits << 3 | (0b110 if value >> place & 1 else 0b100)
    return bits.to_bytes(3, "big")


_CODES = tuple(_encoded(value) for value in range(256))


class Ws2812:
    """One strip. Implements ports.LedStrip. Its presence cannot be detected.

    Up to about 420 lights go in one transfer of the kernel's 4 KiB; beyond that the pause between
    two of them must stay below the latch, which a busy Pi does not guarantee.
    """

    def __init__(self, bus: SpiBus, device: SpiDevice) -> None:
        self._bus = bus
        self._count = device.count
        self._order = _ORDERS[device.order]

    def show(self, colours: Sequence[tuple[int, int, int]]) -> None:
        """Show red, green and blue (0 to 255) of each light; missing ones are dark. Raises OSError.

        Repeat from time to time: lights that lost power are dark, which cannot be detected.
        """
        lit = list(colours[: self._count])
        lit += [(0, 0, 0)] * (self._count - len(lit))
        data = b"".join(
            _CODES[max(0, min(colour[part], 255))] for colour in lit for part in self._order
        )
        self._bus.write(_LATCH + data + _LATCH)

    def close(self) -> None:
        """Switch the lights off, if they still respond, and release the bus."""
        try:
            self.show(())
        finally:
            self._bus.close()
