"""Packets of protocol 2.0. Bytes are those of Robotis's e-Manual, typed by hand."""

import pytest

from saint_services.lib.hw.dynamixel import packets
from saint_services.lib.hw.dynamixel.packets import XPacket, XPacketFinder, block_of
from saint_services.lib.hw.dynamixel.registers import TABLE, x_register_at


@pytest.mark.parametrize(
    ("packet", "wire"),
    [
        (packets.ping(1), "fffffd00010300 01 194e"),
        (packets.status(1, 0, b"\x06\x04\x26"), "fffffd00010700 55 00 060426 655d"),
        (packets.read(1, 132, 4), "fffffd00010700 02 8400 0400 1d15"),
        (packets.status(1, 0, b"\xa6\0\0\0"), "fffffd00010800 55 00 a6000000 8cc0"),
        (packets.write(1, 116, b"\0\x02\0\0"), "fffffd00010900 03 7400 00020000 ca89"),
        (packets.reboot(1), "fffffd00010300 08 2f4e"),
        (packets.sync_read(132, 4, (1, 2)), "fffffd00fe0900 82 8400 0400 01 02 cefa"),
        (
            packets.sync_write(116, {1: b"\x96\0\0\0", 2: b"\xaa\0\0\0"}),
            "fffffd00fe1100 83 7400 0400 01 96000000 02 aa000000 8287",
        ),
    ],
)
def test_packet_has_the_bytes_of_the_manual(packet: XPacket, wire: str) -> None:
    assert packet.encoded().hex() == wire.replace(" ", "")
    assert XPacketFinder().feed(packet.encoded()) == [packet]


def test_header_in_the_data_is_stuffed() -> None:
    packet = packets.write(1, 116, b"\xff\xff\xfd\x00")
    wire = packet.encoded()
    assert b"\xff\xff\xfd\xfd\x00" in wire
    assert wire.count(packets.HEADER) == 1
    assert XPacketFinder().feed(wire) == [packet]


def test_packet_whose_end_is_missing_does_not_hide_the_next_one() -> None:
    finder = XPacketFinder()
    good = packets.ping(2)
    assert finder.feed(packets.read(1, 132, 200).encoded()[:-3] + good.encoded()) == [good]
    assert finder.rejected == 1


def test_wrong_crc_is_rejected() -> None:
    wire = bytearray(packets.ping(1).encoded())
    wire[-1] ^= 1
    finder = XPacketFinder()
    assert finder.feed(bytes(wire)) == []
    assert finder.rejected == 1


def test_numbers_have_a_sign() -> None:
    assert TABLE["goal_position"].encode(-1).hex() == "ffffffff"
    assert TABLE["bus_watchdog"].decode(b"\xff") == -1
    with pytest.raises(ValueError, match="torque_enable holds 0 to 255, not 256"):
        TABLE["torque_enable"].encode(256)


def test_register_is_found_by_its_place() -> None:
    found = x_register_at(132, 4)
    assert found is not None and found.name == "present_position"
    assert x_register_at(132, 2) is None


def test_instruction_whose_parameters_do_not_fit_concerns_nothing() -> None:
    assert block_of(XPacket(1, packets.Order.READ, b"\1\2\3")) is None
    assert block_of(XPacket(254, packets.Order.SYNC_WRITE, bytes((116, 0, 4, 0, 1)))) is None
