"""Connects the head's camera to its command. The camera is off, and not opened, until a command
switches it on; then a process of its own reads and publishes it, so that no picture passes through
the one that drives the head. Not here: that process (camera_program.py).
"""

import contextlib
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Protocol

from .camera_wire import CameraReport


class CameraRun(Protocol):
    """A started camera."""

    def close(self) -> None: ...


class HeadCamera:
    """One camera. Its methods run in the loop, except `_on_report`."""

    def __init__(
        self,
        start: Callable[[Callable[[CameraReport], None]], CameraRun],
        in_loop: Callable[..., object],  # runs something in the loop; called in another thread
        notice: Callable[[str], None],
        counters: Counter[str],
    ) -> None:
        self._start = start
        self._in_loop = in_loop
        self._notice = notice
        self._counters = counters
        self._run: CameraRun | None = None
        self._runs = 0  # so far; what an older one still reports is late
        self._before = CameraReport()
        self.has_pictures = False

    def switch(self, is_on: bool) -> None:
        """Switch the camera on or off."""
        if is_on == (self._run is not None):
            return
        self._runs += 1
        self._before = CameraReport()
        if self._run:
            self._run.close()
            self._run, self.has_pictures = None, False
            self._notice("")
        else:
            self._run = self._start(partial(self._on_report, self._runs))

    def _on_report(self, number: int, report: CameraReport) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended
            self._in_loop(partial(self._take, number, report))

    def _take(self, number: int, report: CameraReport) -> None:
        if number != self._runs or self._run is None:
            return
        self.has_pictures = report.has_pictures
        self._notice(report.problem)
        for name in ("damaged", "surplus"):
            more = getattr(report, name) - getattr(self._before, name)
            if more > 0:  # a process that was started again counts from zero
                self._counters[f"camera_{name}"] += more
        self._before = report
