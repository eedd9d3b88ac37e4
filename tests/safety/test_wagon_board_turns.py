"""The BALANCE board turn by turn: what it reads, decides and sends, at the very bound of each rule.
Numbers are typed by hand; wires are lists.
"""

import struct

import pytest

from image.boards.shared import tables as t
from image.boards.shared.codec import pack
from tests.unit.boards.turns import BRAKE, CURRENT, DUTY, Turns


@pytest.fixture
def turns() -> Turns:
    return Turns()


def test_new_board_doubts_everything() -> None:
    board = Turns().board
    assert (board.fault, board.start_fault, board.reported_fault) == (11, 0, 11)
    assert (board.arming.is_armed, board.rssi_dbm, board.version) == (False, -128, "v")
    assert not board.has_bridges


def test_board_with_good_reports_has_no_fault_and_arms(turns: Turns) -> None:
    turns.arm()
    assert turns.board.fault == t.FAULT_NONE


@pytest.mark.parametrize(
    ("missing", "limit_ms", "fault"),
    [("heartbeat", 200, t.FAULT_IO_BOARD), ("vescs", 500, t.FAULT_VESC_LOST)],
)
def test_report_that_is_missing_is_a_fault_behind_its_limit(
    turns: Turns, missing: str, limit_ms: int, fault: int
) -> None:
    turns.arm()
    turns.missing = {missing}
    turns.run(limit_ms)
    assert (turns.board.fault, turns.state) == (t.FAULT_NONE, t.STATE_ARMED)
    turns.turn(1)
    assert (turns.board.fault, turns.state) == (fault, t.STATE_FAULT)


def test_sensor_that_is_silent_is_a_fault_behind_100_ms(turns: Turns) -> None:
    turns.arm()
    turns.imu.is_silent = True
    turns.run(100)
    assert turns.state == t.STATE_ARMED
    turns.turn(1)
    assert (turns.board.fault, turns.state) == (t.FAULT_IMU, t.STATE_FAULT)


def test_pilot_who_is_missing_is_a_failsafe(turns: Turns) -> None:
    turns.arm()
    turns.missing = {"rc"}
    turns.run(200)
    assert turns.state == t.STATE_ARMED
    turns.turn(1)
    assert turns.state == t.STATE_FAILSAFE


@pytest.mark.parametrize(("ms", "state"), [(200, t.STATE_ARMED), (201, t.STATE_FAULT)])
def test_loop_that_stood_still_is_a_fault(ms: int, state: int) -> None:
    turns = Turns()
    turns.arm()
    # The sensor and the others are fresh: only the time between two turns counts.
    turns.imu.sample = (0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
    turns.turn(ms)
    assert turns.state == state
    assert turns.board.reported_fault == (t.FAULT_INTERNAL if state == t.STATE_FAULT else 0)
    turns.turn()
    assert turns.board.fault == t.FAULT_NONE


def test_gravest_fault_is_reported_first(turns: Turns) -> None:
    turns.run(50)
    turns.volts = 25.0
    turns.run(2005)
    assert turns.board.fault == t.FAULT_BATTERY_EMPTY
    turns.board.start_fault = t.FAULT_BROWN_OUT
    turns.us[4] = 2000
    turns.turn()
    assert turns.board.fault == t.FAULT_BATTERY_EMPTY
    turns.volts = 37.0
    turns.turn()
    assert turns.board.fault == t.FAULT_BROWN_OUT
    turns.can.is_bus_off = True
    turns.turn()
    assert turns.board.fault == t.FAULT_CAN_OFF
    turns.missing = {"heartbeat"}
    turns.run(205)
    assert turns.board.fault == t.FAULT_IO_BOARD
    turns.imu.is_silent = True
    turns.run(105)
    assert turns.board.fault == t.FAULT_IMU


@pytest.mark.parametrize("how", ["frame", "console", "switch"])
def test_fault_of_the_start_ends_with_a_disarm(turns: Turns, how: str) -> None:
    turns.us[4] = 2000
    turns.run(50)
    turns.board.start_fault = t.FAULT_BROWN_OUT
    turns.turn()
    assert turns.board.fault == t.FAULT_BROWN_OUT
    if how == "frame":
        turns.frame(0x301, b"\x00")
    elif how == "console":
        turns.console.waiting = b"DISARM\n"
    else:
        turns.us[4] = 1500
    turns.turn()
    turns.turn()
    assert turns.board.fault == t.FAULT_NONE


def test_fault_of_the_start_stays_without_a_pilot(turns: Turns) -> None:
    turns.missing = {"rc"}
    turns.board.start_fault = t.FAULT_BROWN_OUT
    turns.run(50)
    assert turns.board.fault == t.FAULT_BROWN_OUT


@pytest.mark.parametrize(
    ("angle", "state"), [(24.9, t.STATE_ARMED), (25.1, t.STATE_TILT), (-25.1, t.STATE_TILT)]
)
@pytest.mark.parametrize("axis", ["pitch", "roll"])
def test_tilt_beyond_25_degrees_is_a_stop(
    turns: Turns, angle: float, axis: str, state: int
) -> None:
    turns.arm()
    setattr(turns.board.attitude, axis, angle)
    turns.imu.sample = (3.0, 0.0, 0.0, 0.0, 0.0, 0.0)  # no gravity that would correct it
    turns.turn()
    assert turns.state == state


def test_fault_that_led_to_a_stop_is_reported_while_no_other_is(turns: Turns) -> None:
    turns.arm()
    turns.can.is_bus_off = True
    turns.turn()
    assert turns.board.reported_fault == t.FAULT_CAN_OFF
    turns.missing = {"heartbeat"}
    turns.run(205)
    assert turns.board.reported_fault == t.FAULT_IO_BOARD
    turns.can.is_bus_off = False
    turns.missing = set()
    turns.turn()
    assert turns.board.reported_fault == t.FAULT_CAN_OFF
    turns.us[4] = 1000
    turns.turn()
    assert turns.board.reported_fault == t.FAULT_NONE


@pytest.mark.parametrize(("quality", "fault"), [(49, t.FAULT_WARN_RC_WEAK), (50, 0), (-5, 130)])
def test_weak_receiver_is_a_warning_behind_all_others(
    turns: Turns, quality: float, fault: int
) -> None:
    turns.run(50)
    turns.say(t.LINK_SENSOR, t.SENSOR_LINK_QUALITY, quality)
    turns.turn()
    assert turns.board.fault == fault
    turns.volts = 32.0
    turns.turn()
    assert turns.board.fault == t.FAULT_WARN_BATTERY_LOW
    turns.us[4] = 2000
    turns.turn()
    assert turns.state == t.STATE_ARMED  # warnings prevent nothing


@pytest.mark.parametrize(("value", "rssi"), [(-71.0, -71), (-500.0, -128), (500.0, 127)])
@pytest.mark.parametrize("elrs", [0, t.RC_FLAG_ELRS])
def test_signal_is_that_of_the_receiver_in_use(
    turns: Turns, value: float, rssi: int, elrs: int
) -> None:
    ours, other = t.SENSOR_RSSI_CROSSFIRE, t.SENSOR_RSSI_ELRS
    if elrs:
        ours, other = other, ours
    turns.flags |= elrs
    turns.turn()
    turns.say(t.LINK_SENSOR, ours, value)
    turns.say(t.LINK_SENSOR, other, -30.0)
    turns.turn()
    assert turns.board.rssi_dbm == rssi


# --- frames of the computer -------------------------------------------------------------------


def test_stop_frame_stops_in_its_turn(turns: Turns) -> None:
    turns.arm()
    turns.frame(0x303, b"\xe5")
    turns.turn()
    assert turns.state == t.STATE_ESTOP


@pytest.mark.parametrize(
    ("identifier", "data", "is_extended"),
    [
        (0x303, b"\xe4", False),
        (0x303, b"\xe5\x00", False),
        (0x303, b"\xe5", True),
        (0x304, b"\xe5", False),
        (0x301, b"\x02", False),
        (0x301, b"", False),
        (0x302, b"\xe5", False),
        (0x301, b"\x00", True),
    ],
)
def test_frame_that_is_none_of_ours_changes_nothing(
    turns: Turns, identifier: int, data: bytes, is_extended: bool
) -> None:
    turns.arm()
    turns.frame(identifier, data, is_extended)
    turns.turn()
    assert turns.state == t.STATE_ARMED


def test_arm_frames_arm_and_disarm(turns: Turns) -> None:
    turns.arm()
    turns.frame(0x301, b"\x00")
    turns.turn()
    assert turns.state == t.STATE_DISARMED
    turns.frame(0x301, b"\x01")
    turns.turn()
    assert turns.state == t.STATE_ARMED


def test_gains_are_set_in_small_steps_while_armed(turns: Turns) -> None:
    turns.arm()
    assert turns.board.assist.gains == (12.0, 0.0, 1.5)
    turns.frame(0x302, pack(t.CAN_GAINS, 12.5, 0.0, 1.5))
    turns.turn()
    assert turns.board.assist.gains == (12.5, 0.0, 1.5)
    assert not turns.board.set_gains((50.0, 0.0, 1.5))
    assert turns.board.set_gains((12.5, 0.03, 1.6))
    assert turns.board.assist.gains == (12.5, 0.03, 1.6)
    turns.us[4] = 1000
    turns.turn()
    assert turns.board.set_gains((50.0, 1.0, 2.0))


def test_calibration_needs_a_disarmed_wagon(turns: Turns) -> None:
    turns.arm()
    assert turns.board.calibrate() == "disarm first"
    assert not turns.board.calibration.is_running
    turns.us[4] = 1000
    turns.turn()
    assert turns.board.calibrate() == ""
    turns.imu.sample = (0.0, 0.0, 1.0, 0.0, 2.0, 0.0)
    turns.run(200 * 5)
    assert turns.console.sent == b"IMU CAL ok\n"
    assert turns.board.calibration.offsets == (0.0, 2.0, 0.0)
    turns.turn()
    assert turns.board.attitude.pitch_rate == 0.0
    assert turns.board.calibrate() == ""
    turns.us[4] = 2000
    turns.turn()
    turns.turn()
    assert not turns.board.calibration.is_running


# --- motors -----------------------------------------------------------------------------------


def test_motors_are_commanded_every_20_ms_with_a_ramp(turns: Turns) -> None:
    turns.arm()
    turns.us[1] = 2000
    turns.run(100)
    assert turns.sent[DUTY] == 5
    assert turns.newest((DUTY, *t.VESC_SET_DUTY[1:])) == (0.08,)
    assert turns.sent[BRAKE] == turns.sent[CURRENT] == 0


def test_turn_that_comes_late_counts_for_50_ms_of_the_ramp(turns: Turns) -> None:
    turns.arm()
    turns.us[1] = 2000
    turns.turn()
    before = turns.board._wheels[0]
    turns.turn(100)
    assert turns.board._wheels[0] - before == pytest.approx(100)
    turns.turn(0)
    assert turns.board._wheels[0] - before == pytest.approx(100)


def test_stop_is_sent_at_once_and_for_2_s_then_the_wheels_are_free(turns: Turns) -> None:
    turns.arm()
    turns.us[1] = 2000
    turns.run(100)
    assert turns.sent[DUTY]
    turns.forget()
    turns.us[4] = 1500
    turns.turn()
    assert turns.state == t.STATE_DISARMED
    assert turns.sent[BRAKE] == 1
    assert turns.sent[DUTY] == 0
    turns.run(1960)
    assert turns.sent[CURRENT] == 0
    assert turns.sent[BRAKE] == 99
    turns.run(60)
    assert turns.sent[BRAKE] == 100
    turns.run(420)
    assert 20 <= turns.sent[CURRENT] <= 25
    turns.run(60)
    count = turns.sent[CURRENT]
    turns.run(500)
    assert (turns.sent[CURRENT], turns.sent[DUTY]) == (count, 0)
    assert 24 <= count <= 26


def test_new_board_brakes_for_2_s(turns: Turns) -> None:
    turns.run(1980)
    assert turns.sent[BRAKE] == 99
    assert turns.sent[CURRENT] == turns.sent[DUTY] == 0


def test_armed_wagon_at_rest_brakes_for_the_pilot(turns: Turns) -> None:
    turns.arm()
    turns.run(5000, 20)
    assert turns.sent[BRAKE] == 250
    assert turns.sent[CURRENT] == 0


@pytest.mark.parametrize(("flag", "what"), [(1, BRAKE), (0, CURRENT)])
def test_armed_wagon_at_rest_does_what_the_computer_wants(
    turns: Turns, flag: int, what: int
) -> None:
    turns.arm()
    turns.us[5] = 2000
    for _ in range(300):
        turns.frame(0x300, pack(t.CAN_DRIVE, 0, 0, t.MODE_AUTONOMOUS, flag))
        turns.turn(20)
    turns.forget()
    for _ in range(20):
        turns.frame(0x300, pack(t.CAN_DRIVE, 0, 0, t.MODE_AUTONOMOUS, flag))
        turns.turn(20)
    assert turns.sent[what] == 20
    assert turns.sent[DUTY] == 0


def test_loss_of_the_driver_is_sent_at_once_though_armed(turns: Turns) -> None:
    turns.arm()
    turns.us[5] = 2000
    for speed in (0,) * 30 + (500,) * 10:
        turns.frame(0x300, pack(t.CAN_DRIVE, speed, 0, t.MODE_AUTONOMOUS, 1))
        turns.turn(10)
    assert turns.board._wheels[0] > 0
    turns.run(245)
    assert turns.board._wheels[0] > 0
    turns.forget()
    turns.run(10, 1)
    assert turns.board._wheels == (0.0, 0.0)
    assert turns.sent[BRAKE] >= 1
    assert turns.state == t.STATE_ARMED


def test_assist_counts_in_its_mode_only(turns: Turns) -> None:
    turns.arm()
    turns.us[5] = 2000
    found = {}
    for mode in (t.MODE_AUTONOMOUS, t.MODE_ASSISTED):
        for speed in (0,) * 40 + (500,) * 60:
            turns.frame(0x300, pack(t.CAN_DRIVE, speed, 0, mode, 1))
            # The nose rises by 10 degrees a second.
            turns.imu.sample = (3.0, 0.0, 0.0, 0.0, -10.0 if speed else 0.0, 0.0)
            turns.turn(10)
        found[mode] = turns.board._wheels[0]
    assert found[t.MODE_AUTONOMOUS] == pytest.approx(500)
    assert 360 < found[t.MODE_ASSISTED] < 450


def test_knob_and_steering_reach_both_sides(turns: Turns) -> None:
    turns.arm()
    turns.us[0], turns.us[1], turns.us[6] = 1550, 1750, 1500
    turns.run(1000)
    # 500 forward, 100 to the right, half of the speed
    assert turns.board._wheels == pytest.approx((300.0, 200.0))


def test_bridges_are_driven_where_there_are_some(turns: Turns) -> None:
    turns.arm()
    turns.us[1] = 2000
    turns.run(1000)
    assert turns.messages(t.LINK_WHEELS) == []
    turns.board.has_bridges = True
    turns.us[0] = 1550
    turns.run(400)
    assert turns.messages(t.LINK_WHEELS)[-1] == (400, 327)
    turns.us[4] = 1000
    turns.turn()
    assert turns.messages(t.LINK_WHEELS)[-1] == (0, 0)


def test_board_that_ends_stops_and_brakes(turns: Turns) -> None:
    turns.arm()
    turns.board.off()
    assert turns.state == t.STATE_ESTOP
    assert turns.sent[BRAKE] == 1


# --- reports ----------------------------------------------------------------------------------


def test_reports_have_their_periods(turns: Turns) -> None:
    turns.arm()
    turns.run(1000)
    assert turns.sent[0x400] == 50
    assert turns.sent[0x401] == 10
    assert len(turns.messages(t.LINK_HEARTBEAT)) == 20
    assert all(is_extended is (each > 0x900 or each in (DUTY, 0x038, CURRENT, 0x138, BRAKE, 0x238))
               for each, _, is_extended in turns.can.sent)  # fmt: skip


def test_heartbeat_counts_the_time_since_the_start(turns: Turns) -> None:
    turns.run(500)
    assert turns.messages(t.LINK_HEARTBEAT)[-1] == (455,)


def test_change_of_state_is_said_at_once(turns: Turns) -> None:
    turns.arm()
    turns.frame(0x303, b"\xe5")
    turns.turn()
    assert turns.messages(t.LINK_STATUS)[-1][0] == t.STATE_ESTOP
    turns.run(45)
    assert len(turns.messages(t.LINK_STATUS)) == 1
    turns.turn()
    assert len(turns.messages(t.LINK_STATUS)) == 2


def test_accessories_follow_the_state(turns: Turns) -> None:
    turns.run(60)
    assert turns.messages(t.LINK_ACTUATORS)[-1] == (255, 0, 0, 0, 0)
    turns.us[7] = 1800
    turns.us[4] = 2000
    turns.run(60)
    assert turns.messages(t.LINK_ACTUATORS)[-1] == (255, 0, 255, 0, 0)
    turns.us[7] = 1801
    turns.frame(0x1000 | 68, struct.pack(">hhhh", 800, 0, 0, 0), True)
    turns.run(60)
    assert turns.messages(t.LINK_ACTUATORS)[-1] == (255, 255, 255, 255, 0)
    turns.frame(0x303, b"\xe5")
    turns.run(2000)
    buzz = [each[4] for each in turns.messages(t.LINK_ACTUATORS)][-40:]
    assert 18 <= buzz.count(255) <= 22
    assert buzz.count(0) + buzz.count(255) == 40
    turns.missing = {"rc"}
    turns.run(400)
    assert turns.messages(t.LINK_ACTUATORS)[-1][1] == 0


def test_tag_and_measurements_are_kept_and_move_nothing(turns: Turns) -> None:
    turns.say(t.LINK_SENSOR, t.SENSOR_DISTANCE, 0.5)
    turns.say(t.LINK_NFC, b"abcd\0\0\0", 4)
    turns.turn()
    found = turns.board.surroundings.status(turns.now_ms)
    assert found == {"distance_m": 0.5, "tag": "61626364"}
    assert turns.board.surroundings.status(turns.now_ms + 2001) == {"tag": "61626364"}
