"""What one VESC is sent and when, and what its reports mean."""

import math
from typing import Any

import pytest

from saint_services.lib.hw.vesc import messages as vesc
from saint_services.lib.hw.vesc.controller import (
    FRESH_S,
    REPEAT_S,
    RESTING_S,
    SILENT_S,
    VescController,
    VescSettings,
)
from saint_services.lib.hw.vesc.messages import VescMessage

REST = vesc.SetCurrent(0.0)


class Rig:
    def __init__(self, **settings: Any) -> None:
        self.sent: list[Any] = []
        self.now_s = 100.0
        self.core = VescController(VescSettings(68, **settings), self._send)

    def _send(self, message: VescMessage) -> None:
        assert message.id == 68
        self.sent.append(message.content)

    def pass_time(self, seconds: float) -> list[Any]:
        """Let the loop turn for a while; return what was sent."""
        self.sent.clear()
        for _ in range(round(seconds / REPEAT_S)):
            self.now_s += REPEAT_S
            self.core.step(self.now_s)
        return list(self.sent)

    def report(self, *contents: Any) -> None:
        for content in contents or (vesc.Status1(0, 0.0, 0.0),):
            self.core.received(content, self.now_s)


def test_command_is_sent_at_once_and_repeated_at_50_hz_while_it_is_fresh() -> None:
    rig = Rig()
    rig.core.drive(0.5, rig.now_s)
    assert rig.sent == [vesc.SetDuty(0.5)]
    repeated = rig.pass_time(0.2)
    assert set(repeated) == {vesc.SetDuty(0.5)} and 9 <= len(repeated) <= 11


def test_command_that_is_not_renewed_ends_after_250_ms_in_rest_and_then_in_silence() -> None:
    assert FRESH_S == 0.25 and REPEAT_S == 0.02
    rig = Rig()
    rig.core.drive(0.5, rig.now_s)
    rig.pass_time(0.24)
    assert REST not in rig.sent and rig.core.duty == 0.5
    sent = rig.pass_time(0.02)
    assert sent[-1] == REST and rig.core.duty == 0.0
    assert set(rig.pass_time(RESTING_S)) == {REST}
    assert rig.pass_time(1.0) == []


def test_renewed_command_goes_on() -> None:
    rig = Rig()
    for _ in range(20):
        rig.core.drive(0.5, rig.now_s)
        assert REST not in rig.pass_time(0.1)


def test_idle_vesc_is_sent_nothing() -> None:
    assert Rig().pass_time(5.0) == []


def test_rest_is_no_torque_or_the_braking_current_of_the_manifest() -> None:
    rig = Rig(brake_current_a=8.0)
    rig.core.drive(0.5, rig.now_s)
    rig.core.rest(rig.now_s)
    assert rig.sent == [vesc.SetDuty(0.5), vesc.SetCurrentBrake(8.0)]
    free = Rig()
    free.core.drive(0.0, free.now_s)
    assert free.sent == [REST]


@pytest.mark.parametrize(
    ("content", "settings", "share"),
    [
        (vesc.Status4(70.0, 20.0, 0.0, 0.0), {}, 1.0),
        (vesc.Status4(77.5, 20.0, 0.0, 0.0), {}, 0.5),
        (vesc.Status4(85.0, 20.0, 0.0, 0.0), {}, 0.0),
        (vesc.Status4(200.0, 20.0, 0.0, 0.0), {}, 0.0),
        (vesc.Status4(20.0, 92.5, 0.0, 0.0), {}, 0.5),
        (vesc.Status4(20.0, 100.0, 0.0, 0.0), {}, 0.0),
        (vesc.Status4(20.0, -79.7, 0.0, 0.0), {}, 1.0),  # no sensor in the motor
        (vesc.Status4(20.0, 300.0, 0.0, 0.0), {}, 1.0),
        (vesc.Status5(0, 31.0), {"least_v": 30.0}, 0.5),
        (vesc.Status5(0, 29.0), {"least_v": 30.0}, 0.0),
        (vesc.Status5(0, 5.0), {}, 1.0),
    ],
)
def test_heat_and_low_voltage_take_power_away(
    content: Any, settings: dict[str, float], share: float
) -> None:
    rig = Rig(**settings)
    rig.report(vesc.Status1(0, 0.0, 0.0), content)
    assert rig.core.derating == pytest.approx(share)
    rig.core.drive(0.8, rig.now_s)
    (sent,) = rig.sent
    assert sent == (vesc.SetDuty(0.8 * rig.core.derating) if share else REST)
    assert bool(rig.core.fault(rig.now_s)) == (share == 0.0)
    assert bool(rig.core.problem(rig.now_s)) == (share < 1.0)


def test_limits_are_named_with_their_values() -> None:
    rig = Rig()
    rig.report(vesc.Status1(0, 0.0, 0.0), vesc.Status4(77.5, 40.0, 0, 0), vesc.Status5(0, 36.5))
    text = "limited to 50%: transistors 78 °C, motor 40 °C, supply 36.5 V"
    assert rig.core.problem(rig.now_s) == text


def test_vesc_without_reports_is_a_fault() -> None:
    rig = Rig()
    assert "does not report" in rig.core.fault(rig.now_s)
    rig.report()
    assert rig.core.fault(rig.now_s) == ""
    rig.now_s += SILENT_S + 0.01
    assert "does not report" in rig.core.fault(rig.now_s)
    rig.core.begin(rig.now_s)
    assert rig.core.fault(rig.now_s) == ""


def test_reports_are_readings() -> None:
    rig = Rig(pole_pairs=15, gear=2.0)
    rig.report(
        vesc.Status1(9000, -5.3, 0.4), vesc.Status4(35.5, 28.0, 3.1, 0.0), vesc.Status5(7, 36.5)
    )
    readings = rig.core.readings
    assert (readings.erpm, readings.current_a, readings.duty) == (9000, -5.3, 0.4)
    assert (readings.temp_fet_c, readings.temp_motor_c) == (35.5, 28.0)
    assert (readings.current_in_a, readings.voltage_v) == (3.1, 36.5)
    # 9000 electrical, 600 of the motor, 300 of the wheel, 5 turns a second.
    assert rig.core.wheel_radps == pytest.approx(10 * math.pi)
    assert rig.core.settings.counts_per_wheel_turn == 180


def test_tachometer_is_followed_over_its_wrap() -> None:
    rig = Rig()
    for raw in (0x7FFFFFFE, -0x80000000 + 3, -0x80000000):
        rig.report(vesc.Status1(0, 0.0, 0.0), vesc.Status5(raw, 36.0))
    assert rig.core.readings.count == 2


def test_outage_is_counted_and_moves_no_odometer() -> None:
    rig = Rig()
    rig.report(vesc.Status1(0, 0.0, 0.0), vesc.Status5(1000, 36.0))
    rig.pass_time(1.0)
    assert rig.core.readings.outages == 1
    rig.report(vesc.Status1(0, 0.0, 0.0), vesc.Status5(5, 36.0))  # its power was off
    assert rig.core.readings.count == 0
    rig.report(vesc.Status5(9, 36.0))
    assert rig.core.readings.count == 4
