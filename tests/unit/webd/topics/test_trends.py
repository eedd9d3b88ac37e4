"""The history of the robot's numbers: two spans, bounded, and the points that a page lacks."""

from saint_services.lib.api.webd.system import GetHistory
from saint_services.lib.generated.saint_msgs import FieldStatus, RouteStatus, SystemStatus
from saint_services.webd.topics.newest import Newest
from saint_services.webd.topics.trends import MOST, SERIES, Point, Trends, reading

NOTHING: Point = (None,) * len(SERIES)


def point(**values: float) -> Point:
    return tuple(values.get(name) for name in SERIES)


def filled(count: int) -> Trends:
    trends = Trends()
    for number in range(1, count + 1):
        trends.add(point(cpu_usage=float(number), delay_ms=float(number)), 1000.0 + number)
    return trends


def test_a_page_that_knows_some_points_gets_the_newer_ones() -> None:
    trends = filled(20)
    first = trends.since(GetHistory())
    assert (first.last, first.time, len(first.series.cpu_usage)) == (20, 1020.0, 20)
    more = trends.since(GetHistory(after=18))
    assert more.series.cpu_usage == [19.0, 20.0]
    assert trends.since(GetHistory(after=20)).series.cpu_usage == []


def test_a_number_from_before_a_restart_gets_everything() -> None:
    assert len(filled(5).since(GetHistory(after=400)).series.cpu_usage) == 5


def test_minutes_are_bounded_and_the_oldest_go() -> None:
    reply = filled(MOST["minutes"] + 50).since(GetHistory(after=1))
    assert len(reply.series.cpu_usage) == MOST["minutes"]
    assert reply.series.cpu_usage[0] == 51.0


def test_hours_keep_means_of_values_and_the_longest_delay() -> None:
    reply = filled(25).since(GetHistory(span="hours"))
    assert reply.period_s == 10.0
    assert reply.series.cpu_usage == [5.5, 15.5]
    assert reply.series.delay_ms == [10.0, 20.0]
    assert reply.series.memory_usage == [None, None]


def test_what_fell_silent_has_no_value() -> None:
    newest = Newest()
    newest.system = SystemStatus(cpu_usage=23.0, memory_usage=45.0, cpu_temp=0.0, nodes_active=4)
    newest.system_received_s = 100.0
    fresh = dict(zip(SERIES, reading(newest, 101.0, 0.002), strict=True))
    assert (fresh["cpu_usage"], fresh["nodes_active"], fresh["delay_ms"]) == (23.0, 4.0, 2.0)
    assert fresh["cpu_temp"] is None  # it has no sensor
    old = dict(zip(SERIES, reading(newest, 104.0, 0.0), strict=True))
    assert old["cpu_usage"] is None


def test_age_of_commands_is_that_of_the_oldest_that_moves_something() -> None:
    newest = Newest()
    fields = [FieldStatus(policy="live", age_ms=12), FieldStatus(policy="live", age_ms=40),
              FieldStatus(policy="hold", age_ms=90_000)]  # fmt: skip
    newest.router, newest.router_received_s = RouteStatus(fields=fields), 100.0
    now = dict(zip(SERIES, reading(newest, 100.1, 0.0), strict=True))
    assert now["command_age_ms"] == 40.0
