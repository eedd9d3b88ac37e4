"""When the wagon may move, and what stops it. All numbers are typed by hand; the frames are those
that a board receives on its bus.
"""

import math
from collections.abc import Iterator
from pathlib import Path

import pytest

from saint_services.lib.generated.saint_msgs import WagonRequest
from saint_services.lib.generated.topics import WAGON_REQUEST
from saint_services.lib.hw import will_of
from saint_services.lib.hw.can.frame import CanFrame
from saint_services.lib.wagon.can_frames import WagonDrive, WagonEstop
from saint_services.lib.wagon.meanings import WagonMode, WagonState
from tests.unit.role.role_rig import ROUTER, UNKNOWN
from tests.unit.role_wagond.wagon_rig import SETTLED_S, WagonRig
from tools.sim.can_bus import BusFault, break_bus


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[WagonRig]:
    rig = WagonRig(tmp_path)
    yield rig
    rig.close()


def test_start_sends_nothing_and_arms_nothing(rig: WagonRig) -> None:
    rig.pass_time(5.0)
    assert rig.balance.frames == []
    assert rig.balance.state is WagonState.DISARMED


def test_commands_never_arm(rig: WagonRig) -> None:
    rig.pass_time(3.0, lambda: rig.command(1.0))
    assert rig.balance.state is WagonState.DISARMED
    assert rig.arms == [] and rig.moving == []


def test_armed_wagon_follows_commands_at_50_hz(rig: WagonRig) -> None:
    rig.run_up(0.5)
    rig.pass_time(1.0, lambda: rig.command(0.5))
    assert 49 <= len(rig.drives) <= 52
    assert {(each.speed, each.steer) for each in rig.drives} == {(250, 0)}  # of 2 m/s
    assert {each.mode for each in rig.drives} == {2}


def test_limits_of_the_manifest_hold_whatever_is_commanded(rig: WagonRig) -> None:
    rig.armed()
    rig.pass_time(3.0, lambda: rig.command(50.0, -50.0))
    assert max(each.speed for each in rig.drives) == 500  # 1.0 m/s of 2 m/s
    assert min(each.steer for each in rig.drives) == -600  # 1.2 rad/s of 2 rad/s


def test_speed_is_gained_at_one_and_a_half_metres_per_second_squared(rig: WagonRig) -> None:
    rig.armed()
    rig.pass_time(0.2, lambda: rig.command(1.0))
    assert 0 < max(each.speed for each in rig.drives) <= 165  # 0.22 s of 1.5 m/s2


def test_without_commands_no_drive_frame_leaves(rig: WagonRig) -> None:
    rig.armed()
    rig.pass_time(3.0)
    assert rig.drives == []


def test_lost_source_is_0_within_150_ms_and_silence_after_another_200(rig: WagonRig) -> None:
    rig.run_up()
    rig.command(0.5)
    rig.pass_time(0.14)
    assert rig.balance.speed == 250
    rig.pass_time(0.03)
    assert rig.balance.speed == 0
    assert rig.moving != [] and rig.drives[-1] == WagonDrive(0, 0, 2, 1)
    rig.pass_time(0.2)
    rig.balance.frames.clear()
    rig.pass_time(2.0)
    assert rig.balance.frames == []


def test_lost_router_is_0_within_150_ms(rig: WagonRig) -> None:
    rig.run_up()
    rig.pass_time(0.17, lambda: rig.command(0.5), beats=False)
    assert rig.balance.speed == 0
    rig.balance.frames.clear()
    rig.pass_time(0.5, lambda: rig.command(0.5), beats=False)
    assert rig.moving == []


def test_estop_sends_the_stop_inside_its_callback_and_nothing_after(rig: WagonRig) -> None:
    rig.run_up()
    rig.estop(True, 1)
    assert [frame.id for frame in rig.wire.receive()] == [0x303]
    rig.wire.send(CanFrame(0x400, bytes(8)))
    rig.balance.state = WagonState.ESTOP
    rig.balance.frames.clear()

    def say() -> None:
        rig.beat(estop=True)
        rig.command(1.0)

    rig.pass_time(2.0, say, beats=False)
    assert {type(each) for each in rig.balance.frames} == {WagonEstop}
    assert 8 <= rig.stops <= 12  # repeated for 200 ms


def test_estop_of_an_unknown_participant_stops_too(rig: WagonRig) -> None:
    rig.run_up()
    rig.estop(True, 99, UNKNOWN)
    assert [frame.id for frame in rig.wire.receive()] == [0x303]


def test_board_that_is_armed_during_a_stop_is_stopped_again(rig: WagonRig) -> None:
    rig.run_up()
    rig.estop(True, 1)
    rig.pass_time(1.0, lambda: rig.beat(estop=True), beats=False)
    assert rig.session.is_safe
    rig.balance.state = WagonState.ARMED  # by the pilot's switch
    rig.pass_time(0.06, lambda: rig.beat(estop=True), beats=False)
    assert rig.balance.state is WagonState.ESTOP


def test_stop_counts_as_stopped_only_when_the_board_reports_it(rig: WagonRig) -> None:
    rig.run_up()
    rig.estop(True, 1)
    assert not rig.session.is_safe
    rig.pass_time(0.04, lambda: rig.beat(estop=True), beats=False)
    assert rig.balance.state is WagonState.ESTOP and rig.session.is_safe


def test_end_of_the_estop_arms_nothing_and_moves_nothing(rig: WagonRig) -> None:
    rig.run_up()
    rig.estop(True, 1)
    rig.pass_time(1.0, lambda: rig.beat(estop=True), beats=False)
    rig.balance.frames.clear()
    rig.estop(False, 2)
    rig.pass_time(3.0, lambda: rig.command(1.0))
    assert rig.balance.state is WagonState.ESTOP
    assert rig.arms == [] and rig.moving == []
    assert "disarm it first" in rig.act("arm").text
    assert rig.act("disarm").is_done
    assert rig.balance.state is WagonState.DISARMED
    assert rig.act("arm").is_done


def test_nothing_moves_in_rc_mode_and_the_reason_is_published(rig: WagonRig) -> None:
    rig.balance.switch_mode = WagonMode.RC
    rig.armed()
    rig.pass_time(2.0, lambda: rig.command(1.0))
    assert rig.drives != [] and rig.moving == []
    assert rig.state.mode == "rc" and "the pilot drives" in rig.state.why


def test_pilot_who_takes_over_ends_the_motion_with_the_next_report(rig: WagonRig) -> None:
    rig.run_up()
    rig.balance.switch_mode = WagonMode.RC
    rig.pass_time(0.05, lambda: rig.command(0.5))
    rig.balance.frames.clear()
    rig.pass_time(1.0, lambda: rig.command(0.5))
    assert rig.moving == []


def test_held_stick_does_not_drive_on_when_the_pilot_gives_control_back(rig: WagonRig) -> None:
    rig.run_up()
    rig.balance.switch_mode = WagonMode.RC
    rig.pass_time(0.5, lambda: rig.command(0.5))
    rig.balance.switch_mode = WagonMode.AUTONOMOUS
    rig.balance.frames.clear()
    rig.pass_time(1.0, lambda: rig.command(0.5))
    assert rig.moving == [] and "release the stick" in rig.state.why
    rig.pass_time(0.1, lambda: rig.command(0.0))
    rig.pass_time(0.5, lambda: rig.command(0.5))
    assert rig.moving != []


def test_held_stick_does_not_start_a_wagon_that_is_armed_by_the_pilot(rig: WagonRig) -> None:
    rig.pass_time(0.5, lambda: rig.command(1.0))
    rig.balance.state = WagonState.ARMED
    rig.pass_time(1.0, lambda: rig.command(1.0))
    assert rig.moving == []


@pytest.mark.parametrize("cause", ["failsafe", "tilt", "fault", "disarmed"])
def test_board_that_disarms_itself_gets_no_motion_until_a_person_arms(
    rig: WagonRig, cause: str
) -> None:
    rig.run_up()
    if cause == "failsafe":
        rig.balance.lose_rc()
    elif cause == "tilt":
        rig.balance.tilt(26.0)
    else:
        rig.balance.state = WagonState[cause.upper()]
    rig.pass_time(0.05, lambda: rig.command(0.5))
    rig.balance.frames.clear()
    rig.balance.find_rc()
    rig.balance.pitch = 0.0
    rig.pass_time(3.0, lambda: rig.command(0.5))
    assert rig.moving == [] and rig.arms == []
    rig.pass_time(0.3)
    if cause != "disarmed":
        assert not rig.act("arm").is_done
        rig.act("disarm")
    assert rig.act("arm").is_done
    rig.pass_time(0.5, lambda: rig.command(0.5))
    assert rig.moving != []


def test_silent_board_counts_as_disarmed_within_200_ms_and_says_so(rig: WagonRig) -> None:
    rig.run_up()
    rig.is_silent = True
    rig.pass_time(0.25, lambda: rig.command(0.5))
    rig.balance.frames.clear()
    rig.pass_time(0.5, lambda: rig.command(0.5))
    assert rig.moving == []
    assert rig.state.state == "silent"
    assert "does not report" in rig.session.report().reason
    reply = rig.act("arm")
    assert not reply.is_done and "link:" in reply.text


def test_board_that_reports_again_does_not_drive_on_under_a_held_stick(rig: WagonRig) -> None:
    rig.run_up()
    rig.is_silent = True
    rig.pass_time(0.5, lambda: rig.command(0.5))
    rig.is_silent = False
    rig.balance.frames.clear()
    rig.pass_time(1.0, lambda: rig.command(0.5))
    assert rig.moving == [] and rig.arms == []


def test_report_of_an_unknown_state_counts_as_not_armed(rig: WagonRig) -> None:
    rig.run_up()
    rig.is_silent = True
    for _ in range(20):
        rig.wire.send(CanFrame(0x400, bytes((0, 0, 0, 0, 0, 0, 77, 0b10010110))))
        rig.pass_time(0.02, lambda: rig.command(0.5))
    rig.balance.frames.clear()
    rig.pass_time(0.1, lambda: rig.command(0.5))
    assert rig.moving == []


@pytest.mark.parametrize("length", [0, 7])
def test_reports_of_a_wrong_length_are_counted_and_believed_never(
    rig: WagonRig, length: int
) -> None:
    rig.is_silent = True
    rig.wire.send(CanFrame(0x400, bytes(length)))
    rig.wire.send(CanFrame(0x400, bytes(8), is_extended=True))
    rig.pass_time(0.05)
    assert rig.role.host.board.attitude(rig.clock.now) is None
    assert rig.role._line and rig.role._line.damaged + rig.role._line.foreign == 2


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"is_rc_alive": False}, "receiver"),
        ({"is_stick_neutral": False}, "stick"),
        ({"is_switch_armed": False}, "switch"),
        ({"must_cycle": True}, "switch"),
        ({"pitch": 25.1}, "tilt"),
        ({"pitch": -25.1}, "tilt"),
        ({"speed": 60}, "motion"),
        ({"battery_mv": 29_999}, "voltage"),
        ({"battery_mv": 43_001}, "voltage"),
        ({"fault_code": 1}, "fault"),
        ({"fault_code": 77}, "fault"),
        ({"state": WagonState.FAILSAFE}, "state"),
        ({"state": WagonState.ESTOP}, "state"),
        ({"state": WagonState.TILT}, "state"),
        ({"state": WagonState.FAULT}, "state"),
    ],
)
def test_each_pre_arm_check_refuses_by_its_name_and_sends_nothing(
    rig: WagonRig, change: dict[str, object], named: str
) -> None:
    rig.pass_time(SETTLED_S)
    for name, value in change.items():
        setattr(rig.balance, name, value)
    rig.balance.host_s = rig.clock.now  # else its speed ends
    rig.pass_time(0.2)
    reply = rig.reply(rig.request("arm"))
    assert not reply.is_done
    assert [each.split(":")[0] for each in reply.text.split("; ")] == [named]
    rig.pass_time(0.1)
    assert rig.arms == []


def test_arm_is_refused_while_a_source_commands_a_motion(rig: WagonRig) -> None:
    rig.pass_time(SETTLED_S, lambda: rig.command(0.5))
    reply = rig.reply(rig.request("arm"))
    assert not reply.is_done and "commands:" in reply.text


def test_arm_is_refused_during_a_stop(rig: WagonRig) -> None:
    rig.pass_time(SETTLED_S)
    rig.estop(True, 1)
    reply = rig.reply(rig.request("arm"))
    assert not reply.is_done and "stopped" in reply.text


@pytest.mark.parametrize("action", ["arm", "gains"])
def test_request_of_an_unknown_participant_arms_and_sets_nothing(
    rig: WagonRig, action: str
) -> None:
    rig.pass_time(SETTLED_S)
    assert not rig.act(action, UNKNOWN, kp=1.0).is_done
    assert rig.balance.frames == []


def test_any_participant_disarms(rig: WagonRig) -> None:
    rig.run_up()
    assert rig.act("disarm", UNKNOWN).is_done
    assert rig.balance.state is WagonState.DISARMED


def test_disarm_is_sent_inside_its_callback_and_repeated(rig: WagonRig) -> None:
    rig.run_up()
    rig.request("disarm")
    assert [(frame.id, frame.data) for frame in rig.wire.receive()] == [(0x301, b"\0")]
    rig.pass_time(0.1, lambda: rig.command(0.5))
    assert rig.balance.state is WagonState.DISARMED
    assert rig.moving == []


def test_board_that_does_not_arm_in_time_is_disarmed(rig: WagonRig) -> None:
    rig.balance.refuses_to_arm = True
    rig.pass_time(SETTLED_S)
    reply = rig.act("arm")
    assert not reply.is_done and "did not arm" in reply.text
    assert rig.arms[0] is True and set(rig.arms[1:]) == {False}


def test_request_that_arrives_twice_arms_once(rig: WagonRig) -> None:
    rig.armed()
    rig.balance.state = WagonState.DISARMED
    rig.pass_time(0.1)
    rig.send(WAGON_REQUEST, WagonRequest(id=1, action="arm"))  # as `armed` has sent it
    rig.pass_time(0.5)
    assert True not in rig.arms


def test_request_to_arm_that_waited_longer_than_150_ms_is_refused(rig: WagonRig) -> None:
    rig.pass_time(SETTLED_S)
    rig.bus.send(WAGON_REQUEST, WagonRequest(id=7, action="arm"), ROUTER, late_s=0.151)
    assert not rig.reply(7).is_done
    rig.pass_time(0.5)
    assert rig.arms == []


def test_role_that_ends_leaves_the_wagon_disarmed(rig: WagonRig) -> None:
    rig.run_up()
    rig.session.close()
    frames = [(frame.id, frame.data) for frame in rig.wire.receive()]
    assert frames[-1] == (0x301, b"\0")
    assert frames[0][0] == 0x300 and frames[0][1][:4] == bytes(4)


def test_wagon_without_a_living_guard_is_not_armed_or_driven(rig: WagonRig) -> None:
    class Gone:
        def may_drive(self) -> bool:
            return False

    rig.pass_time(0.2)
    rig.session.guard = Gone()
    assert not rig.act("arm").is_done
    assert True not in rig.arms
    rig.balance.state = WagonState.ARMED
    rig.pass_time(0.3, lambda: rig.command(0.0))
    rig.pass_time(0.5, lambda: rig.command(0.5))
    assert rig.moving == []


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_command_that_is_not_finite_is_refused(rig: WagonRig, bad: float) -> None:
    rig.armed()
    rig.pass_time(0.3, lambda: rig.command(bad))
    assert rig.drives == []
    assert rig.session.report().refused > 0


def test_command_of_an_unknown_participant_is_refused(rig: WagonRig) -> None:
    rig.armed()
    rig.pass_time(0.5, lambda: rig.command(1.0, origin=UNKNOWN))
    assert rig.drives == []


def test_armed_wagon_counts_as_live(rig: WagonRig) -> None:
    rig.pass_time(0.1)
    assert rig.session.is_safe
    rig.armed()
    assert not rig.session.is_safe  # nothing is installed while a pilot may drive


def test_lost_bus_stops_the_robot(rig: WagonRig) -> None:
    rig.run_up()
    break_bus(rig.directory, "can0", BusFault.UNPLUGGED)
    rig.clock.advance(0.05)
    assert "CAN bus is lost" in rig.session.fault
    (fault,) = rig.bus.sent["/saint/roles/faults"]
    assert fault.stops_robot
    break_bus(rig.directory, "can0", BusFault.NONE)


def test_will_is_the_stop_frame(rig: WagonRig) -> None:
    (write,) = will_of(rig.board, rig.config, "role-wagond").writes
    assert (write.place, write.data) == (0x303, b"\xe5")
