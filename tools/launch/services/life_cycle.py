"""The life of one service, as systemd lives it: what follows from a request, a readiness message,
an exit, a deadline. Pure; the world is touched in service.py.
"""

import signal
from dataclasses import dataclass, replace
from enum import Enum, auto

from ..unit_files.units import ServiceUnit

# systemd.service(5), Restart=: these signals are a clean end.
_CLEAN_SIGNALS = {signal.SIGHUP, signal.SIGINT, signal.SIGTERM, signal.SIGPIPE}
# After this long at work a failure counts as the first one again (systemd counts on; a laptop's
# session is shorter than a robot's).
STABLE_S = 10.0


class Phase(Enum):
    """Where a service is."""

    LISTENING = auto()  # not running; a request starts it
    STARTING = auto()  # running, not ready yet
    RUNNING = auto()
    ENDING = auto()  # was stopped
    PAUSING = auto()  # starts again by itself at the deadline
    RESTING = auto()  # ended; listens again at the deadline
    STOPPED = auto()  # for good


class Action(Enum):
    """What to do, in this order."""

    LISTEN = auto()
    DEAFEN = auto()
    SPAWN = auto()
    TERMINATE = auto()  # SIGTERM
    ABORT = auto()  # SIGABRT: say where you hang
    KILL = auto()


@dataclass(frozen=True, slots=True)
class Life:
    """State of one service. `deadline_s` is when `timer` has to be called."""

    phase: Phase = Phase.LISTENING
    deadline_s: float | None = None
    ready_s: float = 0.0
    failures: int = 0  # in a row
    is_ordered: bool = False  # the end was requested
    is_hung: bool = False  # the end was forced: a failure, whatever the exit code


Step = tuple[Life, tuple[Action, ...]]


def activate(life: Life, unit: ServiceUnit, now_s: float) -> Step:
    """A request has come, or the target wants it."""
    if life.phase is not Phase.LISTENING:
        return life, ()
    return _start(life, unit, now_s, Action.DEAFEN, Action.SPAWN)


def ready(life: Life, unit: ServiceUnit, now_s: float) -> Step:
    """READY=1."""
    if life.phase is not Phase.STARTING:
        return life, ()
    running = replace(life, phase=Phase.RUNNING, ready_s=now_s)
    return replace(running, deadline_s=_watchdog(unit, now_s)), ()


def alive(life: Life, unit: ServiceUnit, now_s: float) -> Step:
    """WATCHDOG=1."""
    if life.phase is not Phase.RUNNING:
        return life, ()
    return replace(life, deadline_s=_watchdog(unit, now_s)), ()


def timer(life: Life, unit: ServiceUnit, now_s: float) -> Step:
    """The deadline has passed."""
    match life.phase:
        case Phase.PAUSING:
            return _start(life, unit, now_s, Action.SPAWN)
        case Phase.RESTING:
            return replace(life, phase=Phase.LISTENING, deadline_s=None), (Action.LISTEN,)
        case Phase.STARTING | Phase.RUNNING:
            hung = replace(life, phase=Phase.ENDING, is_hung=True, deadline_s=now_s + unit.abort_s)
            return hung, (Action.ABORT,)
        case Phase.ENDING:
            return replace(life, deadline_s=None), (Action.KILL,)
    return life, ()


def exited(life: Life, unit: ServiceUnit, code: int, now_s: float) -> Step:
    """The process is gone; `code` is its exit code, or minus the signal that ended it."""
    if life.is_ordered:
        return replace(life, phase=Phase.STOPPED, deadline_s=None), ()
    is_clean = not life.is_hung and (code == 0 or (code < 0 and -code in _CLEAN_SIGNALS))
    was_stable = life.ready_s > 0 and now_s - life.ready_s >= STABLE_S
    failures = 0 if was_stable else life.failures
    ended = replace(life, ready_s=0.0, is_hung=False)
    if unit.restarts and not is_clean and code not in unit.final_exit_codes:
        pause_s = restart_pause_s(unit, failures)
        return _wait(ended, Phase.PAUSING, failures + 1, now_s + pause_s), ()
    # An unread request would start it again at once, without end: rest a moment first.
    if is_clean:
        return _wait(ended, Phase.RESTING, 0, now_s + unit.restart_s), ()
    return _wait(ended, Phase.RESTING, failures + 1, now_s + unit.restart_max_s), ()


def stop(life: Life, unit: ServiceUnit, now_s: float) -> Step:
    """The launcher ends."""
    ordered = replace(life, is_ordered=True)
    if life.phase in (Phase.STARTING, Phase.RUNNING, Phase.ENDING):
        deadline_s = now_s + unit.stop_s
        return replace(ordered, phase=Phase.ENDING, deadline_s=deadline_s), (Action.TERMINATE,)
    return replace(ordered, phase=Phase.STOPPED, deadline_s=None), (Action.DEAFEN,)


def power_on(_: Life) -> Step:
    """Its machine starts again after everything had ended."""
    return Life(), (Action.LISTEN,)


def restart_pause_s(unit: ServiceUnit, failures: int) -> float:
    """systemd.service(5), RestartSteps=: from RestartSec to RestartMaxDelaySec by a factor."""
    if unit.restart_steps == 0 or failures >= unit.restart_steps:
        return unit.restart_max_s if unit.restart_steps else unit.restart_s
    growth: float = (unit.restart_max_s / unit.restart_s) ** (failures / unit.restart_steps)
    return unit.restart_s * growth


def _start(life: Life, unit: ServiceUnit, now_s: float, *actions: Action) -> Step:
    """A service that sends no READY=1 counts as running at once."""
    if unit.notifies:
        return replace(life, phase=Phase.STARTING, deadline_s=now_s + unit.start_s), actions
    return replace(life, phase=Phase.RUNNING, ready_s=now_s, deadline_s=None), actions


def _wait(life: Life, phase: Phase, failures: int, deadline_s: float) -> Life:
    return replace(life, phase=phase, failures=failures, deadline_s=deadline_s)


def _watchdog(unit: ServiceUnit, now_s: float) -> float | None:
    return now_s + unit.watchdog_s if unit.watchdog_s else None
