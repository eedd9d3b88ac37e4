"""The role configuration in the specification's form (`gpio_mapping.pan_servo.type: pwm`, a list of
`i2c_devices`, `limits`), checked in the owner's words and converted to the form of the manifests.
Not here: the manifests' own form (model.py).

The specification shows it for a head; arms follow the same pattern. What it leaves open (rates,
what happens when an input is lost) is that of the shipped robot.
"""

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, model_validator

from ..strict import StrictModel
from .devices import I2cDevice
from .model import Camera
from .sound import Sound

_SERVO = "_servo"
_RATES = {"pan": 360, "tilt": 180, "roll": 120, "jaw": 10, "eye_pan": 700, "eye_tilt": 700}
_LIMITS: dict[str, tuple[float, float]] = {
    "pan": (-180, 180), "tilt": (-90, 90), "roll": (-45, 45),
    "jaw": (0, 1), "eye_pan": (-35, 35), "eye_tilt": (-25, 25),
}  # fmt: skip
_FACE, _RATIOS = ("jaw", "eye_pan", "eye_tilt"), ("jaw", "gripper")
_JOINTS = [f"joint_{index}" for index in range(6)]
_JOINT_RATE, _GRIPPER_RATE = 120, 4
_JOINT_LIMITS, _GRIPPER_LIMITS = (-90.0, 90.0), (0.0, 1.0)

Degrees = Annotated[float, Field(ge=-360, le=360)]


class SpecifiedPin(StrictModel):
    """A servo at a pin of the header."""

    pin: int = Field(ge=0, le=27)
    type: Literal["pwm"]
    frequency: int = Field(default=50, ge=40, le=330)  # Hz; its period must hold a pulse of 2500 us


class SpecifiedLimits(StrictModel):
    """Limits of the fields by their names, and the share of their top rates."""

    model_config = ConfigDict(extra="allow", frozen=True, allow_inf_nan=False)
    __pydantic_extra__: dict[str, tuple[Degrees, Degrees]] = Field(init=False)

    max_speed: float = Field(default=1.0, gt=0, le=1)

    @model_validator(mode="after")
    def _limits_rise(self) -> "SpecifiedLimits":
        for name, (low, high) in self.by_field.items():
            if low >= high:
                raise ValueError(f"{name} must rise, got {[low, high]}")
        return self

    @property
    def by_field(self) -> dict[str, tuple[float, float]]:
        return self.__pydantic_extra__ or {}


class SpecifiedRole(StrictModel):
    """A role configuration in the specification's form."""

    role: Literal["head", "arms"]
    instance: Literal["", "left", "right"] = ""
    version: str
    gpio_mapping: dict[str, SpecifiedPin] = Field(min_length=1)
    i2c_devices: list[I2cDevice] = []
    camera: Camera = Camera()
    sound: Sound = Sound()
    limits: SpecifiedLimits = SpecifiedLimits()

    @model_validator(mode="after")
    def _names_are_known(self) -> "SpecifiedRole":
        known = [each + _SERVO for each in self._fields_of_role()]
        for name in self.gpio_mapping:
            if name not in known:
                raise ValueError(f"gpio_mapping.{name} is not known; servos are {', '.join(known)}")
        for name in ("pan", "tilt", "roll") if self.role == "head" else ("gripper",):
            if name + _SERVO not in self.gpio_mapping:
                raise ValueError(f"gpio_mapping.{name}{_SERVO} is missing")
        for name in self.limits.by_field:
            if name + _SERVO not in self.gpio_mapping:
                raise ValueError(f"limits.{name} has no servo: gpio_mapping.{name}{_SERVO}")
        if self.role == "arms" and not self.instance:
            raise ValueError("instance is missing: left or right")
        if self.role == "arms":
            self._check_joints()
        names = [_name(chip) for chip in self.i2c_devices]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"i2c_devices has two with the purpose {name}")
        return self

    def _check_joints(self) -> None:
        # A command has its joints in one row, so none in the middle may be missing.
        has = [name + _SERVO in self.gpio_mapping for name in _JOINTS]
        if not has[0] or has != sorted(has, reverse=True):
            raise ValueError("gpio_mapping has no joint_0_servo and those behind it in a row")

    def _fields_of_role(self) -> list[str]:
        return [*_RATES] if self.role == "head" else [*_JOINTS, "gripper"]

    def as_manifest(self) -> dict[str, Any]:
        """Return the same in the form of the manifests."""
        fields = [name.removesuffix(_SERVO) for name in self.gpio_mapping]
        prefix = "/".join(["/saint", self.role, *([self.instance] if self.instance else [])])
        return {
            "role": self.role, "instance": self.instance, "version": self.version,
            "topic_prefix": prefix,
            "commands": self._commands(prefix),
            "fields": {name: self._field(name) for name in fields},
            "gpio_mapping": {
                name.removesuffix(_SERVO): self._pin(name.removesuffix(_SERVO), pin)
                for name, pin in self.gpio_mapping.items()
            },
            "i2c_devices": {_name(chip): chip.model_dump(mode="json") for chip in self.i2c_devices},
            "camera": self.camera.model_dump(mode="json"),
            "sound": self.sound.model_dump(mode="json"),
        }  # fmt: skip

    def _commands(self, prefix: str) -> dict[str, Any]:
        if self.role == "arms":
            return {
                "cmd": _command(f"{prefix}/cmd", "ArmCommand", speed_factor=1.0),
                "gripper": _command(f"{prefix}/gripper/cmd", "GripperCommand"),
            }
        neck = {"cmd": _command(f"{prefix}/cmd", "HeadCommand", speed=1.0)}
        if not any(name + _SERVO in self.gpio_mapping for name in _FACE):
            return neck
        return neck | {"expression": _command(f"{prefix}/expression/cmd", "HeadExpression")}

    def _field(self, name: str) -> dict[str, Any]:
        low, high = self._limits(name)
        if self.role == "head":
            command, path, rate = "expression" if name in _FACE else "cmd", name, _RATES[name]
        elif name == "gripper":
            command, path, rate = "gripper", "position", _GRIPPER_RATE
        else:
            index = _JOINTS.index(name)
            command, path, rate = "cmd", f"target_positions[{index}]", _JOINT_RATE
        return {
            "command": command,
            "path": path,
            "kind": "position",
            "unit": "ratio" if name in _RATIOS else "deg",
            "limits": [low, high],
            "max_rate": rate * self.limits.max_speed,
            "on_loss": "neutral" if name in _FACE else "hold",
            # The middle where 0 lies outside of the limits.
            "neutral": 0.0 if low <= 0 <= high else (low + high) / 2,
        }

    def _limits(self, name: str) -> tuple[float, float]:
        usual = _GRIPPER_LIMITS if name == "gripper" else _LIMITS.get(name, _JOINT_LIMITS)
        return self.limits.by_field.get(name, usual)

    def _pin(self, name: str, pin: SpecifiedPin) -> dict[str, Any]:
        low, high = self._limits(name)
        pulse = [1000, 2000] if name in _RATIOS else [_pulse_us(low), _pulse_us(high)]
        return {"type": "servo", "pin": pin.pin, "frequency": pin.frequency, "pulse_us": pulse}


def _pulse_us(degrees: float) -> int:
    """Return the pulse of a usual servo: 90 degrees for 1 ms about the middle, never beyond what
    servos take. The specification names no pulses.
    """
    return round(min(2500, max(500, 1500 + degrees * 1000 / 90)))


def _name(chip: I2cDevice) -> str:
    return chip.purpose or chip.driver


def _command(topic: str, message: str, **constants: float) -> dict[str, Any]:
    return {"topic": topic, "type": f"saint_msgs/msg/{message}", "constants": constants}


def is_specified(data: object) -> bool:
    """Whether this is the specification's form: it names no fields and no commands, and has a list
    of chips, limits beside the pins, or a pin of the type pwm.
    """
    if not isinstance(data, dict) or {"fields", "commands", "topic_prefix"} & set(data):
        return False
    pins = data.get("gpio_mapping")
    named = pins.values() if isinstance(pins, dict) else ()
    is_pwm = any(isinstance(pin, dict) and pin.get("type") == "pwm" for pin in named)
    return is_pwm or "limits" in data or isinstance(data.get("i2c_devices"), list)
