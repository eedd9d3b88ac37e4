"""Packets of protocol 2.0: however the bytes are cut, stuffed and broken, nothing is lost or
invented.
"""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from saint_services.lib.hw.bus_servos.bus import ServoBus
from saint_services.lib.hw.bus_servos.port import BusServo
from saint_services.lib.hw.dynamixel.dialect import DynamixelDialect
from saint_services.lib.hw.dynamixel.packets import (
    HEADER,
    MOST_ID,
    Order,
    XPacket,
    XPacketFinder,
    status,
)
from saint_services.lib.hw.dynamixel.registers import TABLE, XRegister
from saint_services.saintctl.arm.decode_x import XBusReader

# Bytes of which headers and stuffing are made come often.
BYTES = st.one_of(st.sampled_from((0xFF, 0xFD, 0x00, 0x55)), st.integers(0, 255))
DATA = st.lists(BYTES, max_size=40).map(bytes)
NOISE = st.lists(BYTES, max_size=400).map(bytes)
PACKETS = st.builds(XPacket, st.integers(0, MOST_ID), st.integers(0, 255), DATA)
STATUSES = st.builds(status, st.sampled_from((1, 2)), st.integers(0, 255), DATA)


def found_in(chunks: list[bytes]) -> tuple[list[XPacket], XPacketFinder]:
    finder = XPacketFinder()
    found = [packet for chunk in chunks for packet in finder.feed(chunk)]
    return found + finder.flush(), finder


@given(st.lists(PACKETS, max_size=8), st.lists(st.integers(0, 400), max_size=6))
def test_packets_are_found_however_they_are_cut(packets: list[XPacket], cuts: list[int]) -> None:
    data = b"".join(packet.encoded() for packet in packets)
    edges = sorted({0, *(min(cut, len(data)) for cut in cuts), len(data)})
    found, finder = found_in([data[a:b] for a, b in itertools.pairwise(edges)])
    assert found == packets
    assert (finder.rejected, finder.discarded_bytes) == (0, 0)


@given(PACKETS)
def test_header_stands_at_the_beginning_alone(packet: XPacket) -> None:
    wire = packet.encoded()
    assert wire.startswith(HEADER) and HEADER not in wire[1:-2]
    assert XPacketFinder().feed(wire) == [packet]


@given(PACKETS, st.data())
def test_one_wrong_bit_is_found(packet: XPacket, data: st.DataObject) -> None:
    wire = bytearray(packet.encoded())
    at = data.draw(st.integers(0, 8 * len(wire) - 1))
    wire[at // 8] ^= 1 << at % 8
    found, _ = found_in([bytes(wire)])
    assert packet not in found


@given(NOISE, st.integers(1, 40))
def test_every_byte_is_in_a_packet_or_discarded(data: bytes, step: int) -> None:
    whole, finder = found_in([data])
    sizes = sum(len(packet.encoded()) for packet in whole)
    assert sizes + finder.discarded_bytes == len(data)
    cut, _ = found_in([data[at : at + step] for at in range(0, len(data), step)])
    assert cut == whole


@given(st.lists(st.one_of(PACKETS.map(XPacket.encoded), DATA), max_size=8), st.integers(1, 40))
def test_packets_in_noise_are_the_same_however_they_are_cut(parts: list[bytes], step: int) -> None:
    data = b"".join(parts)
    whole, _ = found_in([data])
    cut, _ = found_in([data[at : at + step] for at in range(0, len(data), step)])
    assert cut == whole


@given(st.sampled_from(list(TABLE.values())), st.data())
def test_numbers_survive_the_wire(register: XRegister, data: st.DataObject) -> None:
    value = data.draw(st.integers(*register.limits))
    assert register.decode(register.encode(value)) == value


@given(st.lists(NOISE, max_size=10), st.lists(st.one_of(PACKETS, STATUSES), max_size=20))
def test_whatever_arrives_a_bus_goes_on(noise: list[bytes], packets: list[XPacket]) -> None:
    sent: list[bytes] = []
    servos = {servo: BusServo(servo, str(servo)) for servo in (1, 2)}
    bus = ServoBus(servos, DynamixelDialect(), 1_000_000, sent.append)
    now_s = 0.0
    for each in [*noise, *(packet.encoded() for packet in packets)]:
        bus.step(now_s)
        bus.received(each, now_s)
        now_s += 0.01
        assert bus.due_s(now_s) < now_s + 1.0
        assert all(isinstance(servo.problem, str) for servo in servos.values())
    before = len(sent)
    for _ in range(100):
        bus.step(now_s)
        now_s += 0.01
    assert len(sent) > before


@given(st.lists(PACKETS, max_size=12), DATA)
def test_every_packet_has_one_line(packets: list[XPacket], noise: bytes) -> None:
    reader = XBusReader()
    lines = reader.feed(b"".join(packet.encoded() for packet in packets) + noise) + reader.flush()
    assert reader.summary()["frames"] == len(lines)
    assert {line["kind"] for line in lines} <= {"instruction", "status"}
    is_status = [packet.code == Order.STATUS for packet in packets]
    assert [line["kind"] == "status" for line in lines[: len(packets)]] == is_status
