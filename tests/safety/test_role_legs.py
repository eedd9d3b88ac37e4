"""When a walking robot may move, and how fast each stop is. All numbers are typed by hand."""

import math
import random
import socket
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from saint_services.lib.guard.ports import carry_out
from saint_services.lib.hw import will_of
from saint_services.lib.walker.codec import decode_command
from saint_services.lib.walker.model import Protocol, WalkMode
from saint_services.role_legsd import link
from tests.examples import examples
from tests.unit.role import role_rig
from tests.unit.role.role_rig import UNKNOWN
from tests.unit.role_legsd import legs_rig
from tests.unit.role_legsd.legs_rig import BALANCE, DAMP, MOVE, STAND, LegsRig
from tools.sim.walker.address import announce


@pytest.fixture(params=list(Protocol))
def rig(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[LegsRig]:
    rig = LegsRig(tmp_path, request.param)
    yield rig
    rig.close()


def test_robot_walks_only_after_it_stood_and_balanced(rig: LegsRig) -> None:
    rig.walk()
    assert rig.plant.falls == rig.plant.deadmen == 0
    assert rig.plant.body.x_m > 0.2


def test_robot_that_is_to_walk_at_once_stays_down(rig: LegsRig) -> None:
    rig.keep(0.2, DAMP)
    rig.keep(5.0, MOVE, 0.3)
    assert rig.mode is WalkMode.DAMP
    assert {command.mode for command in rig.after(0.0)} <= {WalkMode.DAMP}


def test_commands_leave_100_times_a_second_and_never_later_than_half_the_dead_man(
    rig: LegsRig,
) -> None:
    rig.walk()
    began_s = rig.clock.now
    rig.keep(2.0, MOVE, 0.3)
    sent = [at_s for at_s, _ in rig.port.sent if at_s > began_s]
    assert 195 <= len(sent) <= 205
    assert max(b - a for a, b in pairwise(sent)) <= 0.050


def test_velocity_is_limited_and_gained_at_most_at_its_rate(rig: LegsRig) -> None:
    rig.walk(vx=0.0)
    began_s = rig.clock.now
    rig.keep(0.25, MOVE, 9.0, 9.0, -9.0)
    assert max(command.vx for command in rig.after(began_s)) <= 0.8 * 0.27 + 0.001
    rig.keep(2.0, MOVE, 9.0, 9.0, -9.0)
    last = rig.port.sent[-1][1]
    assert (last.vx, last.vy, last.vyaw) == pytest.approx((0.4, 0.3, -0.8))


def test_estop_damps_inside_its_callback(rig: LegsRig) -> None:
    rig.walk()
    now_s = rig.clock.now
    rig.estop(True, 1)
    at_s, command = rig.port.sent[-1]
    assert (at_s, command.mode, rig.mode) == (now_s, WalkMode.DAMP, WalkMode.DAMP)
    assert command.is_emergency == (rig.port.protocol is Protocol.FIRMWARE)
    assert rig.session.report().safe
    rig.clock.advance(1.0)
    assert {each.mode for each in rig.after(now_s)} == {WalkMode.DAMP}


def test_after_an_estop_the_robot_stays_down_until_damp_was_requested(rig: LegsRig) -> None:
    rig.walk()
    rig.estop(True, 1)
    rig.keep(0.2, MOVE, 0.3)
    rig.estop(False, 2)
    began_s = rig.clock.now
    rig.keep(1.0, STAND)
    assert {each.mode for each in rig.after(began_s)} <= {WalkMode.DAMP}
    rig.keep(0.1, DAMP)
    rig.keep(0.1, STAND)
    assert rig.mode is WalkMode.STAND


@pytest.mark.parametrize("silence", ["commands", "heartbeats", "both"])
def test_robot_is_damped_150_ms_after_the_last_sign_of_its_operator(
    rig: LegsRig, silence: str
) -> None:
    rig.walk()
    rig.beat()
    rig.hold(MOVE, 0.3)
    began_s = rig.clock.now
    for _ in range(14):
        rig.clock.advance(0.010)
        if silence == "commands":
            rig.beat()
        elif silence == "heartbeats":
            rig.hold(MOVE, 0.3)
        assert rig.mode is WalkMode.MOVE
    rig.clock.advance(0.0101)
    assert rig.mode is WalkMode.DAMP
    rig.clock.advance(3.0)
    assert {each.mode for each in rig.after(began_s + 0.1502)} == {WalkMode.DAMP}
    assert rig.port.sent[-1][0] < began_s + 0.151 + 0.52  # then it is silent


def test_released_mode_damps_in_the_callback_of_the_router(rig: LegsRig) -> None:
    """The router brings the mode to zero when its source has timed out."""
    rig.walk()
    for mode in (2.4, 1.2, 0.0):
        now_s = rig.clock.now
        rig.hold(mode, 0.3)
        at_s, command = rig.port.sent[-1]
        assert (at_s, command.vx) == (now_s, 0.0)
    assert rig.mode is WalkMode.DAMP


def test_process_that_stands_still_is_stopped_by_the_dead_man_of_the_controller(
    rig: LegsRig,
) -> None:
    rig.walk()
    rig.plant.step(rig.clock.now + 0.09)
    assert rig.plant.mode is WalkMode.MOVE
    rig.plant.step(rig.clock.now + 0.12)
    assert (rig.plant.mode, rig.plant.deadmen) == (WalkMode.DAMP, 1)


def test_role_that_was_late_does_not_drive_on_from_where_the_dead_man_damped(rig: LegsRig) -> None:
    rig.walk()
    rig.clock.now += 0.12  # the loop stands still; the controller may have reported nothing of it
    began_s = rig.clock.now
    rig.keep(0.3, MOVE, 0.3)
    assert {each.mode for each in rig.after(began_s - 0.001)} == {WalkMode.DAMP}
    assert rig.role._machine.reason.startswith("request damp first")
    assert rig.counters["walker_late"] == 1


def test_controller_that_reports_nothing_is_damped_within_300_ms(rig: LegsRig) -> None:
    rig.walk()
    began_s = rig.clock.now
    rig.port.is_silent = True
    rig.keep(0.30, MOVE, 0.3)
    assert rig.mode is WalkMode.DAMP
    assert {each.mode for each in rig.after(began_s + 0.28)} == {WalkMode.DAMP}
    rig.clock.advance(1.0)
    rig.keep(1.0, MOVE, 0.3)
    assert "does not report" in rig.session.condition.reason


def test_controller_that_is_away_is_not_safe_before_its_dead_man(rig: LegsRig) -> None:
    rig.walk()
    rig.port.is_away = True
    rig.estop(True, 1)
    assert not rig.session.is_safe
    rig.clock.advance(0.11)
    assert rig.session.is_safe
    assert rig.mode is WalkMode.DAMP


def test_port_that_fails_is_a_fault_that_stops_the_robot(rig: LegsRig) -> None:
    rig.walk()
    rig.port.error = OSError(1, "not permitted")
    rig.keep(0.2, MOVE, 0.3)
    assert rig.session.fault == "writing to walker failed (not permitted)"
    assert rig.mode is WalkMode.DAMP


@pytest.mark.parametrize("alert", [0, 7, 13])
def test_critical_alert_damps_within_20_ms(rig: LegsRig, alert: int) -> None:
    if rig.port.protocol is Protocol.FIRMWARE:
        pytest.skip("the older protocol has no alerts")
    rig.walk()
    rig.plant.raised = {alert}
    began_s = rig.clock.now
    rig.keep(0.1, MOVE, 0.3)
    assert {each.mode for each in rig.after(began_s + 0.02)} == {WalkMode.DAMP}


def test_fallen_robot_stands_up_only_by_damp_and_stand(rig: LegsRig) -> None:
    rig.walk()
    rig.plant._fall()
    rig.keep(1.0, MOVE, 0.3)
    assert rig.mode in (WalkMode.FAULT, WalkMode.DAMP)
    rig.keep(0.2, DAMP)
    rig.keep(2.8, STAND)
    assert (rig.mode, rig.plant.body.is_fallen) == (WalkMode.STAND, False)


def test_command_that_is_no_number_or_of_an_unknown_participant_is_refused(rig: LegsRig) -> None:
    rig.keep(0.2, DAMP)
    rig.beat()
    rig.hold(math.nan)
    rig.hold(STAND, math.inf)
    rig.hold(STAND, origin=UNKNOWN)
    assert rig.session.report().refused == 3
    assert rig.role._machine.requested is WalkMode.DAMP


def test_unguarded_role_commands_nothing_but_damping(rig: LegsRig) -> None:
    class Lost:
        def may_drive(self) -> bool:
            return False

    rig.walk()
    rig.session.guard = Lost()
    began_s = rig.clock.now
    rig.keep(0.5, MOVE, 0.3)
    assert {each.mode for each in rig.after(began_s)} <= {WalkMode.DAMP}


def test_end_of_the_assignment_damps(rig: LegsRig) -> None:
    rig.walk()
    began_s = rig.clock.now
    rig.session.close()
    assert rig.mode is WalkMode.DAMP
    rig.clock.advance(1.0)
    assert {each.mode for each in rig.after(began_s - 0.001)} <= {WalkMode.DAMP, WalkMode.MOVE}
    assert rig.port.sent[-1][1].mode is WalkMode.DAMP


def test_will_of_the_role_is_three_datagrams_that_damp(rig: LegsRig) -> None:
    listener = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    listener.bind(("127.0.0.1", 0))
    listener.settimeout(5.0)
    announce(rig.directory, listener.getsockname()[1])
    writes = will_of(rig.board, rig.config, "role-legsd").writes
    assert [write.kind.value for write in writes] == ["udp"] * 3
    commands = {decode_command(rig.port.protocol, write.data).mode for write in writes}
    assert commands == {WalkMode.DAMP}
    assert carry_out([will_of(rig.board, rig.config, "role-legsd")]) == []
    assert [listener.recv(100) for _ in range(3)] == [write.data for write in writes]
    listener.close()


def _live_randomly(rig: LegsRig, rng: random.Random) -> None:
    """One history: an operator who requests, goes and comes; losses, faults, e-stops."""
    wanted, generation = DAMP, 0
    is_there = has_router = True
    alive_s = rig.clock.now
    for _ in range(rng.randint(5, 25)):
        match rng.choice(
            ["mode", "rise", "rise", "rise", "operator", "router", "alert", "silent", "away",
             "stop", "clear", "fall", "speed"]
        ):  # fmt: skip
            case "mode":
                wanted = rng.choice([DAMP, STAND, BALANCE, MOVE, 1.5, -1.0, math.nan, 7.0])
            case "rise":
                mode = rig.role._machine.mode
                wanted = float(min(mode + 1, WalkMode.MOVE))
            case "operator":
                is_there = not is_there
            case "router":
                has_router = rng.random() < 0.8
            case "alert":
                rig.plant.raised = {rng.randrange(48)} if rng.random() < 0.3 else set()
            case "silent":
                rig.port.is_silent = rng.random() < 0.2
            case "away":
                rig.port.is_away = rng.random() < 0.2
            case "stop":
                generation += 1
                rig.estop(True, generation)
            case "clear":
                generation += 1
                rig.estop(False, generation)
            case "fall" if rng.random() < 0.2:
                rig.plant._fall()
        velocity = [rng.choice([0.0, 0.3, -2.0, 50.0]) for _ in range(3)]
        for _ in range(rng.choice([1, 2, 8, 20])):
            if has_router:
                rig.beat()
            if is_there:
                rig.hold(wanted, *velocity)
            if is_there and has_router and not rig.session.gate.latched:
                alive_s = rig.clock.now
            rig.clock.advance(0.05)  # the router repeats what is in force 20 times a second
            _check(rig, alive_s)


def _check(rig: LegsRig, alive_s: float) -> None:
    for at_s, command in rig.port.sent:
        if command.mode is WalkMode.DAMP:
            continue
        assert at_s <= alive_s + 0.1501, "commanded after its operator went"
        assert abs(command.vx) <= 0.4001
        assert abs(command.vy) <= 0.3001
        assert abs(command.vyaw) <= 0.8001
    _check_order(rig)
    rig.port.sent.clear()


def _check_order(rig: LegsRig) -> None:
    """The controller falls when it is commanded to balance before it stands: it never did."""
    modes: list[WalkMode] = rig.__dict__.setdefault("modes", [WalkMode.DAMP])
    for _, command in rig.port.sent:
        if command.mode is not modes[-1]:
            allowed = command.mode <= modes[-1] + 1
            # In the current protocol to balance is to move without a velocity.
            is_io = rig.port.protocol is Protocol.IO
            if is_io and modes[-1] is WalkMode.STAND and command.mode is WalkMode.MOVE:
                allowed = (command.vx, command.vy, command.vyaw) == (0.0, 0.0, 0.0)
            assert allowed, f"{modes[-1].name} -> {command.mode.name}"
            modes.append(command.mode)


@pytest.mark.parametrize("protocol", list(Protocol))
def test_no_random_history_walks_out_of_order_or_without_its_operator(
    tmp_path: Path, protocol: Protocol, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The bytes are tested elsewhere; without them and without readers 1,000 histories are cheap.
    for module in (link, legs_rig):
        for name in ("encode_command", "decode_command", "encode_state", "decode_state"):
            monkeypatch.setattr(module, name, lambda _, value: value, raising=False)
    monkeypatch.setattr(role_rig._Publisher, "has_readers", False)
    monkeypatch.setattr(role_rig._Publisher, "publish", lambda *_: None)
    seed = random.SystemRandom().randrange(1 << 32)
    walked = 0
    for number in range(examples(500)):
        rng = random.Random(f"{seed}/{number}")
        rig = LegsRig(tmp_path / str(number), protocol, stand_s=0.5)
        try:
            _live_randomly(rig, rng)
        except AssertionError as err:
            raise AssertionError(f"seed {seed}, history {number}: {err}") from err
        finally:
            rig.close()
        walked += WalkMode.MOVE in rig.__dict__.get("modes", [])
    assert walked > 0, f"seed {seed}: no history walked"
