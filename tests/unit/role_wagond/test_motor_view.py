"""What the motor controllers report, as people see it."""

from math import isnan

from saint_services.lib.hw.can.frame import CanFrame
from saint_services.lib.hw.can.port import passes
from saint_services.lib.hw.vesc import messages as vesc
from saint_services.role_wagond.motors import MotorReading, MotorView


def frame(number: int, content: object) -> CanFrame:
    return vesc.encode(vesc.VescMessage(number, content))


def view() -> MotorView:
    found = MotorView({"left": 68, "right": 56})
    found.received(frame(68, vesc.Status1(1000, 4.5, 0.2)), 10.0)
    found.received(frame(68, vesc.Status4(41.0, 55.5, 4.0, 0.0)), 10.0)
    return found


def test_each_motor_has_its_own_values() -> None:
    left, right = view().readings(10.1)
    assert left == MotorReading("left", 4.5, 55.5, 41.0)
    assert isnan(right.current_a) and isnan(right.motor_c) and isnan(right.controller_c)


def test_old_values_are_none() -> None:
    left, _ = view().readings(10.6)
    assert isnan(left.current_a) and isnan(left.motor_c) and isnan(left.controller_c)


def test_motor_without_a_sensor_has_no_temperature() -> None:
    found = view()
    found.received(frame(68, vesc.Status4(41.0, -79.7, 4.0, 0.0)), 10.2)
    left, _ = found.readings(10.2)
    assert isnan(left.motor_c) and left.controller_c == 41.0


def test_only_statuses_of_the_wagons_controllers_concern_it() -> None:
    found = view()
    mine = frame(68, vesc.Status1(0, 0.0, 0.0))
    others = (
        frame(67, vesc.Status1(0, 0.0, 0.0)),
        frame(68, vesc.SetDuty(0.5)),
        CanFrame(0x144, bytes(8)),
        CanFrame(0x44, bytes(8)),
    )
    assert found.concerns(mine) and passes(mine, found.filters)
    for each in others:
        assert not found.concerns(each) and not passes(each, found.filters), each


def test_what_board_and_controllers_exchange_is_expected() -> None:
    found = view()
    for content in (vesc.Status1(0, 0.0, 0.0), vesc.SetDuty(0.5), vesc.SetCurrentBrake(1.0)):
        assert found.is_expected(frame(68, content))
        assert not found.is_expected(frame(67, content))
    for other in (
        CanFrame(0x144, bytes(8)),
        CanFrame(0x44, bytes(8)),
        CanFrame(0x30044, b"", True),
    ):
        assert not found.is_expected(other)
