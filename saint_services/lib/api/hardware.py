"""Hardware of a node as clients see it: its header and buses, what a role needs, and how both fit.
Not here: how it is determined (lib/role_config/hardware.py, lib/hw).
"""

from typing import Literal

from . import Reply
from .adoption import Peripheral

HardwareVerdict = Literal["found", "missing", "taken", "unknown"]


class HeaderPinState(Reply):
    """One of the 40 header pins in its current state."""

    number: int  # on the header, 1 to 40
    pin_number: int  # BCM; 255: power or ground
    pin_name: str  # "GPIO17", "3V3", "GND"
    direction: str  # "input", "output", "pwm", "i2c", "spi", "uart", "power", "ground", "alternate"
    current_state: str  # "high", "low", "pwm_50" (duty in percent), "unknown"
    in_use: bool
    used_by: str  # driver that uses the pin
    alternates: list[str] = []  # other functions of the pin: "I2C1 SDA"


class GpioStatus(Reply):
    """Header and buses of a node; unknown numbers are null."""

    node_id: str
    hardware_rev: str
    firmware_version: str
    pins: list[HeaderPinState]
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
    is_bus: bool = False  # shared, without an owner


class DeviceUse(Reply):
    """A chip, line, camera or sound device that a role needs."""

    name: str
    kind: Literal["i2c", "spi", "serial", "can", "camera", "sound"]
    # "1:0x40", "0.0", "/dev/ttyAMA0", "can0:68", "plughw:1,0"; empty for a camera
    place: str
    chip: str
    required: bool
    drives: list[str] = []  # fields and motors driven by it


class RoleHardware(Reply):
    """Pins and devices that a role needs."""

    pins: list[PinUse]
    devices: list[DeviceUse]


class HardwareFinding(Reply):
    """One pin or device that a role needs, checked on one node."""

    name: str
    what: str  # "PCA9685 at I2C 1:0x40", "GPIO12 (servo)"
    verdict: HardwareVerdict
    required: bool
    text: str  # a sentence


class RoleFit(Reply):
    """Whether a role fits on a node."""

    role: str
    instance: str
    findings: list[HardwareFinding]
    conflict: str = ""  # why it conflicts with the roles of the node; empty: no conflict

    @property
    def is_ready(self) -> bool:
        """True if nothing required is missing or used by another role."""
        lacks = any(f.required and f.verdict in ("missing", "taken") for f in self.findings)
        return not (lacks or self.conflict)


class NodeFit(Reply):
    """The hardware of a node, and how each role of the robot fits on it."""

    status: GpioStatus
    roles: list[RoleFit]
