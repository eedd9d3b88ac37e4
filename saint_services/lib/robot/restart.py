"""Restarts a daemon that has read a robot which is no longer in force. Not here: what counts as
another robot (source.py).
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from ..daemon import Context
from ..errors import SaintError
from .source import RobotPlaces, load_robot

_PAUSE_S = 0.5  # the reply to the change itself may still pass through this daemon


def restart_when_changed(
    context: Context[Any],
    places: RobotPlaces,
    read: str,
    settled: Callable[[], Awaitable[None]] | None = None,
) -> Callable[[str], None]:
    """Return what is called with the mark of the robot in force: it restarts the daemon when a
    restart would read another robot than `read`, the mark of the one that it has read. A restart
    follows everything that depends on a robot; nothing moves meanwhile. The daemon restarts when
    `settled` returns, which has a limit of its own.
    """
    seen = {"", read}  # an empty mark is that of an older release

    async def look() -> None:
        await asyncio.sleep(_PAUSE_S)
        try:
            is_other = (await asyncio.to_thread(load_robot, places)).mark != read
        except SaintError:
            return  # the robot that was read stays in force
        if is_other:
            if settled:
                await settled()
            context.restart("the robot has other roles or outputs now")

    def on_robot(mark: str) -> None:
        if mark not in seen:
            seen.add(mark)
            context.spawn(look(), "another robot")

    return on_robot
