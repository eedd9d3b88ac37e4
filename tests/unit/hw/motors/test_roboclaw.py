"""The RoboClaw driver: its packets against the manual, and against a controller that answers byte
for byte, well and badly.
"""

import asyncio
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saint_services.lib.errors import Code, SaintError
from saint_services.lib.hw.motors.roboclaw import (
    DRIVE_DUTY,
    READ_ENCODERS,
    REPLY_S,
    Readings,
    RoboClaw,
    crc16,
    duties,
    packet,
)
from saint_services.lib.hw.motors.roboclaw_line import (
    RoboClawEncoder,
    RoboClawLine,
    RoboClawMotor,
)
from saint_services.lib.role_config.devices import SerialDevice
from tests.waiting import until
from tools.sim.chips.base import ChipFault
from tools.sim.chips.roboclaw import RoboClawPeer, SimSerial, open_peer, serial_file

PORT = "/dev/ttyACM0"
DEVICE = SerialDevice(port=PORT, driver="roboclaw")


@pytest.fixture
def peer(tmp_path: Path) -> Iterator[RoboClawPeer]:
    peer = RoboClawPeer(tmp_path / serial_file(PORT))
    yield peer
    peer.close()


def opened(folder: Path) -> RoboClawLine:
    return RoboClawLine(open_peer(folder, PORT), DEVICE, "drive")


class Served:
    """The core with a controller that is reached without a line, and time by hand."""

    def __init__(self, peer: RoboClawPeer) -> None:
        self.peer = peer
        self.now_s = 0.0
        self.sent: list[bytes] = []
        self.answers: list[bytes] = []
        self.core = RoboClaw(0x80, self._send)

    def _send(self, data: bytes) -> None:
        self.sent.append(data)
        self.answers.append(self.peer.received(data))

    def run(self, seconds: float) -> None:
        end_s = self.now_s + seconds
        while self.now_s < end_s:
            self.core.step(self.now_s)
            while self.answers:
                self.core.received(self.answers.pop(0), self.now_s)
            self.now_s += 0.005


@pytest.fixture
def served(peer: RoboClawPeer) -> Served:
    return Served(peer)


def test_checksum_is_ccitt_from_zero() -> None:
    assert crc16(b"123456789") == 0x31C3  # the check value of CRC-16/XMODEM


def test_packet_has_address_command_data_and_checksum() -> None:
    data = packet(0x80, 14, b"\x02")
    assert data[:3] == bytes((0x80, 14, 2))
    assert crc16(data) == 0  # a message followed by its checksum


@pytest.mark.parametrize(
    ("first", "second", "body"),
    [
        (1.0, -1.0, "7fff8001"),
        (0.5, 0.0, "40000000"),
        (7.0, -7.0, "7fff8001"),
    ],
)
def test_duties_are_signed_words_within_their_range(first: float, second: float, body: str) -> None:
    assert duties(0x80, first, second)[1:6].hex() == f"{DRIVE_DUTY:02x}{body}"


def test_controllers_time_out_is_set_before_anything_else(served: Served) -> None:
    served.run(0.01)
    assert served.sent[0] == packet(0x80, 14, b"\x02")  # 200 ms
    assert served.sent[1] == duties(0x80, 0.0, 0.0)


def test_newest_duty_overtakes_what_waits(served: Served) -> None:
    served.run(0.05)
    served.sent.clear()
    served.core.step(served.now_s)  # a question is on its way
    for duty in (0.1, 0.2, 0.3):
        served.core.drive(0, duty, served.now_s)
    served.run(0.02)
    orders = [data for data in served.sent if data[1] == DRIVE_DUTY]
    assert orders[-1] == duties(0x80, 0.3, 0.0)
    assert len(orders) <= 2


def test_stop_does_not_wait_for_an_answer(served: Served) -> None:
    served.core.drive(0, 1.0, 0.0)
    served.core.drive(1, 0.5, 0.0)
    served.run(0.1)
    served.core.step(served.now_s)
    assert served.core._pending
    served.answers.clear()  # this answer gets lost
    served.core.halt(0, served.now_s)
    assert served.sent[-1] == duties(0x80, 0.0, 0.5)
    assert served.peer.duty(1) == 0.0
    served.run(0.3)
    assert served.peer.duty(1) == 0.0
    assert served.peer.duty(2) == pytest.approx(0.5, abs=1e-4)
    assert served.core.problem == ""
    assert served.core.missed == 0


def test_stop_without_a_pending_request_is_sent_twice(served: Served) -> None:
    served.run(0.1)
    served.sent.clear()
    served.core._pending = 0
    served.core.halt(0, served.now_s)
    served.run(0.05)
    assert [data for data in served.sent if data[1] == DRIVE_DUTY] == [duties(0x80, 0.0, 0.0)] * 2


def test_readings_are_counts_amperes_and_volts(served: Served) -> None:
    served.peer.feed(1, 0, 0.0)
    served.run(0.1)
    served.peer.feed(1, 1234, 2.5)
    served.peer.feed(2, -77, -0.25)
    served.peer.feed_supply(11.9)
    served.run(1.0)
    readings = served.core.readings
    assert readings.counts == [1234, -77]
    assert readings.currents_a == [2.5, -0.25]
    assert readings.voltage_v == 11.9
    assert served.core.problem == ""


def test_counts_go_on_where_the_counter_goes_round(served: Served) -> None:
    served.peer.feed(1, 0xFFFFFFF0, 0.0)
    served.run(0.1)
    served.peer.feed(1, 0x10, 0.0)
    served.run(0.1)
    assert served.core.readings.counts[0] == 0x20


def test_fault_of_the_controller_is_reported_in_words(served: Served) -> None:
    served.peer.feed_status(0x1040)
    served.run(0.5)
    assert served.core.problem == (
        "the driver of motor 1 has a fault; motor 1 takes too much current"
    )


@pytest.mark.parametrize("fault", [ChipFault.DEAF, ChipFault.SHORT, ChipFault.BLANK])
def test_controller_that_answers_badly_counts_as_gone(served: Served, fault: ChipFault) -> None:
    served.run(0.1)
    served.peer.set_fault(fault)
    served.run(1.0)
    assert served.core.problem == "it does not answer"
    assert served.core.readings.outages == 1


def test_answer_with_a_wrong_checksum_is_not_believed() -> None:
    sent: list[bytes] = []
    core = RoboClaw(0x80, sent.append)
    core.step(0.0)
    core.received(b"\xff", 0.0)
    core.received(b"\xff", 0.0)
    assert sent[-1] == bytes((0x80, READ_ENCODERS))
    core.received(bytes(8) + b"\x12\x34", 0.001)
    core.step(2 * REPLY_S)
    assert core.missed == 1
    assert core.readings.counts == [0, 0]


@given(st.lists(st.binary(max_size=40), max_size=60), st.integers(0, 2**32))
def test_noise_on_the_line_is_never_a_reading(noise: list[bytes], seed: int) -> None:
    """Any input raises nothing, leaves nothing behind, and needs a checksum to count."""
    sent: list[bytes] = []
    core = RoboClaw(0x80, sent.append)
    now_s = 0.0
    for data in noise:
        now_s += 0.001 * (1 + seed % 50)
        core.step(now_s)
        question = bytes((0x80, core._pending))
        if any(crc16(question + data[:size]) == 0 for size in (4, 6, 10)):
            continue  # a checksum that fits by chance
        core.received(data, now_s)
        assert len(core._buffer) <= 256
    assert core.readings == Readings([0, 0], [0.0, 0.0], outages=core.readings.outages)


@given(st.integers(0, 13), st.integers(0, 7))
def test_flipped_bit_is_found_by_the_checksum(byte: int, bit: int) -> None:
    sent: list[bytes] = []
    core = RoboClaw(0x80, sent.append)
    core.step(0.0)
    core.received(b"\xff", 0.0)
    core.received(b"\xff", 0.0)
    body = struct.pack(">II", 1000, 2000)
    answer = bytearray(body + crc16(bytes((0x80, READ_ENCODERS)) + body).to_bytes(2, "big"))
    answer[byte % len(answer)] ^= 1 << bit
    core.received(bytes(answer), 0.001)
    assert core._raw is None


def test_controller_that_comes_back_is_set_up_again_and_counts_go_on(served: Served) -> None:
    served.run(0.1)
    served.peer.feed(1, 500, 0.0)
    served.run(0.1)
    served.peer.set_fault(ChipFault.UNPLUGGED)  # its count begins at zero again
    served.run(0.5)
    served.peer.set_fault(ChipFault.NONE)
    served.sent.clear()
    served.run(0.2)
    assert packet(0x80, 14, b"\x02") in served.sent
    assert served.core.problem == ""
    assert served.core.readings.counts[0] == 500
    served.peer.feed(1, 7, 0.0)
    served.run(0.2)
    assert served.core.readings.counts[0] == 507


def test_duty_whose_answer_was_lost_is_sent_again(served: Served) -> None:
    served.run(0.1)
    served.peer.set_fault(ChipFault.DEAF)
    served.core.drive(0, 0.5, served.now_s)
    served.run(0.05)
    served.peer.set_fault(ChipFault.NONE)
    served.run(0.1)
    assert served.peer.duty(1) == pytest.approx(0.5, abs=1e-4)


def test_line_without_a_controller_says_what_to_check(tmp_path: Path, peer: RoboClawPeer) -> None:
    peer.set_fault(ChipFault.DEAF)
    with pytest.raises(SaintError, match="no RoboClaw answers on /dev/ttyACM0") as caught:
        opened(tmp_path)
    assert caught.value.code is Code.HARDWARE_MISSING
    assert "packet serial" in caught.value.fix


def test_line_with_something_else_shows_what_it_said(tmp_path: Path, peer: RoboClawPeer) -> None:
    class Talker(SimSerial):
        def write(self, data: bytes) -> int:
            self._theirs.send(b"$GPGGA,1*00\r\n\0\0\0")
            return len(data)

    with pytest.raises(SaintError, match="it said 24 47 50 47"):
        RoboClawLine(Talker(PORT, RoboClawPeer(tmp_path / "x")), DEVICE, "drive")


def test_opening_stops_what_was_left_running(tmp_path: Path, peer: RoboClawPeer) -> None:
    peer.received(duties(0x80, 1.0, 1.0))
    line = opened(tmp_path)
    assert line.version.startswith("USB Roboclaw")
    assert (peer.duty(1), peer.duty(2)) == (0.0, 0.0)
    line.use().close()


def test_controller_stops_its_motors_when_nobody_speaks(
    peer: RoboClawPeer, monkeypatch: pytest.MonkeyPatch
) -> None:
    now_ns = 1_000_000_000
    monkeypatch.setattr("tools.sim.chips.roboclaw.monotonic_ns", lambda: now_ns)
    peer.received(packet(0x80, 14, b"\x02") + duties(0x80, 1.0, -1.0))
    now_ns += 199_000_000
    assert (peer.duty(1), peer.duty(2)) == (1.0, -1.0)
    now_ns += 2_000_000
    assert (peer.duty(1), peer.duty(2)) == (0.0, 0.0)


async def test_motors_and_encoders_share_a_line(tmp_path: Path, peer: RoboClawPeer) -> None:
    line = await asyncio.to_thread(opened, tmp_path)
    left, right = RoboClawMotor(line, 1, False), RoboClawMotor(line, 2, True)
    encoder = RoboClawEncoder(line, 2, True)
    encoder.listen()
    left.set(0.25)
    right.set(0.5)
    await until(lambda: peer.duty(2) < -0.49)
    assert peer.duty(1) == pytest.approx(0.25, abs=1e-4)
    await until(lambda: line.core._raw is not None)
    peer.feed(2, -100, -1.5)
    await until(lambda: encoder.count == 100 and right.current_a == 1.5)
    for part in (left, right, encoder):
        part.close()
    assert (peer.duty(1), peer.duty(2)) == (0.0, 0.0)


async def test_unplugged_controller_is_an_error_and_stop_never_raises(
    tmp_path: Path, peer: RoboClawPeer
) -> None:
    line = await asyncio.to_thread(opened, tmp_path)
    motor = RoboClawMotor(line, 1, False)
    motor.set(0.25)
    peer.set_fault(ChipFault.UNPLUGGED)
    await until(lambda: motor.problem != "")
    with pytest.raises(OSError, match="it was unplugged"):
        motor.set(0.5)
    assert motor.problem == "drive: serial line /dev/ttyACM0: it was unplugged"
    motor.stop()
    motor.close()


async def test_what_is_not_a_number_stops_the_motor(tmp_path: Path, peer: RoboClawPeer) -> None:
    line = await asyncio.to_thread(opened, tmp_path)
    motor = RoboClawMotor(line, 1, False)
    motor.set(float("nan"))
    assert motor.duty == 0.0
    motor.close()
