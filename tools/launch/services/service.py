"""One service of one machine: connects the decisions of life_cycle.py with sockets, process, log
and clock.
"""

import asyncio
import os
import signal
import socket
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from ..unit_files.units import ServiceUnit
from . import life_cycle, realtime
from .journal import Journal, Pump
from .life_cycle import Action, Life, Phase
from .listening import Passed
from .process import Processes

_NOTIFY_BYTES = 4096
_HAND = "ExecStopPost"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a service lives: its machine, its settings, its sockets."""

    machine: str
    notify_path: Path
    environment: dict[str, str]
    sockets: list[Passed]
    journal: Journal


class Service:
    """Starts at the first request (or on command), restarts after a fault, ends on command."""

    def __init__(
        self,
        unit: ServiceUnit,
        place: Place,
        processes: Processes,
        loop: asyncio.AbstractEventLoop,
        on_change: Callable[["Service", str], None],
    ) -> None:
        self.unit = unit
        self.place = place
        self.pid = 0
        self.starts = 0
        self._life = Life()
        self._loop = loop
        self._processes = processes
        self._on_change = on_change
        self._timer: asyncio.TimerHandle | None = None
        self._hand = 0  # the process that runs after the end
        self._hand_timer: asyncio.TimerHandle | None = None
        self._pump: Pump | None = None
        self._notify = _open_notify(place.notify_path)
        loop.add_reader(self._notify, self._read_notify)
        self._listen()

    @property
    def name(self) -> str:
        """The daemon's name: "routerd", "role-headd"."""
        return self.unit.name.removeprefix("saint-").removesuffix(".service")

    @property
    def phase(self) -> Phase:
        """Where it is in its life_cycle."""
        return self._life.phase

    @property
    def failures(self) -> int:
        """How often in a row it ended with a fault."""
        return self._life.failures

    @property
    def is_stopping(self) -> bool:
        """For good, whether it has ended or not."""
        return self._life.is_ordered

    @property
    def occupant(self) -> str:
        """What keeps it from having ended: its process, or what runs after that."""
        return f"{self.name} ({_HAND})" if self._hand else self.name

    @property
    def stop_limit_s(self) -> float:
        """After this long it has ended, one way or another."""
        return self.unit.stop_s * (2 if self.unit.after_end else 1)

    def activate(self) -> None:
        """Start it now."""
        self._step(life_cycle.activate(self._life, self.unit, self._loop.time()))

    def stop(self) -> None:
        """Ask it to end, for good."""
        self._step(life_cycle.stop(self._life, self.unit, self._loop.time()))

    def power_on(self, unit: ServiceUnit, environment: dict[str, str]) -> None:
        """Be startable again after the end, as `unit` and in this environment."""
        self.unit = unit
        self.place = replace(self.place, environment=environment)
        self._step(life_cycle.power_on(self._life))

    def kill(self) -> None:
        """End it at once, and for good."""
        if not self.is_stopping:
            self.stop()
        self._processes.signal(self.pid, signal.SIGKILL)

    def close(self) -> None:
        """Release everything; the process must have ended."""
        self._deafen()
        self._loop.remove_reader(self._notify)
        self._notify.close()
        self.place.notify_path.unlink(missing_ok=True)
        for passed in self.place.sockets:
            passed.socket.close()
        for timer in (self._timer, self._hand_timer):
            if timer:
                timer.cancel()
        if self._pump:
            self._pump.close()

    def _step(self, step: life_cycle.Step, news: str = "") -> None:
        before = self._life.phase
        self._life, actions = step
        for action in actions:
            self._act(action)
        self._arm()
        if news or self._life.phase is not before:
            self._on_change(self, news)

    def _act(self, action: Action) -> None:
        match action:
            case Action.LISTEN:
                self._listen()
            case Action.DEAFEN:
                self._deafen()
            case Action.SPAWN:
                self._spawn()
            case Action.TERMINATE:
                self._processes.signal(self.pid, signal.SIGTERM)
                self._processes.signal(self.pid, signal.SIGCONT)  # halted, it receives none
            case Action.ABORT:
                self._processes.signal(self.pid, self.unit.watchdog_signal)
            case Action.KILL:
                self._processes.signal(self.pid, signal.SIGKILL)

    def _arm(self) -> None:
        if self._timer:
            self._timer.cancel()
        deadline_s = self._life.deadline_s
        self._timer = (
            self._loop.call_at(deadline_s, self._on_deadline) if deadline_s is not None else None
        )

    def _on_deadline(self) -> None:
        news = ""
        if self._life.phase is Phase.RUNNING:
            news = f"did not answer for {self.unit.watchdog_s:g} s"
        elif self._life.phase is Phase.STARTING:
            news = f"was not ready within {self.unit.start_s:g} s"
        elif self._life.is_ordered and self.pid:
            news = f"did not end within {self.unit.stop_s:g} s and was killed"
        self._step(life_cycle.timer(self._life, self.unit, self._loop.time()), news)

    def _listen(self) -> None:
        for passed in self.place.sockets:
            self._loop.add_reader(passed.socket, self.activate)

    def _deafen(self) -> None:
        for passed in self.place.sockets:
            self._loop.remove_reader(passed.socket)

    def _spawn(self) -> None:
        self._drain_notify()  # what a former life said last
        self._pump = Pump(self._loop, self.place.journal)
        self.pid = self._processes.spawn(
            self.unit.command,
            self._environment(),
            [passed.socket.fileno() for passed in self.place.sockets],
            self._pump.writer,
            self._on_exit,
            realtime.permitted(self.unit.priority),
        )
        realtime.apply(self.pid, self.unit.realtime)
        self._pump.started()
        self.starts += 1

    def _environment(self) -> dict[str, str]:
        wanted = self.place.environment | self.unit.environment
        environment = realtime.environment(self.unit.realtime, wanted)
        if self.unit.notifies:
            environment["NOTIFY_SOCKET"] = str(self.place.notify_path)
        if self.place.sockets:
            environment["LISTEN_FDS"] = str(len(self.place.sockets))
            environment["LISTEN_FDNAMES"] = ":".join(
                passed.fd_name for passed in self.place.sockets
            )
        if self.unit.watchdog_s:
            environment["WATCHDOG_USEC"] = str(int(self.unit.watchdog_s * 1_000_000))
        return environment

    def _on_exit(self, code: int) -> None:
        self.pid = 0
        if self._timer:
            self._timer.cancel()
            self._timer = None
        if not self.unit.after_end:
            self._on_end(code)
            return
        pump = Pump(self._loop, self.place.journal)

        def ended(_: int) -> None:
            pump.close()
            self._hand = 0
            if self._hand_timer:
                self._hand_timer.cancel()
            self._on_end(code)

        environment = self._environment()
        priority = realtime.permitted(self.unit.priority)
        self._hand = self._processes.spawn(
            self.unit.after_end, environment, (), pump.writer, ended, priority
        )
        self._hand_timer = self._loop.call_later(self.unit.stop_s, self._kill_hand)
        pump.started()

    def _kill_hand(self) -> None:
        self._on_change(self, f"{_HAND} did not end within {self.unit.stop_s:g} s and was killed")
        self._processes.signal(self._hand, signal.SIGKILL)

    def _on_end(self, code: int) -> None:
        """The process and what runs after it have ended."""
        if self._pump:
            self._pump.close()
            self._pump = None
        news = "" if self._life.is_ordered else f"ended with {_describe(code)}"
        self._step(life_cycle.exited(self._life, self.unit, code, self._loop.time()), news)

    def _read_notify(self) -> None:
        now_s = self._loop.time()
        for line in self._drain_notify():
            if line == "READY=1":
                self._step(life_cycle.ready(self._life, self.unit, now_s))
            elif line == "WATCHDOG=1":
                self._step(life_cycle.alive(self._life, self.unit, now_s))

    def _drain_notify(self) -> list[str]:
        lines: list[str] = []
        while True:
            try:
                lines += self._notify.recv(_NOTIFY_BYTES).decode(errors="replace").split("\n")
            except BlockingIOError:
                return lines


def _open_notify(path: Path) -> socket.socket:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    opened = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    opened.bind(os.fspath(path))
    opened.setblocking(False)
    return opened


def _describe(code: int) -> str:
    return signal.Signals(-code).name if code < 0 else f"exit code {code}"
