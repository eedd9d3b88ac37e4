"""The safety table of the wagon's document (section 11), row by row with its time, on the firmware
of both boards; and the rows that we add. Numbers are typed by hand.
"""

import pytest

from image.boards.io.bridges import Bridge, Bridges
from image.boards.shared import tables as t
from saint_services.lib.wagon import can_frames
from saint_services.lib.wagon.meanings import WagonFault, WagonMode, WagonState
from tests.unit.boards.bench import HIGH, LOW, NEUTRAL, Bench, Pin, crsf_frame

FRAME_MS, LOOP_MS = 20, 10  # between two frames of a receiver; two turns of the boards' loops


@pytest.fixture
def bench() -> Bench:
    found = Bench()
    found.run(1000)
    return found


# --- cold start -------------------------------------------------------------------------------


def test_cold_start_with_everything_at_full_never_turns_a_wheel() -> None:
    bench = Bench()
    for channel in (2, 5, 6, 7):
        bench.channel(channel, HIGH)
    bench.host = can_frames.WagonDrive(1000, 0, WagonMode.AUTONOMOUS, 0)
    for _ in range(600):
        bench.step()
        assert not bench.is_turning
    assert bench.state is WagonState.DISARMED


@pytest.mark.parametrize("board", ["balance", "io"])
def test_restart_of_a_board_while_driving_needs_the_switch_to_be_cycled(
    bench: Bench, board: str
) -> None:
    bench.drive()
    getattr(bench, f"cut_{board}")()
    bench.run(400)
    assert not bench.is_turning
    getattr(bench, f"power_{board}")()
    bench.run(2000)
    bench.send(can_frames.WagonArm(True))
    bench.run(500)
    assert not bench.is_turning
    bench.channel(2, NEUTRAL)
    bench.drive()


# --- tilt -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("axis", "angle"), [("pitch", 25.5), ("pitch", -25.5), ("roll", 26.0)])
def test_tilt_beyond_25_degrees_stops_within_50_ms_and_needs_a_new_arm(
    bench: Bench, axis: str, angle: float
) -> None:
    bench.drive()
    setattr(bench.imu, axis, angle)
    assert bench.until(lambda: not bench.is_turning, 50) <= 50
    assert bench.state is WagonState.TILT
    setattr(bench.imu, axis, 0.0)
    bench.run(3000)
    assert bench.state is WagonState.TILT
    bench.send(can_frames.WagonArm(True))
    bench.run(100)
    assert not bench.is_turning
    bench.channel(2, NEUTRAL)
    bench.drive()


def test_wagon_that_was_tilted_just_now_is_not_armed(bench: Bench) -> None:
    bench.run(1000)  # level, disarmed, the switch at DISARM
    bench.imu.roll = 90.0
    bench.run(100)
    bench.imu.roll = 0.0
    bench.run(30)
    bench.channel(5, HIGH)  # together with what set it upright
    bench.run(1000)
    assert bench.state is WagonState.DISARMED
    bench.channel(5, LOW)
    bench.run(50)
    bench.channel(5, HIGH)
    bench.run(50)
    assert bench.state is WagonState.ARMED


def test_tilt_of_24_degrees_does_not_stop(bench: Bench) -> None:
    bench.drive()
    bench.imu.pitch = 24.0
    bench.run(2000)
    assert bench.state is WagonState.ARMED
    assert bench.is_turning


def test_slow_tilt_stops_at_the_limit(bench: Bench) -> None:
    bench.drive()
    while bench.is_turning:
        bench.imu.pitch += 0.05
        bench.step()
        assert bench.imu.pitch < 27.0
    assert bench.imu.pitch > 24.0


# --- RC ---------------------------------------------------------------------------------------


def test_both_receivers_lost_stops_after_300_ms_and_needs_the_switch(bench: Bench) -> None:
    bench.drive()
    for radio in bench.radios:
        radio.is_on = False
    took_ms = bench.until(lambda: not bench.is_turning, 400)
    assert 280 <= took_ms <= 300 + FRAME_MS + LOOP_MS
    assert bench.state is WagonState.FAILSAFE
    for radio in bench.radios:
        radio.is_on = True
    bench.channel(2, NEUTRAL)
    bench.run(2000)
    assert bench.state is WagonState.FAILSAFE
    bench.send(can_frames.WagonArm(False))
    bench.send(can_frames.WagonArm(True))
    bench.run(100)
    assert not bench.balance.arming.is_armed if bench.balance else False
    bench.drive()


def test_crossfire_lost_elrs_takes_over_without_a_stop(bench: Bench) -> None:
    bench.drive()
    bench.radios[0].is_on = False
    for _ in range(400):
        bench.step()
        assert bench.state is WagonState.ARMED
        assert all(bench.vesc_duties)
        assert all(bench.bridge_duties)
    assert bench.io
    assert bench.io.receivers.active == 1
    bench.channel(2, NEUTRAL, 1)
    assert bench.until(lambda: not bench.is_turning, 400) <= 400


def test_elrs_in_use_is_left_for_a_steady_crossfire_only(bench: Bench) -> None:
    bench.drive()
    bench.radios[0].is_on = False
    bench.run(500)
    assert bench.io
    bench.radios[0].is_on = True
    bench.run(900)
    assert bench.io.receivers.active == 1
    bench.run(200)
    assert bench.io.receivers.active == 0
    assert bench.state is WagonState.ARMED


def test_elrs_that_died_first_does_not_help(bench: Bench) -> None:
    bench.drive()
    bench.radios[1].is_on = False
    bench.run(1000)
    bench.radios[0].is_on = False
    assert bench.until(lambda: not bench.is_turning, 400) <= 300 + FRAME_MS + LOOP_MS


def test_receiver_without_radio_link_that_repeats_its_channels_counts_as_lost(
    bench: Bench,
) -> None:
    bench.drive()
    bench.radios[1].is_on = False
    bench.run(500)
    lost = crsf_frame(0x14, bytes((120, 120, 0, 0, 0, 0, 0, 0, 0, 0)))  # quality 0 %
    bench.lines[0].waiting += lost
    assert bench.until(lambda: not bench.is_turning, 400) <= LOOP_MS


def test_arm_switch_to_disarm_stops_at_once(bench: Bench) -> None:
    bench.drive()
    bench.channel(5, LOW)
    assert bench.until(lambda: not bench.is_turning, 100) <= FRAME_MS + LOOP_MS
    assert bench.state is WagonState.DISARMED


def test_switch_that_is_held_at_arm_does_not_arm(bench: Bench) -> None:
    bench.channel(5, HIGH)
    bench.radios[0].is_on = bench.radios[1].is_on = False
    bench.run(1000)
    bench.radios[0].is_on = bench.radios[1].is_on = True
    bench.run(2000)
    assert bench.state is WagonState.DISARMED


def test_arming_with_a_stick_off_neutral_is_refused(bench: Bench) -> None:
    bench.channel(2, HIGH)
    bench.arm()
    bench.run(500)
    assert bench.state is WagonState.DISARMED
    bench.channel(2, NEUTRAL)
    bench.run(500)
    assert bench.state is WagonState.DISARMED


# --- computer ---------------------------------------------------------------------------------


def test_silent_computer_stops_and_leaves_the_pilot_alone_after_500_ms(bench: Bench) -> None:
    bench.autonomous()
    assert bench.balance
    bench.host = None
    assert bench.until(lambda: not bench.is_turning, 520) <= 500 + FRAME_MS
    bench.run(500)
    assert bench.state is WagonState.ARMED
    assert bench.balance.sources.mode == WagonMode.RC
    bench.channel(2, HIGH)
    bench.run(600)
    assert bench.is_turning


def test_computer_that_returns_with_a_speed_must_be_neutral_first(bench: Bench) -> None:
    bench.autonomous()
    command, bench.host = bench.host, None
    bench.run(1000)
    bench.host = command
    bench.run(1000)
    assert not bench.is_turning


@pytest.mark.parametrize("phase_ms", [0, 5, 10, 15])
def test_stop_frame_stops_at_once_and_disarms(bench: Bench, phase_ms: int) -> None:
    bench.autonomous()
    bench.run(phase_ms)
    bench.send(can_frames.WagonEstop())
    assert bench.until(lambda: not bench.is_turning, 50) <= LOOP_MS
    assert bench.state is WagonState.ESTOP
    bench.run(1000)
    bench.send(can_frames.WagonArm(True))
    bench.run(500)
    assert not bench.is_turning
    assert bench.state is WagonState.ESTOP


@pytest.mark.parametrize("is_lost_between", [False, True])
def test_stop_while_the_switch_is_at_disarm_is_not_forgotten(
    bench: Bench, is_lost_between: bool
) -> None:
    bench.send(can_frames.WagonEstop())
    bench.run(100)
    assert bench.state is WagonState.ESTOP
    if is_lost_between:
        bench.radios[0].is_on = bench.radios[1].is_on = False
        bench.run(1000)
        bench.radios[0].is_on = bench.radios[1].is_on = True
        bench.run(1000)
    bench.channel(5, HIGH)
    bench.run(200)
    assert bench.state is WagonState.ESTOP
    bench.channel(5, LOW)
    bench.run(200)
    assert bench.state is WagonState.DISARMED


def test_computer_ends_its_own_stop_by_disarming(bench: Bench) -> None:
    bench.send(can_frames.WagonEstop())
    bench.run(100)
    bench.send(can_frames.WagonArm(False))
    bench.run(100)
    assert bench.state is WagonState.DISARMED


def test_drive_commands_do_not_count_while_the_pilot_has_the_robot(bench: Bench) -> None:
    bench.host = can_frames.WagonDrive(0, 0, WagonMode.AUTONOMOUS, 0)
    bench.arm()
    bench.host = can_frames.WagonDrive(1000, 500, WagonMode.AUTONOMOUS, 0)
    bench.run(1000)
    assert bench.state is WagonState.ARMED
    assert not bench.is_turning


def test_pilot_takes_over_from_the_computer_at_once(bench: Bench) -> None:
    bench.autonomous()
    bench.channel(6, LOW)
    assert bench.until(lambda: not bench.is_turning, 300) <= 250


def test_computer_arms_only_with_the_pilots_consent(bench: Bench) -> None:
    bench.send(can_frames.WagonArm(True))
    bench.run(100)
    assert bench.state is WagonState.DISARMED
    bench.arm()
    bench.send(can_frames.WagonArm(False))
    bench.run(100)
    assert bench.state is WagonState.DISARMED
    bench.send(can_frames.WagonArm(True))
    bench.run(100)
    assert bench.state is WagonState.ARMED


# --- the link between the boards --------------------------------------------------------------


ARMED = (t.LINK_STATUS[0], (1, 0.0, 0.0))
HEARTBEAT, WHEELS = (t.LINK_HEARTBEAT[0], (1,)), (t.LINK_WHEELS[0], (500, 500))


@pytest.mark.parametrize("missing", [ARMED, HEARTBEAT, WHEELS, None])
def test_each_message_must_be_fresh_for_the_bridges_to_drive(
    missing: tuple[int, tuple[float, ...]] | None,
) -> None:
    pins = Pin(), Pin(), Pin()
    bridges = Bridges((Bridge(*pins),), ())
    for now_ms in range(0, 1000, 50):
        for each in (ARMED, HEARTBEAT, WHEELS):
            if each is not missing or now_ms <= 500:
                bridges.received(*each, now_ms)
        bridges.update(now_ms, True)
        assert pins[2].level == (missing is None or now_ms <= 700)
    bridges.update(960, False)
    assert pins[2].level == 0
    bridges.update(960, True)
    bridges.received(t.LINK_STATUS[0], (2, 0.0, 0.0), 960)
    bridges.update(960, True)
    assert pins[2].level == 0


def cut(data: bytes) -> bytes:
    return b""


def test_missing_heartbeat_of_balance_drops_the_bridge_enables_within_200_ms(bench: Bench) -> None:
    bench.drive()
    bench.balance_link.alter = cut
    took_ms = bench.until(lambda: not any(bench.bridge_duties), 250)
    assert took_ms <= 200 + LOOP_MS
    assert not any(enable.level for _, _, enable in bench.pins)


def test_dead_balance_stops_bridges_and_motor_controllers(bench: Bench) -> None:
    bench.drive()
    bench.cut_balance()
    assert bench.until(lambda: not bench.is_turning, 250) <= 200 + LOOP_MS


def test_dead_io_board_stops_the_motors_within_200_ms(bench: Bench) -> None:
    bench.drive()
    bench.cut_io()
    assert bench.until(lambda: not bench.is_turning, 250) <= 200 + LOOP_MS
    assert bench.state in (WagonState.FAULT, WagonState.FAILSAFE)


def test_both_cables_cut_together_stop_within_350_ms(bench: Bench) -> None:
    bench.drive()
    for radio in bench.radios:
        radio.is_on = False
    bench.run(250)
    bench.balance_link.alter = bench.io_link.alter = cut
    assert bench.until(lambda: not bench.is_turning, 250) + 250 <= 300 + 50 + FRAME_MS


def test_link_that_corrupts_every_frame_is_a_cut_link(bench: Bench) -> None:
    bench.drive()
    bench.io_link.alter = lambda data: bytes(each ^ 0x10 for each in data)
    assert bench.until(lambda: not bench.is_turning, 250) <= 200 + LOOP_MS


# --- CAN and motor controllers ----------------------------------------------------------------


def test_cut_can_stops_by_the_controllers_own_time_out(bench: Bench) -> None:
    bench.drive()
    bench.is_can_cut = True
    assert bench.until(lambda: not any(bench.vesc_duties), 250) <= 200 + LOOP_MS
    bench.run(500)
    assert bench.state is WagonState.FAULT
    assert bench.balance
    assert bench.balance.fault == WagonFault.VESC_LOST


def test_bus_off_disarms(bench: Bench) -> None:
    bench.drive()
    bench.can.is_bus_off = True
    assert bench.until(lambda: not bench.is_turning, 250) <= 200 + LOOP_MS
    bench.can.is_bus_off = False
    bench.run(1000)
    assert bench.state is WagonState.FAULT
    assert not bench.is_turning


def test_blocked_wheel_disarms_within_a_second(bench: Bench) -> None:
    bench.drive()
    bench.vescs[68].is_blocked = True
    assert bench.until(lambda: bench.state is WagonState.FAULT, 1000) <= 850
    bench.step()
    assert not bench.is_turning


def test_frozen_attitude_sensor_disarms_within_150_ms(bench: Bench) -> None:
    bench.drive()
    bench.imu.is_frozen = True
    assert bench.until(lambda: not bench.is_turning, 150) <= 110
    assert bench.state is WagonState.FAULT


def test_silent_attitude_sensor_prevents_arming(bench: Bench) -> None:
    bench.imu.is_silent = True
    bench.arm()
    bench.run(500)
    assert bench.state is WagonState.DISARMED


def test_empty_battery_disarms_but_a_short_sag_does_not(bench: Bench) -> None:
    bench.drive()
    bench.vescs[56].volts = 29.0
    bench.run(1500)
    bench.vescs[56].volts = 36.0
    bench.run(500)
    assert bench.state is WagonState.ARMED
    bench.vescs[56].volts = 29.0
    assert bench.until(lambda: not bench.is_turning, 2500) <= 2050


@pytest.mark.parametrize("board", ["balance", "io"])
def test_loop_that_stood_still_does_not_drive_on(bench: Bench, board: str) -> None:
    bench.drive()
    firmware = getattr(bench, board)
    setattr(bench, board, None)  # it stands still: its outputs stay
    bench.run(300)
    setattr(bench, board, firmware)
    bench.run(10)
    bench.run(1000)
    assert bench.state is not WagonState.ARMED
    assert not bench.is_turning


def test_fault_that_was_short_is_reported_until_the_disarm(bench: Bench) -> None:
    """0x401 comes every 100 ms; a fault may be gone by then."""
    bench.drive()
    bench.can.is_bus_off = True
    bench.run(20)
    bench.can.is_bus_off = False
    bench.run(1000)
    assert bench.state is WagonState.FAULT
    assert bench.balance
    assert bench.balance.fault == WagonFault.NONE
    assert bench.telemetry[0x401].fault_code == WagonFault.CAN_OFF


# --- console ----------------------------------------------------------------------------------


def test_console_stops_at_once(bench: Bench) -> None:
    bench.drive()
    assert bench.command("ESTOP") == "OK\n"
    bench.step()
    assert not bench.is_turning
    assert bench.state is WagonState.ESTOP


def test_console_arms_only_with_the_pilots_consent(bench: Bench) -> None:
    assert bench.command("ARM") == "ERR cannot arm: switch\n"
    for radio in bench.radios:
        radio.is_on = False
    bench.run(500)
    assert bench.command("ARM").startswith("ERR cannot arm: rc")


def test_console_drive_counts_for_half_a_second(bench: Bench) -> None:
    bench.channel(6, HIGH)
    bench.arm()
    assert bench.command("MODE AUTO") == "OK\n"
    bench.run(50)
    bench.command("DRIVE 500 0")
    bench.run(300)
    assert bench.is_turning
    assert bench.until(lambda: not bench.is_turning, 300) <= 250
