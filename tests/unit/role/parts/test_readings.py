"""Buttons, and what motor controllers measure, as readings of the role parts."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from saint_services.lib.hw.motors.drives import Drives
from saint_services.lib.hw.ports import EdgeCallback
from saint_services.lib.role.parts.readings import PartReadings
from tests.unit.role.parts.parts_rig import FIELDS, PINS, config
from tests.unit.role.role_rig import FakeClock
from tools.sim.board import SimBoard


class _Edges:
    """A pin with a pull-up that a test presses."""

    callback: EdgeCallback

    def levels(self) -> dict[int, bool]:
        return {19: True}

    def listen(self, callback: EdgeCallback) -> None:
        self.callback = callback

    def close(self) -> None: ...


class _Board:
    def __init__(self) -> None:
        self.pin = _Edges()

    def edges(self, pins: Sequence[int], used_by: str, *, pull_up: bool = False) -> _Edges:
        assert (tuple(pins), used_by, pull_up) == ((19,), "hatch", True)
        return self.pin


def test_button_is_one_while_pressed_and_a_short_press_counts_once() -> None:
    pins = {"brow": PINS["brow"], "hatch": {"type": "button", "pin": 19}}
    role = config({"brow": FIELDS["brow"]}, pins, i2c_devices={"chip": CHIP})
    readings, clock, board = PartReadings(role, has_inputs=True), FakeClock(), _board()
    readings.open(board, Drives(board, role), clock, {})
    readings.listen()
    assert readings.names == ("hatch",)
    assert readings.values(None) == (0.0,)
    board.pin.callback(19, False, 0)
    clock.advance(0.1)
    assert readings.values(None) == (1.0,)
    board.pin.callback(19, True, 0)
    clock.advance(0.1)
    assert readings.values(None) == (0.0,)
    board.pin.callback(19, False, 0)
    clock.advance(0.03)
    board.pin.callback(19, True, 0)
    clock.advance(0.1)
    assert readings.values(None) == (1.0,)
    assert readings.values(None) == (0.0,)


CHIP = {"bus": 1, "address": 0x40, "driver": "pca9685"}


def _board() -> Any:
    return _Board()


def test_vesc_of_a_part_reports_what_it_measures(tmp_path: Path) -> None:
    pins = {"motor": {"type": "vesc", "device": "drive"}}
    nodes = {"drive": {"port": "can0", "driver": "vesc", "id": 68}}
    role = config({"motor": FIELDS["motor"]}, pins, i2c_devices={}, can_devices=nodes)
    board, readings = SimBoard(tmp_path), PartReadings(role, has_inputs=True)
    board.prepare(role)
    readings.open(board, Drives(board, role), FakeClock(), {})
    values = dict(zip(readings.names, readings.values(None), strict=True))
    assert list(zip(readings.names, readings.units, strict=True)) == [
        ("drive_speed", "rad/s"),
        ("drive_current", "A"),
        ("drive_supply_current", "A"),
        ("drive_voltage", "V"),
        ("drive_temperature", "degC"),
        ("drive_motor_temperature", "degC"),
    ]
    assert (values["drive_voltage"], values["drive_temperature"]) == (36.0, 30.0)
    assert math.isnan(values["drive_motor_temperature"])  # no sensor in the motor
    readings.close()
    board.close()
