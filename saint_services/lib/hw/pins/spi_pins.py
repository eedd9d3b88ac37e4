"""SPI0's five pins of the header, as they are: the kernel takes all of them when it is switched on
(dtoverlay=saint-spi, dtparam=spi=on), and tells of some of them only. Without it they are inputs.
"""

from collections.abc import Sequence
from pathlib import Path

from ...generated.saint_msgs import GPIOPin
from ...role_config.resources import SPI0

HOLDER = "SPI0"


def is_on(root: Path) -> bool:
    """The bus has chip selects."""
    return next((root / "sys/bus/spi/devices").glob("spi0.*"), None) is not None


def mark(lines: Sequence[GPIOPin], *, is_spi_on: bool) -> None:
    """`lines` by BCM number."""
    for pin in SPI0:
        line = lines[pin]
        if is_spi_on and (not line.in_use or "spi" in line.used_by.lower()):
            line.direction, line.in_use, line.used_by = "spi", True, HOLDER
        elif not is_spi_on and line.direction == "spi":
            line.direction = "input"
