"""Checks that no pin, channel or address of a role configuration has two owners. Two roles are
compared by resources.py.
"""

from collections.abc import Iterator, Mapping
from typing import Protocol

from pydantic import BaseModel

from .devices import HEADER_UART, I2cDevice, PinSpec, SerialDevice, SpiDevice

_I2C = {0: ((0, "SDA"), (1, "SCL")), 1: ((2, "SDA"), (3, "SCL"))}
_SPI = {
    0: ((10, "MOSI"), (9, "MISO"), (11, "SCLK")),
    1: ((20, "MOSI"), (19, "MISO"), (21, "SCLK")),
}
_SPI_SELECTS = {0: (8, 7), 1: (18, 17, 16)}
_UART = ((14, "UART0 TXD"), (15, "UART0 RXD"))
# The last two are its names on Raspberry Pi OS.
_HEADER_UARTS = (HEADER_UART, "/dev/serial0", "/dev/ttyS0")


class NamedHardware(Protocol):
    """The hardware of a role configuration by name."""

    @property
    def target(self) -> str: ...

    @property
    def gpio_mapping(self) -> Mapping[str, PinSpec]: ...

    @property
    def i2c_devices(self) -> Mapping[str, I2cDevice]: ...

    @property
    def spi_devices(self) -> Mapping[str, SpiDevice]: ...

    @property
    def serial_devices(self) -> Mapping[str, SerialDevice]: ...


def clash(config: NamedHardware) -> str:
    """Return why two parts of one role exclude each other, as one sentence; empty if none do."""
    users: dict[str, str] = {}
    for what, name in (*_pins(config), *_channels(config), *_addresses(config)):
        first = users.setdefault(what, name)
        if first != name:
            return (
                f"{what} is used by {first} and by {name} of {config.target}; give each a place of "
                "its own"
            )
    return ""


def pins(spec: BaseModel) -> frozenset[int]:
    """Return all BCM numbers of an entry of gpio_mapping or spi_devices."""
    settings: Mapping[str, object] = spec.model_dump(exclude_defaults=True)
    found = [value for key, value in settings.items() if "pin" in key]
    return frozenset(pin for value in found for pin in _numbers(value))


def bus_lines(config: NamedHardware) -> dict[tuple[int, str], list[str]]:
    """Return the parts of the role by BCM number and function of each bus pin; empty for a bus that
    is not on the header.
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


def _pins(config: NamedHardware) -> Iterator[tuple[str, str]]:
    """Yield every pin with its owner. Bridges on one board share their enable pins, and what
    shares a bus is one user of its pins.
    """
    for name, spec in (*config.gpio_mapping.items(), *config.spi_devices.items()):
        own = pins(spec) - set(getattr(spec, "enable_pins", ()))
        yield from ((f"GPIO{pin}", name) for pin in sorted(own))
    enables = {pin for spec in config.gpio_mapping.values() for pin in spec.enable_pins}
    for pin in sorted(enables):
        yield f"GPIO{pin}", f"enable_pins ({pin})"
    for bcm, line in bus_lines(config):
        yield f"GPIO{bcm}", line.split()[0]


def _channels(config: NamedHardware) -> Iterator[tuple[str, str]]:
    for name, spec in config.gpio_mapping.items():
        if spec.type == "pixels":
            for light in range(spec.first, spec.first + (spec.count or 0)):
                yield f"{spec.colour} of light {light} of {spec.device}", name
                # Lights of one segment are set together.
                segment = f"lights {spec.first} to {spec.first + (spec.count or 0) - 1}"
                yield f"light {light} of {spec.device}", f"{segment} of {spec.device}"
        elif spec.device and spec.channel is not None:
            # A channel of a RoboClaw has a motor and its encoder.
            what = "encoder" if spec.type.endswith("encoder") else "channel"
            yield f"{what} {spec.channel} of {spec.device}", name


def _addresses(config: NamedHardware) -> Iterator[tuple[str, str]]:
    """Yield the places of chips. Behind a multiplexer an address belongs to it, on every channel:
    chips that are not behind it answer there too.
    """
    for name, chip in config.i2c_devices.items():
        place = f"the chip at 0x{chip.address:02x} on I2C bus {chip.bus}"
        if chip.mux is None:
            yield place, name
            continue
        mux = f"the multiplexer at 0x{chip.mux.address:02x}"
        yield place, mux
        yield f"{place} behind {mux}, channel {chip.mux.channel}", name
        yield f"the chip at 0x{chip.mux.address:02x} on I2C bus {chip.bus}", mux
    for name, panel in config.spi_devices.items():
        yield f"SPI {panel.bus}.{panel.select}", name
    for name, line in config.serial_devices.items():
        yield f"the serial line {line.port}", name


def _numbers(value: object) -> list[int]:
    if isinstance(value, int):
        return [value]
    return [each for each in value if isinstance(each, int)] if isinstance(value, tuple) else []
