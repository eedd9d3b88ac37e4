"""What a machine's pins and devices are used for while it is tested, and which test that forbids.
Pure. Not here: the roles (noded), the tests (serial_loop.py, pwm_loop.py).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ..api.selftest import JUMPERS, Jumper, JumperInfo
from ..generated.saint_msgs import GPIOPin
from ..hw.pins.header import HEADER
from ..role_config.model import RoleConfig
from ..role_config.resources import bus_lines, claims

NODE_BUTTON = "reset button"  # gives its pin up for a role that needs it (noded/README.md)

# The wires: from a pin that sends to a pin that listens, by BCM number. Each listener stands beside
# or across its sender on the header, so that a jumper cap will do; none of the four is power.
WIRES: Mapping[Jumper, tuple[int, int]] = {"serial": (14, 15), "pwm0": (12, 6), "pwm1": (13, 19)}

# A pin that a program has released stays an input: what it did before, PWM, I2C or the serial line,
# returns with the next start of the machine only (lib/hw/README.md).
PLAIN_PIN = (
    "Or was one of these pins used as a plain pin since this node started? Then restart the node."
)


@dataclass(frozen=True, slots=True)
class Situation:
    """`pins`: the user of each used pin by BCM number; `buses`: the user of each I2C bus;
    `devices`: of other devices, as role_config.resources.claims names them."""

    pins: Mapping[int, str] = field(default_factory=dict)
    buses: Mapping[int, str] = field(default_factory=dict)
    devices: Mapping[str, str] = field(default_factory=dict)
    is_role_alive: bool = False
    is_driven: bool = False  # an output is not in its safe state
    busy: str = ""  # why nothing may be driven now
    enable_line: str = ""  # SAINT_ENABLE_LINE: the guard toggles it beside any will


def of_roles(configs: Iterable[RoleConfig]) -> Situation:
    """Return what these roles reserve."""
    pins: dict[int, str] = {}
    buses: dict[int, str] = {}
    devices: dict[str, str] = {}
    for config in configs:
        for what, part in claims(config).items():
            user = f"{config.target} ({part})"
            devices[what] = user
            if what.startswith("GPIO"):
                pins[int(what.removeprefix("GPIO"))] = user
        for (bcm, _), parts in bus_lines(config).items():
            pins[bcm] = f"{config.target} ({', '.join(parts)})"
        for name, chip in config.i2c_devices.items():
            buses[chip.bus] = f"{config.target} ({name})"
    return Situation(pins, buses, devices)


def refusal(jumper: Jumper, here: Situation, header: Iterable[GPIOPin]) -> str:
    """Return why the test with this wire must not be made now; empty when it may."""
    if here.busy:
        return here.busy
    if here.is_driven:
        return "the robot is driven"
    for bcm in WIRES[jumper]:
        if user := here.pins.get(bcm):
            return f"GPIO{bcm} belongs to the role {user}"
    for pin in header:
        if pin.pin_number in WIRES[jumper] and (user := _user(pin)):
            return f"GPIO{pin.pin_number} is used by {user}"
    if jumper != "serial" and here.enable_line:
        return "this machine has an enable line, which would switch its drivers on"
    return ""


def _user(pin: GPIOPin) -> str:
    """Return who holds a pin; pulses on it have a user even if the kernel names none."""
    if pin.in_use and pin.used_by != NODE_BUTTON:
        return pin.used_by or "another program"
    is_pulsing = pin.direction == "pwm" and pin.current_state not in ("pwm_0", "unknown")
    return "another program, which sends pulses" if is_pulsing else ""


def wires() -> list[JumperInfo]:
    """Return the tests with a wire, as clients show them."""
    return [_info(jumper) for jumper in JUMPERS]


def _info(jumper: Jumper) -> JumperInfo:
    numbers = {pin.bcm: pin.number for pin in HEADER if pin.bcm is not None}
    first, second = WIRES[jumper]
    wire = " and ".join(f"GPIO{bcm} (pin {numbers[bcm]})" for bcm in (first, second))
    return JumperInfo(name=jumper, pins=(numbers[first], numbers[second]), wire=wire)
