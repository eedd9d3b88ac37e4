"""What the BALANCE board says of itself: the frames that the computer's role believes, and the
console's line. Numbers are typed by hand.
"""

import json
import struct

import pytest

from image.boards.balance import telemetry
from image.boards.shared import tables as t
from tests.unit.boards.turns import Turns


@pytest.fixture
def turns() -> Turns:
    found = Turns()
    found.run(50)
    return found


def flags(turns: Turns) -> int:
    return telemetry.flags(turns.board, turns.now_ms)


def test_flags_of_a_board_that_waits_for_its_pilot(turns: Turns) -> None:
    assert flags(turns) == 4 + 32  # a receiver lives, sticks are neutral
    turns.us[1] = 1600
    turns.turn()
    assert flags(turns) == 4
    turns.us[1] = 1500
    turns.us[4] = 1800
    turns.turn()
    assert flags(turns) == 4 + 32
    turns.us[4] = 1801
    turns.turn()
    assert flags(turns) == 4 + 32 + 64


def test_flags_of_the_other_receiver_and_of_the_switch_that_must_be_cycled(turns: Turns) -> None:
    turns.us[4] = 2000
    turns.flags |= 2  # of ELRS
    turns.turn()
    assert flags(turns) == 4 + 8 + 32 + 64 + 128


def test_flags_without_a_receiver_say_nothing_of_it(turns: Turns) -> None:
    turns.arm()
    turns.missing = {"rc"}
    turns.run(205)
    assert flags(turns) == 128


def test_flags_have_the_mode_and_the_computer(turns: Turns) -> None:
    turns.us[5] = 2000
    turns.frame(0x300, struct.pack("<hhBBH", 0, 0, 2, 0, 0))
    turns.turn()
    assert flags(turns) == 2 + 4 + 16 + 32
    turns.frame(0x300, struct.pack("<hhBBH", 0, 0, 1, 0, 0))
    turns.turn()
    assert flags(turns) == 1 + 4 + 16 + 32
    turns.run(500)
    assert flags(turns) == 1 + 4 + 16 + 32
    turns.turn()
    assert flags(turns) == 4 + 32


@pytest.mark.parametrize(
    ("pitch", "sent"),
    [(12.5, 12.5), (1e9, 64992.0), (-1e9, -64992.0), (float("nan"), 0.0), (float("inf"), 0.0)],
)
def test_attitude_is_sent_as_far_as_it_can_be(turns: Turns, pitch: float, sent: float) -> None:
    turns.board.attitude.pitch, turns.board.attitude.yaw_rate = pitch, -7.5
    data = telemetry.attitude(turns.board, turns.now_ms)
    found = struct.unpack("<eeeBB", data)
    # 900 / 15 pole pairs / 60 is a turn a second, of 0.165 m
    assert found == (sent, pytest.approx(0.518, abs=0.001), -7.5, 0, 36)


@pytest.mark.parametrize(("volts", "mv"), [(37.0, 37000), (65.536, 65535), (-1.0, 0)])
@pytest.mark.parametrize(("dbm", "sent"), [(-71, -71), (-300, -128), (300, 127)])
def test_power_is_sent_as_far_as_it_can_be(
    turns: Turns, volts: float, mv: int, dbm: int, sent: int
) -> None:
    for each in turns.board.vescs.each.values():
        each.volts = volts
    turns.board.signals_dbm = [dbm, 5]
    turns.board.fault = 9
    assert telemetry.power(turns.board) == struct.pack("<HBb", mv, 9, sent)


def test_receivers_are_unknown_without_the_io_board(turns: Turns) -> None:
    turns.board.signals_dbm, turns.board.quality = [-60, -80], 97
    found = telemetry.receivers(turns.board, turns.now_ms)
    assert found == struct.pack("<bbB", -60, -80, 97)
    turns.missing = {"heartbeat"}
    turns.turn(201)
    found = telemetry.receivers(turns.board, turns.now_ms)
    assert found == struct.pack("<bbB", -128, -128, 0)


def test_line_of_the_status_says_everything(turns: Turns) -> None:
    turns.board.attitude.pitch, turns.board.attitude.roll = 1.2345, -2.3456
    turns.board.attitude.yaw_rate = 3.4567
    found = json.loads(telemetry.status_line(turns.board, turns.now_ms))
    wheel = {"erpm": 900, "current_a": 2.0, "fet_c": 0.0}
    assert found == {
        "board": "balance",
        "version": "v",
        "uptime_ms": 50,
        "state": "disarmed",
        "armed": False,
        "mode": "rc",
        "fault": 0,
        "prevents": ["switch"],
        "pitch": 1.23,
        "roll": -2.35,
        "yaw_rate": 3.46,
        "speed": 0.518,
        "battery_mv": 37000,
        "rc": True,
        "receiver": "crossfire",
        "rssi": -128,
        "host": False,
        "gains": [12.0, 0.0, 1.5],
        "wheels": {"68": wheel, "56": wheel},
        "sensors": {},
    }


@pytest.mark.parametrize(
    ("state", "name"),
    [(1, "armed"), (2, "failsafe"), (3, "estop"), (4, "tilt"), (5, "fault")],
)
def test_line_of_the_status_names_each_state(turns: Turns, state: int, name: str) -> None:
    turns.board.arming.state = state
    found = json.loads(telemetry.status_line(turns.board, turns.now_ms))
    assert (found["state"], found["armed"]) == (name, state == t.STATE_ARMED)


@pytest.mark.parametrize(("mode", "name"), [(0, "rc"), (1, "assisted"), (2, "autonomous")])
def test_line_of_the_status_names_mode_receiver_and_computer(
    turns: Turns, mode: int, name: str
) -> None:
    turns.us[5], turns.flags = 2000, 7
    turns.frame(0x300, struct.pack("<hhBBH", 0, 0, mode, 0, 0))
    turns.turn()
    line = telemetry.status_line(turns.board, turns.now_ms)
    found = json.loads(line)
    assert (found["mode"], found["receiver"], found["host"]) == (name, "elrs", True)
    assert line.endswith(b"}\n")
