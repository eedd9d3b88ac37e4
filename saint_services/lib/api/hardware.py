"""What a node's header and buses have, what a role needs of them, and how the two fit together, as
clients get it. Not here: how it is found out (lib/role_config/hardware.py, lib/hw).
"""

from typing import Literal

from . import Reply
from .adoption import Peripheral

HardwareVerdict = Literal["found", "missing", "taken", "unknown"]


class HeaderPin(Reply):
    """One of the 40 pins as it is now."""

    number: int  # on the header, 1 to 40
    pin_number: int  # BCM; 255: none, it is power or ground
    pin_name: str  # "GPIO17", "3V3", "GND"
    direction: str  # "input", "output", "pwm", "i2c", "spi", "uart", "power", "ground", "alternate"
    current_state: str  # "high", "low", "pwm_50" (duty in percent), "unknown"
    in_use: bool
    used_by: str  # name of the driver that holds it
    alternates: list[str] = []  # what else it can be: "I2C1 SDA"


class GpioStatus(Reply):
    """Header and buses of one node; a number that is not known is null."""

    node_id: str
    hardware_rev: str
    firmware_version: str
    pins: list[HeaderPin]
    peripherals: list[Peripheral]
    cpu_temp: float | None
    cpu_usage: float | None
    memory_usage: float | None
    uptime_seconds: int


class PinUse(Reply):
    """A pin that a role needs."""

    bcm: int
    name: str  # of the field, motor, button or device: "pan", "left_motor", "face, imu"
    purpose: str  # "servo", "direction", "encoder B", "I2C1 SDA"
    is_bus: bool = False  # shared with others, so nobody owns it


class DeviceUse(Reply):
    """A chip, line or camera that a role needs."""

    name: str
    kind: Literal["i2c", "spi", "serial", "camera"]
    place: str  # "1:0x40", "0.0", "/dev/serial0"; empty for a camera
    chip: str
    required: bool
    drives: list[str] = []  # fields and motors that hang on it


class RoleHardware(Reply):
    """All that a role needs of a Pi."""

    pins: list[PinUse]
    devices: list[DeviceUse]


class HardwareFinding(Reply):
    """One thing that a role needs, looked for on one node."""

    name: str
    what: str  # "PCA9685 at I2C 1:0x40", "GPIO12 (servo)"
    verdict: HardwareVerdict
    required: bool
    text: str  # a sentence


class RoleFit(Reply):
    """One role on one node."""

    role: str
    instance: str
    findings: list[HardwareFinding]
    conflict: str = ""  # why it cannot work beside the roles that the node has

    @property
    def is_ready(self) -> bool:
        """Nothing that it cannot do without is missing, or another role's."""
        lacks = any(f.required and f.verdict in ("missing", "taken") for f in self.findings)
        return not (lacks or self.conflict)


class NodeFit(Reply):
    """What a node has, and how each role of the robot would fit on it."""

    status: GpioStatus
    roles: list[RoleFit]
