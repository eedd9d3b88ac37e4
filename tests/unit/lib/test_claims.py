"""Which roles fit on one node. The sentences are typed by hand."""

from pathlib import Path

import pytest

from saint_services.lib import config as settings
from saint_services.lib.claims import conflict
from saint_services.lib.roles import RoleConfig

ROLES = Path(__file__).parents[3] / "manifests/roles"


def role(name: str) -> RoleConfig:
    return settings.load(RoleConfig, ROLES / f"{name}.yaml", required=True)


def part(name: str, **more: object) -> RoleConfig:
    plain = {"role": name, "version": "1", "topic_prefix": f"/saint/{name}"}
    return RoleConfig.model_validate(plain | more)


def test_head_and_console_of_the_shipped_robot_fit_on_one_node():
    assert conflict([role("head")], role("console")) == ""


def test_role_does_not_stand_in_its_own_way():
    assert conflict([role("head")], role("head")) == ""


@pytest.mark.parametrize(
    ("one", "other", "what"),
    [
        ({"gpio_mapping": {"a": {"type": "servo", "pin": 4}}},
         {"gpio_mapping": {"b": {"type": "quadrature", "pin": 3, "pin_b": 4}}},
         "GPIO4 is used by head (a) and would be used by console (b)"),
        ({"gpio_mapping": {"a": {"type": "bts7960", "pin": 4, "reverse_pin": 5,
                                 "enable_pins": [6, 7]}}},
         {"spi_devices": {"s": {"bus": 0, "select": 0, "driver": "st7789", "data_pin": 7}}},
         "GPIO7 is used by head (a) and would be used by console (s)"),
        ({"i2c_devices": {"x": {"bus": 1, "address": 0x40, "driver": "pca9685"}}},
         {"i2c_devices": {"y": {"bus": 1, "address": 0x40, "driver": "ina219"}}},
         "the chip at 0x40 on I2C bus 1 is used by head (x) and would be used by console (y)"),
        ({"spi_devices": {"x": {"bus": 0, "select": 1, "driver": "ws2812"}}},
         {"spi_devices": {"y": {"bus": 0, "select": 1, "driver": "ws2812"}}},
         "SPI 0.1 is used by head (x)"),
        ({"serial_devices": {"x": {"port": "/dev/ttyACM0", "driver": "roboclaw"}}},
         {"serial_devices": {"y": {"port": "/dev/ttyACM0", "driver": "roboclaw"}}},
         "the serial line /dev/ttyACM0 is used by head (x)"),
        ({"camera": {"enabled": True}}, {"camera": {"enabled": True}},
         "the camera is used by head (camera)"),
    ],
)  # fmt: skip
def test_what_two_roles_want_is_named_with_both(
    one: dict[str, object], other: dict[str, object], what: str
):
    assert conflict([part("head", **one)], part("console", **other)).startswith(what)


def test_one_program_runs_once_on_a_node():
    sentence = conflict([part("arms", instance="left")], part("arms", instance="right"))
    assert sentence.startswith("the program of role arms is used by arms.left")


def test_two_chips_on_one_bus_are_no_conflict():
    one = part("head", i2c_devices={"x": {"bus": 1, "address": 0x40, "driver": "pca9685"}})
    other = part("console", i2c_devices={"x": {"bus": 1, "address": 0x41, "driver": "pca9685"}})
    assert conflict([one], other) == ""
