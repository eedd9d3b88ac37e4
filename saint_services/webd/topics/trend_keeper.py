"""Asks the clock once a second, and keeps what the robot says then. Not here: what (trends.py)."""

import asyncio

from ...lib.clock import monotonic_s, wall_s
from .newest import Newest
from .trends import PERIODS_S, Trends, reading


async def keep_trends(newest: Newest, trends: Trends) -> None:
    """Until cancelled. Points stay a period apart, however late one of them was."""
    period_s = PERIODS_S["minutes"]
    due_s = monotonic_s() + period_s
    while True:
        await asyncio.sleep(max(0.0, due_s - monotonic_s()))
        now_s = monotonic_s()
        trends.add(reading(newest, now_s, max(0.0, now_s - due_s)), wall_s())
        # After a pause (a suspended machine) it does not make up for the points that are missing.
        due_s = max(due_s + period_s, now_s)
