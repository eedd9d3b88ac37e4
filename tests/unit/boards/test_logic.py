"""Mixing, stability assist, attitude, accessories and the console of the wagon's boards."""

import json
from math import cos, radians, sin
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from image.boards.balance.attitude import Attitude, Calibration
from image.boards.balance.mcp2515 import packed, unpacked
from image.boards.balance.mixing import Slew, StabilityAssist, accepted_gains, mixed
from saint_services.lib.wagon import can_frames
from saint_services.lib.wagon.meanings import FlagsOfAttitude, WagonMode, WagonState, flags_of
from tests.unit.boards.bench import HIGH, LOW, NEUTRAL, Bench

THOUSANDTHS = st.integers(-1000, 1000)


@given(THOUSANDTHS, THOUSANDTHS, st.floats(0, 1))
def test_mixing_stays_in_range_and_keeps_the_curve(speed: int, steer: int, limit: float) -> None:
    left, right = mixed(speed, steer, limit)
    assert max(abs(left), abs(right)) <= 1000 * limit + 1e-9
    assert left * (speed + steer) == pytest.approx(right * (speed - steer), abs=1e-3)


def test_steering_left_slows_the_left_side() -> None:
    assert mixed(500, 200, 1.0) == (300, 700)


@given(st.lists(THOUSANDTHS, max_size=50))
def test_slew_changes_slowly_and_passes_through_rest(targets: list[int]) -> None:
    slew, before = Slew(), 0.0
    for target in targets:
        value = slew.step(target, 0.005)
        assert abs(value - before) <= 25.0 + 1e-9
        assert value * before >= 0
        before = value


@given(THOUSANDTHS, st.floats(-45, 45), st.floats(-200, 200))
def test_assist_only_takes_speed_away(speed: int, pitch: float, rate: float) -> None:
    assist = StabilityAssist((12.0, 1.0, 1.5))
    found = assist.step(speed, pitch, rate, 0.005)
    assert found * speed >= 0
    assert abs(found) <= abs(speed)


def test_assist_takes_speed_away_when_the_nose_rises() -> None:
    assist = StabilityAssist((12.0, 0.0, 0.0))
    assert assist.step(800, -10.0, 0.0, 0.005) == pytest.approx(680, abs=1)
    assert assist.step(800, 10.0, 0.0, 0.005) == 800


def test_gains_change_in_small_steps_only_while_armed() -> None:
    assert accepted_gains((10, 0, 1), (50, 1, 2), False) == (50, 1, 2)
    assert accepted_gains((10, 0, 1), (11, 0.05, 1.1), True)
    assert accepted_gains((10, 0, 1), (11.1, 0, 1), True) is None
    assert accepted_gains((10, 0, 1), (10, 0, 100.5), False) is None
    assert accepted_gains((10, 0, 1), (10, 0, -0.1), False) is None


@pytest.mark.parametrize("angle", [-80, -25, 0, 10, 60])
def test_attitude_is_known_with_the_first_sample(angle: int) -> None:
    attitude = Attitude()
    attitude.measured(1, (-sin(radians(angle)), 0.0, cos(radians(angle)), 0, 0, 0), 10)
    assert attitude.pitch == pytest.approx(angle, abs=0.01)


def test_attitude_after_a_turn_faster_than_the_sensor_is_that_of_gravity() -> None:
    attitude = Attitude()
    attitude.measured(1, (0.0, 0.0, 1.0, 0, 0, 0), 10)
    attitude.measured(2, (-sin(1.0), 0.0, cos(1.0), 0, 511.9, 0), 15)
    assert attitude.pitch == pytest.approx(57.3, abs=0.1)
    attitude.measured(3, (3.0, 0.0, 1.0, 0, 511.9, 0), 20)
    assert not attitude.is_good(20)  # and no gravity: it is not known


def test_attitude_of_a_wagon_on_its_back_is_tilted() -> None:
    attitude = Attitude()
    attitude.measured(1, (0.0, 0.0, -1.0, 0, 0, 0), 10)
    assert attitude.tilt > 170


def test_attitude_is_not_fooled_by_a_long_acceleration() -> None:
    attitude = Attitude()
    for number in range(600):  # 3 s forward with 0.5 g
        sample = (0.5 if number > 200 else 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
        attitude.measured(number, sample, number * 5)
    assert abs(attitude.pitch) < 3.0


def test_calibration_measures_the_offsets_and_refuses_a_moving_wagon() -> None:
    calibration = Calibration()
    calibration.start()
    for _ in range(Calibration.SAMPLES):
        calibration.corrected((0, 0, 1, 0.5, -0.25, 1.0))
    assert calibration.result() == "ok"
    assert calibration.corrected((0, 0, 1, 0.5, -0.25, 1.0)) == (0, 0, 1, 0, 0, 0)
    calibration.start()
    for number in range(Calibration.SAMPLES):
        calibration.corrected((0, 0, 1, float(number % 7), 0, 0))
    assert calibration.result() == "the wagon moved"


@given(st.integers(0, 2**29 - 1), st.binary(max_size=8), st.booleans())
def test_registers_of_the_can_controller(number: int, data: bytes, is_extended: bool) -> None:
    number = number if is_extended else number & 0x7FF
    buffer = packed(number, data, is_extended) + bytes(8)
    assert unpacked(buffer[:13]) == (number, data, is_extended)


# --- the whole board --------------------------------------------------------------------------


@pytest.fixture
def bench() -> Bench:
    found = Bench()
    found.run(1000)
    return found


def flags(bench: Bench) -> FlagsOfAttitude:
    return flags_of(bench.telemetry[0x400].flags)


def test_flags_say_what_the_boards_know(bench: Bench) -> None:
    assert flags(bench) == FlagsOfAttitude(WagonMode.RC, True, False, False, True, False, False)
    bench.host = can_frames.WagonDrive(0, 0, WagonMode.ASSISTED, 0)
    bench.channel(6, HIGH)
    bench.channel(5, HIGH)
    bench.run(40)  # the switch moves within one receiver
    bench.radios[0].is_on = False
    bench.run(400)
    expected = FlagsOfAttitude(WagonMode.ASSISTED, True, True, True, True, True, False)
    assert flags(bench) == expected
    assert bench.telemetry[0x400].state == WagonState.ARMED


@pytest.mark.parametrize(
    ("switch_us", "wanted", "mode"),
    [
        (LOW, 2, WagonMode.RC),
        (NEUTRAL, 2, WagonMode.ASSISTED),
        (HIGH, 2, WagonMode.AUTONOMOUS),
        (HIGH, 1, WagonMode.ASSISTED),
        (HIGH, 0, WagonMode.RC),
        (HIGH, 3, WagonMode.RC),
    ],
)
def test_lower_one_of_two_modes_is_in_force(
    bench: Bench, switch_us: int, wanted: int, mode: WagonMode
) -> None:
    bench.channel(6, switch_us)
    bench.host = can_frames.WagonDrive(0, 0, wanted, 0)
    bench.run(100)
    assert flags(bench).mode is mode


def test_knob_of_the_pilot_limits_the_speed(bench: Bench) -> None:
    bench.channel(7, 1500)
    bench.drive()
    assert bench.vesc_duties == pytest.approx([0.2, 0.2], abs=0.001)


def test_stick_to_the_right_turns_right(bench: Bench) -> None:
    bench.arm()
    bench.channel(1, 1700)
    bench.run(600)
    left, right = bench.vesc_duties
    assert left > 0 > right
    assert [duty > 0 for duty in bench.bridge_duties] == [True, True, False, False]


def test_computer_that_pauses_stops_before_it_is_given_up(bench: Bench) -> None:
    bench.autonomous()
    bench.host = None
    assert bench.until(lambda: not bench.is_turning, 300) <= 290


def test_brakes_at_rest_only_where_the_computer_requests_it(bench: Bench) -> None:
    bench.autonomous()
    sent: list[int] = []
    bench.can.send = lambda number, *_: sent.append(number >> 8) or True  # type: ignore[method-assign, func-returns-value]
    bench.host = can_frames.WagonDrive(0, 0, WagonMode.AUTONOMOUS, 0)
    bench.run(1000)
    assert sent[-20:].count(1) > 2
    assert 2 not in sent[-20:]
    bench.host = can_frames.WagonDrive(0, 0, WagonMode.AUTONOMOUS, 1)
    bench.run(1000)
    assert 2 in sent[-20:]


def test_bridges_stay_off_where_motor_controllers_drive() -> None:
    bench = Bench(has_bridges=False)
    bench.run(1000)
    bench.drive()
    assert not any(bench.bridge_duties)


def test_accessories_follow_the_state(bench: Bench) -> None:
    assert bench.strip.colour == (0, 0, 255)
    bench.channel(8, HIGH)
    bench.run(100)
    assert bench.horn.level == 1
    bench.channel(8, LOW)
    bench.drive()
    assert (bench.horn.level, bench.light.level, bench.strip.colour) == (0, 1, (0, 255, 0))
    bench.vescs[68].fet_c = 72.0
    bench.run(200)
    assert bench.fan.level == 1
    bench.cut_balance()
    bench.run(300)
    assert bench.light.level == 0
    assert bench.strip.colour in ((255, 0, 0), (0, 0, 0))


def test_horn_that_is_held_becomes_a_klaxon(bench: Bench) -> None:
    bench.channel(8, HIGH)
    levels = set()
    for _ in range(200):
        bench.step()
        levels.add(bench.horn.level if bench.now_ms % 1000 < 900 else 1)
    assert levels == {0, 1}


def status(bench: Bench) -> dict[str, Any]:
    found = json.loads(bench.command("STATUS"))
    assert isinstance(found, dict)
    return found


def test_console_obeys_the_documents_commands(bench: Bench) -> None:
    assert status(bench)["state"] == "disarmed"
    bench.channel(5, HIGH)
    bench.run(100)
    assert bench.command("DISARM") == "OK\n"
    assert bench.command("ARM") == "OK\n"
    assert status(bench)["armed"] is True
    assert bench.command("IMU CAL") == "ERR disarm first\n"
    assert bench.command("PID 50 0 1") == "ERR the gains are out of range\n"
    bench.command("DISARM")
    assert bench.command("PID 50 0 1") == "OK\n"
    assert status(bench)["gains"] == [50.0, 0.0, 1.0]
    assert bench.command("IMU CAL") == "OK\n"
    bench.run(1200)
    assert bench.console.sent == b"IMU CAL ok\n"
    bench.console.sent = b""
    assert bench.command("MODE ASSISTED") == "OK\n"
    assert bench.command("ESTOP") == "OK\n"
    assert status(bench)["state"] == "estop"


@pytest.mark.parametrize(
    "line",
    [
        "DRIVE",
        "DRIVE 1001 0",
        "DRIVE x 0",
        "DRIVE nan 0",
        "MODE",
        "MODE 7",
        "PID 1 2",
        "HELLO",
        "?",
    ],
)
def test_console_refuses_what_it_does_not_know(bench: Bench, line: str) -> None:
    assert bench.command(line).startswith("ERR ")


def test_console_ignores_a_line_without_end(bench: Bench) -> None:
    bench.command("x" * 5000)
    assert status(bench)["board"] == "balance"


def test_io_board_reports_its_status(bench: Bench) -> None:
    bench.io_console.waiting = b"STATUS\nARM\n"
    bench.step()
    first, second = bench.io_console.sent.splitlines()
    found = json.loads(first)
    assert (found["board"], found["receiver"], found["armed"]) == ("io", "crossfire", False)
    assert second.startswith(b"ERR ")
