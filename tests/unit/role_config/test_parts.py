"""What a configuration of parts must have; each refusal names its field. Sentences by hand."""

from copy import deepcopy
from typing import Any

import pytest
from pydantic import ValidationError

from saint_services.lib.role_config.model import RoleConfig
from saint_services.lib.role_config.parts import part_command, parts_of
from saint_services.lib.role_config.resources import conflict

SERVO = {
    "command": "cmd", "kind": "position", "unit": "deg", "limits": [-30, 30], "max_rate": 300,
    "on_loss": "neutral",
}  # fmt: skip
WHEEL = {
    "command": "cmd", "kind": "velocity", "unit": "ratio", "limits": [-1, 1], "max_rate": 4,
    "on_loss": "ramp_to_zero",
}  # fmt: skip
CHIP = {"bus": 1, "address": 0x40, "driver": "pca9685"}
PLAIN: dict[str, Any] = {
    "role": "parts",
    "instance": "face",
    "version": "1",
    "topic_prefix": "/saint/parts/face",
    "commands": {"cmd": {"topic": "/saint/parts/face/cmd", "type": "saint_msgs/msg/PartCommand"}},
    "fields": {"brow": SERVO},
    "gpio_mapping": {"brow": {"type": "pca9685", "device": "chip", "channel": 0}},
    "i2c_devices": {"chip": CHIP},
    "spi_devices": {"strip": {"bus": 0, "select": 0, "driver": "ws2812", "count": 12}},
}


def changed(**changes: Any) -> dict[str, Any]:
    """Return the plain configuration with more in its sections, or with other settings."""
    data = deepcopy(PLAIN)
    for key, value in changes.items():
        if isinstance(value, dict) and isinstance(data.get(key), dict):
            data[key] |= value
        else:
            data[key] = value
    return data


def part(field: dict[str, Any], output: dict[str, Any], name: str = "it") -> dict[str, Any]:
    """Return the plain configuration with one more part."""
    return changed(fields={name: field}, gpio_mapping={name: output})


SWITCH, LIGHT = {"command": "cmd", "kind": "switch"}, {"command": "cmd", "kind": "light"}
PIXELS = {"type": "pixels", "device": "strip", "first": 0, "count": 6, "colour": "red"}


@pytest.mark.parametrize(
    ("field", "output"),
    [
        (SERVO, {"type": "servo", "pin": 12, "centre_us": 1400, "sleep_after_s": 5}),
        (WHEEL, {"type": "pca9685", "device": "chip", "channel": 3, "centre_us": 1500}),
        (WHEEL, {"type": "drv8833", "pin": 12, "reverse_pin": 13, "full_duty": 0.5}),
        (WHEEL | {"limits": [0, 1]}, {"type": "dimmer", "pin": 13, "frequency": 1000}),
        (SWITCH, {"type": "switch", "pin": 5, "active_low": True, "longest_on_s": 2}),
        (SWITCH, {"type": "switch", "device": "chip", "channel": 4, "most_duty": 0.2}),
        (LIGHT, {"type": "switch", "pin": 5}),
        (LIGHT, {"type": "dimmer", "device": "chip", "channel": 5}),
        (LIGHT, PIXELS),
    ],
)
def test_each_kind_of_part_is_accepted(field: dict[str, Any], output: dict[str, Any]) -> None:
    config = RoleConfig.model_validate(part(field, output))
    assert list(parts_of(config)) == ["brow", "it"]
    again = RoleConfig.model_validate_json(config.model_dump_json())  # as the simulation stores it
    assert again == config


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (changed(instance=""), "instance is ''; the role parts needs a name such as face"),
        (changed(topic_prefix="/saint/face"),
         "topic_prefix is /saint/face, not /saint/parts/face"),
        (part(SERVO, {"type": "servo", "pin": 12}, "Brow"),
         "fields.Brow: a part's name has small letters, digits and _, and begins with a letter"),
        (part(SERVO | {"path": "x"}, {"type": "servo", "pin": 12}),
         "fields.it.path is x; a part has its own name as its place"),
        (part(WHEEL | {"limits": [0.2, 1]}, {"type": "servo", "pin": 12}),
         "fields.it.limits are [0.2, 1.0]; a velocity rests at 0, which must be inside"),
        (part(WHEEL | {"on_loss": "hold"}, {"type": "servo", "pin": 12}),
         "fields.it.on_loss is hold; a velocity needs ramp_to_zero"),
        (part(SERVO | {"on_loss": "ramp_to_zero"}, {"type": "servo", "pin": 12}),
         "fields.it.on_loss is ramp_to_zero, which is for velocities and switches"),
        (part(SWITCH | {"limits": [0, 2]}, {"type": "switch", "pin": 5}),
         "fields.it.limits are [0.0, 2.0]; those of a switch are 0 and 1"),
        (part(SERVO | {"neutral": 31}, {"type": "servo", "pin": 12}),
         "fields.it.neutral is 31, outside of the limits [-30.0, 30.0]"),
        (changed(fields={"it": SERVO}), "gpio_mapping.it is missing: the output of fields.it"),
        (part(SWITCH, {"type": "servo", "pin": 12}),
         "gpio_mapping.it.type is servo; a switch has one of switch"),
        (part(SERVO, {"type": "servo"}), "gpio_mapping.it.pin is missing; servo needs it"),
        (part(SWITCH, {"type": "switch"}), "switch needs a pin, or a device and its channel"),
        (part(SWITCH, {"type": "switch", "pin": 5, "device": "chip", "channel": 3}),
         "switch needs a pin, or a device and its channel"),
        (part(WHEEL, {"type": "dimmer", "pin": 13}),
         "fields.it.limits begin at -1; a dimmer cannot turn backwards"),
        (part(LIGHT, {"type": "switch", "pin": 5, "longest_on_s": 2}),
         "gpio_mapping.it: longest_on_s and most_duty are for fields of the kind switch"),
        (part(SERVO, {"type": "servo", "pin": 12, "active_low": True}),
         "active_low is for switch, not for servo"),
        (part(SERVO, {"type": "servo", "pin": 12, "centre_us": 2000}),
         "centre_us is 2000, not between 1000 and 2000 of pulse_us"),
        (part(SERVO, {"type": "pca9685", "device": "chip", "channel": 1, "frequency": 60}),
         "gpio_mapping.it.frequency is 60 Hz, that of brow 50 Hz; chip has one frequency for all "
         "channels"),
        (part(LIGHT, PIXELS)
         | {"spi_devices": {"strip": {"bus": 0, "select": 0, "driver": "ws2812", "count": 301}}},
         "spi_devices.strip.count is 301; a strip of parts has 300 lights at most"),
        (part(LIGHT, PIXELS | {"first": 10}), "gpio_mapping.it: strip has 12 lights, not 16"),
        (part(SERVO, {"type": "pca9685", "device": "chip", "channel": 0}),
         "channel 0 of chip is used by brow and by it of parts.face"),
        (part(SWITCH, {"type": "switch", "pin": 2}),
         "GPIO2 is used by it and by I2C1 (chip) of parts.face"),
        (changed(i2c_devices={"other": CHIP}),
         "the chip at 0x40 on I2C bus 1 is used by chip and by other of parts.face"),
        (changed(i2c_devices={"other": CHIP | {"mux": {"channel": 3}}}),
         "i2c_devices.other.address: the chip at 0x40 on I2C bus 1 is used by chip and by other "
         "behind the multiplexer at 0x70 of parts.face"),
        (changed(commands={}, fields={}, gpio_mapping={}) | {"commands": {}, "fields": {}},
         "commands has no saint_msgs/msg/PartCommand, which the role parts obeys"),
    ],
)  # fmt: skip
def test_what_cannot_be_driven_is_refused_with_its_field(
    data: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(ValidationError) as caught:
        RoleConfig.model_validate(data)
    assert sentence in str(caught.value)


def test_colours_of_one_segment_fit_and_overlapping_segments_do_not() -> None:
    green = PIXELS | {"colour": "green"}
    fields, outputs = {"r": LIGHT, "g": LIGHT}, {"r": PIXELS, "g": green}
    RoleConfig.model_validate(changed(fields=fields, gpio_mapping=outputs))
    outputs["g"] = green | {"first": 3}
    with pytest.raises(ValidationError, match="light 3 of strip is used by"):
        RoleConfig.model_validate(changed(fields=fields, gpio_mapping=outputs))
    outputs["g"] = PIXELS
    with pytest.raises(ValidationError, match="red of light 0 of strip is used by r and by g"):
        RoleConfig.model_validate(changed(fields=fields, gpio_mapping=outputs))


def test_chips_behind_one_multiplexer_may_share_their_address() -> None:
    chips = {
        "chip": CHIP | {"mux": {"channel": 0}},
        "other": CHIP | {"mux": {"channel": 7}},
    }
    config = RoleConfig.model_validate(changed() | {"i2c_devices": chips})
    assert config.i2c_devices["other"].place == "1:0x70/7:0x40"
    chips["other"] = CHIP | {"mux": {"channel": 0}}
    with pytest.raises(ValidationError, match="behind the multiplexer at 0x70, channel 0"):
        RoleConfig.model_validate(changed() | {"i2c_devices": chips})
    chips["other"] = CHIP | {"mux": {"address": 0x71, "channel": 1}}
    with pytest.raises(
        ValidationError,
        match="chip behind the multiplexer at 0x70 and by other behind the multiplexer at 0x71",
    ):
        RoleConfig.model_validate(changed() | {"i2c_devices": chips})


def test_multiplexer_belongs_to_one_role() -> None:
    """Two processes would change its channel under each other."""
    one = RoleConfig.model_validate(
        changed() | {"i2c_devices": {"chip": CHIP | {"mux": {"channel": 0}}}}
    )
    other = RoleConfig.model_validate(
        changed(instance="tail", topic_prefix="/saint/parts/tail", spi_devices={})
        | {"i2c_devices": {"chip": CHIP | {"address": 0x41, "mux": {"channel": 1}}}}
        | {"spi_devices": {}}
    )
    assert "the chip at 0x70 on I2C bus 1 is used by parts.face" in conflict([one], other)


def test_head_has_parts_beside_its_own_fields() -> None:
    data = {
        "role": "head", "version": "1", "topic_prefix": "/saint/head",
        "commands": {
            "cmd": {"topic": "/saint/head/cmd", "type": "saint_msgs/msg/HeadCommand"},
            "parts": {"topic": "/saint/head/parts/cmd", "type": "saint_msgs/msg/PartCommand"},
        },
        "fields": {"pan": SERVO | {"path": "pan"}, "lid": SERVO | {"command": "parts"}},
        "gpio_mapping": {"pan": {"type": "servo", "pin": 12}, "lid": {"type": "servo", "pin": 13}},
    }  # fmt: skip
    config = RoleConfig.model_validate(data)
    assert part_command(config) == "parts"
    assert list(parts_of(config)) == ["lid"]
    data["fields"]["pan"] = {"command": "cmd", "path": "pan", "kind": "switch"}
    with pytest.raises(ValidationError, match="only a PartCommand carries"):
        RoleConfig.model_validate(data)
