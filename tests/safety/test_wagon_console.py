"""The bench console of the BALANCE board, command by command, and the lines it reads. Numbers are
typed by hand.
"""

import pytest

from image.boards.shared import tables as t
from image.boards.shared.lines import LineReader, numbers
from tests.unit.boards.turns import BRAKE, DUTY, Turns


@pytest.fixture
def turns() -> Turns:
    return Turns()


def say(turns: Turns, line: str) -> str:
    """Type a line; return the reply of that turn."""
    turns.console.sent = b""
    turns.console.waiting = line.encode() + b"\n"
    turns.turn()
    reply: bytes = turns.console.sent
    return reply.decode()


@pytest.mark.parametrize("line", ["ESTOP", "estop", "ESTOP NOW", "  ESTOP  "])
def test_stop_is_obeyed_in_its_turn_whatever_stands_behind_it(turns: Turns, line: str) -> None:
    turns.arm()
    turns.us[1] = 2000
    turns.run(100)
    turns.forget()
    assert say(turns, line) == "OK\n"
    assert turns.state == t.STATE_ESTOP
    assert (turns.sent[BRAKE], turns.sent[DUTY]) == (1, 0)


def test_disarm_ends_armed_and_arm_needs_what_the_switch_needs(turns: Turns) -> None:
    turns.arm()
    assert say(turns, "DISARM") == "OK\n"
    assert turns.state == t.STATE_DISARMED
    turns.us[1] = 1600
    turns.turn()
    assert say(turns, "ARM") == "ERR cannot arm: stick\n"
    turns.us[1] = 1500
    turns.turn()
    assert say(turns, "ARM") == "OK\n"
    assert turns.state == t.STATE_ARMED
    turns.us[4] = 1000
    turns.turn()
    assert say(turns, "ARM") == "ERR cannot arm: switch\n"
    turns.us[1] = 1600
    turns.turn()
    assert say(turns, "ARM") == "ERR cannot arm: stick, switch\n"


@pytest.mark.parametrize("line", ["ARM NOW", "DISARM NOW", "IMU", "IMU CAL NOW", "IMU X", "RUN"])
@pytest.mark.parametrize("is_armed", [False, True])
def test_command_that_is_none_changes_nothing(turns: Turns, line: str, is_armed: bool) -> None:
    if is_armed:
        turns.arm()
    state = turns.state
    assert say(turns, line) == f"ERR unknown command {line.split()[0]}\n"
    assert turns.state == state
    assert not turns.board.calibration.is_running


@pytest.mark.parametrize(("name", "mode"), [("RC", 0), ("ASSISTED", 1), ("AUTO", 2)])
def test_mode_is_said_at_rest_and_counts_for_what_is_driven_then(
    turns: Turns, name: str, mode: int
) -> None:
    bench = turns.board.sources.bench
    assert say(turns, f"MODE {name}") == "OK\n"
    assert (bench.speed, bench.steer, bench.mode, bench.flags) == (0, 0, mode, 0)
    assert bench.is_alive(turns.now_ms)
    assert say(turns, "DRIVE 500 -300") == "OK\n"
    assert (bench.speed, bench.steer, bench.mode, bench.flags) == (500, -300, mode, 1)


def test_console_drives_in_rc_mode_until_it_says_another(turns: Turns) -> None:
    assert say(turns, "DRIVE 500 0") == "OK\n"
    assert turns.board.sources.bench.mode == 0


@pytest.mark.parametrize("line", ["MODE", "MODE 1", "MODE AUTO NOW", "MODE NONE"])
def test_mode_that_is_none_is_refused(turns: Turns, line: str) -> None:
    assert say(turns, line) == "ERR unknown command MODE\n"
    assert not turns.board.sources.bench.is_alive(turns.now_ms)


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("DRIVE 1000 -1000", (1000, -1000)),
        ("DRIVE -1000 1000", (-1000, 1000)),
        ("DRIVE 1001 0", None),
        ("DRIVE -1001 0", None),
        ("DRIVE 0 1001", None),
        ("DRIVE 0 -1001", None),
        ("DRIVE 500", None),
        ("DRIVE 500 0 0", None),
        ("DRIVE 500 nan", None),
        ("DRIVE fast 0", None),
    ],
)
def test_drive_has_its_range(turns: Turns, line: str, found: tuple[int, int] | None) -> None:
    reply = say(turns, line)
    bench = turns.board.sources.bench
    assert bench.is_alive(turns.now_ms) is (found is not None)
    if found:
        assert (reply, bench.speed, bench.steer) == ("OK\n", *found)
    else:
        assert reply == "ERR DRIVE needs speed and steer, -1000 to 1000\n"


def test_gains_are_set_within_their_bounds(turns: Turns) -> None:
    assert say(turns, "PID 20 0.5 2") == "OK\n"
    assert turns.board.assist.gains == (20.0, 0.5, 2.0)
    assert say(turns, "PID 101 0 0") == "ERR the gains are out of range\n"
    assert say(turns, "PID 20 0.5") == "ERR PID needs kp, ki and kd\n"
    assert say(turns, "PID 20 0.5 2 1") == "ERR PID needs kp, ki and kd\n"
    assert turns.board.assist.gains == (20.0, 0.5, 2.0)


def test_calibration_begins_only_disarmed(turns: Turns) -> None:
    turns.arm()
    assert say(turns, "IMU CAL") == "ERR disarm first\n"
    turns.us[4] = 1000
    turns.turn()
    assert say(turns, "IMU CAL") == "OK\n"
    assert turns.board.calibration.is_running


def test_status_is_a_line_of_its_own(turns: Turns) -> None:
    reply = say(turns, "STATUS")
    assert reply.startswith('{"board": "balance"')
    assert reply.count("\n") == 1
    assert say(turns, "STATUS NOW") == "ERR unknown command STATUS\n"


def test_commands_of_one_turn_are_obeyed_one_after_the_other(turns: Turns) -> None:
    turns.arm()
    assert say(turns, "DISARM\nHELLO\nESTOP") == "OK\nERR unknown command HELLO\nOK\n"
    assert turns.state == t.STATE_ESTOP


# --- lines ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b"arm\n", [["ARM"]]),
        (b"drive  5\t6\r", [["DRIVE", "56"]]),
        (b"a b\r\nc\n", [["A", "B"], ["C"]]),
        (b"\n\r\n   \n", []),
        (b"a\x1f\x00b\x7f\xff\n", [["AB"]]),
        (b"~\n", [["~"]]),
        (b"x" * 80 + b"\nb\n", [["X" * 80], ["B"]]),
        (b"x" * 81 + b"\nb\n", [["B"]]),
        (b"x" * 200 + b"\rb\n", [["B"]]),
        (b"arm", []),
    ],
)
def test_lines_of_a_console(data: bytes, found: list[list[str]]) -> None:
    assert LineReader().feed(data) == found
    reader = LineReader()
    assert [line for each in data for line in reader.feed(bytes((each,)))] == found


@pytest.mark.parametrize(
    ("words", "count", "found"),
    [
        (["1", "-2.5"], 2, [1.0, -2.5]),
        (["1"], 2, None),
        (["1", "2", "3"], 2, None),
        (["x"], 1, None),
        (["nan"], 1, None),
        (["inf"], 1, None),
        (["1000000"], 1, [1e6]),
        (["-1000000"], 1, [-1e6]),
        (["1000000.5"], 1, None),
        (["-1000000.5"], 1, None),
        (["1", "nan"], 2, None),
        ([], 0, []),
    ],
)
def test_numbers_are_finite_and_as_many_as_needed(
    words: list[str], count: int, found: list[float] | None
) -> None:
    assert numbers(words, count) == found
