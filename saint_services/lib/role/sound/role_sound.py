"""The sound of a role's node, from the role's side: its process runs while programs read what it
publishes, so that nothing is recorded for nobody and no sound passes through the process that
drives the outputs. Not here: that process (program.py).
"""

import contextlib
import sys
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Protocol

from ...bus import M, Topic
from ...clock import stamp
from ...generated.saint_msgs import SoundState
from ...generated.topics import ROLE_MICROPHONE, ROLE_MICROPHONE_INFO, ROLE_SOUND_STATE
from ...hw.sound.stream import DAMAGED, FOREIGN, FORM, LATE
from ...role_config.part_topics import of_target
from ...role_config.sound import Sound
from ..bus_resources import RolePublisher
from ..side_process import SideProcess
from ..timers import Clock
from .wire import SoundOrder, SoundProcessReport

LOOK_S = 0.5
LINGER_S = 5.0  # without readers: who comes back soon finds the process running
PROGRAM = (sys.executable, "-m", "saint_services.lib.role.sound.program")
_COUNTED = (DAMAGED, FOREIGN, LATE)


class Host(Protocol):
    """What the sound uses of its role."""

    clock: Clock
    counters: Counter[str]

    def publisher(self, topic: Topic[M]) -> RolePublisher[M]: ...
    def every(self, period_s: float, callback: Callable[[], None]) -> None: ...
    def notice(self, part: str, text: str) -> None: ...


class RoleSound:
    """One role's sound. Its methods run in the loop, except `_on_report`."""

    def __init__(self, host: Host, order: SoundOrder, program: tuple[str, ...] = PROGRAM) -> None:
        self._host = host
        self._order = order
        self._program = program
        self._process: SideProcess[SoundProcessReport] | None = None
        self._processes = 0  # so far; what an older one still reports is late
        self._before = self._newest = SoundProcessReport()
        self._dropped = 0
        self._until_s = float("-inf")
        self._publish = host.publisher(of_target(ROLE_SOUND_STATE, order.target))
        # Of the process' own topic: here only its readers are counted.
        self._audio = host.publisher(of_target(ROLE_MICROPHONE, order.target))
        if order.settings.microphone:
            host.publisher(of_target(ROLE_MICROPHONE_INFO, order.target))(FORM)
        host.every(LOOK_S, self.look)

    def look(self) -> None:
        """Start the process for a reader, end it some time after the last one; publish the state
        while a program reads it.
        """
        now_s = self._host.clock.time()
        if self._publish.has_readers or (
            self._order.settings.microphone and self._audio.has_readers
        ):
            self._until_s = now_s + LINGER_S
        self._switch(now_s < self._until_s)
        self._show()

    def close(self) -> None:
        """End the process."""
        self._switch(False)

    def _switch(self, is_on: bool) -> None:
        if is_on == (self._process is not None):
            return
        self._processes += 1
        self._before = self._newest = SoundProcessReport()
        if self._process:
            self._process.close()
            self._process = None
            self._note(self._newest)
        else:
            take = partial(self._on_report, self._processes)
            self._process = SideProcess(
                "sound", self._program, self._order, SoundProcessReport, take
            )

    def _on_report(self, number: int, report: SoundProcessReport) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended
            self._host.clock.call_soon_threadsafe(partial(self._take, number, report))

    def _take(self, number: int, report: SoundProcessReport) -> None:
        if number != self._processes or self._process is None:
            return
        self._newest = report
        self._note(report)
        for name in _COUNTED:
            more = getattr(report, name) - getattr(self._before, name)
            if more > 0:  # a process that was started again counts from zero
                self._host.counters[f"sound_{name}"] += more
                self._dropped += more
        self._before = report
        self._show()

    def _show(self) -> None:
        if self._publish.has_readers:
            self._publish(self._state(self._order.settings))

    def _note(self, report: SoundProcessReport) -> None:
        self._host.notice("sound", report.problem)
        self._host.notice("microphone", report.microphone_problem)
        self._host.notice("loudspeaker", report.loudspeaker_problem)

    def _state(self, settings: Sound) -> SoundState:
        now = self._newest
        return SoundState(
            stamp=stamp(),
            has_microphone=bool(settings.microphone),
            has_loudspeaker=bool(settings.loudspeaker),
            recording=now.recording,
            playing=now.playing,
            microphone_problem=now.problem or now.microphone_problem,
            loudspeaker_problem=now.problem or now.loudspeaker_problem,
            dropped=self._dropped & 0xFFFF_FFFF,
        )
