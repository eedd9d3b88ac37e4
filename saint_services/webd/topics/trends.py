"""History of the robot's numbers in memory: one point a second for ten minutes, one in ten seconds
for six hours. Not here: each node's own numbers (node_history.py), the clock (feeds.py).
"""

import math
from collections import deque

from ...lib.api.webd.system import GetHistory, HistoryReply, Span, TrendSeries
from .newest import Newest

PERIODS_S: dict[Span, float] = {"minutes": 1.0, "hours": 10.0}
MOST: dict[Span, int] = {"minutes": 600, "hours": 2160}
SILENT_S = 3.0  # a number that was not updated for so long has no value

SERIES = (
    "cpu_usage", "memory_usage", "cpu_temp", "nodes_active", "rc_hz", "livelink_hz",
    "command_age_ms", "delay_ms",
)  # fmt: skip
Point = tuple[float | None, ...]


class Trends:
    """Both spans. The long one has the average of its points, and the longest delay and age."""

    def __init__(self) -> None:
        self._points = {span: deque[Point](maxlen=MOST[span]) for span in PERIODS_S}
        self._counts = dict.fromkeys(PERIODS_S, 0)
        self._times = dict.fromkeys(PERIODS_S, 0.0)
        self._pending: list[Point] = []

    def add(self, point: Point, time: float) -> None:
        """Add the point of one second."""
        self._append("minutes", point, time)
        self._pending.append(point)
        if len(self._pending) * PERIODS_S["minutes"] >= PERIODS_S["hours"]:
            self._append("hours", summary(self._pending), time)
            self._pending.clear()

    def _append(self, span: Span, point: Point, time: float) -> None:
        self._points[span].append(point)
        self._counts[span] += 1
        self._times[span] = time

    def since(self, wanted: GetHistory) -> HistoryReply:
        """Return the points after `wanted.after`. A number from before a restart gets all
        of them.
        """
        points, count = self._points[wanted.span], self._counts[wanted.span]
        is_known = 0 < wanted.after <= count
        missing = min(count - wanted.after, len(points)) if is_known else len(points)
        shown = list(points)[len(points) - missing :]
        series = {name: [point[at] for point in shown] for at, name in enumerate(SERIES)}
        return HistoryReply(
            period_s=PERIODS_S[wanted.span],
            last=count,
            time=round(self._times[wanted.span], 3),
            series=TrendSeries(**series),
        )


def summary(points: list[Point]) -> Point:
    """Combine several points into one."""
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
    """Return the present point."""
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
