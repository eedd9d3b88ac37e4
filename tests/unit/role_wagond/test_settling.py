"""A wagon that was tilted just now is not armed: the host names it before the board refuses."""

import pytest

from saint_services.lib.wagon.can_frames import WagonAttitude, decode
from saint_services.lib.wagon.meanings import LEVEL_MS, WagonState
from saint_services.role_wagond.board_view import SILENT_S, BoardView
from saint_services.role_wagond.prearm import preventing
from tests.unit.role_wagond.balance_board import BalanceBoard

LEVEL_S = LEVEL_MS / 1000
_STEP_S = 0.02


class Reports:
    """A board that reports every 20 ms."""

    def __init__(self) -> None:
        self.view = BoardView()
        self.now_s = 10.0

    def say(self, seconds: float, pitch: float = 0.0) -> None:
        board = BalanceBoard(pitch=pitch)
        for _ in range(round(seconds / _STEP_S)):
            self.now_s += _STEP_S
            for frame in (board.attitude(self.now_s), board.power()):
                self.view.received(decode(frame), self.now_s)

    @property
    def names(self) -> list[str]:
        found = preventing(self.view, self.now_s, is_stopped=False, is_commanded=False)
        return [each.partition(":")[0] for each in found]


@pytest.fixture
def reports() -> Reports:
    return Reports()


def test_wagon_that_was_lifted_has_to_be_level_for_half_a_second(reports: Reports) -> None:
    reports.say(1.0)
    assert reports.names == []
    reports.say(0.02, pitch=40.0)
    assert reports.names == ["tilt"]
    reports.say(LEVEL_S - 0.02)
    assert reports.names == ["level"]
    reports.say(0.06)
    assert reports.names == []


def test_what_a_silent_board_did_is_not_known(reports: Reports) -> None:
    reports.say(1.0)
    reports.now_s += SILENT_S + 0.01
    reports.say(0.04)
    assert reports.names == ["level"]


def test_a_pitch_that_is_no_number_is_not_level(reports: Reports) -> None:
    reports.say(1.0)
    reports.view.received(
        WagonAttitude(float("nan"), 0.0, 0.0, WagonState.DISARMED, 0), reports.now_s
    )
    assert not reports.view.has_settled(reports.now_s + 1.0)
