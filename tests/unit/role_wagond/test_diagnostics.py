"""The wagon as rqt_robot_monitor shows it."""

from math import nan

import pytest

from saint_services.lib.generated.builtin_interfaces import Time
from saint_services.lib.generated.saint_msgs import WagonState
from saint_services.role_wagond.diagnostics import diagnostics
from tests.web.fakes.wagon import at_rest

OK, WARN, ERROR, STALE = range(4)


def levels(state: WagonState) -> dict[str, int]:
    found = diagnostics(Time(), "pi_5", state)
    assert {each.hardware_id for each in found.status} == {"pi_5"}
    return {each.name.removeprefix("wagon: "): each.level for each in found.status}


def test_wagon_that_is_well() -> None:
    names = ("board", "battery", "motor left", "motor right", "bus")
    assert levels(at_rest()) == dict.fromkeys(names, OK)


@pytest.mark.parametrize(
    ("field", "value", "name", "level"),
    [
        ("state", "tilt", "board", ERROR),
        ("state", "silent", "board", STALE),
        ("fault_code", 6, "board", ERROR),
        ("fault", "the battery is low", "board", WARN),
        ("battery_voltage", 32.9, "battery", WARN),
        ("battery_voltage", 29.9, "battery", ERROR),
        ("battery_voltage", nan, "battery", STALE),
        ("motor_temperature", (85.0, nan), "motor left", ERROR),
        ("controller_temperature", (20.0, 70.0), "motor right", WARN),
        ("bus", "bus-off", "bus", ERROR),
        ("bus", "passive", "bus", WARN),
        ("bus_load", 0.8, "bus", WARN),
    ],
)
def test_fault_has_its_level(field: str, value: object, name: str, level: int) -> None:
    state = at_rest()
    setattr(state, field, value)
    assert levels(state)[name] == level


def test_motor_that_does_not_report_is_stale() -> None:
    state = at_rest()
    state.motor_current = state.motor_temperature = state.controller_temperature = (nan, nan)
    assert levels(state)["motor left"] == STALE
