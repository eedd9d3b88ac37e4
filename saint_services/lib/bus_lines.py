"""Pins of the 40-pin header that belong to a bus: those that a role's chips hang on. Pure. Not
here: pins that a manifest names itself (claims.py), the header as a whole (hw/header.py).
"""

from .role_config.model import RoleConfig

_I2C = {0: ((0, "SDA"), (1, "SCL")), 1: ((2, "SDA"), (3, "SCL"))}
_SPI = {
    0: ((10, "MOSI"), (9, "MISO"), (11, "SCLK")),
    1: ((20, "MOSI"), (19, "MISO"), (21, "SCLK")),
}
_SPI_SELECTS = {0: (8, 7), 1: (18, 17, 16)}
_UART = ((14, "UART0 TXD"), (15, "UART0 RXD"))
_HEADER_UARTS = ("/dev/serial0", "/dev/ttyAMA0", "/dev/ttyS0")

SPI0 = (7, 8, 9, 10, 11)  # all of them, whichever a role needs: the kernel takes them together


def bus_lines(config: RoleConfig) -> dict[tuple[int, str], list[str]]:
    """By BCM number and what the line is, the parts of the role that need it. A bus that is not at
    the header has none.
    """
    names: dict[tuple[int, str], list[str]] = {}
    for name, chip in config.i2c_devices.items():
        for bcm, line in _I2C.get(chip.bus, ()):
            names.setdefault((bcm, f"I2C{chip.bus} {line}"), []).append(name)
    for name, panel in config.spi_devices.items():
        for bcm, line in _SPI.get(panel.bus, ()):
            names.setdefault((bcm, f"SPI{panel.bus} {line}"), []).append(name)
        selects = _SPI_SELECTS.get(panel.bus, ())
        if panel.select < len(selects):
            place = selects[panel.select], f"SPI{panel.bus} CE{panel.select}"
            names.setdefault(place, []).append(name)
    for name, line_device in config.serial_devices.items():
        for bcm, line in _UART if line_device.port in _HEADER_UARTS else ():
            names.setdefault((bcm, line), []).append(name)
    return names
