"""State of SPI0's five pins: the kernel uses all of them when SPI is enabled (dtoverlay=saint-spi,
dtparam=spi=on), but reports only some. Without SPI they are inputs.
"""

from collections.abc import Sequence
from pathlib import Path

from ...generated.saint_msgs import GPIOPin
from ...role_config.resources import SPI0

HOLDER = "SPI0"


def is_on(root: Path) -> bool:
    """Return True when the bus has chip selects."""
    return next((root / "sys/bus/spi/devices").glob("spi0.*"), None) is not None


def mark(lines: Sequence[GPIOPin], *, is_spi_on: bool) -> None:
    """Correct the five pins in `lines`, a list by BCM number."""
    for pin in SPI0:
        line = lines[pin]
        if is_spi_on and (not line.in_use or "spi" in line.used_by.lower()):
            line.direction, line.in_use, line.used_by = "spi", True, HOLDER
        elif not is_spi_on and line.direction == "spi":
            line.direction = "input"
