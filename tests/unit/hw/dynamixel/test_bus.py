"""The core of a bus of Dynamixels: torque, watchdog, shutdown, refusals. Numbers by hand."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from saint_services.lib.hw.bus_servos.port import Torque
from saint_services.lib.hw.dynamixel.packets import Order
from tests.unit.hw.dynamixel.served import ServedDynamixels
from tools.sim.faults import Fault

TORQUE, WATCHDOG, GOAL_PWM, GOAL = 64, 98, 100, 116


@pytest.fixture
def served(tmp_path: Path) -> Iterator[ServedDynamixels]:
    served = ServedDynamixels(tmp_path)
    served.run(0.5)
    yield served
    served.peer.close()


def test_servos_get_their_limit_and_watchdog_before_they_are_known(
    served: ServedDynamixels,
) -> None:
    assert all(servo.torque is Torque.OFF for servo in served.core.servos.values())
    assert served.written(1) == [GOAL_PWM, WATCHDOG]
    assert served.servo(1).get("goal_pwm") == 442  # half of 885
    assert served.servo(1).get("bus_watchdog") == 25  # 0.5 s
    assert served.of(Order.SYNC_WRITE) == []


def test_torque_goes_on_at_the_position_whatever_the_goal_was(served: ServedDynamixels) -> None:
    servo = served.servo(1)
    servo.shaft = 1000.0
    servo.put("goal_position", 3000)
    served.run(0.2)
    served.rouse()
    served.run(1.0)
    assert served.position(1) == 1000
    assert served.written(1)[-2:] == [GOAL, TORQUE]


def test_goals_of_one_moment_are_one_packet(served: ServedDynamixels) -> None:
    served.rouse()
    served.sent.clear()
    for servo in range(1, 7):
        served.aim(servo, 2100)
    served.run(0.02)
    assert len(served.of(Order.SYNC_WRITE)) == 1
    assert len(served.of(Order.SYNC_READ)) <= 1
    served.run(1.0)
    assert [served.position(servo) for servo in range(1, 7)] == [2100] * 6


def test_reading_is_a_share_volts_and_degrees(served: ServedDynamixels) -> None:
    served.rouse()
    served.break_servo(2, Fault.LOAD, 0.25)
    served.run(0.2)
    reading = served.core.servos[2].reading
    assert reading is not None
    assert (reading.position, round(reading.load, 2), reading.voltage_v) == (2048, 0.25, 12.0)
    assert 20 <= reading.temperature_c <= 30


def test_servo_counts_as_known_only_with_its_limit_and_watchdog(tmp_path: Path) -> None:
    served = ServedDynamixels(tmp_path, (1,))
    served.servo(1).put("pwm_limit", 100)
    real = served.peer.received
    served.peer.received = lambda data: b"" if data[8:10] == b"\x64\0" else real(data)  # type: ignore[method-assign]
    served.run(2.0)
    assert GOAL_PWM in served.written(1)
    assert served.core.servos[1].torque is Torque.UNKNOWN
    served.peer.received = real  # type: ignore[method-assign]
    served.run(1.0)
    assert served.core.servos[1].torque is Torque.OFF
    assert served.servo(1).get("goal_pwm") == 100  # no more than its own limit
    served.peer.close()


def test_silent_host_stops_a_servo_which_goes_on_from_where_it_stands(
    served: ServedDynamixels,
) -> None:
    served.rouse()
    served.aim(1, 3800)
    served.run(0.05)
    served.now_s += 2.0  # the host stands still, the goal does not
    stood = served.position(1)
    assert 2048 < stood < 3800
    assert served.servo(1).get("bus_watchdog") == -1
    served.run(0.5)
    servo = served.core.servos[1]
    assert (servo.torque, servo.goal) == (Torque.ON, stood)
    assert (served.position(1), served.servo(1).get("bus_watchdog")) == (stood, 25)
    served.aim(1, stood - 100)
    served.run(0.5)
    assert served.position(1) == stood - 100


def test_living_host_keeps_the_watchdog_quiet_at_rest_and_beside_a_lost_servo(
    served: ServedDynamixels,
) -> None:
    served.rouse()
    served.break_servo(6, Fault.UNPLUG)
    served.sent.clear()
    served.run(3.0)
    assert WATCHDOG not in served.written(1)
    assert served.core.servos[1].torque is Torque.ON


def test_servo_that_lost_its_power_for_less_than_a_turn_is_limp_and_known(
    served: ServedDynamixels,
) -> None:
    served.rouse()
    servo = served.servo(1)
    servo.power_up()
    servo.shaft = 700.0
    served.run(1.0)
    assert served.core.servos[1].torque is Torque.OFF
    assert served.position(1) == 700
    assert (servo.get("goal_pwm"), servo.get("bus_watchdog")) == (442, 25)
    served.core.rouse(served.core.servos[1])
    served.run(1.0)
    assert served.position(1) == 700


def test_overload_is_named_and_needs_a_restart(served: ServedDynamixels) -> None:
    served.rouse()
    served.break_servo(1, Fault.STALL)
    served.aim(1, 3000)
    served.run(1.9)
    assert served.core.servos[1].problem == ""
    served.run(0.5)
    served.faults.clear()
    served.run(1.0)
    servo = served.core.servos[1]
    assert servo.problem == (
        "servo 1: it is overloaded and has switched its torque off; "
        "it has no torque until it is restarted"
    )
    assert servo.is_shut and servo.torque is Torque.OFF
    served.core.rouse(servo)
    served.run(1.0)
    assert servo.torque is not Torque.ON
    assert served.position(1) == 2048
    served.aim(2, 2200)
    served.run(0.5)
    assert served.position(2) == 2200  # the others go on


def test_restarted_servo_has_no_fault_and_no_torque(served: ServedDynamixels) -> None:
    served.rouse()
    served.break_servo(1, Fault.STALL)
    served.aim(1, 3000)
    served.run(3.0)
    served.faults.clear()
    served.servo(1).reboot()
    served.run(1.0)
    assert served.core.servos[1].problem == ""
    assert served.core.servos[1].torque is Torque.OFF


@pytest.mark.parametrize(
    ("fault", "value", "text", "torque"),
    [
        (Fault.HOT, 65.0, "servo 6: it has 65 °C", 1),
        (Fault.BROWN_OUT, 8.0, "servo 6: its supply is outside of its limits", 1),
        (
            Fault.HOT, 85.0,
            "servo 6: it is too hot; it has no torque until it is restarted", 0,
        ),
    ],
)  # fmt: skip
def test_fault_of_a_servo_is_a_sentence(
    served: ServedDynamixels, fault: Fault, value: float, text: str, torque: int
) -> None:
    served.rouse()
    served.break_servo(6, fault, value)
    served.run(0.5)
    assert served.core.servos[6].problem == text
    assert served.servo(6).get("torque_enable") == torque


def test_second_fault_is_seen_beside_the_first(served: ServedDynamixels) -> None:
    served.rouse()
    served.break_servo(6, Fault.BROWN_OUT, 8.0)
    served.run(0.5)
    served.break_servo(6, Fault.HOT, 85.0)
    served.run(0.5)
    assert served.core.servos[6].is_shut
    assert served.core.servos[6].torque is Torque.OFF


def test_goal_that_is_refused_is_a_fault(served: ServedDynamixels) -> None:
    served.servo(1).put("max_position", 2500)
    served.rouse()
    served.aim(1, 3000)
    served.run(1.0)
    assert served.position(1) == 2048
    assert "it refuses what is written to it" in served.core.servos[1].problem
    served.aim(1, 2400)
    served.run(1.0)
    assert (served.position(1), served.core.servos[1].problem) == (2400, "")


def test_answers_with_wrong_checksums_are_requested_again(served: ServedDynamixels) -> None:
    served.rouse()
    served.break_servo(3, Fault.NOISE, 0.5)
    served.run(2.0)
    assert not served.core.servos[3].is_lost
    served.break_servo(3, Fault.NOISE, 1.0)
    served.run(2.0)
    assert "its answers are damaged: another servo may have its id" in served.core.servos[3].problem


def test_missing_servo_is_lost_and_known_when_it_returns(served: ServedDynamixels) -> None:
    served.rouse()
    served.break_servo(1, Fault.UNPLUG)
    served.run(2.0)
    assert served.core.servos[1].problem == "servo 1 does not answer"
    served.aim(2, 2200)
    served.run(1.0)
    assert served.position(2) == 2200
    served.faults.clear()
    served.run(1.0)
    assert served.core.servos[1].torque is Torque.ON  # it kept its power


def test_two_servos_with_one_id_are_named(served: ServedDynamixels) -> None:
    served.rouse()
    served.break_servo(5, Fault.DOUBLED)
    served.run(1.0)
    assert "two servos have its id" in served.core.servos[5].problem


def test_release_does_not_wait_for_an_answer_and_is_confirmed(served: ServedDynamixels) -> None:
    served.rouse()
    served.core.step(served.now_s + 1.0)  # a question is on its way
    assert not served.core.is_idle
    served.core.release(list(served.core.servos.values()))
    assert served.sent[-1].parameters.hex() == "40000100" + "010002000300040005000600"
    assert not served.servo(1).get("torque_enable")
    served.run(0.5)
    assert not any(servo.is_released for servo in served.core.servos.values())


def test_echo_on_one_wire_is_no_answer(tmp_path: Path) -> None:
    served = ServedDynamixels(tmp_path, (1, 2))
    served.peer.has_echo = True
    served.run(0.5)
    served.rouse()
    served.aim(1, 2300)
    served.run(1.0)
    assert served.position(1) == 2300
    assert [servo.problem for servo in served.core.servos.values()] == ["", ""]
    served.peer.close()
