"""Checks that no pin, channel or address of a role configuration has two owners. Two roles are
compared by resources.py.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from pydantic import BaseModel

from .devices import (
    BRIDGES,
    HEADER_UART,
    ON_CAN,
    CanDevice,
    I2cDevice,
    PinSpec,
    SerialDevice,
    SpiDevice,
)

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

    @property
    def can_devices(self) -> Mapping[str, CanDevice]: ...


@dataclass(frozen=True, slots=True)
class Use:
    """A place that a part needs for itself: a pin, a channel, an address, a line."""

    what: str  # "GPIO12", "channel 3 of face"
    name: str  # of the part
    place: str  # in the configuration: "gpio_mapping.pan.pin"
    owner: str = ""  # what may have it several times; empty: the part alone

    @property
    def whose(self) -> str:
        """Return who owns it; parts of two groups may have one name."""
        return self.owner or ".".join(self.place.split(".")[:2])


def clash(config: NamedHardware) -> str:
    """Return why two parts of one role exclude each other, as one sentence that begins with the
    key at fault; empty if none do."""
    users: dict[str, Use] = {}
    for use in (*_pins(config), *_channels(config), *_addresses(config)):
        first = users.setdefault(use.what, use)
        if first.whose != use.whose:
            return (
                f"{use.place}: {use.what} is used by {first.name} and by {use.name} of "
                f"{config.target}; {_advice(first, use)}"
            )
    return ""


def _advice(first: Use, second: Use) -> str:
    if not all(use.place.endswith("enable_pins") for use in (first, second)):
        return "give each a place of its own"
    return (
        "only bridges of one kind share an enable pin, as what switches one of them off switches "
        "off the other, or lets it go"
    )


def line_of(port: str) -> str:
    """Return how a serial line is named: that of GPIO14 and GPIO15 has several names."""
    return HEADER_UART if port in _HEADER_UARTS else port


def pins(spec: BaseModel) -> frozenset[int]:
    """Return all BCM numbers of an entry of gpio_mapping or spi_devices."""
    return frozenset(pin for pin, _ in pin_keys(spec))


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


def _pins(config: NamedHardware) -> Iterator[Use]:
    """Yield every pin with its owner. Bridges of one kind share their enable pins, and what shares
    a bus is one user of its pins.
    """
    groups = (("gpio_mapping", config.gpio_mapping), ("spi_devices", config.spi_devices))
    for group, entries in groups:
        for name, spec in entries.items():
            for pin, key in pin_keys(spec):
                is_shared = key == "enable_pins" and getattr(spec, "type", "") in BRIDGES
                owner = f"enable pins of {getattr(spec, 'type', '')}" if is_shared else ""
                yield Use(f"GPIO{pin}", name, f"{group}.{name}.{key}", owner)
    for bcm, bus, place in reserved_lines(config):
        yield Use(f"GPIO{bcm}", f"{bus} ({place.split('.')[1]})", place, bus)


def pin_keys(spec: BaseModel) -> list[tuple[int, str]]:
    """Return every BCM number of an entry of gpio_mapping or spi_devices, with its key."""
    settings: Mapping[str, object] = spec.model_dump(exclude_defaults=True)
    return [
        (pin, key) for key, value in settings.items() if "pin" in key for pin in _numbers(value)
    ]


def reserved_lines(config: NamedHardware) -> Iterator[tuple[int, str, str]]:
    """Yield the pins of buses with the bus and the place of a part on it. The kernel reserves the
    pins of an SPI bus together, those of free chip selects too.
    """
    devices = {
        **{name: f"i2c_devices.{name}.bus" for name in config.i2c_devices},
        **{name: f"spi_devices.{name}.bus" for name in config.spi_devices},
        **{name: f"serial_devices.{name}.port" for name in config.serial_devices},
    }
    for (bcm, line), names in bus_lines(config).items():
        yield bcm, line.split()[0], devices[names[0]]
    for name, panel in config.spi_devices.items():
        for bcm in _SPI_SELECTS.get(panel.bus, ()) if panel.bus == 0 else ():
            yield bcm, f"SPI{panel.bus}", f"spi_devices.{name}.bus"


def _channels(config: NamedHardware) -> Iterator[Use]:
    for name, spec in config.gpio_mapping.items():
        place = f"gpio_mapping.{name}"
        if spec.type == "pixels":
            for light in range(spec.first, spec.first + (spec.count or 0)):
                yield Use(
                    f"{spec.colour} of light {light} of {spec.device}", name, f"{place}.first"
                )
                # Lights of one segment are set together.
                last = spec.first + (spec.count or 0) - 1
                segment = f"{name} (lights {spec.first} to {last})"
                owner = f"lights {spec.first} to {last} of {spec.device}"
                yield Use(f"light {light} of {spec.device}", segment, f"{place}.first", owner)
        elif spec.type in ON_CAN:
            what = "tachometer" if spec.type.endswith("encoder") else "motor"
            yield Use(f"{what} of {spec.device}", name, f"{place}.device")
        elif spec.device and spec.channel is not None:
            # A channel of a RoboClaw has a motor and its encoder.
            what = "encoder" if spec.type.endswith("encoder") else "channel"
            yield Use(f"{what} {spec.channel} of {spec.device}", name, f"{place}.channel")


def _addresses(config: NamedHardware) -> Iterator[Use]:
    """Yield the places of chips. Behind a multiplexer an address belongs to it, on every channel:
    chips that are not behind it answer there too.
    """
    for name, chip in config.i2c_devices.items():
        what = f"the chip at 0x{chip.address:02x} on I2C bus {chip.bus}"
        place = f"i2c_devices.{name}.address"
        if chip.mux is None:
            yield Use(what, name, place)
            continue
        mux = f"the multiplexer at 0x{chip.mux.address:02x}"
        yield Use(what, f"{name} behind {mux}", place, mux)
        yield Use(f"{what} behind {mux}, channel {chip.mux.channel}", name, place)
        of_mux = f"the chip at 0x{chip.mux.address:02x} on I2C bus {chip.bus}"
        yield Use(of_mux, f"{mux} of {name}", f"i2c_devices.{name}.mux.address", mux)
    strips = {each.bus for each in config.spi_devices.values() if each.driver == "ws2812"}
    for name, panel in config.spi_devices.items():
        yield Use(f"SPI {panel.bus}.{panel.select}", name, f"spi_devices.{name}.select")
        if panel.bus in strips:  # a strip has no chip select: it displays everything on its bus
            yield Use(f"SPI bus {panel.bus}", name, f"spi_devices.{name}.bus")
    for name, line in config.serial_devices.items():
        yield Use(f"the serial line {line_of(line.port)}", name, f"serial_devices.{name}.port")
    for name, node in config.can_devices.items():
        what = f"the {node.driver.upper()} {node.id} on {node.port}"
        yield Use(what, name, f"can_devices.{name}.id")


def _numbers(value: object) -> list[int]:
    if isinstance(value, int):
        return [value]
    return [each for each in value if isinstance(each, int)] if isinstance(value, tuple) else []
