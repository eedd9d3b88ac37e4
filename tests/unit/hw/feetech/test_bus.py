"""The core of a servo bus: turns, repetitions, torque, faults. Numbers by hand."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from saint_services.lib.hw.bus_servos.port import Torque
from saint_services.lib.hw.feetech.packets import Code, Packet, sync_read
from saint_services.lib.hw.feetech.registers import Series
from tests.unit.hw.feetech.served import ServedServos
from tools.sim.faults import Fault


@pytest.fixture
def served(tmp_path: Path) -> Iterator[ServedServos]:
    served = ServedServos(tmp_path)
    served.run(0.3)
    yield served
    served.peer.close()


def test_servos_are_known_before_anything_is_written(served: ServedServos) -> None:
    assert all(servo.torque is Torque.OFF for servo in served.core.servos.values())
    written = {packet.parameters for packet in served.of(Code.WRITE)}
    assert written == {bytes((48, 0xF4, 0x01))}  # the torque limit: 500 of 1000
    assert served.of(Code.SYNC_WRITE) == []


def test_torque_goes_on_at_the_position_whatever_the_goal_was(served: ServedServos) -> None:
    servo = served.peer.servo(1)
    servo.shaft = 1000.0
    servo.put("goal_position", 3000)
    served.rouse()
    served.run(1.0)
    assert served.position(1) == 1000
    writes = [p.parameters[0] for p in served.of(Code.WRITE) if p.id == 1]
    assert writes[-2:] == [42, 40]  # the goal, then torque


def test_goals_of_one_moment_are_one_packet(served: ServedServos) -> None:
    served.rouse()
    served.sent.clear()
    for servo in range(1, 7):
        served.aim(servo, 2100)
    served.run(0.02)
    assert len(served.of(Code.SYNC_WRITE)) == 1
    assert len(served.of(Code.SYNC_READ)) <= 1
    served.run(1.0)
    assert [served.position(servo) for servo in range(1, 7)] == [2100] * 6


def test_turns_are_fifty_a_second_in_motion_and_ten_at_rest(served: ServedServos) -> None:
    served.rouse()
    served.run(1.0)
    before = served.core.turns
    served.run(1.0)
    assert 9 <= served.core.turns - before <= 11
    before, then_s = served.core.turns, served.now_s
    for step in range(50):
        served.aim(1, 2048 + step)
        served.run(0.02)
    assert 45 <= (served.core.turns - before) / (served.now_s - then_s) <= 55


def test_readings_are_shares_volts_and_degrees(served: ServedServos) -> None:
    served.rouse()
    served.break_servo(2, Fault.LOAD, 0.25)
    served.run(0.2)
    reading = served.core.servos[2].reading
    assert reading is not None
    assert (reading.position, reading.load, reading.voltage_v) == (2048, 0.25, 7.4)
    assert 20 <= reading.temperature_c <= 30


def test_answers_with_wrong_checksums_are_requested_again(served: ServedServos) -> None:
    served.rouse()
    served.break_servo(3, Fault.NOISE, 0.5)
    served.run(2.0)
    assert not served.core.servos[3].is_lost
    served.break_servo(3, Fault.NOISE, 1.0)
    served.run(2.0)
    assert "its answers are damaged: another servo may have its id" in served.core.servos[3].problem


def test_missing_servo_is_lost_and_the_others_go_on(served: ServedServos) -> None:
    served.rouse()
    served.break_servo(1, Fault.UNPLUG)
    served.run(2.0)
    assert served.core.servos[1].problem == "servo 1 does not answer"
    assert served.core.servos[1].reading is None
    served.aim(2, 2200)
    served.run(1.0)
    assert served.position(2) == 2200


def test_servo_that_returns_without_power_gets_no_goal_before_it_is_roused(
    served: ServedServos,
) -> None:
    served.rouse()
    served.aim(1, 2500)
    served.run(1.0)
    served.break_servo(1, Fault.UNPLUG)
    served.run(1.0)
    servo = served.peer.servo(1)
    servo.power_up()
    servo.shaft = 700.0
    served.faults.clear()
    served.run(1.0)
    assert served.core.servos[1].torque is Torque.OFF
    assert served.position(1) == 700
    assert served.peer.servo(1).get("torque_limit") == 500
    served.core.rouse(served.core.servos[1])
    served.run(1.0)
    assert served.position(1) == 700


def test_servo_that_kept_its_torque_is_known_at_once(served: ServedServos) -> None:
    served.rouse()
    served.core.lost()
    assert served.core.servos[4].torque is Torque.UNKNOWN
    served.run(0.5)
    assert served.core.servos[4].torque is Torque.ON
    assert served.core.servos[4].goal == 2048


def test_two_servos_with_one_id_are_named(served: ServedServos) -> None:
    served.rouse()
    served.break_servo(5, Fault.DOUBLED)
    served.run(1.0)
    assert "two servos have its id" in served.core.servos[5].problem
    served.faults.clear()
    served.run(3.0)
    assert served.core.servos[5].problem == ""


@pytest.mark.parametrize(
    ("fault", "value", "text"),
    [
        (Fault.HOT, 65.0, "servo 6: it has 65 °C"),
        (Fault.HOT, 75.0, "servo 6: it is too hot"),
        (Fault.BROWN_OUT, 3.0, "servo 6: its supply is outside of its limits"),
    ],
)
def test_fault_of_a_servo_is_a_sentence(
    served: ServedServos, fault: Fault, value: float, text: str
) -> None:
    served.break_servo(6, fault, value)
    served.run(0.3)
    assert served.core.servos[6].problem == text


def test_overloaded_servo_does_not_jump_when_its_way_is_free(served: ServedServos) -> None:
    served.rouse()
    served.break_servo(1, Fault.STALL)
    served.aim(1, 3000)
    served.run(1.9)
    assert served.core.servos[1].problem == ""
    served.run(0.5)  # it gives up after two seconds
    served.faults.clear()
    served.run(1.0)
    assert served.position(1) == 2048
    assert served.core.servos[1].torque is Torque.ON


def test_release_does_not_wait_for_an_answer_and_is_confirmed(served: ServedServos) -> None:
    served.rouse()
    served.core.step(served.now_s + 1.0)  # a question is on its way
    assert not served.core.is_idle
    served.core.release(list(served.core.servos.values()))
    assert served.sent[-1].parameters == bytes((40, 1, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0))
    assert not served.peer.servo(1).get("torque_enable")
    served.run(0.5)
    assert not any(servo.is_released for servo in served.core.servos.values())


def test_goal_that_was_dropped_is_sent_when_it_is_wanted_again(served: ServedServos) -> None:
    served.rouse()
    served.aim(1, 2300)
    served.core.drop(served.core.servos[1])
    served.run(0.5)
    assert served.position(1) == 2048
    served.aim(1, 2300)
    served.run(0.5)
    assert served.position(1) == 2300


def test_echo_on_one_wire_is_no_answer(tmp_path: Path) -> None:
    served = ServedServos(tmp_path, (1, 2))
    served.peer.has_echo = True
    served.run(0.3)
    served.rouse()
    served.aim(1, 2300)
    served.run(1.0)
    assert served.position(1) == 2300
    assert [servo.problem for servo in served.core.servos.values()] == ["", ""]
    served.peer.close()


def test_two_arms_on_one_line_are_one_packet_each_way(tmp_path: Path) -> None:
    served = ServedServos(tmp_path, range(1, 13))
    served.run(0.5)
    served.rouse()
    served.sent.clear()
    for servo in range(1, 13):
        served.aim(servo, 2100)
    served.run(0.12)
    assert len(served.of(Code.SYNC_WRITE)) == 1
    assert served.of(Code.READ) == []
    assert len(served.of(Code.SYNC_READ)[0].parameters) == 2 + 12
    served.peer.close()


def test_scs_servos_are_read_one_by_one(tmp_path: Path) -> None:
    served = ServedServos(tmp_path, (1, 2), Series.SCS)
    served.run(0.3)
    served.rouse()
    served.aim(2, 700)
    served.run(1.0)
    assert served.of(Code.SYNC_READ) == []
    assert served.position(2) == 700
    assert served.core.servos[2].reading and served.core.servos[2].reading.position == 700
    served.peer.close()


def test_answers_at_once_and_in_pieces_say_the_same(served: ServedServos, tmp_path: Path) -> None:
    served.rouse()
    pieces = ServedServos(tmp_path / "pieces")
    pieces.peer.close()
    pieces.peer = served.peer
    for servo in range(1, 7):
        served.peer.servo(servo).shaft = 100.0 * servo
        served.aim(servo, 3000)
    served.break_servo(2, Fault.HOT, 85.0)
    pieces.faults = served.faults
    request = sync_read(56, 8, range(1, 7)).encoded()
    for each in (served, pieces):
        each.core._queue = [each.core._read(list(each.core.servos.values()))]
        each.core._request(each.core._queue.pop(), each.now_s)
    answer = served.peer.received(request)
    served.core.received(answer, 200.0)
    for at in range(len(answer)):
        pieces.core.received(answer[at : at + 1], 200.0)
    for servo, other in zip(served.core.servos.values(), pieces.core.servos.values(), strict=True):
        assert servo.reading == other.reading
        assert servo.reading and servo.reading.stamp_s == 200.0
        assert (servo.errors, servo.missed) == (other.errors, other.missed)
    assert "hot" in served.core.servos[2].problem


def test_answer_of_another_servo_is_not_taken_among_all(served: ServedServos) -> None:
    """Six good packets of which one has another servo's id, or another length."""
    before = served.core.servos[3].reading
    for wrong in (Packet(2, 0, bytes(8)), Packet(3, 0, bytes(7)), Packet(9, 0, bytes(8))):
        served.core._request(served.core._read(list(served.core.servos.values())), served.now_s)
        packets = [Packet(servo, 0, bytes(8)) for servo in range(1, 7)]
        packets[2] = wrong
        served.core.received(b"".join(each.encoded() for each in packets), served.now_s)
        assert served.core.servos[3].reading is before
        assert not served.core.is_idle  # servo 3 is still awaited
        served.core._pending = None


def test_awaited_bytes_are_those_of_the_answers_and_of_an_echo(served: ServedServos) -> None:
    core = served.core
    assert core.awaited_bytes == 0
    core._request(core._read(list(core.servos.values())), served.now_s)
    assert core.awaited_bytes == 84
    core.received(served.sent[-1].encoded() + b"\xff\xff\x01", served.now_s)
    assert core.awaited_bytes == 81  # an echo, and the beginning of an answer
    core._pending = None
    core._request(core._read(list(core.servos.values())), served.now_s)
    assert core.awaited_bytes == 98
    core.step(served.now_s + 1.0)  # nothing came, not even an echo: none is awaited any more
    assert core.awaited_bytes == 14
