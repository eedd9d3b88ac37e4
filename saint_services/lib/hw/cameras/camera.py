"""Reads a camera as a stream of compressed pictures, in a thread of low priority, and opens it
again after unplugging. Not here: the kinds of cameras (their own modules), the choice of one
(opening.py), pixels (unpacking.py).
"""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from ...errors import Code, SaintError
from ...machine import realtime

_LONGEST_DELAY_NS = 1_000_000_000
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.5, 8.0
_END_S = 2.0  # a driver that does not come back sooner is left to the end of the process


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


class CameraFeed:
    """Reads a camera in a thread, which calls `deliver` and `problem`: pass them on to the loop."""

    def __init__(
        self,
        source: CameraSource,
        deliver: Callable[[Picture], None],
        problem: Callable[[str], None],
    ) -> None:
        self._source = source
        self._deliver = deliver
        self._problem = problem
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._run, name="camera", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Request the end of the thread; `join` waits until the device is released."""
        self._end.set()

    def join(self) -> bool:
        """Wait until the device is released; return False when that times out."""
        self._thread.join(_END_S)
        return not self._thread.is_alive()

    def _run(self) -> None:
        realtime.drop_priority()
        pause_s = _FIRST_PAUSE_S
        while not self._end.is_set():
            try:
                self._source.open()
                self._read()
                return
            except (OSError, SaintError) as err:
                self._problem(_sentence(err))
            finally:
                self._source.close()
            self._end.wait(pause_s)
            pause_s = min(2.0 * pause_s, _LONGEST_PAUSE_S)

    def _read(self) -> None:
        is_first = True
        while not self._end.is_set():
            picture = self._source.read()
            if picture is None:
                raise SaintError(Code.HARDWARE_FAULT, "the camera sends no pictures")
            if is_first:
                is_first = False
                self._problem("")
            self._deliver(picture)


def _sentence(err: OSError | SaintError) -> str:
    if isinstance(err, SaintError):
        return err.message
    return f"the camera is gone ({err.strerror or err})"
