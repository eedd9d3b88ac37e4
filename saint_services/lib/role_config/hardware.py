"""Lists the hardware that a role's manifest needs, and compares it with what a node has: pins in
use, chips that do not answer. Pure. Not here: probing the node (noded, lib/hw).
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from ..api.adoption import Peripheral
from ..api.hardware import DeviceUse, HardwareFinding, HeaderPinState, PinUse, RoleHardware
from ..hw.pins.header import HEADER_UART
from .devices import PinSpec
from .model import RoleConfig
from .resources import bus_lines

# noded releases its button's pin for a role that needs it (saint_services/noded/README.md).
_YIELDING = "reset button"
_PWM = {
    "servo": "servo", "quadrature": "encoder A", "button": "button", "stepper": "step",
    "switch": "switch",
}  # fmt: skip
# How to free the pins of this user.
_SWITCHED_BY = {"SPI0": " (dtoverlay=saint-spi in config.txt of its card)"}
_WITHOUT = "the role starts without it and says that it is missing"
_NEEDED = "the role does not start without it"
_CARD = re.compile(r"^(?:plug)?hw:(?:CARD=)?([A-Za-z0-9_-]+)")


def hardware(config: RoleConfig) -> RoleHardware:
    """List what the manifest names, pins in the order of their numbers."""
    devices = _devices(config)
    pins = [use for name, spec in config.gpio_mapping.items() for use in _pins(name, spec)]
    pins += _display_pins(config)
    pins += _bus_pins(config)
    return RoleHardware(pins=sorted(pins, key=lambda use: use.bcm), devices=devices)


def _pins(name: str, spec: PinSpec) -> list[PinUse]:
    used: list[tuple[int | None, str]] = [
        (spec.pin, _PWM.get(spec.type, "PWM")),
        (spec.pin_b, "encoder B"),
        (spec.direction_pin, "direction"),
        (spec.reverse_pin, "PWM backwards"),
        (spec.switch_pin, "homing switch"),
        *((pin, "direction") for pin in spec.direction_pins or ()),
        *((pin, "enable") for pin in spec.enable_pins),
    ]
    return [PinUse(bcm=bcm, name=name, purpose=text) for bcm, text in used if bcm is not None]


def _display_pins(config: RoleConfig) -> list[PinUse]:
    """Return the lines of displays beside their bus."""
    found = []
    for name, device in config.spi_devices.items():
        lines = (device.data_pin, "data"), (device.reset_pin, "reset"), (device.light_pin, "light")
        found += [PinUse(bcm=p, name=name, purpose=text) for p, text in lines if p is not None]
    return found


def _bus_pins(config: RoleConfig) -> list[PinUse]:
    return [
        PinUse(bcm=bcm, name=", ".join(who), purpose=line, is_bus=True)
        for (bcm, line), who in bus_lines(config).items()
    ]


def _devices(config: RoleConfig) -> list[DeviceUse]:
    found = [
        DeviceUse(
            name=name, kind="i2c", place=chip.place, chip=chip.driver,
            required=chip.required, drives=_driven(config, name),
        )
        for name, chip in config.i2c_devices.items()
    ]  # fmt: skip
    found += [
        DeviceUse(
            name=name, kind="spi", place=f"{chip.bus}.{chip.select}", chip=chip.driver,
            required=chip.required,
        )
        for name, chip in config.spi_devices.items()
    ]  # fmt: skip
    found += [
        DeviceUse(
            name=name, kind="serial", place=line.port, chip=line.driver,
            required=line.required, drives=_driven(config, name),
        )
        for name, line in config.serial_devices.items()
    ]  # fmt: skip
    found += [
        DeviceUse(
            name=name, kind="can", place=f"{node.port}:{node.id}", chip=node.driver,
            required=node.required, drives=_driven(config, name),
        )
        for name, node in config.can_devices.items()
    ]  # fmt: skip
    if config.camera.enabled:
        found.append(
            DeviceUse(name="camera", kind="camera", place="", chip="camera", required=False)
        )
    found += [
        DeviceUse(name=kind, kind="sound", place=device, chip=kind, required=False)
        for kind in ("microphone", "loudspeaker")
        if (device := getattr(config.sound, kind))
    ]
    return found


def _driven(config: RoleConfig, device: str) -> list[str]:
    return [name for name, spec in config.gpio_mapping.items() if spec.device == device]


def compare(
    needs: RoleHardware, pins: Iterable[HeaderPinState], peripherals: Sequence[Peripheral]
) -> list[HardwareFinding]:
    """Compare every need with what the node has for it: devices first, then pins."""
    held = {pin.pin_number: pin for pin in pins if pin.in_use}
    own = {use.name for use in needs.pins}
    found = [_device(device, peripherals) for device in needs.devices]
    return found + [_pin(use, held, own) for use in needs.pins if not use.is_bus]


def _pin(use: PinUse, held: Mapping[int, HeaderPinState], own: set[str]) -> HardwareFinding:
    holder = held.get(use.bcm)
    is_free = holder is None or holder.used_by == _YIELDING
    is_taken = holder is not None and not is_free and holder.used_by not in own
    text = "the pin is free" if is_free else "the role holds it"
    if is_taken:
        by = (holder.used_by if holder else "") or "another program"
        by += _SWITCHED_BY.get(by, "")
        text = f"it is held by {by}; {_NEEDED}"
    return HardwareFinding(
        name=use.name,
        what=f"GPIO{use.bcm} ({use.purpose})",
        verdict="taken" if is_taken else "found",
        required=True,
        text=text,
    )


def _device(use: DeviceUse, peripherals: Sequence[Peripheral]) -> HardwareFinding:
    look = {
        "i2c": _i2c, "spi": _spi, "serial": _serial, "can": _can, "camera": _camera,
        "sound": _sound,
    }[use.kind]  # fmt: skip
    # A bus may be an interface of the kernel, or an adapter's serial port.
    kinds = ("can", "serial") if use.kind == "can" else (use.kind,)
    verdict, text = look(use, [p for p in peripherals if p.type in kinds])
    what = _what(use)
    if verdict == "missing":
        text += f"; {_NEEDED if use.required else _WITHOUT}"
    return HardwareFinding.model_validate(
        {"name": use.name, "what": what, "verdict": verdict, "required": use.required, "text": text}
    )


def _what(use: DeviceUse) -> str:
    if use.kind == "camera":
        return "Camera"
    if use.kind == "sound":
        return f"{use.chip.capitalize()} {use.place}"
    return f"{use.chip.upper()} at {_where(use)}"


def _where(use: DeviceUse) -> str:
    return use.place if use.kind == "serial" else f"{use.kind.upper()} {use.place}"


def _i2c(use: DeviceUse, found: Sequence[Peripheral]) -> tuple[str, str]:
    bus, _, _ = use.place.partition(":")
    for each in found:
        if each.address == bus and not each.responsive:
            return "missing", each.description
        if each.address == use.place:
            return _named(use, each)
    if (at := use.place.find("/")) >= 0:
        return _behind(use.place[:at], found)
    return "missing", "nothing answers there: check its wires and its address"


def _behind(mux: str, found: Sequence[Peripheral]) -> tuple[str, str]:
    """Judge a chip behind a multiplexer, whose channels are the role's to open."""
    if any(each.address == mux and each.responsive for each in found):
        return "unknown", "its multiplexer answers; the role alone opens the channel to the chip"
    return "missing", f"its multiplexer at {mux} does not answer"


def _named(use: DeviceUse, found: Peripheral) -> tuple[str, str]:
    """Judge a chip that answers; an address alone says little about its kind."""
    if not found.responsive:
        return "missing", "it was there and does not answer now"
    text = found.description
    if "kernel driver" in text:
        return "taken", f"a driver of the kernel holds it: {text}"
    if use.chip.lower() in text.lower() or text == "unknown":
        return "found", "it answers"
    return "unknown", f"something answers there that is usually {text.rstrip('?')}"


def _spi(use: DeviceUse, found: Sequence[Peripheral]) -> tuple[str, str]:
    if any(each.address == use.place for each in found):
        return "unknown", "SPI chips cannot be detected; the chip select is free"
    return "missing", "SPI is off, or has no such chip select"


def _serial(use: DeviceUse, found: Sequence[Peripheral]) -> tuple[str, str]:
    if any(each.address == use.place for each in found):
        return "found", "the line is there"
    if use.place == HEADER_UART or use.place.startswith("/dev/serial"):
        return "missing", "the line does not exist"
    names = f"{HEADER_UART}, /dev/serial/by-id/..."
    return "unknown", f"lines are known by their lasting names only ({names})"


def _can(use: DeviceUse, found: Sequence[Peripheral]) -> tuple[str, str]:
    port = use.place.rpartition(":")[0]
    if any(each.address == port for each in found):
        return "unknown", "the bus is there; the role finds out whether the controller answers"
    if port.startswith("/") and not port.startswith("/dev/serial"):
        return "unknown", "ports are known by their lasting names only (/dev/serial/by-id/...)"
    return "missing", "the bus does not exist: plug in its adapter"


def _camera(_: DeviceUse, found: Sequence[Peripheral]) -> tuple[str, str]:
    if found:
        return "found", found[0].description
    return "missing", "no camera was found"


def _sound(use: DeviceUse, found: Sequence[Peripheral]) -> tuple[str, str]:
    """Judge a sound device by the cards that can do what it is for. A name says which card only if
    it has its number or its name: "plughw:1,0", "plughw:CARD=Device".
    """
    able = [each for each in found if use.chip in each.description.rpartition(": ")[2]]
    named = _CARD.search(use.place)
    if named and not any(named[1] in each.address.split(":") for each in able):
        return "missing", f"there is no {use.chip} of that name"
    if not able:
        return "missing", f"no {use.chip} was found"
    return "found", able[0].description if named is None else "it is there"
