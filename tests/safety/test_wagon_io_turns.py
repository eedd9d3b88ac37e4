"""The IO board turn by turn: what it reads, drives and reports, at the very bound of each rule.
Numbers are typed by hand; wires are lists.
"""

import json
from typing import Any

import pytest

from image.boards.io.accessories import Accessories
from image.boards.io.bridges import Bridge, Bridges
from image.boards.io.io_board import IoBoard
from image.boards.shared import tables as t
from image.boards.shared.link import LinkParser, framed
from tests.unit.boards.bench import Pin, Strip, crsf_channels, crsf_frame
from tests.unit.boards.turns import CHANNELS, Wire

ARMED = 1


class IoTurns:
    """The board with one bridge on the left; receivers and the BALANCE board speak each turn."""

    def __init__(self, start_ms: int = 0) -> None:
        self.now_ms = start_ms
        self.us = [list(CHANNELS), list(CHANNELS)]
        self.is_on = [True, True]
        self.is_balance_on = True
        self.state = ARMED
        self.lines, self.link, self.console = [Wire(), Wire()], Wire(), Wire()
        self.pins = [Pin(), Pin(), Pin()]
        self.outputs = [Pin() for _ in range(4)]
        self.strip = Strip()
        self.board = IoBoard(
            *self.lines,
            self.link,
            self.console,
            Bridges((Bridge(*self.pins),), ()),
            Accessories(self.strip, *self.outputs),
            start_ms,
            "v",
        )

    def turn(self, ms: int = 5) -> None:
        """Let one turn come so much later."""
        self.now_ms += ms
        for us, is_on, line in zip(self.us, self.is_on, self.lines, strict=True):
            if is_on:
                line.waiting += crsf_channels(us)
        if self.is_balance_on:
            self.link.waiting += framed(t.LINK_HEARTBEAT, 1)
            self.link.waiting += framed(t.LINK_STATUS, self.state, 0.0, 0.0)
            self.link.waiting += framed(t.LINK_WHEELS, 500, 500)
        self.board.step(self.now_ms)

    def run(self, ms: int, step_ms: int = 5) -> None:
        for _ in range(ms // step_ms):
            self.turn(step_ms)

    def drive(self) -> None:
        self.run(300)
        for us in self.us:
            us[4] = 2000
        self.turn()
        assert self.is_driving
        self.link.sent = b""

    @property
    def is_driving(self) -> bool:
        return bool(self.pins[2].level and self.pins[0].share)

    def messages(self, row: tuple[Any, ...]) -> list[Any]:
        """Return what was sent to the BALANCE board of one type."""
        return [values for kind, values in LinkParser().feed(self.link.sent, 0) if kind == row[0]]


@pytest.fixture
def turns() -> IoTurns:
    return IoTurns()


def test_new_board_drives_nothing_and_knows_no_receiver() -> None:
    board = IoTurns().board
    assert not board.is_armed
    assert not board.has_pilot
    assert (board.version, board.chips) == ("v", None)


@pytest.mark.parametrize(("us", "is_driving"), [(1200, False), (1800, False), (1801, True)])
def test_bridges_need_the_arm_switch_above_1800_us(
    turns: IoTurns, us: int, is_driving: bool
) -> None:
    turns.drive()
    turns.us[0][4] = turns.us[1][4] = us
    turns.turn()
    assert turns.is_driving is is_driving
    assert turns.board.has_pilot is is_driving


def test_bridges_stop_with_the_last_receiver(turns: IoTurns) -> None:
    turns.drive()
    turns.is_on = [False, False]
    turns.run(300)
    assert turns.is_driving
    turns.turn(1)
    assert not turns.is_driving
    assert not turns.board.has_pilot


def test_bridge_is_driven_with_its_share(turns: IoTurns) -> None:
    turns.drive()
    assert (turns.pins[0].share, turns.pins[1].share) == (0.5, 0.0)


@pytest.mark.parametrize(("ms", "is_driving"), [(200, True), (201, False)])
def test_loop_that_stood_still_takes_the_enables_low(
    turns: IoTurns, ms: int, is_driving: bool
) -> None:
    turns.drive()
    turns.turn(ms)
    assert turns.is_driving is is_driving
    turns.turn()
    assert turns.is_driving


@pytest.mark.parametrize(("ms", "us"), [(200, 1700), (201, 1500)])
def test_channels_that_waited_for_a_loop_that_stood_still_are_dropped(
    turns: IoTurns, ms: int, us: int
) -> None:
    turns.drive()
    turns.us[0][1] = 1700
    turns.turn(ms)
    assert turns.board.receivers.channels[1] == us


def test_messages_that_waited_for_a_loop_that_stood_still_are_dropped(turns: IoTurns) -> None:
    """The BALANCE board may have died meanwhile: what it said before must not count for 200 ms."""
    turns.drive()
    turns.turn(201)
    turns.is_balance_on = False
    turns.turn(5)
    assert not turns.is_driving
    assert not turns.board.is_armed


def test_board_is_armed_while_the_other_one_says_so_or_a_bridge_drives(turns: IoTurns) -> None:
    turns.drive()
    assert turns.board.is_armed
    turns.us[0][4] = turns.us[1][4] = 1000
    turns.turn()
    assert not turns.is_driving
    assert turns.board.is_armed
    turns.is_balance_on = False
    turns.run(200)
    assert turns.board.is_armed
    turns.turn(1)
    assert not turns.board.is_armed


def test_bridge_that_drives_is_armed_whatever_was_said_then(turns: IoTurns) -> None:
    turns.drive()
    turns.board.bridges.received(t.LINK_STATUS[0], (0, 0.0, 0.0), turns.now_ms)
    assert turns.board.is_armed


def test_end_of_the_program_switches_all_off(turns: IoTurns) -> None:
    turns.link.waiting = framed(t.LINK_ACTUATORS, 255, 255, 255, 255, 255)
    turns.drive()
    assert all(each.level for each in turns.outputs)
    turns.board.off()
    assert not turns.is_driving
    assert not any(each.level for each in turns.outputs)
    assert turns.strip.colour == (0, 0, 0)


def test_accessories_show_a_missing_balance_board_behind_200_ms(turns: IoTurns) -> None:
    turns.drive()
    turns.is_balance_on = False
    turns.run(200)
    assert turns.outputs[2].level == 0
    turns.turn(1)
    assert turns.outputs[2].level == 1  # the fan


# --- reports ----------------------------------------------------------------------------------


def test_channels_are_sent_every_20_ms_though_nothing_is_received(turns: IoTurns) -> None:
    turns.is_on = [False, False]
    turns.run(1000)
    found = turns.messages(t.LINK_RC_CHANNELS)
    assert found == [(*(1500,) * 4, *(1000,) * 12, 0)] * 50


def test_new_channels_are_sent_in_their_turn(turns: IoTurns) -> None:
    turns.drive()
    turns.us[0][1] = 1650
    turns.run(50)
    found = turns.messages(t.LINK_RC_CHANNELS)
    assert [(each[1], each[-1]) for each in found] == [(1650, 5)] * 10


def test_channels_are_repeated_20_ms_behind_the_last(turns: IoTurns) -> None:
    turns.drive()
    turns.turn(15)
    turns.is_on = [False, False]
    turns.link.sent = b""
    turns.turn(15)
    assert turns.messages(t.LINK_RC_CHANNELS) == []
    turns.turn(5)
    assert [each[-1] for each in turns.messages(t.LINK_RC_CHANNELS)] == [1]


def test_loss_of_the_receivers_is_sent_in_its_turn(turns: IoTurns) -> None:
    turns.drive()
    turns.is_on = [False, False]
    while turns.board.receivers.active != 2:
        turns.link.sent = b""
        turns.turn(1)
    assert [each[-1] for each in turns.messages(t.LINK_RC_CHANNELS)] == [0]
    turns.link.sent = b""
    turns.run(19, 1)
    assert turns.messages(t.LINK_RC_CHANNELS) == []
    turns.turn(1)
    assert len(turns.messages(t.LINK_RC_CHANNELS)) == 1


def test_heartbeat_comes_every_50_ms_with_the_time_since_the_start() -> None:
    turns = IoTurns(7000)
    turns.run(1000)
    found = turns.messages(t.LINK_HEARTBEAT)
    assert found == [(5 + 50 * number,) for number in range(20)]


def test_heartbeat_counts_on_behind_32_bits(turns: IoTurns) -> None:
    turns.turn(2**32 + 7)
    assert turns.messages(t.LINK_HEARTBEAT) == [(7,)]


def test_signals_of_both_receivers_come_every_200_ms(turns: IoTurns) -> None:
    turns.lines[0].waiting = crsf_frame(0x14, bytes((60, 70, 88) + (0,) * 7))
    turns.lines[1].waiting = crsf_frame(0x14, bytes((80, 70, 66) + (0,) * 7))
    turns.run(395)
    assert turns.messages(t.LINK_SENSOR) == [(4, -60.0), (5, -80.0), (6, 88.0)] * 2
    turns.is_on[0] = False
    turns.run(420)
    assert turns.messages(t.LINK_SENSOR)[-3:] == [(4, -128.0), (5, -80.0), (6, 66.0)]


class Chips:
    """Those of the I2C bus."""

    def __init__(self) -> None:
        self.polled: list[int] = []
        self.stepped: list[int] = []

    def poll(self, now_ms: int) -> list[bytes]:
        self.polled.append(now_ms)
        return [framed(t.LINK_SENSOR, t.SENSOR_DISTANCE, 0.5)]

    def step(self, now_ms: int) -> None:
        self.stepped.append(now_ms)

    def status(self, now_ms: int) -> dict[str, object]:
        return {"nfc": now_ms}


def test_chips_take_a_step_each_turn_and_report_with_the_signals(turns: IoTurns) -> None:
    chips = Chips()
    turns.board.chips = chips  # type: ignore[assignment] - what the board calls
    turns.run(210)
    assert chips.stepped == list(range(5, 215, 5))
    assert chips.polled == [5, 205]
    assert turns.messages(t.LINK_SENSOR)[3] == (1, 0.5)
    turns.console.waiting = b"STATUS\n"
    turns.turn()
    assert json.loads(turns.console.sent)["chips"] == {"nfc": 215}


def test_console_knows_the_status_only() -> None:
    turns = IoTurns(1000)
    turns.drive()
    turns.console.waiting = b"ARM\nSTATUS NOW\nstatus\n"
    turns.turn()
    refusal = b"ERR the IO board knows STATUS only\n"
    assert turns.console.sent.startswith(refusal * 2 + b"{")
    assert json.loads(turns.console.sent.splitlines()[2]) == {
        "board": "io",
        "version": "v",
        "uptime_ms": 310,
        "armed": True,
        "receiver": "crossfire",
        "rssi": [-128, -128],
        "balance": True,
        "channels": [1500] * 4 + [2000, 1000, 2000, 1000] + [1000] * 8,
        "chips": {},
    }
    assert turns.console.sent.endswith(b"}\n")
