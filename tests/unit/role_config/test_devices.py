"""Devices of a manifest: what is missing or wrong is said in a sentence."""

import pytest
from pydantic import ValidationError

from saint_services.lib.role_config.devices import I2cDevice, PinSpec, SerialDevice, SpiDevice
from saint_services.lib.role_config.model import RoleConfig

GOOD_PINS = [
    {"type": "bts7960", "pin": 12, "reverse_pin": 13, "enable_pins": [5, 6]},
    {"type": "drv8833", "pin": 12, "reverse_pin": 13},
    {"type": "tb6612", "pin": 12, "direction_pins": [5, 6], "enable_pins": [16]},
    {"type": "roboclaw", "device": "drive", "channel": 2},
    {"type": "roboclaw_encoder", "device": "drive", "channel": 1},
]


@pytest.mark.parametrize("keys", GOOD_PINS)
def test_complete_pin_is_taken(keys: dict[str, object]) -> None:
    assert PinSpec.model_validate(keys).type == keys["type"]


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"type": "bts7960", "pin": 12}, "reverse_pin is missing; bts7960 needs it"),
        ({"type": "tb6612", "pin": 12}, "direction_pins is missing"),
        ({"type": "roboclaw", "channel": 1}, "device is missing"),
        ({"type": "roboclaw", "device": "drive", "channel": 3}, "a RoboClaw has 1 and 2"),
        ({"type": "drv8833", "pin": 12, "reverse_pin": 12}, "names a pin twice"),
        ({"type": "hbridge", "pin": 12, "enable_pins": [28]}, "GPIO28 does not exist"),
    ],
)
def test_wrong_pin_is_refused_with_a_reason(keys: dict[str, object], words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        PinSpec.model_validate(keys)


def test_axes_must_name_each_axis_once() -> None:
    place = {"bus": 1, "address": 0x68, "driver": "mpu6050"}
    assert I2cDevice.model_validate({**place, "axes": ["-y", "x", "z"]}).axes == ("-y", "x", "z")
    with pytest.raises(ValidationError, match="name x, y and z once"):
        I2cDevice.model_validate({**place, "axes": ["x", "x", "z"]})


def test_display_on_spi_needs_its_data_pin() -> None:
    with pytest.raises(ValidationError, match="data_pin is missing"):
        SpiDevice.model_validate({"bus": 0, "select": 0, "driver": "st7789"})


@pytest.mark.parametrize("port", ["ttyUSB0", "/etc/passwd", "/dev/../etc/x y", "/dev/"])
def test_serial_port_is_a_device(port: str) -> None:
    with pytest.raises(ValidationError):
        SerialDevice.model_validate({"port": port, "driver": "roboclaw"})


def role(pin: dict[str, object]) -> RoleConfig:
    return RoleConfig.model_validate(
        {
            "role": "tracks",
            "version": "1",
            "topic_prefix": "/saint/tracks",
            "gpio_mapping": {"left_motor": pin},
            "serial_devices": {"drive": {"port": "/dev/serial0", "driver": "roboclaw"}},
            "i2c_devices": {"meter": {"bus": 1, "address": 0x40, "driver": "ina219"}},
        }
    )


def test_motor_may_name_its_serial_line_and_its_meter() -> None:
    role({"type": "roboclaw", "device": "drive", "channel": 1})
    role({"type": "hbridge", "pin": 12, "direction_pin": 5, "current_device": "meter"})


@pytest.mark.parametrize(
    "pin",
    [
        {"type": "roboclaw", "device": "meter", "channel": 1},
        {"type": "pca9685", "device": "drive", "channel": 1},
        {"type": "hbridge", "current_device": "drive"},
    ],
)
def test_motor_may_not_name_a_device_of_another_kind(pin: dict[str, object]) -> None:
    with pytest.raises(ValidationError, match=r"which is (no device of a|not in)"):
        role(pin)
