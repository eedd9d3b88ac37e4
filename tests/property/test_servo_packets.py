"""Packets of bus servos: however the bytes are cut and broken, nothing is lost or invented."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from saint_services.lib.hw.bus_servos.bus import ServoBus
from saint_services.lib.hw.bus_servos.port import BusServo
from saint_services.lib.hw.feetech.dialect import FeetechDialect
from saint_services.lib.hw.feetech.packets import MOST_ID, Packet, PacketFinder
from saint_services.lib.hw.feetech.registers import REGISTERS, Register, Series
from saint_services.saintctl.arm.decode import BusReader

IDS = st.integers(0, MOST_ID)
PACKETS = st.builds(Packet, IDS, st.integers(0, 255), st.binary(max_size=40))
NUMBERS = st.sampled_from(
    [(series, register) for series, table in REGISTERS.items() for register in table.values()]
)


def found_in(chunks: list[bytes]) -> tuple[list[Packet], PacketFinder]:
    finder = PacketFinder()
    found = [packet for chunk in chunks for packet in finder.feed(chunk)]
    return found + finder.flush(), finder


@given(st.lists(PACKETS, max_size=8), st.lists(st.integers(0, 300), max_size=6))
def test_packets_are_found_however_they_are_cut(packets: list[Packet], cuts: list[int]) -> None:
    data = b"".join(packet.encoded() for packet in packets)
    edges = sorted({0, *(min(cut, len(data)) for cut in cuts), len(data)})
    found, finder = found_in([data[a:b] for a, b in itertools.pairwise(edges)])
    assert found == packets
    assert (finder.rejected, finder.discarded_bytes) == (0, 0)


@given(st.binary(max_size=600), st.integers(1, 40))
def test_every_byte_is_in_a_packet_or_discarded(data: bytes, step: int) -> None:
    whole, finder = found_in([data])
    assert sum(packet.size for packet in whole) + finder.discarded_bytes == len(data)
    cut, _ = found_in([data[at : at + step] for at in range(0, len(data), step)])
    assert cut == whole


@given(NUMBERS, st.data())
def test_numbers_survive_the_wire(number: tuple[Series, Register], data: st.DataObject) -> None:
    series, register = number
    value = data.draw(st.integers(*register.limits))
    assert register.decode(register.encode(value, series), series) == value


@given(st.lists(st.binary(max_size=60), max_size=20), st.lists(PACKETS, max_size=20))
def test_whatever_arrives_a_bus_goes_on(noise: list[bytes], packets: list[Packet]) -> None:
    sent: list[bytes] = []
    servos = {servo: BusServo(servo, str(servo)) for servo in (1, 2)}
    bus = ServoBus(servos, FeetechDialect(Series.STS), 1_000_000, sent.append)
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


@given(st.lists(PACKETS, max_size=12), st.binary(max_size=20), st.sampled_from(list(Series)))
def test_every_packet_has_one_line(packets: list[Packet], noise: bytes, series: Series) -> None:
    reader = BusReader(series)
    lines = reader.feed(b"".join(packet.encoded() for packet in packets) + noise) + reader.flush()
    assert reader.summary()["frames"] == len(lines)
    assert {line["kind"] for line in lines} <= {"instruction", "status"}
