"""What the transmitter's display shows: read back with our own parser."""

import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saint_services.lib.bus import Bus, Sample
from saint_services.lib.clock import monotonic_s
from saint_services.lib.generated import topics
from saint_services.lib.generated.nav_msgs import Odometry
from saint_services.lib.generated.saint_msgs import RouterHeartbeat
from saint_services.lib.generated.sensor_msgs import BatteryState, Imu
from saint_services.rcd.protocols import CrsfFrame
from saint_services.rcd.protocols.crsf import CrsfParser
from saint_services.rcd.protocols.crsf_telemetry import Attitude, Battery, FlightMode, telemetry
from saint_services.rcd.protocols.ibus_telemetry import SENSORS
from saint_services.rcd.reports import ReceiverSnapshot
from saint_services.rcd.telemetry import (
    DisplayedRobot,
    TransmitterDisplay,
    attitude,
    battery,
    encode,
    flight_mode,
    sensors,
    state_word,
)

NAN = float("nan")


def moving(x: float, yaw: float = 0.0) -> Odometry:
    odometry = Odometry()
    odometry.twist.twist.linear.x = x
    turn = odometry.pose.pose.orientation
    turn.z, turn.w = math.sin(yaw / 2), math.cos(yaw / 2)
    return odometry


def leaning(x: float, y: float, z: float) -> Imu:
    imu = Imu()
    force = imu.linear_acceleration
    force.x, force.y, force.z = x, y, z
    return imu


def read(data: bytes) -> list[object]:
    parser = CrsfParser()
    found = parser.feed(data, 0)
    assert parser.discarded_bytes == 0 and not parser.is_waiting
    assert all(isinstance(frame, CrsfFrame) for frame in found)
    return [telemetry(frame) for frame in found if isinstance(frame, CrsfFrame)]


def test_flight_mode_is_a_text_that_ends_with_nul() -> None:
    data = flight_mode("ACRO")
    assert data[:-1] == b"\xc8\x07\x21ACRO\0"
    assert read(data) == [FlightMode("ACRO")]


def test_long_and_foreign_text_is_cut_and_replaced() -> None:
    assert read(flight_mode("ÄBCDEFGHIJKLMNOP")) == [FlightMode("?BCDEFGHIJKLM")]


def test_speed_is_encoded_in_tenths_of_kilometres_an_hour() -> None:
    robot = DisplayedRobot(odometry=moving(-1.5), odometry_s=10.0)
    data = encode(robot, "OK", 10.5)
    assert data[len(flight_mode("OK")) :][:5] == b"\xc8\x04\x0a\x00\x36"  # 5.4 km/h
    assert encode(robot, "OK", 11.1) == flight_mode("OK")


@pytest.mark.parametrize(
    ("force", "yaw", "wanted"),
    [
        ((0.0, 0.0, 9.81), 0.0, (0.0, 0.0, 0.0)),
        ((4.905, 0.0, 8.4957), 0.0, (30.0, 0.0, 0.0)),  # nose up
        ((0.0, 4.905, 8.4957), 0.0, (0.0, 30.0, 0.0)),  # right side down
        ((0.0, 0.0, 9.81), 90.0, (0.0, 0.0, -90.0)),  # turned to the left
    ],
)
def test_attitude_is_that_of_an_aircraft(
    force: tuple[float, float, float], yaw: float, wanted: tuple[float, float, float]
) -> None:
    (found,) = read(attitude(leaning(*force), moving(0.0, math.radians(yaw))))
    assert isinstance(found, Attitude)
    shown = (found.pitch_rad, found.roll_rad, found.yaw_rad)
    assert [math.degrees(rad) for rad in shown] == pytest.approx(wanted, abs=0.1)


@pytest.mark.parametrize("force", [(0.0, 0.0, 0.0), (0.0, 0.0, 15.0), (NAN, 0.0, 9.8)])
def test_no_attitude_without_gravity(force: tuple[float, float, float]) -> None:
    assert attitude(leaning(*force), None) == b""


def test_sensors_of_ibus_have_units_of_hundredths_and_say_whether_the_robot_may_move() -> None:
    state = BatteryState(voltage=11.14, current=-2.06, percentage=0.667)
    robot = DisplayedRobot(battery=state, battery_s=10.0, odometry=moving(1.5), odometry_s=10.0)
    assert sensors(robot, "OK", 10.5) == (1114, 206, 67, 150, 1)
    assert sensors(robot, "E-STOP", 10.5)[-1] == 0
    assert sensors(DisplayedRobot(), "NO ROUTER", 10.5) == (0, 0, 0, 0, 0)
    assert len(sensors(robot, "OK", 10.5)) == len(SENSORS)


def test_battery_is_encoded_in_tenths() -> None:
    state = BatteryState(voltage=11.14, current=-2.06, charge=3.0, capacity=4.5, percentage=0.667)
    assert read(battery(state)) == [Battery(11.1, 2.1, 1500, 67)]


def test_unknown_values_of_a_battery_are_zero() -> None:
    state = BatteryState(voltage=12.0, current=NAN, charge=NAN, capacity=NAN, percentage=NAN)
    assert read(battery(state)) == [Battery(12.0, 0.0, 0, 0)]


@given(values=st.lists(st.floats(width=32), min_size=5, max_size=5))
def test_any_battery_makes_a_good_frame(values: list[float]) -> None:
    names = ("voltage", "current", "charge", "capacity", "percentage")
    (shown,) = read(battery(BatteryState(**dict(zip(names, values, strict=True)))))
    assert isinstance(shown, Battery)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, "OK"),
        ({"armed": True}, "OK"),
        ({"armed": False}, "DISARMED"),
        ({"is_lost": True, "armed": False}, "FAILSAFE"),
        ({"is_calibrating": True, "is_lost": True}, "CALIBRATE"),
        ({"is_stopped": True, "is_calibrating": True}, "E-STOP"),
        ({"is_stopped": True, "now_s": 10.6}, "NO ROUTER"),
    ],
)
def test_most_urgent_word_is_shown(changes: dict[str, object], expected: str) -> None:
    state = {"is_lost": False, "armed": None, "is_calibrating": False, "now_s": 10.4} | changes
    robot = DisplayedRobot(is_stopped=bool(state.pop("is_stopped", False)), router_s=10.0)
    assert state_word(robot, **state) == expected  # type: ignore[arg-type]


def test_battery_is_sent_while_it_is_fresh() -> None:
    robot = DisplayedRobot(battery=BatteryState(voltage=12.0), battery_s=5.0)
    assert len(read(encode(robot, "OK", 14.9))) == 2
    assert read(encode(robot, "OK", 15.1)) == [FlightMode("OK")]


class WaitingBus:
    """A bus on which samples wait until they are read."""

    def __init__(self) -> None:
        self.waiting: list[Sample[RouterHeartbeat]] = []
        self.woken: list[str] = []  # topics that wake the process

    def poll(self, topic: Any, callback: Callable[[Any], None], *, depth: int) -> Any:
        assert depth == 1
        if topic != topics.ROUTER_HEARTBEAT:
            return SimpleNamespace(read=lambda: None)
        self._callback = callback
        return self

    def subscribe(self, topic: Any, callback: Callable[[Any], None]) -> None:
        self.woken.append(topic.name)

    def read(self) -> None:
        for sample in self.waiting:
            self._callback(sample)
        self.waiting.clear()

    def arrives(self, *, is_estop: bool, age_s: float) -> None:
        """A heartbeat that was sent `age_s` ago is there."""
        sample = Sample(RouterHeartbeat(estop=is_estop), monotonic_s(), age_s, "")
        self.waiting.append(sample)


@pytest.fixture
def bus() -> WaitingBus:
    return WaitingBus()


@pytest.mark.parametrize(
    ("is_estop", "age_s", "word"),
    [(True, 0.0, "E-STOP"), (False, 0.3, "OK"), (False, 0.6, "NO ROUTER"), (False, -9.0, "OK")],
)
def test_display_shows_the_newest_heartbeat_by_its_age(
    bus: WaitingBus, is_estop: bool, age_s: float, word: str
) -> None:
    display = TransmitterDisplay(cast(Bus, bus))
    picture = cast(ReceiverSnapshot, SimpleNamespace(armed=None, calibrating=False))
    bus.arrives(is_estop=is_estop, age_s=age_s)
    assert read(display.frames(picture, is_lost=False)) == [FlightMode(word)]
    assert bus.woken == [topics.BATTERY.name]
