"""Motors on a CAN bus: for how long a command holds, what a VESC must guarantee, what takes power
away. Numbers are typed by hand.
"""

from math import nextafter
from typing import Any

import pytest

from saint_services.lib.hw.vesc import messages as vesc
from saint_services.lib.hw.vesc import vesc_bus
from saint_services.lib.hw.vesc.controller import VescController, VescSettings
from saint_services.lib.hw.vesc.messages import VescMessage


def controller(**settings: Any) -> tuple[VescController, list[Any]]:
    sent: list[Any] = []

    def send(message: VescMessage) -> None:
        sent.append(message.content)

    return VescController(VescSettings(68, **settings), send), sent


def test_command_holds_for_250_ms_and_not_longer() -> None:
    core, sent = controller()
    core.drive(1.0, 10.0)
    core.step(10.25)
    assert core.duty == 1.0 and sent[-1] == vesc.SetDuty(1.0)
    core.step(nextafter(10.25, 11))
    assert core.duty == 0.0 and sent[-1] == vesc.SetCurrent(0.0)
    core.step(10.4)
    assert sent[-1] == vesc.SetCurrent(0.0)
    sent.clear()
    core.step(12.0)
    assert sent == []


def test_command_is_never_repeated_after_a_rest() -> None:
    core, sent = controller()
    core.drive(0.7, 10.0)
    core.rest(10.01)
    sent.clear()
    for tick in range(100):
        core.step(10.01 + tick * 0.02)
    assert set(sent) == {vesc.SetCurrent(0.0)}


def test_silence_of_half_a_second_is_a_fault() -> None:
    core, _ = controller()
    core.received(vesc.Status1(0, 0.0, 0.0), 10.0)
    assert core.fault(10.5) == "" and core.fault(nextafter(10.5, 11)) != ""


def test_vesc_must_stop_by_itself_within_a_second() -> None:
    assert vesc_bus.LONGEST_TIMEOUT_S == 1.0


@pytest.mark.parametrize(("temperature_c", "most"), [(70.0, 1.0), (77.5, 0.5), (85.0, 0.0)])
def test_heat_limits_the_duty_in_both_directions(temperature_c: float, most: float) -> None:
    for duty in (1.0, -1.0):
        core, sent = controller()
        core.received(vesc.Status4(temperature_c, 20.0, 0.0, 0.0), 10.0)
        core.drive(duty, 10.0)
        expected = vesc.SetDuty(duty * most) if most else vesc.SetCurrent(0.0)
        assert sent == [expected]
