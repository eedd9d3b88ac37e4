"""The warning about parts that draw too much from 5 V. Numbers are typed by hand."""

from typing import Any

from saint_services.lib.role_config.model import RoleConfig
from saint_services.lib.role_config.supply import BOARD_A, SUPPLY_A, overload
from tests.unit.role.parts.parts_rig import config

SERVO = {"kind": "position", "unit": "deg", "limits": [-30, 30], "max_rate": 300,
         "on_loss": "neutral"}  # fmt: skip


def face(servos: int, lights: int = 1, **chip: Any) -> RoleConfig:
    names = [f"servo_{at}" for at in range(servos)]
    outputs = {
        name: {"type": "pca9685", "device": "chip", "channel": at} for at, name in enumerate(names)
    }
    board = {"bus": 1, "address": 0x40, "driver": "pca9685"} | chip
    strip = {"bus": 0, "select": 0, "driver": "ws2812", "count": lights}
    fields = dict.fromkeys(names, SERVO)
    return config(fields, outputs, i2c_devices={"chip": board}, spi_devices={"strip": strip})


def test_budget_is_that_of_a_pi_4_with_its_own_supply() -> None:
    assert (SUPPLY_A, BOARD_A) == (3.0, 0.6)


def test_nine_servos_fit_and_ten_are_warned_of() -> None:
    assert overload([face(9)]) == ""
    assert overload([face(10)]).startswith(
        "parts.face may draw 2.5 A from 5 V (10 servos of 0.25 A, 1 light of 0.02 A); a Pi with a "
        "supply of 3 A has 2.4 A left"
    )


def test_roles_of_one_computer_count_together() -> None:
    assert overload([face(5), face(5)]) != ""


def test_servos_with_a_supply_of_their_own_do_not_count() -> None:
    assert overload([face(16, own_supply=True)]) == ""


def test_long_strip_is_warned_of() -> None:
    assert "150 lights of 0.02 A" in overload([face(0, lights=150)])
