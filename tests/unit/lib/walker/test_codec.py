"""The bytes of both protocols against vectors and a second implementation."""

import math
import struct
import subprocess
import sys
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saint_services.lib.walker.codec import (
    decode_command,
    decode_state,
    encode_command,
    encode_state,
)
from saint_services.lib.walker.model import (
    CanCount,
    Protocol,
    Severity,
    WalkAlert,
    WalkBattery,
    WalkCommand,
    WalkMode,
    WalkState,
)

from .wire import Value, message

OLD, IO = Protocol.FIRMWARE, Protocol.IO
# Made by asimov-protocol 1.3.0rc4 (its generated classes) on protobuf 7.36.2.
PUBLISHED = {
    WalkMode.DAMP: "30c0843d380740015863",
    WalkMode.STAND: "080130c0843d380740015863",
    WalkMode.BALANCE: "08021a0030c0843d380740015863",
    WalkMode.MOVE: "08021a0f0d9a99993e15cdccccbd1d0000003f30c0843d380740015863",
}
PUBLISHED_STATE = (
    "08c096b10210f403180232300000003f0000003f0000003f0000003f0000003f0000003f0000003f0000003f0000"
    "003f0000003f0000003f0000003f3a30000080be000080be000080be000080be000080be000080be000080be0000"
    "80be000080be000080be000080be000080be42300000c03f0000c03f0000c03f0000c03f0000c03f0000c03f0000"
    "c03f0000c03f0000c03f0000c03f0000c03f0000c03f4a3000002042000020420000204200002042000020420000"
    "2042000020420000204200002042000020420000204200002042520c0000003e00000000000000bf5a0c00000000"
    "0000803e000040bf62100000803f0000000000000000000000006881027007a20108081b1001180e200faa011108"
    "840710f40318ecffffffffffffffff01b201050d0000c03fba0106080a10091801c00101e201140d000042421500"
    "0060401d00006041250000f841f00163"
)
floats = st.floats(width=32, allow_nan=False, allow_infinity=False)
modes = st.sampled_from([WalkMode.DAMP, WalkMode.STAND, WalkMode.BALANCE, WalkMode.MOVE])
commands = st.builds(
    WalkCommand, modes, floats, floats, floats, st.integers(0, 2**64 - 1),
    st.integers(0, 2**32 - 1), st.integers(0, 2**64 - 1),
)  # fmt: skip
STATE = WalkState(
    WalkMode.MOVE, 5_000_000, 500, (0.5,) * 12, (-0.25,) * 12, (1.5,) * 12, (40.0,) * 12,
    (0.125, 0.0, -0.5), (0.0, 0.25, -0.75), (1.0, 0.0, 0.0, 0.0), 257, 7,
    (WalkAlert(27, Severity.WARNING, 14, 15),), WalkBattery(48.5, 14.0, 3.5, 31.0), epoch=99,
    cycle_us=900, jitter_us=-20, can=(CanCount(10, 9, 1, 0),),
)  # fmt: skip


@pytest.mark.parametrize("mode", PUBLISHED)
def test_command_has_the_bytes_of_the_published_library(mode: WalkMode) -> None:
    command = WalkCommand(mode, 0.3, -0.1, 0.5, timestamp_us=1_000_000, sequence=7, epoch=99)
    assert encode_command(IO, command).hex() == PUBLISHED[mode]


def test_state_of_the_published_library_is_read_whole() -> None:
    assert decode_state(IO, bytes.fromhex(PUBLISHED_STATE)) == STATE


@given(commands)
def test_old_command_is_what_a_second_implementation_encodes(command: WalkCommand) -> None:
    moving = command.mode is WalkMode.MOVE
    speeds = (command.vx, command.vy, command.vyaw) if moving else (0.0, 0.0, 0.0)
    fields: list[tuple[int, Value]] = [(1, int(command.mode))]
    fields += [(number, float(speed)) for number, speed in enumerate(speeds, 2)]
    fields += [(5, int(command.mode is not WalkMode.DAMP)), (7, command.timestamp_us)]
    assert encode_command(OLD, command) == message(fields)


@given(commands)
def test_current_command_is_what_a_second_implementation_encodes(command: WalkCommand) -> None:
    number = {WalkMode.DAMP: 0, WalkMode.STAND: 1}.get(command.mode, 2)
    fields: list[tuple[int, Value]] = [(1, number)]
    if number == 2:
        moving = command.mode is WalkMode.MOVE
        speeds = (command.vx, command.vy, command.vyaw) if moving else (0.0,) * 3
        fields.append((3, message(enumerate(map(float, speeds), 1))))
    fields += [(6, command.timestamp_us), (7, command.sequence), (8, 1), (11, command.epoch)]
    assert encode_command(IO, command) == message(fields)


@given(commands, st.sampled_from(Protocol))
def test_command_is_read_as_it_was_written(command: WalkCommand, protocol: Protocol) -> None:
    found = decode_command(protocol, encode_command(protocol, command))
    is_balance = command.mode is WalkMode.BALANCE and protocol is IO
    assert found.mode == (WalkMode.MOVE if is_balance else command.mode)
    moving = command.mode is WalkMode.MOVE
    assert (found.vx, found.vy) == ((command.vx, command.vy) if moving else (0.0, 0.0))


def test_old_state_is_what_a_second_implementation_encodes() -> None:
    data = message([
        (1, 5_000_000), (2, 500), (3, 2), (4, 1), (6, [0.5] * 12), (7, [-0.25] * 12),
        (10, [0.125, 0.0, -0.5]), (11, [0.0, 0.25, -0.75]), (15, 0.5), (16, 48.5), (17, 14),
    ])  # fmt: skip
    found = decode_state(OLD, data)
    expected = WalkState(
        WalkMode.BALANCE, 5_000_000, 500, (0.5,) * 12, (-0.25,) * 12,
        ang_vel_rads=(0.125, 0.0, -0.5),
        gravity=(0.0, 0.25, -0.75), battery=found.battery, gait_phase=0.5,
    )  # fmt: skip
    assert found == expected
    assert found.battery
    assert (found.battery.voltage_v, found.battery.percent) == (48.5, 14)
    assert encode_state(OLD, found) == data


def test_state_of_the_current_protocol_is_encoded_as_it_is_read() -> None:
    assert decode_state(IO, encode_state(IO, STATE)) == STATE


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"joint_pos": (0.0,) * 13}, "joint_pos has 13 values, not 12 or 25"),
        ({"joint_vel": (math.nan,) * 12}, "joint_vel is not finite"),
        ({"gravity": (0.0, 0.0)}, "projected_gravity has 2 values, not 3"),
        ({"ang_vel_rads": (0.0, math.inf, 0.0)}, "base_ang_vel is not finite"),
        ({"quaternion": (1.0, 0.0)}, "base_quat has 2 values, not 4"),
        ({"battery": WalkBattery(math.nan, 5.0)}, "battery is not finite"),
        ({"alerts": (WalkAlert(1, Severity.INFO),) * 49}, "too many alerts or buses"),
    ],
)
def test_malformed_state_is_refused_whole_with_the_reason(
    changes: dict[str, object], reason: str
) -> None:
    data = encode_state(IO, replace(STATE, **changes))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=reason):
        decode_state(IO, data)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (message([(1, 3), (8, 1)]), "mode 3 is unknown"),
        (message([(1, 5), (8, 1)]), "mode fault cannot be commanded"),
        (message([(1, 1)]), "protocol version 0 is not 1"),
        (message([(1, 2), (3, message([(1, math.nan)])), (8, 1)]), "velocity is not finite"),
        (b"\x1a\x0f\x0d", "no message of this protocol"),
        (bytes(2049), "2049 bytes are more than 2048"),
    ],
)
def test_malformed_command_is_refused_with_the_reason(data: bytes, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        decode_command(IO, data)


def test_alert_of_an_unknown_severity_counts_as_critical() -> None:
    alert = message([(1, 60), (2, 9)])
    gravity = struct.pack("<3f", 0.0, 0.0, -1.0)
    data = message([(10, bytes(12)), (11, gravity), (20, alert), (24, 1)])
    assert decode_state(IO, data).critical == (WalkAlert(60, Severity.CRITICAL),)


@pytest.mark.parametrize("mode", [WalkMode.FAULT, WalkMode.IMITATION])
def test_mode_of_the_controller_alone_is_not_commanded(mode: WalkMode) -> None:
    with pytest.raises(ValueError, match="cannot be commanded"):
        encode_command(OLD, WalkCommand(mode))


def test_velocity_that_is_no_number_is_never_encoded() -> None:
    with pytest.raises(ValueError, match="not finite"):
        encode_command(IO, WalkCommand(WalkMode.MOVE, math.nan))


@given(st.binary(max_size=200), st.sampled_from(Protocol))
def test_any_bytes_are_read_or_refused_with_a_value_error(data: bytes, protocol: Protocol) -> None:
    for decode in (decode_command, decode_state):
        try:
            decode(protocol, data)
        except ValueError:
            continue


def test_library_is_loaded_by_the_first_message_only() -> None:
    program = (
        "import sys, saint_services.lib.walker.codec; assert 'google.protobuf' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=30)
