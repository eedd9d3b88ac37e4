"""The simulated board: what other processes see of it, dead or alive."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from saint_services.lib.errors import Code, SaintError
from saint_services.lib.guard.ports import WillPorts, carry_out
from saint_services.lib.guard.will import Will, Write, WriteKind
from saint_services.lib.hw import open_board, will_of
from saint_services.lib.records import Records
from tests.unit.role.role_rig import load_role
from tools.sim.board import SimBoard
from tools.sim.chips.base import ChipFault
from tools.sim.observe import PinWatch, read_pins, write_pin

WRITER = """
import sys
from pathlib import Path
from tools.sim.board import SimBoard
from tools.sim.chips.base import ChipFault
board = SimBoard(Path(sys.argv[1]))
left = board.pwm(12, 20000, "left_motor")
print("ready", flush=True)
value = 0
while True:
    value += 1
    left.set_duty(float(value))
"""


def test_pins_keep_their_values_and_counts(tmp_path: Path) -> None:
    board = SimBoard(tmp_path)
    before_ns = time.monotonic_ns()
    pin = board.pwm(12, 50, "pan")
    pin.set_pulse_us(1500.0)
    pin.set_pulse_us(1600.0)
    board.close()
    reading = read_pins(tmp_path)[12]
    assert (reading.value, reading.writes) == (1600.0, 2)
    assert before_ns < reading.stamp_ns <= time.monotonic_ns()


def test_reader_never_sees_half_a_write_and_values_survive_a_kill(tmp_path: Path) -> None:
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    assert writer.stdout
    assert writer.stdout.readline() == "ready\n"
    watch = PinWatch(tmp_path)
    end_s = time.monotonic() + 0.5
    last = 0
    while time.monotonic() < end_s:
        reading = watch.read(12)
        assert reading.value == reading.writes  # the n-th write has the value n
        assert reading.writes >= last
        last = reading.writes
    os.kill(writer.pid, signal.SIGKILL)
    writer.wait(5)
    writer.stdout.close()
    reading = watch.read(12)
    assert reading.value == reading.writes > 100
    watch.close()


def test_killed_writer_no_longer_uses_its_pin(tmp_path: Path) -> None:
    board = SimBoard(tmp_path)
    board.pwm(12, 20_000, "left_motor")
    assert board.pins()[12].used_by == "left_motor"
    board.bank._records.label(12, 3, 2**22 + 1, "left_motor")  # no such process
    assert not board.pins()[12].in_use
    board.close()


def test_pin_report_names_direction_and_state(tmp_path: Path) -> None:
    board = SimBoard(tmp_path)
    board.pwm(12, 20_000, "motor").set_duty(0.5)
    board.pwm(13, 50, "servo").set_pulse_us(2000.0)
    board.output(5, "direction").set(True)
    board.edges((6,), "button", pull_up=True)
    pins = board.pins()
    assert len(pins) == 28
    shown = {n: (pins[n].direction, pins[n].current_state) for n in (2, 5, 6, 12, 13, 14)}
    assert shown == {
        2: ("i2c", "low"),
        5: ("output", "high"),
        6: ("input", "high"),
        12: ("pwm", "pwm_50"),
        13: ("pwm", "pwm_10"),
        14: ("uart", "low"),
    }
    board.close()


@pytest.mark.parametrize("rest", [False, True])
def test_output_line_that_is_released_falls_to_its_rest_level(tmp_path: Path, rest: bool) -> None:
    board = SimBoard(tmp_path)
    line = board.output(5, "pump", high=rest)
    assert read_pins(tmp_path)[5].value == float(rest)
    line.set(not rest)
    assert read_pins(tmp_path)[5].value == float(not rest)
    line.close()
    assert read_pins(tmp_path)[5].value == float(rest)
    assert board.pins()[5].direction == "input"
    board.close()


def test_output_line_is_at_its_rest_level_from_the_start(tmp_path: Path) -> None:
    board = SimBoard(tmp_path)
    board.output(5, "pump").set(True)
    board.output(5, "pump")  # of a process after one that was killed
    assert read_pins(tmp_path)[5].value == 0.0
    board.close()


def test_pulse_is_found_by_the_next_process(tmp_path: Path) -> None:
    SimBoard(tmp_path).pwm(12, 50, "pan").set_pulse_us(1234.0)
    assert SimBoard(tmp_path).pwm(12, 50, "pan").pulse_us() == 1234.0
    assert SimBoard(tmp_path).pwm(13, 50, "tilt").pulse_us() == 0.0


def test_board_file_says_what_is_plugged_in(tmp_path: Path) -> None:
    (tmp_path / "board.yaml").write_text("chips: [{bus: 1, address: 0x41, driver: pca9685}]\n")
    board = SimBoard(tmp_path)
    assert [found.address for found in board.peripherals()] == ["0.0", "0.1", "1:0x41"]
    with pytest.raises(OSError, match="no acknowledge"):
        board.i2c(1).write(0x40, b"\0")
    board.close()


def test_bus_whose_data_line_is_held_low_shows_no_chips(tmp_path: Path) -> None:
    board = SimBoard(tmp_path)
    board._chips[1, 0x3C].set_fault(ChipFault.LOW)
    found = {each.address: each.responsive for each in board.peripherals() if each.type == "i2c"}
    assert found == {"1": False}
    board.close()


def test_wrong_board_file_is_one_clear_sentence(tmp_path: Path) -> None:
    (tmp_path / "board.yaml").write_text("chips: [{bus: 1, adress: 0x41, driver: pca9685}]\n")
    with pytest.raises(SaintError, match="adress") as caught:
        SimBoard(tmp_path)
    assert caught.value.code is Code.CONFIG_INVALID


@pytest.mark.parametrize("spec", ["", "sim", "sim:", "virtual"])
def test_unknown_board_is_refused(spec: str) -> None:
    with pytest.raises(SaintError, match="SAINT_HW"):
        open_board(spec)


def test_safe_means_motors_off_and_servos_held(tmp_path: Path) -> None:
    dead = SimBoard(tmp_path / "tracks")
    dead.pwm(12, 20_000, "left_motor").set_duty(1.0)
    dead.pwm(13, 20_000, "right_motor").set_duty(0.3)
    board = open_board(f"sim:{tmp_path / 'tracks'}")
    ports = WillPorts(will_of(board, load_role("tracks"), "role-tracksd"))
    began_s = time.perf_counter()
    assert ports.carry_out() == []
    assert time.perf_counter() - began_s < 0.005
    pins = read_pins(tmp_path / "tracks")
    assert (pins[12].value, pins[13].value) == (0.0, 0.0)

    dead = SimBoard(tmp_path / "head")
    dead.pwm(12, 50, "pan").set_pulse_us(1700.0)
    head = open_board(f"sim:{tmp_path / 'head'}")
    assert will_of(head, load_role("head"), "role-headd").writes == ()
    assert read_pins(tmp_path / "head")[12].value == 1700.0


def test_output_that_cannot_be_stopped_does_not_keep_the_others_running(tmp_path: Path) -> None:
    board = SimBoard(tmp_path)
    board.bank.write(13, 1.0)
    rest = will_of(board, load_role("tracks"), "role-tracksd").writes
    broken = Write(WriteKind.FILE, str(tmp_path / "nothing"), 0, b"0")
    failures = carry_out([Will("role-tracksd", "tracks", (broken, *rest))])
    assert failures == [f"{tmp_path / 'nothing'}: No such file or directory"]
    assert board.bank.read(13).value == 0.0
    board.close()


def test_written_input_is_seen_by_the_board(tmp_path: Path) -> None:
    board = SimBoard(tmp_path)
    button = board.edges((5,), "button_a", pull_up=True)
    assert button.levels() == {5: True}
    write_pin(tmp_path, 5, 0.0)
    assert button.levels() == {5: False}
    board.close()


def test_record_text_is_cut_to_its_room(tmp_path: Path) -> None:
    records = Records(tmp_path / "records", 2)
    records.label(0, 1, 2, "x" * 1000)
    assert records.labels(0) == (1, 2, "x" * 64)
    assert records.labels(1) == (0, 0, "")
    assert records.read(1).writes == 0
    records.close()
