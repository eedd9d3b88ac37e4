"""Checks the parts of a role configuration: fields that travel by their names in a PartCommand,
each with an output of its own in gpio_mapping. Not here: who else holds a pin (ownership.py), how
parts are driven (lib/role/parts).
"""

import re
from collections.abc import Iterator, Mapping
from typing import Protocol

from ..generated.saint_msgs import PartCommand
from .bus_servos import BUS_SERVO
from .devices import MOTORS, SERVOS, I2cDevice, PinSpec, SpiDevice
from .fields import CommandTopic, FieldSpec

_NAME = re.compile(r"[a-z][a-z0-9_]{0,47}")
MOST = 128  # of one role
MOST_LIGHTS = 300  # of one strip
# The outputs that a kind of part may have.
_OUTPUTS: Mapping[str, tuple[str, ...]] = {
    "position": (*SERVOS, "stepper", BUS_SERVO),
    "velocity": (*SERVOS, *MOTORS, "dimmer"),
    "switch": ("switch",),
    "light": ("switch", "dimmer", "pixels"),
}
_PULSED_CHIP = ("pca9685", "switch", "dimmer")  # outputs that may be channels of a PCA9685


class PartsHardware(Protocol):
    """The parts of a role configuration that concern parts."""

    @property
    def role(self) -> str: ...

    @property
    def instance(self) -> str: ...

    @property
    def topic_prefix(self) -> str: ...

    @property
    def commands(self) -> Mapping[str, CommandTopic]: ...

    @property
    def fields(self) -> Mapping[str, FieldSpec]: ...

    @property
    def gpio_mapping(self) -> Mapping[str, PinSpec]: ...

    @property
    def i2c_devices(self) -> Mapping[str, I2cDevice]: ...

    @property
    def spi_devices(self) -> Mapping[str, SpiDevice]: ...


def part_command(config: PartsHardware) -> str:
    """Return the key of the command that carries parts; empty without one."""
    keys = [key for key, each in config.commands.items() if each.type == PartCommand.TYPE]
    return keys[0] if keys else ""


def parts_of(config: PartsHardware) -> dict[str, FieldSpec]:
    """Return the fields that are parts, in the order of the configuration."""
    key = part_command(config)
    return {name: each for name, each in config.fields.items() if key and each.command == key}


def check(config: PartsHardware) -> None:
    """Raise ValueError, with the field at fault, unless every part can be driven."""
    for fault in _faults(config):
        raise ValueError(fault)


def _faults(config: PartsHardware) -> Iterator[str]:
    keys = [key for key, each in config.commands.items() if each.type == PartCommand.TYPE]
    if len(keys) > 1:
        yield f"commands has {' and '.join(keys)}; one PartCommand carries all parts"
    if config.role == "parts":
        yield from _role_faults(config, keys)
    found = parts_of(config)
    if len(found) > MOST:
        yield f"fields has {len(found)} parts; a role drives {MOST} at most"
    for name, field in config.fields.items():
        if name not in found and not field.path:
            yield f"fields.{name}.path is missing: the place of its value in the command"
        if name not in found and field.kind in ("switch", "light"):
            yield f"fields.{name}.kind is {field.kind}, which only a PartCommand carries"
    for name, field in found.items():
        yield from _part_faults(config, name, field)
    yield from _frequency_faults(config)


def _role_faults(config: PartsHardware, keys: list[str]) -> Iterator[str]:
    if not _NAME.fullmatch(config.instance):
        yield f"instance is {config.instance!r}; the role parts needs a name such as face"
    elif config.topic_prefix != f"/saint/parts/{config.instance}":
        yield f"topic_prefix is {config.topic_prefix}, not /saint/parts/{config.instance}"
    if not keys:
        yield "commands has no saint_msgs/msg/PartCommand, which the role parts obeys"
    for name, field in config.fields.items():
        if keys and field.command != keys[0]:
            yield f"fields.{name}.command is {field.command}; the role parts has {keys[0]} alone"


def _part_faults(config: PartsHardware, name: str, field: FieldSpec) -> Iterator[str]:
    where = f"fields.{name}"
    if not _NAME.fullmatch(name):
        yield f"{where}: a part's name has small letters, digits and _, and begins with a letter"
    if config.role == "arms" and name.startswith("joint_"):
        yield f"{where}: names with joint_ are those of the arm's own joints"
    if field.path not in ("", name):
        yield f"{where}.path is {field.path}; a part has its own name as its place"
    low, high = field.limits
    if field.rests_at_zero and not low <= 0 <= high:
        yield f"{where}.limits are {[low, high]}; a {field.kind} rests at 0, which must be inside"
    if field.rests_at_zero and field.on_loss != "ramp_to_zero":
        yield f"{where}.on_loss is {field.on_loss}; a {field.kind} needs ramp_to_zero"
    if not field.rests_at_zero and field.on_loss == "ramp_to_zero":
        yield f"{where}.on_loss is ramp_to_zero, which is for velocities and switches"
    if field.kind in ("switch", "light") and (low, high) != (0, 1):
        yield f"{where}.limits are {[low, high]}; those of a {field.kind} are 0 and 1"
    for place, value in (("neutral", field.neutral), ("park", field.park)):
        if value is not None and not low <= value <= high:
            yield f"{where}.{place} is {value:g}, outside of the limits {[low, high]}"
    output = config.gpio_mapping.get(name)
    if output is None:
        yield f"gpio_mapping.{name} is missing: the output of fields.{name}"
    elif output.type not in _OUTPUTS[field.kind]:
        fitting = ", ".join(_OUTPUTS[field.kind])
        yield f"gpio_mapping.{name}.type is {output.type}; a {field.kind} has one of {fitting}"
    else:
        yield from _output_faults(config, name, field, output)


def _output_faults(
    config: PartsHardware, name: str, field: FieldSpec, output: PinSpec
) -> Iterator[str]:
    where = f"gpio_mapping.{name}"
    if output.type == "servo" and output.pin is None:
        yield f"{where}.pin is missing; servo needs it"
    if output.type == "hbridge" and (output.pin is None or output.direction_pin is None):
        yield f"{where} needs pin and direction_pin; hbridge has both"
    if output.type == "pca9685" and (not output.device or output.channel is None):
        yield f"{where} needs device and channel; pca9685 has both"
    if output.type in _PULSED_CHIP and output.device:
        chip = config.i2c_devices.get(output.device)
        if chip is not None and chip.driver != "pca9685":
            yield f"{where}.device is {output.device}, a {chip.driver} and no pca9685"
    if output.type == "dimmer" and field.kind == "velocity" and field.limits[0] < 0:
        yield f"fields.{name}.limits begin at {field.limits[0]:g}; a dimmer cannot turn backwards"
    if field.kind == "velocity" and output.sleep_after_s is not None:
        yield f"{where}.sleep_after_s is for positions; a velocity has no pulses at 0 anyway"
    if field.kind == "light" and (output.longest_on_s or output.most_duty):
        yield f"{where}: longest_on_s and most_duty are for fields of the kind switch"
    if output.type in SERVOS and output.pulse_us[0] == output.pulse_us[1]:
        yield f"{where}.pulse_us has the same pulse at both limits"
    if output.type in SERVOS and max(output.pulse_us) * output.frequency > 1_000_000:
        yield f"{where}.pulse_us is longer than the period of {output.frequency} Hz"
    if output.type == "pixels":
        yield from _pixel_faults(config, name, output)


def _pixel_faults(config: PartsHardware, name: str, output: PinSpec) -> Iterator[str]:
    strip = config.spi_devices.get(output.device)
    if strip is None:
        return  # the model says so
    last = output.first + (output.count or 0)
    if strip.driver != "ws2812":
        yield f"gpio_mapping.{name}.device is {output.device}, a {strip.driver} and no ws2812"
    elif strip.count > MOST_LIGHTS:
        yield (
            f"spi_devices.{output.device}.count is {strip.count}; a strip of parts has "
            f"{MOST_LIGHTS} lights at most, as sending them takes 9 ms of the role's time"
        )
    elif last > strip.count:
        yield f"gpio_mapping.{name}: {output.device} has {strip.count} lights, not {last}"


def _frequency_faults(config: PartsHardware) -> Iterator[str]:
    """A PCA9685 has one frequency for all of its channels."""
    first: dict[str, tuple[str, int]] = {}
    for name, output in config.gpio_mapping.items():
        if output.type in _PULSED_CHIP and output.device:
            other, frequency = first.setdefault(output.device, (name, output.frequency))
            if frequency != output.frequency:
                yield (
                    f"gpio_mapping.{name}.frequency is {output.frequency} Hz, that of {other} "
                    f"{frequency} Hz; {output.device} has one frequency for all channels"
                )
