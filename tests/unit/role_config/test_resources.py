"""Which roles fit on one node. The sentences are typed by hand."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from saint_services.lib import config as settings
from saint_services.lib.role_config.model import RoleConfig
from saint_services.lib.role_config.resources import conflict

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
                                 "enable_pins": [6, 22]}}},
         {"spi_devices": {"s": {"bus": 0, "select": 0, "driver": "st7789", "data_pin": 22}}},
         "GPIO22 is used by head (a) and would be used by console (s)"),
        ({"i2c_devices": {"x": {"bus": 1, "address": 0x40, "driver": "pca9685"}}},
         {"i2c_devices": {"y": {"bus": 1, "address": 0x40, "driver": "ina219"}}},
         "the chip at 0x40 on I2C bus 1 is used by head (x) and would be used by console (y)"),
        ({"spi_devices": {"x": {"bus": 0, "select": 1, "driver": "ws2812"}}},
         {"spi_devices": {"y": {"bus": 0, "select": 1, "driver": "ws2812"}}},
         "SPI 0.1 is used by head (x)"),
        ({"spi_devices": {"x": {"bus": 0, "select": 0, "driver": "ws2812"}}},
         {"gpio_mapping": {"b": {"type": "button", "pin": 9}}},
         "GPIO9 is used by head (x: SPI0 MISO) and would be used by console (b)"),
        ({"gpio_mapping": {"a": {"type": "button", "pin": 2}}},
         {"i2c_devices": {"y": {"bus": 1, "address": 0x40, "driver": "ina219"}}},
         "GPIO2 is used by head (a) and would be used by console (y: I2C1 SDA)"),
        ({"spi_devices": {"x": {"bus": 0, "select": 0, "driver": "ws2812"}}},
         {"spi_devices": {"y": {"bus": 0, "select": 1, "driver": "st7789", "data_pin": 25}}},
         "SPI bus 0 is used by head (x) and would be used by console (y)"),
        ({"serial_devices": {"x": {"port": "/dev/ttyACM0", "driver": "roboclaw"}}},
         {"serial_devices": {"y": {"port": "/dev/ttyACM0", "driver": "roboclaw"}}},
         "the serial line /dev/ttyACM0 is used by head (x)"),
        ({"serial_devices": {"x": {"port": "/dev/serial0", "driver": "roboclaw"}}},
         {"serial_devices": {"y": {"port": "/dev/ttyAMA0", "driver": "roboclaw"}}},
         "the serial line /dev/ttyAMA0 is used by head (x) and would be used by console (y)"),
        ({"spi_devices": {"x": {"bus": 0, "select": 0, "driver": "ws2812"}}},
         {"gpio_mapping": {"b": {"type": "button", "pin": 7}}},
         "GPIO7 is used by head (SPI0) and would be used by console (b)"),
        ({"gpio_mapping": {"a": {"type": "drv8833", "pin": 4, "reverse_pin": 5,
                                 "enable_pins": [6]}}},
         {"gpio_mapping": {"b": {"type": "drv8833", "pin": 22, "reverse_pin": 23,
                                 "enable_pins": [6]}}},
         "GPIO6 is used by head (a) and would be used by console (b)"),
        ({"camera": {"enabled": True}}, {"camera": {"enabled": True}},
         "the camera is used by head (camera)"),
        ({"sound": {"microphone": "plughw:1,0"}}, {"sound": {"microphone": "plughw:1,0"}},
         "the microphone plughw:1,0 is used by head (microphone)"),
    ],
)  # fmt: skip
def test_what_two_roles_want_is_named_with_both(
    one: dict[str, object], other: dict[str, object], what: str
):
    assert conflict([part("head", **one)], part("console", **other)).startswith(what)


def test_two_roles_of_one_program_fit_on_a_node_and_a_third_does_not():
    left, right, middle = (part("arms", instance=name) for name in ("left", "right", "middle"))
    assert conflict([left], right) == ""
    assert conflict([left, right], middle) == (
        "arms.left and arms.right are on this node, and a node runs the program of role arms 2 "
        "times at most; put arms.middle on another node"
    )


def test_two_chips_on_one_bus_are_no_conflict():
    one = part("head", i2c_devices={"x": {"bus": 1, "address": 0x40, "driver": "pca9685"}})
    other = part("console", i2c_devices={"x": {"bus": 1, "address": 0x41, "driver": "pca9685"}})
    assert conflict([one], other) == ""


def test_two_displays_on_one_spi_bus_are_no_conflict():
    def display(name: str, select: int, data_pin: int) -> RoleConfig:
        panel = {"bus": 0, "select": select, "driver": "st7789", "data_pin": data_pin}
        return part(name, spi_devices={"panel": panel})

    assert conflict([display("head", 0, 25)], display("console", 1, 24)) == ""


PI_4 = {12: 0, 13: 1}
SHARED = {12: 0, 18: 0, 13: 1, 19: 1}  # a board of which a channel has two pins


def servos(name: str, **pins: int) -> RoleConfig:
    return part(name, gpio_mapping={k: {"type": "servo", "pin": pin} for k, pin in pins.items()})


def test_two_roles_on_one_pwm_channel_are_refused_with_both_pins_and_a_way_out():
    assert conflict([servos("head", pan=12)], servos("console", lid=18), SHARED) == (
        "GPIO12 of head (pan) and GPIO18 of console (lid) are one hardware PWM channel of this "
        "computer, PWM0; put one on a PCA9685, or on a pin of another channel"
    )


def test_two_parts_of_one_role_on_one_pwm_channel_are_refused():
    assert conflict([], servos("head", tilt=13, roll=19), SHARED).startswith(
        "GPIO13 of head (tilt) and GPIO19 of head (roll) are one hardware PWM channel"
    )


def test_both_ways_of_one_motor_may_not_be_one_pwm_channel():
    motor = {"type": "bts7960", "pin": 12, "reverse_pin": 18}
    assert "GPIO12 of tracks (m) and GPIO18 of tracks (m)" in conflict(
        [], part("tracks", gpio_mapping={"m": motor}), SHARED
    )


def test_every_pin_fits_with_pigpiod():
    assert conflict([servos("head", pan=12)], servos("console", lid=18), {}) == ""


def test_pin_that_is_only_read_needs_no_pwm_channel():
    encoder = part("console", gpio_mapping={"e": {"type": "quadrature", "pin": 18, "pin_b": 4}})
    assert conflict([servos("head", pan=12)], encoder, PI_4) == ""


@pytest.mark.parametrize("path", sorted(ROLES.glob("*.yaml")), ids=lambda path: path.stem)
def test_shipped_role_works_on_a_pi_4(path: Path):
    assert conflict([], role(path.stem), PI_4) == ""


STEPPER = {
    "type": "stepper", "pin": 20, "direction_pin": 21, "switch_pin": 26, "switch_at": -30,
    "homing_rate": 15, "enable_pins": [6],
}  # fmt: skip
TURNED = {
    "command": "cmd", "path": "joint", "kind": "position", "unit": "deg", "limits": [-30, 30],
    "max_rate": 30, "max_acceleration": 60, "on_loss": "hold",
}  # fmt: skip
JOINT = {
    "commands": {"cmd": {"topic": "/saint/head/cmd", "type": "saint_msgs/msg/HeadCommand"}},
    "fields": {"neck": TURNED},
}
TWO_WIRES = {"pin": 4, "reverse_pin": 5, "enable_pins": [6]}


@pytest.mark.parametrize(
    ("pins", "words"),
    [
        ({"a": {"type": "drv8833", **TWO_WIRES}, "neck": STEPPER},
         "gpio_mapping.neck.enable_pins: GPIO6 is used by a and by neck of head; only bridges"),
        ({"neck": STEPPER, "a": {"type": "drv8833", **TWO_WIRES}},
         "gpio_mapping.a.enable_pins: GPIO6 is used by neck and by a of head; only bridges"),
        ({"a": {"type": "drv8833", **TWO_WIRES},
          "b": {"type": "bts7960", "pin": 22, "reverse_pin": 23, "enable_pins": [6]}},
         "GPIO6 is used by a and by b of head; only bridges of one kind share an enable pin"),
        ({"a": {"type": "drv8833", **TWO_WIRES}, "b": {"type": "button", "pin": 6}},
         "gpio_mapping.b.pin: GPIO6 is used by a and by b of head; give each"),
        ({"a": {"type": "hbridge", "pin": 12, "direction_pin": 12}}, "hbridge names a pin twice"),
        ({"a": {"type": "quadrature", "pin": 12, "pin_b": 12}}, "quadrature names a pin twice"),
        ({"a": {"type": "servo", "pin": 12, "enable_pins": [6]}}, "enable_pins is for hbridge"),
    ],
)  # fmt: skip
def test_pin_that_one_part_would_take_from_another_is_refused(
    pins: dict[str, object], words: str
) -> None:
    more = JOINT if "neck" in pins else {}
    with pytest.raises(ValidationError) as caught:
        part("head", gpio_mapping=pins, **more)
    assert words in str(caught.value)


def test_bridges_of_one_kind_share_their_enable_pin() -> None:
    second = {"type": "drv8833", "pin": 22, "reverse_pin": 23, "enable_pins": [6]}
    part("head", gpio_mapping={"a": {"type": "drv8833", **TWO_WIRES}, "b": second})


@pytest.mark.parametrize(
    ("devices", "words"),
    [
        ({"serial_devices": {"a": {"port": "/dev/serial0", "driver": "roboclaw"},
                             "b": {"port": "/dev/ttyAMA0", "driver": "roboclaw"}}},
         "serial_devices.b.port: the serial line /dev/ttyAMA0 is used by a and by b of head"),
        ({"spi_devices": {"a": {"bus": 0, "select": 0, "driver": "ws2812"},
                          "b": {"bus": 0, "select": 1, "driver": "st7789", "data_pin": 25}}},
         "spi_devices.b.bus: SPI bus 0 is used by a and by b of head"),
        ({"spi_devices": {"a": {"bus": 0, "select": 0, "driver": "ws2812"}},
          "gpio_mapping": {"b": {"type": "button", "pin": 7}}},
         "GPIO7 is used by b and by SPI0 (a) of head"),
        ({"spi_devices": {"b": {"bus": 0, "select": 1, "driver": "st7789", "data_pin": 25}},
          "gpio_mapping": {"b": {"type": "button", "pin": 25}}},
         "GPIO25 is used by b and by b of head"),
    ],
)  # fmt: skip
def test_line_or_bus_with_two_owners_is_refused(devices: dict[str, object], words: str) -> None:
    with pytest.raises(ValidationError) as caught:
        part("head", **devices)
    assert words in str(caught.value)


def test_pin_without_hardware_pwm_is_refused_where_the_computer_has_channels() -> None:
    assert conflict([], servos("head", pan=23), PI_4) == (
        "GPIO23 of head (pan) has no hardware PWM on this computer; use one of GPIO 12, 13, or a "
        "PCA9685"
    )
    assert conflict([], servos("head", pan=23)) == ""
