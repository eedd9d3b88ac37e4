"""A strip of WS2812 as it understands its data line: what its lights show after the last transfer.
Not here: the driver, which shares nothing with this.
"""

import re
from pathlib import Path

from tools.sim.chips.spi import last_sent

Colour = tuple[int, int, int]  # red, green, blue

_PULSE = re.compile("1+")
_LONG = 2  # bits of SPI: a high of 0.83 us is a 1, of 0.42 us a 0
_PLACES = {"grb": (1, 0, 2), "rgb": (0, 1, 2)}  # of red, green and blue on the line


def read_lights(directory: Path, bus: int, select: int, order: str) -> list[Colour]:
    """Of all lights that were told something; the first hangs next to the Pi."""
    line = "".join(f"{byte:08b}" for byte in last_sent(directory, bus, select))
    bits = "".join("1" if len(pulse) >= _LONG else "0" for pulse in _PULSE.findall(line))
    values = [int(bits[at : at + 8], 2) for at in range(0, len(bits) - 7, 8)]
    red, green, blue = _PLACES[order]
    found = [values[at : at + 3] for at in range(0, len(values) - 2, 3)]
    return [(each[red], each[green], each[blue]) for each in found]
