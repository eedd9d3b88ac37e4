"""The structs of remote operation: sizes, vectors by hand, what is refused."""

import struct

import pytest

from saint_services.lib.binary_layout import LayoutError
from saint_services.lib.teleop.structs import COMMAND, STATE, TeleopCommand, TeleopState

WALK = TeleopCommand(2, 0.5, 0.0, -0.25, 1, 1, 0)
STANDING = TeleopState(
    timestamp_us=1_000_000,
    sequence=7,
    mode=5,
    motors_enabled=1,
    emergency_stop=0,
    joint_pos=tuple(each / 2 for each in range(12)),
    joint_vel=(0.0,) * 12,
    base_ang_vel=(0.0, 0.5, -0.5),
    projected_gravity=(0.0, 0.0, -1.0),
    gait_phase=0.25,
    battery_voltage=48.5,
    battery_percent=87,
)


def test_command_has_16_bytes_in_the_order_of_its_fields() -> None:
    data = bytes.fromhex("02 0000003f 00000000 000080be 01 01 00")
    assert len(data) == 16
    assert COMMAND.encode(WALK) == data and COMMAND.decode(data) == WALK


def test_state_has_144_bytes_in_the_order_of_its_fields() -> None:
    data = (
        bytes.fromhex("40420f0000000000 07000000 05 01 00")
        + struct.pack("<12f", *(each / 2 for each in range(12)))
        + bytes(48)
        + bytes.fromhex("00000000 0000003f 000000bf 00000000 00000000 000080bf")
        + bytes.fromhex("0000803e 00004242 57")
    )
    assert len(data) == 144
    assert STATE.encode(STANDING) == data and STATE.decode(data) == STANDING


@pytest.mark.parametrize("size", [0, 15, 17, 20, 22, 28])
def test_command_of_another_size_is_refused(size: int) -> None:
    with pytest.raises(LayoutError, match="16 are needed"):
        COMMAND.decode(bytes(size))


@pytest.mark.parametrize("size", [0, 143, 145, 152, 170])
def test_state_of_another_size_is_refused(size: int) -> None:
    with pytest.raises(LayoutError, match="144 are needed"):
        STATE.decode(bytes(size))


def test_modes_0_1_2_are_valid_in_commands_and_5_also_in_states() -> None:
    command, state = COMMAND.encode(WALK), STATE.encode(STANDING)
    for mode in range(256):
        sent, reported = bytes((mode,)) + command[1:], state[:12] + bytes((mode,)) + state[13:]
        for layout, data, valid in (
            (COMMAND, sent, (0, 1, 2)),
            (STATE, reported, (0, 1, 2, 5)),
        ):
            if mode in valid:
                assert layout.decode(data).mode == mode
            else:
                with pytest.raises(LayoutError, match="mode is"):
                    layout.decode(data)


@pytest.mark.parametrize("bits", ["0000c07f", "0000807f", "000080ff"])
def test_numbers_that_are_not_finite_are_refused_wherever_they_stand(bits: str) -> None:
    wrong = bytes.fromhex(bits)
    command, state = COMMAND.encode(WALK), STATE.encode(STANDING)
    for layout, data, places in (
        (COMMAND, command, range(1, 13, 4)),
        (STATE, state, range(15, 143, 4)),
    ):
        for at in places:
            with pytest.raises(LayoutError, match="not a finite number"):
                layout.decode(data[:at] + wrong + data[at + 4 :])


def test_other_fields_are_as_received() -> None:
    command = COMMAND.decode(bytes((2,)) + bytes(12) + bytes((255, 2, 9)))
    assert (command.gait_mode, command.enable, command.e_stop) == (255, 2, 9)
    assert STATE.decode(STATE.encode(STANDING)[:-1] + b"\xff").battery_percent == 255
