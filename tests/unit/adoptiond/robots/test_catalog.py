"""The kinds of parts that an owner may choose."""

from typing import get_args

from saint_services.adoptiond.robots.catalog import catalog
from saint_services.lib.role_config.devices import I2cDevice, PinSpec, SerialDevice, SpiDevice


def test_catalog_has_every_kind_that_the_models_accept() -> None:
    found = {(each.group, each.kind) for each in catalog().kinds}
    types = get_args(PinSpec.model_fields["type"].annotation)
    assert {("gpio_mapping", each) for each in types} <= found
    for group, model in (
        ("i2c_devices", I2cDevice), ("spi_devices", SpiDevice), ("serial_devices", SerialDevice),
    ):  # fmt: skip
        drivers = get_args(model.model_fields["driver"].annotation)
        assert {(group, each) for each in drivers} <= found


def test_settings_carry_the_ranges_of_the_models() -> None:
    kinds = {(each.group, each.kind): each for each in catalog().kinds}
    servo = {each.name: each for each in kinds["gpio_mapping", "pca9685"].settings}
    assert (servo["channel"].least, servo["channel"].most) == (0, 15)
    assert (servo["pulse_us"].form, servo["pulse_us"].unit) == ("list", "µs")
    assert servo["pulse_us"].usual == [1000, 2000]
    chip = {each.name: each for each in kinds["i2c_devices", "ina219"].settings}
    assert chip["address"].is_needed and (chip["address"].least, chip["address"].most) == (3, 119)
    assert (chip["shunt_ohm"].unit, chip["max_current_a"].unit) == ("Ω", "A")


def test_every_kind_has_a_title_and_only_settings_that_count_for_it() -> None:
    kinds = {(each.group, each.kind): each for each in catalog().kinds}
    assert [each.kind for each in kinds.values() if each.title == each.kind] == []
    stepper = {each.name for each in kinds["gpio_mapping", "stepper"].settings}
    assert {"pin", "direction_pin", "switch_pin", "switch_at", "microsteps"} < stepper
    assert not {"servo_id", "pulse_us", "colour"} & stepper
    wagon = {each.name for each in kinds["can_devices", "wagon"].settings}
    assert wagon == {"port", "bit_rate", "purpose", "required"}


def test_limits_that_are_too_small_or_too_large_themselves_are_marked() -> None:
    switch = {
        each.name: (each.least, each.most, each.is_above, each.is_below)
        for kind in catalog().kinds
        if kind.kind in ("switch", "servo")
        for each in kind.settings
    }
    assert switch["most_duty"] == (0, 1, True, True)
    assert switch["longest_on_s"] == (0, 86_400, True, False)
    assert switch["idle_current_a"] == (0, None, False, False)


def test_kind_that_drives_names_its_output_and_a_chip_has_none() -> None:
    kinds = {(each.group, each.kind): each for each in catalog().kinds}
    assert kinds["gpio_mapping", "servo"].drives == "position"
    assert kinds["gpio_mapping", "hbridge"].drives == "velocity"
    assert kinds["i2c_devices", "pca9685"].drives == ""


def test_line_of_servos_offers_its_own_protocols_and_speed() -> None:
    kinds = {(each.group, each.kind): each for each in catalog().kinds}
    line = {each.name: each for each in kinds["serial_devices", "feetech"].settings}
    assert (line["protocol"].choices, line["protocol"].usual) == (["sts", "scs"], "sts")
    assert line["baud"].usual == 1_000_000
    motors = {each.name: each for each in kinds["serial_devices", "roboclaw"].settings}
    assert motors["baud"].usual == 115_200


def test_output_leaves_out_how_a_value_travels() -> None:
    names = [each.name for each in catalog().output]
    assert "limits" in names and "command" not in names and "path" not in names


def test_header_has_forty_pins_with_their_functions() -> None:
    header = catalog().header
    assert [pin.number for pin in header] == list(range(1, 41))
    assert header[31].bcm == 12 and header[31].alternates == ["PWM0"]
