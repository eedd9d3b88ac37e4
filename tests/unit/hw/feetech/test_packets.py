"""Packets and registers of Feetech's servos, against bytes of the makers' manual."""

import pytest

from saint_services.lib.hw.feetech import packets
from saint_services.lib.hw.feetech.packets import Packet, block_of
from saint_services.lib.hw.feetech.registers import REGISTERS, Series, register_at


@pytest.mark.parametrize(
    ("packet", "wire"),
    [
        (packets.ping(1), "ffff010201fb"),
        (packets.read(1, 56, 2), "ffff0104023802be"),
        (packets.write(254, 5, b"\x01"), "fffffe04030501f4"),
        (packets.reg_write(1, 42, bytes.fromhex("00080000e803")), "ffff0109042a00080000e803d4"),
        (packets.action(), "fffffe0205fa"),
        (packets.reset(0), "ffff000206f7"),
        (packets.sync_read(56, 8, (1, 2)), "fffffe06823808010236"),
        (packets.sync_write(42, {1: b"\x00\x08", 2: b"\x00\x04"}), "fffffe0a832a0201000802000439"),
    ],
)
def test_instruction_has_the_bytes_of_the_manual(packet: Packet, wire: str) -> None:
    assert packet.encoded().hex() == wire


def test_sync_write_of_different_lengths_is_refused() -> None:
    with pytest.raises(ValueError, match="as many bytes"):
        packets.sync_write(42, {1: b"\0", 2: b"\0\0"})
    with pytest.raises(ValueError, match="at least one"):
        packets.sync_write(42, {})


def test_packet_that_is_too_long_is_refused() -> None:
    with pytest.raises(ValueError, match="too many"):
        packets.write(1, 0, bytes(300)).encoded()


def test_block_of_a_sync_write_that_is_cut_short_is_none() -> None:
    assert block_of(Packet(254, 0x83, bytes((42, 2, 1, 0)))) is None


@pytest.mark.parametrize(
    ("series", "name", "value", "wire"),
    [
        (Series.STS, "goal_position", 2048, "0008"),
        (Series.SCS, "goal_position", 1023, "03ff"),
        (Series.STS, "homing_offset", -5, "0508"),
        (Series.STS, "homing_offset", 2047, "ff07"),
        (Series.STS, "present_load", -100, "6404"),
        (Series.STS, "present_velocity", -1, "0180"),
    ],
)
def test_number_has_the_bytes_of_its_series(
    series: Series, name: str, value: int, wire: str
) -> None:
    register = REGISTERS[series][name]
    assert register.encode(value, series).hex() == wire
    assert register.decode(bytes.fromhex(wire), series) == value


@pytest.mark.parametrize(
    ("name", "value"), [("homing_offset", 2048), ("id", 256), ("goal_time", -1)]
)
def test_number_that_does_not_fit_is_refused(name: str, value: int) -> None:
    with pytest.raises(ValueError, match=name):
        REGISTERS[Series.STS][name].encode(value, Series.STS)


def test_register_is_known_by_address_and_size() -> None:
    found = register_at(Series.STS, 56, 2)
    assert found and found.name == "present_position" and not found.is_eeprom
    assert register_at(Series.STS, 56, 1) is None
    assert register_at(Series.STS, 31, 2) == REGISTERS[Series.STS]["homing_offset"]
    assert register_at(Series.SCS, 31, 2) is None
