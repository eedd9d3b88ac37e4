"""The two clocks. Durations and deadlines come from monotonic time; wall time is for people,
logs, message stamps and certificates.
"""

import time

from .generated.builtin_interfaces import Time

monotonic_s = time.monotonic
wall_s = time.time


def stamp() -> Time:
    """Return wall time as a ROS stamp."""
    return stamp_at(time.time_ns())


def stamp_at(wall_ns: int) -> Time:
    """Return a wall time as a ROS stamp."""
    seconds, nanoseconds = divmod(wall_ns, 1_000_000_000)
    return Time(sec=seconds, nanosec=nanoseconds)
