"""Injects and clears faults of simulated devices and presses buttons, by the names in the role's
manifest, for the command line and tests. The daemon that uses a device meets a fault at once. Where
two roles of a board have a device of one name, the role is named too: arms.left.joint_0.
Not here: what a fault does (bodies/plant.py, chips/base.py).
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from saint_services.lib.errors import Code, SaintError
from saint_services.lib.role_config.devices import MOTORS, I2cDevice
from saint_services.lib.role_config.model import RoleConfig
from tools.sim import wiring
from tools.sim.board import file_of
from tools.sim.chips.outputs import CHIPS, ChipFault
from tools.sim.faults import FILE, SUPPLY, Fault, Faults
from tools.sim.observe import write_pin

_CHIP_FAULTS = {
    "unplug": ChipFault.UNPLUGGED,
    "deaf": ChipFault.DEAF,
    "nak": ChipFault.NAK,
    "short": ChipFault.SHORT,
    "stuck": ChipFault.STUCK,
    "blank": ChipFault.BLANK,
    "low": ChipFault.LOW,
}
_BODY_FAULTS = {
    "motor": (Fault.STALL, Fault.UNPLUG, Fault.LOAD, Fault.SLIP),
    "servo": (Fault.STALL, Fault.UNPLUG, Fault.LOAD),
    "stepper": (Fault.STALL, Fault.UNPLUG),  # the motor; the wire of its switch
    "encoder": (Fault.UNPLUG, Fault.NOISE),
    "bus_servo": (
        Fault.STALL,
        Fault.UNPLUG,
        Fault.LOAD,
        Fault.NOISE,
        Fault.HOT,
        Fault.DOUBLED,
        Fault.BROWN_OUT,
    ),
    "supply": (Fault.BROWN_OUT,),
}
_KINDS = {
    **dict.fromkeys(MOTORS, "motor"),
    **dict.fromkeys(("servo", "pca9685"), "servo"),
    "stepper": "stepper",
    "bus_servo": "bus_servo",
    **dict.fromkeys(("quadrature", "roboclaw_encoder", "vesc_encoder"), "encoder"),
}
_MOST = {Fault.LOAD: 10.0, Fault.NOISE: 1.0, Fault.BROWN_OUT: 12.0, Fault.HOT: 120.0}


def devices(directory: Path) -> dict[str, str]:
    """List the devices that can have faults: name and kind."""
    found = {SUPPLY: "supply"}
    for config in roles_of(directory):
        found |= devices_of(directory, config)
    return found


def devices_of(directory: Path, config: RoleConfig) -> dict[str, str]:
    """List the devices of one role."""
    kinds = {n: _KINDS[s.type] for n, s in config.gpio_mapping.items() if s.type in _KINDS}
    kinds |= {name: device.driver for name, device in config.i2c_devices.items()}
    return {name_of(directory, config, name): kind for name, kind in kinds.items()}


def name_of(directory: Path, config: RoleConfig, device: str) -> str:
    """Return the name of a role's device on this board."""
    names = Counter(name for role in roles_of(directory) for name in _names(role))
    return device if names[device] < 2 else f"{config.target}.{device}"


def _names(config: RoleConfig) -> set[str]:
    return {*config.gpio_mapping, *config.i2c_devices}


def faults_of(kind: str) -> tuple[str, ...]:
    """Return the faults of a kind of device."""
    return tuple(_BODY_FAULTS.get(kind, _CHIP_FAULTS))


def break_device(directory: Path, device: str, fault: str, value: float | None = None) -> None:
    """Inject a fault. Raises not_found or request_invalid with what is possible."""
    kind = devices(directory).get(device)
    if kind is None:
        known = ", ".join(devices(directory))
        raise SaintError(
            Code.NOT_FOUND, f"no device has the name {device}", fix=f"Devices: {known}."
        )
    if fault not in faults_of(kind):
        raise SaintError(
            Code.REQUEST_INVALID,
            f"{device} is a {kind}, which has no fault {fault!r}",
            fix=f"Possible faults: {', '.join(faults_of(kind))}.",
        )
    if kind in _BODY_FAULTS:
        _set(directory, device, Fault(fault), value)
    elif value is not None:
        raise SaintError(Code.REQUEST_INVALID, f"the fault {fault} takes no value, got {value:g}")
    else:
        _set_chip(directory, device, _CHIP_FAULTS[fault])


def clear(directory: Path, device: str = "") -> list[str]:
    """Clear the faults of all devices, or one; return their names."""
    cleared = [name for name in broken(directory) if device in ("", name)]
    if device and device not in devices(directory):
        known = ", ".join(devices(directory))
        raise SaintError(
            Code.NOT_FOUND, f"no device has the name {device}", fix=f"Devices: {known}."
        )
    faults = Faults(directory)
    faults.clear(device)
    faults.close()
    for name in _chips(directory).keys() & set(cleared):
        _set_chip(directory, name, ChipFault.NONE)
    return cleared


@contextmanager
def pressed(directory: Path, button: str) -> Iterator[None]:
    """Press a button inside the context."""
    buttons = {
        name_of(directory, config, name): spec.pin
        for config in roles_of(directory)
        for name, spec in config.gpio_mapping.items()
        if spec.type == "button"
    }
    pin = buttons.get(button)
    if pin is None:
        known = ", ".join(buttons) or "none"
        raise SaintError(
            Code.NOT_FOUND, f"no button has the name {button}", fix=f"Buttons: {known}."
        )
    write_pin(directory, pin, 0.0)  # it connects the pin to ground
    try:
        yield
    finally:
        write_pin(directory, pin, 1.0)


def broken(directory: Path) -> dict[str, str]:
    """Return the faults by device, with their values."""
    found: dict[str, str] = {}
    if (directory / FILE).exists():
        faults = Faults(directory)
        for name, switch in faults.read().items():
            found[name] = f"{switch.fault} {switch.value:g}" if switch.value else str(switch.fault)
        faults.close()
    words = {fault: word for word, fault in _CHIP_FAULTS.items()}
    for name, device in _chips(directory).items():
        if fault := _chip_fault(directory, device):
            found[name] = words[fault]
    return found


def roles_of(directory: Path) -> list[RoleConfig]:
    """Return the roles that the board is wired for. Raises refused without one."""
    if found := wiring.roles(directory):
        return found
    raise SaintError(
        Code.REFUSED,
        f"{directory.parent.name} has no role yet, so its pins drive no device",
        fix="Adopt it first: saintctl node adopt.",
    )


def _chips(directory: Path) -> dict[str, I2cDevice]:
    return {
        name_of(directory, config, name): device
        for config in roles_of(directory)
        for name, device in config.i2c_devices.items()
    }


def _set(directory: Path, device: str, fault: Fault, value: float | None) -> None:
    most = _MOST.get(fault)
    if value is not None and (most is None or not 0.0 <= value <= most):
        allowed = f"a value from 0 to {most:g}" if most else "no value"
        message = f"the fault {fault} takes {allowed}, got {value:g}"
        raise SaintError(Code.REQUEST_INVALID, message)
    faults = Faults(directory)
    faults.set(device, fault, value)
    faults.close()


def _set_chip(directory: Path, device: str, fault: ChipFault) -> None:
    spec = _chips(directory)[device]
    chip = CHIPS[spec.driver](directory / file_of(spec))
    chip.set_fault(fault)
    chip.close()


def _chip_fault(directory: Path, spec: I2cDevice) -> ChipFault:
    path = directory / file_of(spec)
    if not path.exists():
        return ChipFault.NONE
    chip = CHIPS[spec.driver](path)
    fault = chip.fault
    chip.close()
    return fault
