"""When the tracks may move, and how fast. All numbers are typed by hand."""

import math
from collections.abc import Iterator
from pathlib import Path

import pytest

from saint_services.lib.crypto.signing import PrivateKey
from saint_services.lib.generated.geometry_msgs import Twist, Vector3
from saint_services.lib.generated.std_msgs import Bool
from saint_services.lib.generated.topics import ROUTER_CREDENTIAL, TRACKS_CMD_VEL, TRACKS_ESTOP
from tests.unit.role.credentials import OTHER, SERVER, credential
from tests.unit.role.role_rig import ROUTER, UNKNOWN, Rig
from tools.sim.faults import Fault

STANDING = (0.0, 0.0)
SECOND = "0c" * 12


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    rig = Rig(tmp_path, "tracks")
    yield rig
    rig.close()


def duty(mps: float) -> float:
    """Return the duty of a track at a speed: top speed 1.5 m/s, 5 percent for friction."""
    return 0.05 + 0.95 * mps / 1.5


def run_up(rig: Rig) -> None:
    rig.live(0.4, lambda: rig.drive(1.5))
    assert rig.duties() == (1.0, 1.0)


def test_command_before_any_heartbeat_is_refused(rig: Rig) -> None:
    rig.drive(0.1)
    assert rig.duties() == STANDING
    assert rig.session.report().refused == 1


def test_command_is_written_inside_its_callback(rig: Rig) -> None:
    rig.beat()
    rig.drive(0.06)  # 6 m/s2 for 20 ms allow 0.12 m/s at once
    assert rig.duties() == pytest.approx((duty(0.06), duty(0.06)))


def test_top_speed_is_never_exceeded(rig: Rig) -> None:
    rig.live(1.0, lambda: rig.drive(50.0))
    assert rig.duties() == (1.0, 1.0)
    assert rig.session._linear.applied == 1.5


def test_turning_is_limited_to_3_radians_per_second(rig: Rig) -> None:
    rig.live(1.0, lambda: rig.drive(0.0, 50.0))
    # 3 rad/s on 0.5 m between the tracks: 0.75 m/s of 1.5 m/s
    assert rig.duties() == pytest.approx((duty(0.75), duty(0.75)))
    assert (rig.pin(5).value, rig.pin(6).value) == (1.0, 0.0)  # left backward, right forward


def test_speed_is_gained_at_6_metres_per_second_squared_at_most(rig: Rig) -> None:
    rig.beat()
    for step in range(1, 26):
        rig.beat()
        rig.drive(1.5)
        allowed = duty(6.0 * (0.02 + 0.01 * (step - 1)))
        assert rig.duties()[0] <= min(1.0, allowed) + 1e-9
        rig.clock.advance(0.01)
    assert rig.duties()[0] == pytest.approx(1.0)


def test_slowing_down_is_never_delayed(rig: Rig) -> None:
    run_up(rig)
    rig.drive(0.2)
    assert rig.duties() == pytest.approx((duty(0.2), duty(0.2)))
    rig.drive(0.0)
    assert rig.duties() == STANDING


def test_reversing_passes_zero_before_the_direction_changes(rig: Rig) -> None:
    run_up(rig)
    rig.drive(-1.5)
    assert rig.pin(12).value == pytest.approx(duty(0.12))  # 6 m/s2 for 20 ms from standing
    assert rig.pin(5).value == 1.0


@pytest.mark.parametrize("silence", ["commands", "heartbeats", "both"])
def test_motors_stop_150_ms_after_the_last_sign(rig: Rig, silence: str) -> None:
    run_up(rig)
    rig.beat()
    rig.drive(1.5)
    for _ in range(14):
        rig.clock.advance(0.010)
        if silence == "commands":
            rig.beat()
        elif silence == "heartbeats":
            rig.drive(1.5)
        assert rig.duties() == (1.0, 1.0)
    rig.clock.advance(0.0101)
    assert rig.duties() == STANDING
    assert rig.session.report().safe


def test_after_the_deadline_a_fresh_router_drives_again(rig: Rig) -> None:
    run_up(rig)
    rig.clock.advance(0.2)
    assert rig.duties() == STANDING
    run_up(rig)


def test_repeated_heartbeats_do_not_keep_the_motors_running(rig: Rig) -> None:
    run_up(rig)
    rig.beat(sequence=500)
    for _ in range(20):
        rig.clock.advance(0.01)
        rig.beat(sequence=500)
        rig.drive(1.5)
    assert rig.duties() == STANDING


def test_command_of_an_unknown_participant_is_refused(rig: Rig) -> None:
    rig.beat()
    rig.drive(1.0, origin=UNKNOWN)
    assert rig.duties() == STANDING
    assert rig.session.report().refused == 1


def test_unknown_participant_does_not_prolong_a_motion(rig: Rig) -> None:
    run_up(rig)
    for _ in range(16):
        rig.clock.advance(0.01)
        rig.beat()
        rig.drive(1.5, origin=UNKNOWN)
    assert rig.duties() == STANDING


def test_second_router_does_not_take_over_from_a_living_one(rig: Rig) -> None:
    rig.beat()
    rig.beat(UNKNOWN, sequence=1000)
    rig.drive(1.0, origin=UNKNOWN)
    assert rig.duties() == STANDING
    rig.drive(0.06)
    assert rig.duties() != STANDING


def test_new_router_takes_over_after_the_old_one_has_gone_silent(rig: Rig) -> None:
    rig.beat()
    rig.clock.advance(0.151)
    rig.send(ROUTER_CREDENTIAL, credential(SECOND, 2), SECOND)
    rig.beat(SECOND, sequence=1)
    rig.drive(0.06, origin=SECOND)
    assert rig.duties() != STANDING


@pytest.mark.parametrize("origin", [UNKNOWN, ""])
@pytest.mark.parametrize("key", [None, OTHER, SERVER])
def test_unproven_router_does_not_take_over(rig: Rig, origin: str, key: PrivateKey | None) -> None:
    rig.beat()
    rig.clock.advance(0.151)
    if key is not None:  # another server's signature, or ours for another participant
        rig.send(ROUTER_CREDENTIAL, credential(SECOND, 2, key), origin)
    rig.beat(origin, sequence=1)
    rig.drive(0.06, origin=origin)
    assert rig.duties() == STANDING


@pytest.mark.parametrize(("accepts", "moves"), [("", False), ("yes", False), ("accept", True)])
def test_bus_that_names_no_writers_moves_nothing_unless_that_is_accepted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, accepts: str, moves: bool
) -> None:
    monkeypatch.setenv("SAINT_UNPROVEN_BUS", accepts)
    unnamed = Rig(tmp_path, "tracks", origin="")
    unnamed.beat("")
    unnamed.drive(0.06, origin="")
    assert (unnamed.duties() != STANDING) is moves
    unnamed.close()


def test_accepting_unnamed_writers_changes_nothing_on_a_bus_that_names_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SAINT_UNPROVEN_BUS", "accept")
    named = Rig(tmp_path, "tracks")
    named.beat("")
    named.drive(0.06, origin="")
    assert named.duties() == STANDING
    named.close()


def test_writer_that_has_gone_is_not_the_router(rig: Rig) -> None:
    rig.beat()
    rig.drive(0.06, origin="")
    assert rig.duties() == STANDING


def test_command_that_waited_longer_than_the_deadline_is_refused(rig: Rig) -> None:
    rig.beat()
    rig.bus.send(TRACKS_CMD_VEL, Twist(Vector3(1.0)), ROUTER, late_s=0.151)
    assert rig.duties() == STANDING


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("part", ["linear", "angular"])
@pytest.mark.parametrize("axis", ["x", "y", "z"])
def test_not_finite_number_refuses_the_whole_command(
    rig: Rig, bad: float, part: str, axis: str
) -> None:
    rig.beat()
    twist = Twist(Vector3(1.0), Vector3())
    setattr(getattr(twist, part), axis, bad)
    rig.send(TRACKS_CMD_VEL, twist)
    assert rig.duties() == STANDING
    assert rig.session.report().refused == 1


def test_estop_topic_stops_inside_its_callback(rig: Rig) -> None:
    run_up(rig)
    rig.estop(True, 1)
    assert rig.duties() == STANDING
    assert rig.session.report().estop


def test_estop_in_the_heartbeat_stops_inside_its_callback(rig: Rig) -> None:
    run_up(rig)
    rig.generation = 1
    rig.beat(estop=True)
    assert rig.duties() == STANDING


def test_estop_of_an_unknown_participant_stops_too(rig: Rig) -> None:
    run_up(rig)
    rig.bus.send(TRACKS_ESTOP, Bool(False), UNKNOWN)
    assert rig.duties() == (1.0, 1.0)
    rig.estop(True, 99, UNKNOWN)
    assert rig.duties() == STANDING


def test_nothing_moves_while_estopped(rig: Rig) -> None:
    rig.estop(True, 1)
    for _ in range(50):
        rig.beat(estop=True)
        rig.drive(1.0)
        rig.clock.advance(0.01)
        assert rig.duties() == STANDING


def test_release_needs_a_higher_generation(rig: Rig) -> None:
    rig.beat()
    rig.estop(True, 4)
    rig.estop(False, 4)
    rig.estop(False, 3)
    assert rig.session.report().estop
    rig.estop(False, 5)
    assert not rig.session.report().estop


def test_release_by_an_unknown_participant_is_refused(rig: Rig) -> None:
    rig.beat()
    rig.estop(True, 4)
    rig.estop(False, 5, UNKNOWN)
    assert rig.session.report().estop


def test_heartbeat_releases_when_the_topic_was_missed(rig: Rig) -> None:
    rig.beat()
    rig.estop(True, 4)
    rig.generation = 5
    rig.beat(estop=False)
    assert not rig.session.report().estop


def test_release_alone_moves_nothing(rig: Rig) -> None:
    run_up(rig)
    rig.estop(True, 1)
    rig.estop(False, 2)
    rig.clock.advance(0.05)
    assert rig.duties() == STANDING


@pytest.mark.parametrize("cause", ["estop", "silence"])
def test_after_a_stop_speed_is_gained_from_zero(rig: Rig, cause: str) -> None:
    rig.live(0.4, lambda: rig.drive(1.5, 0.5))
    if cause == "estop":
        rig.estop(True, 1)
        rig.estop(False, 2)
    else:
        rig.clock.advance(0.2)
        rig.beat()
    rig.drive(1.5, 0.5)
    # 6 m/s2 and 24 rad/s2 for 20 ms: 0.12 m/s and 0.48 rad/s on 0.25 m
    assert max(rig.duties()) <= duty(0.12 + 0.48 * 0.25) + 1e-6


def test_old_estop_message_after_the_release_is_ignored(rig: Rig) -> None:
    rig.beat()
    rig.estop(True, 4)
    rig.estop(False, 5)
    rig.estop(True, 4)
    assert not rig.session.report().estop


def test_stop_button_of_the_tracks_latches_until_the_router_releases(rig: Rig) -> None:
    run_up(rig)
    rig.send(TRACKS_ESTOP, Bool(True), UNKNOWN)
    assert rig.duties() == STANDING
    rig.live(0.5, lambda: rig.drive(1.0))
    rig.send(TRACKS_ESTOP, Bool(False), UNKNOWN)
    rig.live(0.5, lambda: rig.drive(1.0))
    assert rig.duties() == STANDING
    rig.estop(True, 1)  # the router receives the button too
    rig.estop(False, 2)
    rig.live(0.1, lambda: rig.drive(1.0))
    assert rig.duties() != STANDING


def test_router_that_lost_its_state_releases_after_stop_and_clear(rig: Rig) -> None:
    rig.beat()
    rig.estop(True, 7)
    rig.clock.advance(0.2)
    rig.generation = 0
    rig.send(ROUTER_CREDENTIAL, credential(SECOND, 2), SECOND)
    rig.beat(SECOND, sequence=1)
    assert rig.session.report().estop
    rig.estop(True, 1, SECOND)
    rig.estop(False, 2, SECOND)
    assert not rig.session.report().estop


def test_end_of_the_assignment_stops_the_motors(rig: Rig) -> None:
    run_up(rig)
    rig.session.close()
    assert rig.duties() == STANDING


def test_motors_left_running_by_a_dead_process_stop_when_the_role_opens(tmp_path: Path) -> None:
    first = Rig(tmp_path, "tracks")
    run_up(first)
    second = Rig(tmp_path, "tracks")  # the first never closed anything
    assert second.duties() == STANDING
    second.close()
    first.board.close()


def test_stop_button_after_the_release_is_reported_to_the_router(rig: Rig) -> None:
    """Topics overtake each other; people must see the latch that this raises."""
    rig.beat()
    rig.estop(True, 1)
    rig.estop(False, 2)
    rig.send(TRACKS_ESTOP, Bool(True), UNKNOWN)
    assert rig.session.gate.latched
    (fault,) = rig.bus.sent["/saint/roles/faults"]
    assert (fault.target, fault.stops_robot) == ("tracks", True)
    assert "/saint/tracks/estop" in fault.text


def hold_the_tracks(rig: Rig, seconds: float) -> float:
    """Command full speed while both are blocked; returns how long the motors had power."""
    for side in ("left", "right"):
        rig.faults.set(f"{side}_motor", Fault.STALL)
    powered_s = 0.0
    for _ in range(round(seconds / 0.01)):
        rig.live(0.01, lambda: rig.drive(1.5), period_s=0.01)
        powered_s += 0.01 * (rig.duties() != STANDING)
    rig.faults.clear()
    return powered_s


def test_blocked_tracks_lose_their_power_within_a_second(rig: Rig) -> None:
    assert 0.5 <= hold_the_tracks(rig, 5.0) <= 1.0
    assert rig.duties() == STANDING
    assert "does not turn" in rig.session.report().reason
    assert not rig.session.gate.latched  # a person may try again


def test_blocked_tracks_are_tried_again_after_neutral_and_a_pause(rig: Rig) -> None:
    hold_the_tracks(rig, 1.0)
    rig.live(0.3, lambda: rig.drive(0.0))
    rig.live(0.1, lambda: rig.drive(1.5))
    assert rig.duties() == STANDING  # the pause of a second is not over
    rig.live(1.0, lambda: rig.drive(1.5))
    assert rig.duties() == (1.0, 1.0)
    assert rig.session.report().reason == ""


def test_blocked_tracks_do_not_start_again_under_a_held_stick(rig: Rig) -> None:
    hold_the_tracks(rig, 1.0)
    rig.live(20.0, lambda: rig.drive(1.5))
    assert rig.duties() == STANDING


def test_third_stall_in_a_minute_stops_the_robot(rig: Rig) -> None:
    for _ in range(3):
        assert not rig.session.gate.latched
        hold_the_tracks(rig, 1.0)
        rig.live(1.5, lambda: rig.drive(0.0))
    assert rig.session.gate.latched
    faults = rig.bus.sent["/saint/roles/faults"]
    assert [fault.stops_robot for fault in faults] == [False, False, True]
    assert "clear the e-stop" in faults[-1].text


def test_tracks_that_stand_at_low_power_are_left_alone(rig: Rig) -> None:
    rig.faults.set("left_motor", Fault.STALL)
    rig.live(3.0, lambda: rig.drive(0.3))
    assert rig.duties() == pytest.approx((duty(0.3), duty(0.3)))


def test_resting_role_that_stood_still_obeys_nothing_that_waited(rig: Rig) -> None:
    rig.beat()
    rig.clock.advance(0.1)
    rig.clock.now += 0.4  # frozen: no timer fires, and what arrives is read afterwards
    rig.beat()
    rig.drive(1.5)
    assert rig.duties() == STANDING
    rig.clock.advance(0.0)  # the timers run; 50 ms more may bring what waited in sockets
    rig.beat()
    rig.drive(1.5)
    assert rig.duties() == STANDING
    rig.clock.advance(0.051)
    rig.beat()
    rig.drive(0.06)
    assert rig.duties() == pytest.approx((duty(0.06), duty(0.06)))


def test_resting_role_that_stood_still_is_stopped_by_what_waited(rig: Rig) -> None:
    rig.beat()
    rig.clock.now += 0.4
    rig.estop(True, 7, UNKNOWN)
    assert rig.session.gate.latched
