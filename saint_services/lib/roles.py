"""The role manifests (manifests/roles/*.yaml) as checked data: what a role drives, with which
limits, on which pins. Read by adoptiond (serves them), noded (keeps one), the role daemons (obey
it) and routerd (knows the fields from it). Not here: any rule about them.
"""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

RoleName = Literal["head", "arms", "tracks", "console"]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class CommandTopic(_Part):
    """A command message of the role: where it goes and which of its fields are constant."""

    topic: str
    type: str  # "saint_msgs/msg/HeadCommand"
    constants: dict[str, float] = {}


class FieldSpec(_Part):
    """One thing that a route may drive. Units stand in `unit`; limits and rates are in it."""

    command: str  # key in `commands`
    path: str  # "linear.x", "target_positions[0]"
    kind: Literal["position", "velocity"]
    unit: str
    limits: tuple[float, float]
    max_rate: float = Field(gt=0)  # unit per second
    on_loss: Literal["hold", "neutral", "park", "ramp_to_zero"]
    neutral: float = 0.0
    park: float | None = None  # where `on_loss: park` goes


class PinSpec(_Part):
    """A pin or a channel of a chip, and what hangs on it (specification: gpio_mapping)."""

    type: Literal["servo", "pca9685", "hbridge", "quadrature", "button"]
    pin: int | None = Field(default=None, ge=0, le=27)  # BCM number
    pin_b: int | None = Field(default=None, ge=0, le=27)
    direction_pin: int | None = Field(default=None, ge=0, le=27)
    device: str = ""  # key in i2c_devices
    channel: int | None = Field(default=None, ge=0, le=15)
    frequency: int = Field(default=50, gt=0, le=100_000)  # Hz
    pulse_us: tuple[int, int] = (1000, 2000)
    reversed: bool = False


class I2cDevice(_Part):
    """A chip on an I2C bus."""

    bus: int = Field(ge=0, le=31)
    address: int = Field(ge=0x03, le=0x77)
    driver: Literal["pca9685", "ssd1306", "mpu6050"]
    purpose: str = ""
    required: bool = False


class Camera(_Part):
    """Camera of the head."""

    enabled: bool = False
    resolution: tuple[int, int] = (640, 480)
    framerate: int = Field(default=30, gt=0, le=120)


class TrackGeometry(_Part):
    """What turns wheel ticks into metres."""

    track_width_m: float = Field(gt=0)
    wheel_radius_m: float = Field(gt=0)
    ticks_per_turn: int = Field(gt=0)
    top_speed_mps: float = Field(gt=0)


class RoleConfig(_Part):
    """One role manifest."""

    role: RoleName
    instance: str = ""
    version: str
    topic_prefix: str
    deadline_ms: int = Field(default=250, ge=50, le=250)
    commands: dict[str, CommandTopic] = {}
    fields: dict[str, FieldSpec] = {}
    gpio_mapping: dict[str, PinSpec] = {}
    i2c_devices: dict[str, I2cDevice] = {}
    camera: Camera = Camera()
    geometry: TrackGeometry | None = None

    @model_validator(mode="after")
    def _references_exist(self) -> "RoleConfig":
        for name, field in self.fields.items():
            if field.command not in self.commands:
                raise ValueError(f"fields.{name}.command names {field.command!r}, unknown")
            if field.limits[0] >= field.limits[1]:
                raise ValueError(f"fields.{name}.limits must rise, got {list(field.limits)}")
            if field.on_loss == "park" and field.park is None:
                raise ValueError(f"fields.{name}.park is missing; on_loss: park goes there")
        for name, pin in self.gpio_mapping.items():
            if pin.device and pin.device not in self.i2c_devices:
                raise ValueError(f"gpio_mapping.{name}.device names {pin.device!r}, unknown")
        return self

    @property
    def target(self) -> str:
        """The name that routes use: "head", "arms.left"."""
        return f"{self.role}.{self.instance}" if self.instance else self.role


class RobotRole(_Part):
    """One line of a robot manifest."""

    role: RoleName
    instance: str = ""
    config: str  # path below manifests/


class RobotManifest(_Part):
    """manifests/robots/*.yaml: which roles a robot has."""

    name: str
    roles: list[RobotRole]
