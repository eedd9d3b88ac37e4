"""A camera as a stream of compressed pictures, read in a thread of low priority (device_feed.py).
Not here: the kinds of cameras (their own modules), the choice of one (opening.py), pixels
(unpacking.py).
"""

import time
from dataclasses import dataclass
from typing import Protocol

from ...machine import realtime
from ..device_feed import DeviceFeed

_LONGEST_DELAY_NS = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Picture:
    """One picture; `format` as sensor_msgs/CompressedImage names it: "jpeg", "png"."""

    format: str
    data: bytes
    taken_ns: int  # wall time: when it was taken, or came where the camera does not say


def taken_at(device_ns: int, device_now_ns: int) -> int:
    """Return the wall time of what a device's clock says. A time that cannot be is now: in the
    future, or longer ago than a picture waits.
    """
    delay_ns = device_now_ns - device_ns
    return time.time_ns() - (delay_ns if 0 <= delay_ns <= _LONGEST_DELAY_NS else 0)


class CameraSource(Protocol):
    """Interface of a camera. Opening raises SaintError; reading raises OSError when it is
    unplugged.
    """

    damaged: int  # pictures that were left out

    def open(self) -> None: ...

    def read(self) -> Picture | None:
        """Return the next picture; None without one within a second. Blocks."""
        ...

    def close(self) -> None:
        """Never raises."""
        ...


class CameraFeed(DeviceFeed[Picture]):
    """The pictures of a camera."""

    name = "camera"
    silent = "sends no pictures"

    def begin(self) -> None:
        """Give way to what drives."""
        realtime.drop_priority()
