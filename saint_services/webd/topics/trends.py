"""How this robot's numbers went: one point a second for ten minutes, one in ten seconds for six
hours. Bounded, in memory only. Pure. Not here: each node's own numbers (node_history.py), who asks
the clock (adapters/trend_keeper.py).
"""

import math
from collections import deque
from typing import Literal

from pydantic import Field

from ...lib.api import Reply, Request
from .newest import Newest

Span = Literal["minutes", "hours"]
PERIODS_S: dict[Span, float] = {"minutes": 1.0, "hours": 10.0}
MOST: dict[Span, int] = {"minutes": 600, "hours": 2160}
SILENT_S = 3.0  # what was not heard for so long has no value

SERIES = (
    "cpu_usage", "memory_usage", "cpu_temp", "nodes_active", "rc_hz", "livelink_hz",
    "command_age_ms", "delay_ms",
)  # fmt: skip
Point = tuple[float | None, ...]


class GetHistory(Request):
    """How far back, and which points the caller has already."""

    span: Span = "minutes"
    after: int = Field(default=0, ge=0)  # `last` of the answer before; 0: all of them


class TrendSeries(Reply):
    """Oldest first; null where nothing was heard."""

    cpu_usage: list[float | None]  # percent
    memory_usage: list[float | None]  # percent
    cpu_temp: list[float | None]  # degrees Celsius
    nodes_active: list[float | None]
    rc_hz: list[float | None]  # frames a second
    livelink_hz: list[float | None]  # samples a second; null while nobody looks at the inputs
    command_age_ms: list[float | None]  # of the oldest sample that moves something
    delay_ms: list[float | None]  # how late webd itself was


class HistoryReply(Reply):
    """The points of one span."""

    period_s: float
    last: int  # number of the newest point
    time: float  # of the newest point, seconds since 1970
    series: TrendSeries


class Trends:
    """Both spans. The long one keeps the mean of its points, and the longest delay and age."""

    def __init__(self) -> None:
        self._points = {span: deque[Point](maxlen=MOST[span]) for span in PERIODS_S}
        self._counts = dict.fromkeys(PERIODS_S, 0)
        self._times = dict.fromkeys(PERIODS_S, 0.0)
        self._pending: list[Point] = []

    def add(self, point: Point, time: float) -> None:
        """One second has gone by."""
        self._keep("minutes", point, time)
        self._pending.append(point)
        if len(self._pending) * PERIODS_S["minutes"] >= PERIODS_S["hours"]:
            self._keep("hours", summary(self._pending), time)
            self._pending.clear()

    def _keep(self, span: Span, point: Point, time: float) -> None:
        self._points[span].append(point)
        self._counts[span] += 1
        self._times[span] = time

    def since(self, asked: GetHistory) -> HistoryReply:
        """The points after `asked.after`. A number from before a restart gets them all."""
        points, count = self._points[asked.span], self._counts[asked.span]
        is_known = 0 < asked.after <= count
        missing = min(count - asked.after, len(points)) if is_known else len(points)
        shown = list(points)[len(points) - missing :]
        series = {name: [point[at] for point in shown] for at, name in enumerate(SERIES)}
        return HistoryReply(
            period_s=PERIODS_S[asked.span],
            last=count,
            time=round(self._times[asked.span], 3),
            series=TrendSeries(**series),
        )


def summary(points: list[Point]) -> Point:
    """Several points as one."""
    return tuple(
        _one(name, [point[at] for point in points if point[at] is not None])
        for at, name in enumerate(SERIES)
    )


def _one(name: str, values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    if not known:
        return None
    return max(known) if name.endswith("_ms") else round(sum(known) / len(known), 2)


def reading(newest: Newest, now_s: float, delay_s: float) -> Point:
    """What is heard now."""
    values = {
        **_server(newest, now_s),
        "rc_hz": _rc_hz(newest, now_s),
        "livelink_hz": _livelink_hz(newest, now_s),
        "command_age_ms": _command_age_ms(newest, now_s),
        "delay_ms": round(delay_s * 1000, 2),
    }
    return tuple(values.get(name) for name in SERIES)


def _server(newest: Newest, now_s: float) -> dict[str, float | None]:
    system = newest.system
    if system is None or now_s - newest.system_received_s > SILENT_S:
        return {}
    return {
        "cpu_usage": _known(system.cpu_usage),
        "memory_usage": _known(system.memory_usage),
        "cpu_temp": _known(system.cpu_temp) or None,  # 0: it has no sensor
        "nodes_active": float(system.nodes_active),
    }


def _known(value: float) -> float | None:
    return round(value, 2) if math.isfinite(value) else None


def _rc_hz(newest: Newest, now_s: float) -> float | None:
    if newest.rc is None or now_s - newest.rc_received_s > SILENT_S:
        return None
    return float(newest.rc.frame_rate_hz)


def _livelink_hz(newest: Newest, now_s: float) -> float | None:
    rates = [
        source.rate_hz
        for name, source in newest.sources.items()
        if name.startswith("livelink:") and now_s - source.received_s < SILENT_S
    ]
    return round(sum(rates), 1) if rates else None


def _command_age_ms(newest: Newest, now_s: float) -> float | None:
    if newest.router is None or now_s - newest.router_received_s > SILENT_S:
        return None
    ages = [field.age_ms for field in newest.router.fields if field.policy == "live"]
    return float(max(ages)) if ages else None
