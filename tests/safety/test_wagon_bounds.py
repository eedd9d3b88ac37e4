"""Freshness, attitude and motor controllers of the wagon's boards, at the very bound of
each rule. Numbers are typed by hand.
"""

import struct
from math import cos, radians, sin

import pytest

from image.boards.balance.attitude import Attitude, Calibration
from image.boards.balance.vescs import Vesc, Vescs
from image.boards.shared import tables as t
from image.boards.shared.freshness import Freshness, Period, Steadiness

# --- freshness --------------------------------------------------------------------------------


def test_what_never_came_is_not_fresh_however_early_it_is() -> None:
    fresh = Freshness(100)
    assert not fresh.is_fresh(0)
    assert not fresh.is_fresh(50)
    assert fresh.age_ms(0) == 1 << 29
    assert fresh.limit_ms == 100


@pytest.mark.parametrize(
    ("now_ms", "is_fresh"), [(9, False), (10, True), (110, True), (111, False)]
)
def test_freshness_ends_behind_its_limit_and_never_begins_in_the_future(
    now_ms: int, is_fresh: bool
) -> None:
    fresh = Freshness(100)
    fresh.feed(10)
    assert fresh.age_ms(now_ms) == now_ms - 10
    assert fresh.is_fresh(now_ms) is is_fresh


def test_steadiness_counts_from_the_first_behind_a_gap() -> None:
    steady = Steadiness(100, 200)
    assert not steady.is_fresh(0)
    for now_ms in (1000, 1100, 1199):
        steady.feed(now_ms)
        assert steady.is_fresh(now_ms)
        assert not steady.is_steady(now_ms)
    assert steady.is_steady(1200)
    assert steady.is_steady(1299)
    assert not steady.is_steady(1300)
    assert not steady.is_fresh(1300)
    steady.feed(1301)
    assert not steady.is_steady(1400)
    steady.feed(1401)
    steady.feed(1501)
    assert steady.is_steady(1501)


def test_period_is_due_once_in_its_time() -> None:
    period = Period(50)
    assert period.period_ms == 50
    assert period.is_due(0)
    assert not period.is_due(0)
    assert not period.is_due(49)
    assert period.is_due(50)
    period.restart(70)
    assert not period.is_due(119)
    assert period.is_due(120)
    assert period.is_due(-1)


# --- attitude ---------------------------------------------------------------------------------


def sample(pitch: float = 0.0, roll: float = 0.0, **rates: float) -> tuple[float, ...]:
    """Return gravity at these angles, and turn rates x, y, z."""
    p, r = radians(pitch), radians(roll)
    acceleration = -sin(p), sin(r) * cos(p), cos(r) * cos(p)
    return (*acceleration, rates.get("x", 0.0), rates.get("y", 0.0), rates.get("z", 0.0))


def test_attitude_is_unknown_until_it_is_measured() -> None:
    attitude = Attitude()
    assert not attitude.is_good(0)
    assert (attitude.pitch, attitude.roll, attitude.tilt) == (0, 0, 0)
    assert (attitude.pitch_rate, attitude.yaw_rate) == (0, 0)


@pytest.mark.parametrize(("pitch", "roll"), [(10, 0), (-10, 0), (0, 20), (0, -20), (30, 12)])
def test_first_sample_says_pitch_and_roll(pitch: float, roll: float) -> None:
    attitude = Attitude()
    attitude.measured(1, sample(pitch, roll), 10)
    assert attitude.pitch == pytest.approx(pitch, abs=0.01)
    assert attitude.roll == pytest.approx(roll, abs=0.01)
    assert attitude.tilt == pytest.approx(max(abs(pitch), abs(roll)), abs=0.01)
    assert attitude.is_good(10)


def test_sensor_is_good_for_100_ms() -> None:
    attitude = Attitude()
    attitude.measured(1, sample(), 10)
    assert attitude.is_good(110)
    assert not attitude.is_good(111)


def test_sample_that_repeats_itself_or_is_impossible_is_none() -> None:
    attitude = Attitude()
    attitude.measured(1, sample(), 10)
    attitude.measured(1, sample(30), 100)
    attitude.measured(2, None, 100)
    attitude.measured(3, sample(x=1e6), 100)
    attitude.measured(4, sample(x=float("nan")), 100)
    assert attitude.pitch == 0
    assert not attitude.is_good(111)
    attitude.measured(5, sample(), 111)
    assert attitude.is_good(111)


def test_rates_turn_the_angles() -> None:
    attitude = Attitude()
    attitude.measured(1, sample(), 0)
    strong = (2.0, 0.0, 0.0)  # no gravity alone: the rates count
    attitude.measured(2, (*strong, 40.0, -80.0, 5.0), 50)
    assert attitude.pitch == pytest.approx(-4.0)
    assert attitude.roll == pytest.approx(2.0)
    assert (attitude.pitch_rate, attitude.yaw_rate) == (-80.0, 5.0)
    attitude.measured(3, (*strong, 40.0, 0.0, 0.0), 1050)  # a gap counts for 100 ms
    assert attitude.roll == pytest.approx(6.0)
    attitude.measured(4, (*strong, 40.0, 0.0, 0.0), 1000)  # time never runs back
    assert attitude.roll == pytest.approx(6.0)


@pytest.mark.parametrize(
    ("g", "counts"), [(1.079, True), (1.081, False), (0.921, True), (0.919, False)]
)
def test_accelerations_count_while_they_are_gravity(g: float, counts: bool) -> None:
    attitude = Attitude()
    attitude.measured(1, sample(), 0)
    attitude.measured(2, (-g * sin(0.5), 0.0, g * cos(0.5), 0, 0, 0), 100)
    # 100 ms of a time constant of one second: a share of 1/11
    assert attitude.pitch == pytest.approx(28.648 / 11 if counts else 0.0, abs=0.001)


@pytest.mark.parametrize(("g", "counts"), [(1.079, True), (1.081, False)])
def test_gravity_to_the_side_counts_alike(g: float, counts: bool) -> None:
    attitude = Attitude()
    attitude.measured(1, sample(), 0)
    attitude.measured(2, (0.0, g * sin(0.5), g * cos(0.5), 0, 0, 0), 100)
    assert attitude.roll == pytest.approx(28.648 / 11 if counts else 0.0, abs=0.001)


def test_roll_takes_the_short_way_over_its_back() -> None:
    attitude = Attitude()
    attitude.measured(1, sample(roll=170.0), 0)
    attitude.measured(2, sample(roll=-170.0), 100)
    assert attitude.roll == pytest.approx(170 + 20 / 11, abs=0.01)


def test_attitude_without_gravity_for_3_s_is_not_known() -> None:
    attitude = Attitude()
    attitude.measured(0, sample(), 0)
    for number in range(1, 61):
        attitude.measured(number, (3.0, 0, 0, 0, 0, 0), number * 50)
    assert attitude.is_good(3000)
    attitude.measured(61, (3.0, 0, 0, 0, 0, 0), 3001)
    assert not attitude.is_good(3001)


@pytest.mark.parametrize("axis", ["x", "y", "z"])
@pytest.mark.parametrize(("rate", "is_known"), [(500.0, True), (500.1, False), (-500.1, False)])
def test_turn_faster_than_the_sensor_begins_again(axis: str, rate: float, is_known: bool) -> None:
    attitude = Attitude()
    attitude.measured(1, sample(), 0)
    rates = sample(**{axis: rate})[3:]
    attitude.measured(2, (3.0, 0.0, 0.0, *rates), 5)
    assert attitude.is_good(5) is is_known
    attitude.measured(3, sample(20.0), 10)
    assert attitude.is_good(10)
    assert (attitude.pitch == pytest.approx(20.0, abs=0.01)) is not is_known


def test_calibration_takes_200_samples_and_then_its_offsets_away() -> None:
    calibration = Calibration()
    assert not calibration.is_running
    assert calibration.result() is None
    calibration.start()
    for number in range(200):
        assert calibration.is_running
        assert calibration.result() is None
        given = (0.0, 0.0, 1.0, 1.0 + number % 2, 2.0, -3.0)
        assert calibration.corrected(given) == given
    assert calibration.result() == "ok"
    assert not calibration.is_running
    assert calibration.offsets == pytest.approx((1.5, 2.0, -3.0))
    assert calibration.corrected((0.1, 0.2, 1.0, 1.5, 3.0, -3.0)) == pytest.approx(
        (0.1, 0.2, 1.0, 0.0, 1.0, 0.0)
    )
    assert calibration.corrected(None) is None


@pytest.mark.parametrize(
    ("rate", "spread", "outcome"),
    [
        (0.0, 1.5, "ok"),
        (0.0, 1.51, "the wagon moved"),
        (10.0, 0.0, "ok"),
        (10.1, 0.0, "the offset is too large"),
        (-10.1, 0.0, "the offset is too large"),
    ],
)
@pytest.mark.parametrize("axis", [3, 4, 5])
def test_calibration_refuses_what_moves(
    axis: int, rate: float, spread: float, outcome: str
) -> None:
    calibration = Calibration((7.0, 7.0, 7.0))
    calibration.start()
    for number in range(200):
        values = [0.0] * 6
        values[axis] = rate + (spread if number == 100 else 0.0)
        calibration.corrected(tuple(values))
    assert calibration.result() == outcome
    assert (calibration.offsets == (7.0, 7.0, 7.0)) is (outcome != "ok")


def test_calibration_that_is_cancelled_keeps_its_offsets() -> None:
    calibration = Calibration((7.0, 7.0, 7.0))
    calibration.start()
    calibration.cancel()
    assert not calibration.is_running
    assert calibration.result() is None
    assert calibration.offsets == (7.0, 7.0, 7.0)


# --- motor controllers ------------------------------------------------------------------------


def status_1(erpm: int = 0, amps: float = 0.0, duty: float = 0.0) -> bytes:
    return struct.pack(">ihh", erpm, round(amps * 10), round(duty * 1000))


def status_4(fet_c: float, motor_c: float = -80.0) -> bytes:
    return struct.pack(">hhhh", round(fet_c * 10), round(motor_c * 10), 0, 0)


def status_5(volts: float) -> bytes:
    return struct.pack(">ihh", 0, round(volts * 10), 0)


class Wheels:
    """Both controllers, and what they were sent."""

    def __init__(self) -> None:
        self.sent: list[tuple[int, bytes]] = []
        self.vescs = Vescs(lambda identifier, data: self.sent.append((identifier, data)))

    def report(self, now_ms: int, volts: float = 37.0, **status: float) -> None:
        for number in (68, 56):
            self.vescs.received(0x900 | number, status_1(900, 2.0, 0.1), now_ms)
            self.vescs.received(0x1B00 | number, status_5(volts), now_ms)


@pytest.fixture
def wheels() -> Wheels:
    found = Wheels()
    found.report(0)
    return found


def test_new_controllers_are_lost_until_they_report() -> None:
    assert Wheels().vescs.fault(0) == t.FAULT_VESC_LOST
    vesc = Vesc()
    assert (vesc.erpm, vesc.current_a, vesc.duty, vesc.fet_c, vesc.motor_c, vesc.volts) == (0,) * 6
    assert not vesc.is_blocked(0)


def test_each_report_is_read(wheels: Wheels) -> None:
    vesc = wheels.vescs.each[68]
    assert (vesc.erpm, vesc.current_a, vesc.duty, vesc.volts) == (900, 2.0, 0.1, 37.0)
    wheels.vescs.received(0x1000 | 68, status_4(41.5, 33.0), 1)
    assert (vesc.fet_c, vesc.motor_c) == (41.5, 33.0)
    wheels.vescs.received(0x900 | 68, b"\0" * 7, 1)
    wheels.vescs.received(0x1000 | 68, b"\0" * 7, 1)
    wheels.vescs.received(0x1B00 | 68, b"\0" * 5, 1)
    wheels.vescs.received(0x900 | 70, status_1(5), 1)
    assert (vesc.erpm, vesc.fet_c, vesc.volts) == (900, 41.5, 37.0)


def test_frames_are_those_of_the_vesc(wheels: Wheels) -> None:
    wheels.vescs.drive(500.0, -2000.0)
    assert wheels.sent == [
        (0x44, struct.pack(">i", 20_000)),  # half of a full duty of 0.4
        (0x38, struct.pack(">i", -40_000)),
    ]
    wheels.sent.clear()
    wheels.vescs.drive(2000.0, 0.0)
    assert wheels.sent[0] == (0x44, struct.pack(">i", 40_000))
    wheels.sent.clear()
    wheels.vescs.brake()
    assert wheels.sent == [(0x244, struct.pack(">i", 8000)), (0x238, struct.pack(">i", 8000))]
    wheels.sent.clear()
    wheels.vescs.release()
    assert wheels.sent == [(0x144, bytes(4)), (0x138, bytes(4))]


def test_controller_that_is_silent_for_500_ms_is_lost(wheels: Wheels) -> None:
    wheels.vescs.received(0x1B00 | 68, status_5(37.0), 500)
    wheels.vescs.received(0x1B00 | 56, status_5(37.0), 500)
    assert wheels.vescs.fault(500) == t.FAULT_NONE
    assert wheels.vescs.fault(501) == t.FAULT_VESC_LOST
    wheels.vescs.received(0x900 | 68, status_1(900), 501)
    assert wheels.vescs.fault(501) == t.FAULT_VESC_LOST
    wheels.vescs.received(0x900 | 56, status_1(900), 501)
    assert wheels.vescs.fault(501) == t.FAULT_NONE


def test_voltage_that_is_old_is_lost(wheels: Wheels) -> None:
    for number in (68, 56):
        wheels.vescs.received(0x900 | number, status_1(900), 1900)
    wheels.vescs.received(0x1B00 | 68, status_5(37.0), 2000)
    assert wheels.vescs.fault(2000) == t.FAULT_NONE
    assert wheels.vescs.fault(2001) == t.FAULT_VESC_LOST


@pytest.mark.parametrize(
    ("volts", "fault", "warning"),
    [
        (42.9, t.FAULT_NONE, t.FAULT_NONE),
        (43.0, t.FAULT_BATTERY_HIGH, t.FAULT_NONE),
        (33.1, t.FAULT_NONE, t.FAULT_NONE),
        (33.0, t.FAULT_NONE, t.FAULT_WARN_BATTERY_LOW),
        (30.1, t.FAULT_NONE, t.FAULT_WARN_BATTERY_LOW),
        (30.0, t.FAULT_BATTERY_EMPTY, t.FAULT_WARN_BATTERY_LOW),
    ],
)
def test_voltage_has_its_bounds(volts: float, fault: int, warning: int) -> None:
    wheels = Wheels()
    wheels.report(0, volts)
    assert wheels.vescs.battery_mv == round(volts * 1000)
    assert wheels.vescs.fault(0) == fault
    assert wheels.vescs.warning() == warning


def test_lower_voltage_counts(wheels: Wheels) -> None:
    wheels.vescs.received(0x1B00 | 56, status_5(31.0), 0)
    assert wheels.vescs.battery_mv == 31_000


def test_sag_of_2_s_is_no_empty_battery(wheels: Wheels) -> None:
    assert wheels.vescs.fault(0) == t.FAULT_NONE
    for now_ms in (400, 800, 1200, 1600, 2000):
        wheels.report(now_ms, 29.0)
        assert wheels.vescs.fault(now_ms) == t.FAULT_NONE
    wheels.report(2001, 29.0)
    assert wheels.vescs.fault(2001) == t.FAULT_BATTERY_EMPTY


@pytest.mark.parametrize(
    ("fet_c", "motor_c", "fault", "is_hot"),
    [
        (70.0, 70.0, t.FAULT_NONE, False),
        (70.1, 0.0, t.FAULT_NONE, True),
        (0.0, 70.1, t.FAULT_NONE, True),
        (85.0, 100.0, t.FAULT_NONE, True),
        (85.1, 0.0, t.FAULT_OVERHEATED, True),
        (0.0, 100.1, t.FAULT_OVERHEATED, True),
        (0.0, 179.9, t.FAULT_OVERHEATED, True),
        (0.0, 180.0, t.FAULT_NONE, False),  # no sensor
        (0.0, -30.0, t.FAULT_NONE, False),
    ],
)
def test_temperatures_have_their_bounds(
    wheels: Wheels, fet_c: float, motor_c: float, fault: int, is_hot: bool
) -> None:
    wheels.vescs.received(0x1000 | 56, status_4(fet_c, motor_c), 0)
    assert wheels.vescs.fault(0) == fault
    assert wheels.vescs.is_hot is is_hot
    assert wheels.vescs.warning() == (t.FAULT_WARN_HOT if is_hot else t.FAULT_NONE)


@pytest.mark.parametrize(
    ("erpm", "amps", "is_blocked"),
    [
        (60, 15.0, True),
        (-60, -15.0, True),
        (61, 40.0, False),
        (-61, 40.0, False),
        (0, 14.9, False),
        (0, -14.9, False),
    ],
)
def test_current_without_motion_for_800_ms_is_a_blocked_wheel(
    wheels: Wheels, erpm: int, amps: float, is_blocked: bool
) -> None:
    for now_ms in (400, 800):
        wheels.vescs.received(0x900 | 68, status_1(erpm, amps), now_ms)
    wheels.vescs.received(0x900 | 56, status_1(900), 801)
    vesc = wheels.vescs.each[68]
    assert not vesc.is_blocked(800)
    assert vesc.is_blocked(801) is is_blocked
    expected = t.FAULT_WHEEL_BLOCKED if is_blocked else t.FAULT_NONE
    assert wheels.vescs.fault(801) == expected


def test_controller_that_no_longer_reports_is_lost_not_blocked(wheels: Wheels) -> None:
    wheels.vescs.received(0x900 | 68, status_1(0, 40.0), 400)
    assert wheels.vescs.each[68].is_blocked(900)
    assert not wheels.vescs.each[68].is_blocked(901)


def test_speed_is_the_mean_of_both_sides(wheels: Wheels) -> None:
    wheels.vescs.received(0x900 | 68, status_1(1800), 0)
    wheels.vescs.received(0x900 | 56, status_1(900), 0)
    # 1350 / 15 pole pairs / 60 = 1.5 turns a second, of 0.165 m
    assert wheels.vescs.speed_mps == pytest.approx(0.77754, abs=1e-4)
