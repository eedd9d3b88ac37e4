"""The warning about switches that the pull of power-on switches on. Numbers are typed by hand."""

from typing import Any

import pytest

from saint_services.lib.role_config.model import RoleConfig
from saint_services.lib.role_config.power_on import switched_on
from tests.unit.role.parts.parts_rig import config


def pump(**spec: Any) -> RoleConfig:
    chips = {"chip": {"bus": 0, "address": 0x40, "driver": "pca9685"}} if "device" in spec else {}
    pins = {"pump": {"type": "switch"} | spec}
    return config({"pump": {"kind": "switch"}}, pins, i2c_devices=chips, spi_devices={})


@pytest.mark.parametrize("pin", [0, 1, 4, 5, 6, 7, 8])
def test_switch_on_a_pin_that_power_on_pulls_up_is_warned_of(pin: int) -> None:
    assert list(switched_on(pump(pin=pin))) == [
        f"parts.face.pump is on from power-on until the firmware or the role sets GPIO{pin}, for "
        "the computer pulls this pin up; 10 kΩ from the pin to ground keep it off, as does a pin "
        "from GPIO9 on"
    ]


@pytest.mark.parametrize("pin", [2, 3])
def test_board_with_a_resistor_of_its_own_needs_another_pin(pin: int) -> None:
    assert list(switched_on(pump(pin=pin))) == [
        f"parts.face.pump is on whenever no role drives GPIO{pin}, for 1.8 kΩ on the board pull "
        "this pin up; use a pin from GPIO9 on"
    ]


def test_other_outputs_are_not_warned_of() -> None:
    for role in (
        pump(pin=9),
        pump(pin=27),
        pump(pin=5, active_low=True),
        pump(device="chip", channel=5),
        config(),  # a relay that is active low, a direction on GPIO5
    ):
        assert list(switched_on(role)) == []
