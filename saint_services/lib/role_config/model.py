"""Models the role manifests (manifests/roles/*.yaml): what a role drives, with which limits, on
which pins. Read by adoptiond (serves them), noded (stores one), the role daemons (obey it) and
routerd (knows the fields from it). Not here: rules about them.
"""

from collections.abc import Collection
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, model_validator

from ..generated.roles import RoleName as RoleName
from ..strict import StrictModel
from . import ownership, parts
from .body import Body, unpacked
from .bus_servos import BUS_SERVO
from .bus_servos import problem as servo_problem
from .camera import CameraCalibration, PixelCount
from .devices import ON_CAN
from .devices import CanDevice as CanDevice
from .devices import I2cDevice as I2cDevice
from .devices import PinSpec as PinSpec
from .devices import SerialDevice as SerialDevice
from .devices import SpiDevice as SpiDevice
from .fields import CommandTopic as CommandTopic
from .fields import FieldSpec as FieldSpec
from .lead import Lead as Lead
from .lead import problem as lead_problem
from .references import unknown_part
from .sound import Sound as Sound
from .steppers import stepper_problem
from .walker import Walker as Walker


class Camera(StrictModel):
    """Camera of the head."""

    enabled: bool = False
    resolution: tuple[PixelCount, PixelCount] = (640, 480)
    framerate: int = Field(default=30, gt=0, le=120)
    calibration: CameraCalibration | None = None


class CollisionLimit(StrictModel):
    """While all joints of `when` are inside their ranges, those of `then` stay inside theirs.

    Without `then` the joints of `when` are never all inside at once.
    """

    when: dict[str, tuple[float, float]] = Field(min_length=1)
    then: dict[str, tuple[float, float]] = {}


class Grip(StrictModel):
    """The force of a gripper. A plain servo does not report it: see role_armsd/README.md."""

    field: str = "gripper"  # closes towards its lower limit
    max_force_n: float = Field(gt=0)  # at full speed, motor blocked
    current_device: str = ""  # key in i2c_devices: the meter in the gripper's supply
    idle_current_a: float = Field(default=0.15, ge=0)  # closing without an object
    stall_current_a: float = Field(default=1.2, gt=0)  # blocked, at max_force_n


Override = Literal["stop", "clear", "home", "release"]  # ConsoleOverride.action


class Homing(StrictModel):
    """How joints that nobody commands go to their neutral position after the role has started."""

    speed: float = Field(default=0.15, gt=0, le=1)  # of the joints' top rates
    wait_s: float = Field(default=1.0, ge=0.2, le=60)  # with a router
    stagger_s: float = Field(default=0.25, ge=0, le=5)  # between servos that get their first pulse


class TrackGeometry(StrictModel):
    """Converts wheel ticks into metres."""

    track_width_m: float = Field(gt=0)
    wheel_radius_m: float = Field(gt=0)
    ticks_per_turn: int = Field(gt=0)
    top_speed_mps: float = Field(gt=0)
    start_duty: float = Field(default=0.0, ge=0, lt=0.5)  # below it friction holds the motors


class RoleConfig(StrictModel):
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
    spi_devices: dict[str, SpiDevice] = {}
    serial_devices: dict[str, SerialDevice] = {}
    can_devices: dict[str, CanDevice] = {}
    camera: Camera = Camera()
    sound: Sound = Sound()  # of its node; every role may have it
    geometry: TrackGeometry | None = None
    walker: Walker | None = None  # of legs
    lead: Lead | None = None
    collision_limits: list[CollisionLimit] = []
    grip: Grip | None = None
    homing: Homing | None = None
    # Added by the server, which has the robot's model.
    body: Annotated[Body | None, BeforeValidator(unpacked)] = None
    # Added by the server: the outputs as its router knows them (outputs_mark.py); 0: not known.
    outputs_mark: int = Field(default=0, ge=0, lt=1 << 32)
    # What a button of the console requests: when pressed, "clear" when held for 5 s.
    overrides: dict[str, Override] = {}
    reset_button: str = ""  # held for 5 s it resets the node

    @model_validator(mode="after")
    def _references_exist(self) -> "RoleConfig":
        if "eyes" in self.fields:  # routes call eye_pan by it (lib/api/routing.py)
            raise ValueError("fields.eyes must be eye_pan and eye_tilt")
        for name, field in self.fields.items():
            if field.command not in self.commands:
                raise ValueError(f"fields.{name}.command names {field.command!r}, unknown")
            if field.limits[0] >= field.limits[1]:
                raise ValueError(f"fields.{name}.limits must rise, got {list(field.limits)}")
            if field.on_loss == "park" and field.park is None:
                raise ValueError(f"fields.{name}.park is missing; on_loss: park goes there")
        if problem := unknown_part(self):
            raise ValueError(problem)
        for name, pin in self.gpio_mapping.items():
            if pin.device and pin.device not in self._devices_of(pin):
                text = f"names {pin.device!r}, which is no device of a {pin.type}"
                raise ValueError(f"gpio_mapping.{name}.device {text}")
            if pin.type == "stepper" and (problem := stepper_problem(self.fields.get(name), pin)):
                raise ValueError(f"gpio_mapping.{name}: {problem}")
        return self

    @model_validator(mode="after")
    def _legs_have_a_walker(self) -> "RoleConfig":
        if (self.role == "legs") != (self.walker is not None):
            raise ValueError("walker, the walking controller, is for the role legs, which needs it")
        return self

    @model_validator(mode="after")
    def _parts_can_be_driven(self) -> "RoleConfig":
        parts.check(self)
        if problem := servo_problem(self) or ownership.clash(self) or lead_problem(self):
            raise ValueError(problem)
        return self

    def _devices_of(self, pin: PinSpec) -> Collection[str]:
        if pin.type == "pixels":
            return self.spi_devices
        if pin.type in ON_CAN:
            return self.can_devices
        is_on_line = pin.type == BUS_SERVO or pin.type.startswith("roboclaw")
        return self.serial_devices if is_on_line else self.i2c_devices

    @model_validator(mode="after")
    def _body_has_the_role(self) -> "RoleConfig":
        if self.body is None:
            return self
        role = self.body.roles.get(self.target)
        if role is None:
            raise ValueError(f"body.roles has no {self.target}")
        for name in (*role.angles, *role.shares):
            if name not in self.fields or self.fields[name].kind != "position":
                raise ValueError(f"body.roles.{self.target} names {name}, no position of `fields`")
        return self

    @model_validator(mode="after")
    def _limits_make_sense(self) -> "RoleConfig":
        for index, limit in enumerate(self.collision_limits):
            for part in ("when", "then"):
                for name, (low, high) in getattr(limit, part).items():
                    where = f"collision_limits[{index}].{part}.{name}"
                    if self.fields[name].kind != "position":
                        raise ValueError(f"{where} names no position of `fields`")
                    if low > high:
                        raise ValueError(f"{where} must not fall, got {[low, high]}")
            if not limit.then and len(limit.when) < 2:
                message = f"collision_limits[{index}] has one joint only: narrow its limits instead"
                raise ValueError(message)
            if both := set(limit.when) & set(limit.then):
                raise ValueError(f"collision_limits[{index}] has {min(both)} on both sides")
        for name in (*self.overrides, *([self.reset_button] if self.reset_button else ())):
            if self.gpio_mapping[name].type != "button":
                raise ValueError(f"overrides or reset_button names {name!r}, no button")
        if self.reset_button and self.overrides.get(self.reset_button) == "clear":
            raise ValueError(f"{self.reset_button} cannot clear and reset: both are a long hold")
        return self

    @property
    def target(self) -> str:
        """The name that routes use: "head", "arms.left"."""
        return f"{self.role}.{self.instance}" if self.instance else self.role
