"""Keeps a CAN bus open for asyncio: reads when frames arrive, sends newest commands first, detects
a pulled adapter and opens it again. No thread and no polling.
"""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Final

from ...errors import SaintError
from ..device_watch import DeviceWatch
from ..held_line import HeldLine
from .frame import CanFrame
from .port import CanPort, CanState

MOST_WAITING: Final = 32  # frames, each with an identifier of its own
FRESH_S: Final = 0.1  # a frame that waited longer is no longer sent
_RETRY_S: Final = 0.002  # a full queue of the kernel reports no room of its own

_Key = tuple[bool, int]


class CanLine:
    """One bus. `on_frames` runs in the loop, once per read; `on_open` and `on_lost` (with the
    error) run once each time the bus opens or is lost.

    While there is no room, frames wait: one for each identifier, the newest. With `device`, a watch
    waits for its node while it is missing.
    """

    def __init__(
        self,
        open_port: Callable[[], CanPort],
        on_frames: Callable[[list[CanFrame]], None],
        on_open: Callable[[], None],
        on_lost: Callable[[SaintError], None],
        device: str = "",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.dropped = 0  # frames that were too old, too many, or for a bus that is not open
        self._open_port = open_port
        self._on_frames = on_frames
        self._on_open = on_open
        self._on_lost = on_lost
        self._device = device
        self._clock = clock
        self._loop = asyncio.get_running_loop()
        self._held: HeldLine[CanPort] = HeldLine(None, self._read)
        self._waiting: OrderedDict[_Key, tuple[CanFrame, float]] = OrderedDict()
        self._retry: asyncio.TimerHandle | None = None
        self._flush_timer: asyncio.TimerHandle | None = None
        self._watch: DeviceWatch | None = None
        self._is_reported = False  # the loss of the bus

    @property
    def _port(self) -> CanPort | None:
        return self._held.port

    @property
    def is_open(self) -> bool:
        return self._port is not None

    @property
    def state(self) -> CanState | None:
        """Return the state of the bus; None while it is not open."""
        return self._port.state() if self._port else None

    def start(self) -> None:
        """Open the bus now, or as soon as its adapter is present."""
        self._cancel_retry()
        if self._port is not None:
            return
        try:
            self._held.hold(self._open_port())
        except SaintError as err:
            self._report_lost(err)
            return
        self._is_reported = False
        self._end_watch()
        self._held.attach()
        self._on_open()

    def close(self) -> None:
        """Close the bus and stay closed."""
        self._cancel_retry()
        self._end_watch()
        self._release()
        self._held.works()
        self._is_reported = False

    def send(self, frame: CanFrame) -> None:
        """Send a frame now, or as soon as there is room; it takes the place of a waiting one with
        its identifier. For a bus that is not open it is dropped.
        """
        if self._port is None:
            self.dropped += 1
            return
        key = frame.is_extended, frame.id
        if key not in self._waiting and len(self._waiting) >= MOST_WAITING:
            self._waiting.popitem(last=False)
            self.dropped += 1
        elif key in self._waiting:
            self.dropped += 1
        self._waiting[key] = frame, self._clock()
        if self._flush_timer is None:
            self._flush()

    def _flush(self) -> None:
        """Send what waits, oldest identifier first, until there is no room."""
        self._flush_timer = None
        try:
            while self._waiting and self._port is not None:
                key, (frame, since_s) = next(iter(self._waiting.items()))
                if self._clock() - since_s > FRESH_S:
                    self.dropped += 1
                elif not self._port.send(frame):
                    self._flush_timer = self._loop.call_later(_RETRY_S, self._flush)
                    return
                del self._waiting[key]
        except SaintError as err:
            self._gone(err)

    def _read(self) -> None:
        if self._port is None:
            return
        try:
            frames = self._port.receive()
        except SaintError as err:
            self._gone(err)
            return
        if frames:
            self._held.works()
            self._on_frames(frames)

    def _gone(self, error: SaintError) -> None:
        self._release()
        self._report_lost(error)

    def _release(self) -> None:
        """Close the port; what waits is not for the bus that may come."""
        self.dropped += len(self._waiting)
        self._waiting.clear()
        if self._flush_timer is not None:
            self._flush_timer.cancel()
            self._flush_timer = None
        self._held.release()

    def _report_lost(self, error: SaintError) -> None:
        # A bus that opens and fails at once counts as a failure too: only frames reset the pause.
        self._retry = self._loop.call_later(self._held.pause_s, self.start)
        self._held.failed()
        if self._watch is None and self._device.startswith("/"):
            self._watch = DeviceWatch(Path(self._device), self.start)
        if not self._is_reported:
            self._is_reported = True
            self._on_lost(error)

    def _cancel_retry(self) -> None:
        if self._retry is not None:
            self._retry.cancel()
            self._retry = None

    def _end_watch(self) -> None:
        if self._watch is not None:
            self._watch.close()
            self._watch = None
