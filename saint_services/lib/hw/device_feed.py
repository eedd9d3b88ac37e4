"""Reads a device in a thread, and opens it again after unplugging. Not here: the devices (cameras,
sound), who gets what is read.
"""

import threading
from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

from ..errors import Code, SaintError

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.5, 8.0
_END_S = 2.0  # a driver that does not come back sooner is left to the end of the process


class Device(Protocol[T_co]):
    """What is read. Opening raises SaintError; reading raises OSError when it is unplugged."""

    def open(self) -> None: ...

    def read(self) -> T_co | None:
        """Return what comes next; None when nothing came for too long. Blocks."""
        ...

    def close(self) -> None:
        """Never raises."""
        ...


class DeviceFeed(Generic[T]):
    """Reads until it is closed. The thread calls `deliver` with each reading and `problem` with why
    there is none, or with "" once there is one: pass them on to the loop. The device is of this
    feed alone: one that was closed a moment ago may still be reading.
    """

    name = "device"  # for people, and of the thread
    silent = "sends nothing"

    def __init__(
        self, device: Device[T], deliver: Callable[[T], None], problem: Callable[[str], None]
    ) -> None:
        self._device = device
        self._deliver = deliver
        self._problem = problem
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._run, name=self.name, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Request the end of the thread; `join` waits until the device is released."""
        self._end.set()

    def join(self) -> bool:
        """Wait until the device is released; return False when that times out."""
        self._thread.join(_END_S)
        return not self._thread.is_alive()

    def begin(self) -> None:
        """Prepare the thread, in it."""

    def _run(self) -> None:
        self.begin()
        pause_s = _FIRST_PAUSE_S
        while not self._end.is_set():
            try:
                self._device.open()
                self._deliver_one()
                self._problem("")
                pause_s = _FIRST_PAUSE_S
                while not self._end.is_set():
                    self._deliver_one()
            except (OSError, SaintError) as err:
                if not self._end.is_set():
                    self._problem(self._sentence(err))
            except RuntimeError:  # the loop has ended
                return
            finally:
                self._device.close()
            self._end.wait(pause_s)
            pause_s = min(2.0 * pause_s, _LONGEST_PAUSE_S)

    def _deliver_one(self) -> None:
        found = self._device.read()
        if found is None:
            raise SaintError(Code.HARDWARE_FAULT, f"the {self.name} {self.silent}")
        if not self._end.is_set():
            self._deliver(found)

    def _sentence(self, err: OSError | SaintError) -> str:
        if isinstance(err, SaintError):
            return err.message
        return f"the {self.name} is gone ({err.strerror or err})"
