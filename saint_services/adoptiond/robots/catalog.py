"""Lists what parts there are: each kind of hardware with its settings and their ranges, taken from
the models that check them, and the pins of the header. Pure. Not here: what a new part begins with
(lib/role_config/part_defaults.py).
"""

import functools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, get_args

from pydantic import BaseModel

from ...lib.api.robot import HeaderPlace, PartKind, PartSetting, RobotCatalog
from ...lib.hw.pins.header import HEADER
from ...lib.role_config.devices import (
    SERVO_LINES,
    CanDevice,
    I2cDevice,
    PinSpec,
    SerialDevice,
    SpiDevice,
    line_defaults,
)
from ...lib.role_config.model import FieldSpec
from ...lib.role_config.part_defaults import hardware_defaults, output_defaults
from ...lib.role_config.sound import ALSA_DEVICE, SOUND_KINDS

# Title and own settings of each kind on a pin or a channel; other kinds show all settings.
_SERVO = ("frequency", "pulse_us", "centre_us", "reversed", "sleep_after_s", "own_supply")
_METER = ("current_device", "torque_nm_per_a", "idle_current_a")
_PULSES = ("frequency", "full_duty", "reversed", "current_device")
_SWITCH = ("active_low", "longest_on_s", "most_duty", "duty_window_s", "own_supply")
_STEPS = ("steps_per_turn", "microsteps", "gear", "reversed")
_SWITCH_PLACE = ("switch_pin", "switch_at", "homing_rate")
_BUS_SERVO = (
    "ticks", "reversed", "homing_offset", "torque_limit", "max_temperature_c", "on_stop",
)  # fmt: skip
_ON_PINS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "pca9685": ("Servo on a PCA9685", ("device", "channel", *_SERVO, *_METER)),
    "servo": ("Servo on a pin", ("pin", *_SERVO, *_METER)),
    "hbridge": ("Motor, H-bridge with PWM and direction", ("pin", "direction_pin", *_PULSES)),
    "bts7960": ("Motor, BTS7960 (IBT-2)", ("pin", "reverse_pin", "enable_pins", *_PULSES)),
    "drv8833": ("Motor, DRV8833", ("pin", "reverse_pin", "enable_pins", *_PULSES)),
    "tb6612": ("Motor, TB6612", ("pin", "direction_pins", "enable_pins", *_PULSES)),
    "roboclaw": ("Motor, RoboClaw", ("device", "channel", "reversed", "full_duty")),
    "vesc": ("Motor, VESC on CAN", ("device", "reversed", "full_duty")),
    "stepper": (
        "Stepper motor, STEP and DIR",
        ("pin", "direction_pin", "enable_pins", *_STEPS, *_SWITCH_PLACE),
    ),
    "quadrature": ("Encoder on two pins", ("pin", "pin_b", "reversed")),
    "roboclaw_encoder": ("Encoder of a RoboClaw", ("device", "channel", "reversed")),
    "vesc_encoder": ("Tachometer of a VESC", ("device", "reversed")),
    "button": ("Button", ("pin",)),
    "switch": ("Switch: relay, solenoid, MOSFET", ("pin", "device", "channel", *_SWITCH)),
    "dimmer": ("Dimmed light", ("pin", "device", "channel", "frequency", "full_duty")),
    "bus_servo": (
        "Serial bus servo (Feetech, Dynamixel)",
        ("device", "servo_id", *_BUS_SERVO),
    ),
    "pixels": ("Lights of a strip", ("device", "first", "count", "colour")),
}
_CHIPS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "pca9685": ("PCA9685, 16 channels", ("own_supply",)),
    "ssd1306": ("Display SSD1306", ()),
    "mpu6050": ("Motion sensor MPU6050", ("rate_hz", "gyro_range_dps", "accel_range_g", "axes")),
    "bmp280": ("Pressure sensor BMP280", ("rate_hz",)),
    "vl53l0x": ("Distance sensor VL53L0X", ("rate_hz",)),
    "ina219": ("Current meter INA219", ("rate_hz", "shunt_ohm", "max_current_a")),
    "tsl2561": ("Light sensor TSL2561", ("rate_hz",)),
    "ws2812": ("Light strip WS2812", ("speed_hz", "count", "order", "own_supply")),
    "st7789": (
        "Display ST7789",
        ("speed_hz", "size", "rotation", "data_pin", "reset_pin", "light_pin"),
    ),
    "roboclaw": ("RoboClaw", ("baud", "address")),
    "vesc": (
        "VESC",
        (
            *("id", "bit_rate", "pole_pairs", "gear", "brake_current_a"),
            *("hottest_fet_c", "hottest_motor_c", "least_v"),
        ),
    ),
    "wagon": ("Wagon behind a BALANCE board", ("bit_rate",)),
    "feetech": ("Line with Feetech servos", ("baud", "protocol")),
    "dynamixel": ("Line with Dynamixel servos (X series)", ("baud",)),
}
_BUSES: tuple[tuple[type[BaseModel], str, tuple[str, ...]], ...] = (
    (I2cDevice, "i2c_devices", ("bus", "address", "mux")),
    (SpiDevice, "spi_devices", ("bus", "select")),
    (SerialDevice, "serial_devices", ("port",)),
    (CanDevice, "can_devices", ("port",)),
)
_OF_EVERY_CHIP = ("purpose", "required")
_OF_THE_ROLE = ("command", "path")  # how a value travels: not a maker's matter
_UNITS = {
    "hz": "Hz", "us": "µs", "s": "s", "a": "A", "dps": "°/s", "g": "g", "ohm": "Ω",
    "c": "°C", "v": "V", "bit_rate": "bit/s", "nm_per_a": "Nm/A", "frequency": "Hz", "baud": "baud",
    "switch_at": "deg", "homing_rate": "deg/s",
}  # fmt: skip
_Form = Literal["number", "whole", "switch", "choice", "text", "list"]


@functools.cache  # 15 ms on a desk, while nothing else is served, for each page that begins
def catalog() -> RobotCatalog:
    """Return every kind of part, the settings of outputs, and the header."""
    return RobotCatalog(
        kinds=[*_on_pins(), *_on_buses(), *_of_sound()],
        output=[each for each in _settings(FieldSpec) if each.name not in _OF_THE_ROLE],
        header=[
            HeaderPlace(
                number=pin.number, name=pin.name, bcm=pin.bcm, function=pin.function,
                alternates=list(pin.alternates),
            )
            for pin in HEADER
        ],
    )  # fmt: skip


def _on_pins() -> Iterator[PartKind]:
    every = list(_settings(PinSpec))
    known = get_args(PinSpec.model_fields["type"].annotation)
    for kind in sorted(known, key=lambda each: [*_ON_PINS, each].index(each)):
        title, own = _ON_PINS.get(kind, (kind, tuple(each.name for each in every)))
        usual, output = hardware_defaults(kind), output_defaults(kind)
        yield PartKind(
            kind=kind,
            title=title,
            group="gpio_mapping",
            drives=str(output.get("kind", "")),
            settings=[_begun(each, usual) for each in every if each.name in own],
            output=output,
        )


def _on_buses() -> Iterator[PartKind]:
    for model, group, place in _BUSES:
        every = list(_settings(model))
        for kind in get_args(model.model_fields["driver"].annotation):
            title, own = _CHIPS.get(kind, (kind, tuple(each.name for each in every)))
            shown, usual = (*place, *own, *_OF_EVERY_CHIP), line_defaults(kind)
            spoken = SERVO_LINES.get(kind, ())
            yield PartKind.model_validate(
                {
                    "kind": kind,
                    "title": title,
                    "group": group,
                    "settings": [
                        _narrowed(_begun(each, usual), spoken)
                        for each in every
                        if each.name in shown
                    ],
                }
            )


def _of_sound() -> Iterator[PartKind]:
    device = PartSetting(name=ALSA_DEVICE, form="text", is_needed=True)
    for kind in SOUND_KINDS:
        yield PartKind(kind=kind, title=kind.capitalize(), group="sound", settings=[device])


def _begun(setting: PartSetting, usual: Mapping[str, Any]) -> PartSetting:
    if setting.name not in usual:
        return setting
    return setting.model_copy(update={"usual": usual[setting.name]})


def _narrowed(setting: PartSetting, spoken: Sequence[str]) -> PartSetting:
    """Offer the protocols that the servos of this line speak, no others."""
    if setting.name != "protocol" or not spoken:
        return setting
    return setting.model_copy(update={"choices": list(spoken)})


def _settings(model: type[BaseModel]) -> Iterator[PartSetting]:
    """Yield the settings of a model with their ranges."""
    schema = model.model_json_schema()
    needed = schema.get("required", [])
    for name, each in schema["properties"].items():
        if name in ("type", "driver") or "$ref" in str(each):
            continue  # the kind itself; parts of parts are edited as text
        of = next((one for one in each.get("anyOf", ()) if one.get("type") != "null"), each)
        yield PartSetting(
            name=name,
            form=_form(of),
            unit=_unit(name),
            least=of.get("minimum", of.get("exclusiveMinimum")),
            most=of.get("maximum", of.get("exclusiveMaximum")),
            is_above="exclusiveMinimum" in of,
            is_below="exclusiveMaximum" in of,
            choices=[str(choice) for choice in of.get("enum", ())],
            usual=each.get("default"),
            is_needed=name in needed,
        )


def _form(schema: Mapping[str, Any]) -> _Form:
    if "enum" in schema:
        return "choice"
    forms: dict[str, _Form] = {
        "number": "number", "integer": "whole", "boolean": "switch", "array": "list",
    }  # fmt: skip
    return forms.get(str(schema.get("type")), "text")


def _unit(name: str) -> str:
    endings = (name, name.rpartition("_")[2], "_".join(name.split("_")[-3:]))
    return next((_UNITS[each] for each in reversed(endings) if each in _UNITS), "")
