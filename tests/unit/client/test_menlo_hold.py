"""What a program of menlo-sdk still commands after its newest datagram."""

import socket
import time

import pytest

from saint_services.client.menlo.__main__ import SdkPorts, SdkServer
from saint_services.client.menlo.hold import SdkHold
from saint_services.client.menlo.states import walk_state
from saint_services.lib.walker.codec import encode_command
from saint_services.lib.walker.model import Protocol, WalkCommand, WalkMode

DAMP, STAND, BALANCE, MOVE = WalkMode.DAMP, WalkMode.STAND, WalkMode.BALANCE, WalkMode.MOVE
LEGS = {
    "mode": "move", "reported": "move", "report_age_ms": 12, "gravity": [0.0, 0.0, -1.0],
    "joints": {f"joint_{number}": 0.1 for number in range(12)},
    "battery_voltage": 46.0, "battery_percent": 80.0,
}  # fmt: skip


def mode(hold: SdkHold, now_s: float) -> WalkMode | None:
    command = hold.command(now_s)
    return command and command.mode


def test_nothing_is_commanded_before_the_first_datagram() -> None:
    assert SdkHold().command(0.0) is None


def test_velocity_lives_300_ms_and_then_the_robot_balances() -> None:
    hold = SdkHold()
    hold.received(WalkCommand(MOVE, 0.2, sequence=1), 1.0)
    assert hold.command(1.29) == WalkCommand(MOVE, 0.2, sequence=1)
    assert hold.command(1.31) == WalkCommand(BALANCE)


@pytest.mark.parametrize("given", [STAND, MOVE])
def test_posture_is_damped_10_s_after_the_newest_datagram(given: WalkMode) -> None:
    hold = SdkHold()
    hold.received(WalkCommand(given, sequence=1), 1.0)
    assert mode(hold, 10.9) is (STAND if given is STAND else BALANCE)
    assert mode(hold, 11.1) is DAMP
    assert mode(hold, 11.6) is None  # others may command


def test_end_of_the_program_damps_at_once() -> None:
    hold = SdkHold()
    hold.received(WalkCommand(MOVE, 0.2, sequence=1), 1.0)
    hold.gone(1.1)
    assert mode(hold, 1.1) is DAMP
    assert mode(hold, 1.7) is None
    hold.gone(1.8)
    assert mode(hold, 1.8) is None


def test_overtaken_datagram_is_dropped_and_a_damp_never() -> None:
    hold = SdkHold()
    hold.received(WalkCommand(MOVE, 0.2, sequence=7), 1.0)
    hold.received(WalkCommand(MOVE, 0.4, sequence=6), 1.1)
    assert hold.overtaken == 1
    assert hold.command(1.1) == WalkCommand(MOVE, 0.2, sequence=7)
    hold.received(WalkCommand(DAMP, sequence=5), 1.2)
    assert mode(hold, 1.2) is DAMP


def test_program_that_was_started_again_counts_from_one() -> None:
    hold = SdkHold()
    hold.received(WalkCommand(STAND, sequence=900), 1.0)
    hold.received(WalkCommand(MOVE, sequence=1), 2.0)
    assert mode(hold, 2.0) is BALANCE


def test_other_addresses_and_malformed_datagrams_command_nothing() -> None:
    server = SdkServer("192.0.2.7", SdkPorts(), SdkHold())
    data = encode_command(Protocol.IO, WalkCommand(STAND, sequence=1))
    server.received(data, "192.0.2.8")
    server.received(b"\xff" * 40, "192.0.2.7")
    assert (server.refused, server.malformed) == (1, 1)
    assert server.hold.command(0.0) is None
    server.received(data, "192.0.2.7")
    assert mode(server.hold, time.monotonic()) is STAND


def test_datagrams_that_waited_for_a_stalled_bridge_command_nothing_but_damping() -> None:
    server = SdkServer("192.0.2.7", SdkPorts(), SdkHold())
    server.stalls.beat(time.monotonic() - 5.0)
    walk = WalkCommand(MOVE, vx=0.5, sequence=1)
    server.received(encode_command(Protocol.IO, walk), "192.0.2.7")
    assert mode(server.hold, time.monotonic()) is None
    assert server.waited == 1
    server.received(encode_command(Protocol.IO, WalkCommand(DAMP, sequence=2)), "192.0.2.7")
    assert mode(server.hold, time.monotonic()) is DAMP


def test_state_is_passed_on_only_while_the_controller_reports() -> None:
    state = walk_state(LEGS, 3, 5)
    assert state is not None
    assert (state.mode, len(state.joint_pos)) == (MOVE, 12)
    for stale in ({"report_age_ms": None}, {"report_age_ms": 251}, {"reported": ""}):
        assert walk_state(LEGS | stale, 3, 5) is None
    fault = walk_state(LEGS | {"mode": "fault", "reported": "damp"}, 3, 5)
    assert fault is not None
    assert fault.mode is WalkMode.FAULT


async def test_closed_port_of_the_program_is_noticed() -> None:
    from tests.waiting import until

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        server = SdkServer("127.0.0.1", SdkPorts(0, port, 0), SdkHold())
        await server.open("127.0.0.1")
        data = encode_command(Protocol.IO, WalkCommand(STAND, sequence=1))
        server.received(data, "127.0.0.1")
        server.send(LEGS)
        assert len(free.recv(2048)) > 50

    def is_damped() -> bool:
        server.send(LEGS)
        command = server.hold.command(server.hold._at_s)
        return command is not None and command.mode is DAMP

    await until(is_damped)
    server.close()


def test_joint_targets_of_the_sdk_are_refused() -> None:
    server = SdkServer("192.0.2.7", SdkPorts(), SdkHold())
    move_by_trajectory = bytes((8, 2, 16, 1, 64, 1))  # mode 2, command_control 1, version 1
    server.received(move_by_trajectory, "192.0.2.7")
    assert server.malformed == 1
