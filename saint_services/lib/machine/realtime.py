"""Gives a daemon between stick and motor the real-time priority of its unit, for all its threads,
present and future.

The daemon raises its priority when it is ready: starting takes seconds of processor time on a Pi,
is not urgent, and would block the service manager. Not here: which daemon gets a priority, and what
ends a process that never sleeps (systemd/*/30-realtime.conf).
"""

import contextlib
import faulthandler
import gc
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from .. import log

VARIABLE = "SAINT_REALTIME"
HIGHEST = 49  # the kernel's own threads for interrupts have 50
# Worker threads (settings, disk) release the interpreter after this time. With its default of 5 ms
# each of them would delay a stick, whatever the priority.
SWITCH_S = 0.0005
_BEHIND = 10  # added to the niceness of what has started this
_TASKS = Path("/proc/self/task")
_log = log.get("realtime")


def raise_priority(environment: Mapping[str, str] = os.environ) -> bool:
    """Apply the priority that the environment names; False without one. If the system refuses, the
    daemon continues: the robot works, with more latency under load.
    """
    text = environment.get(VARIABLE, "")
    if not text:
        return False
    if not (text.isascii() and text.isdigit() and 0 < int(text) <= HIGHEST):
        _log.warning("no real-time priority", wanted=text, allowed=f"1 to {HIGHEST}")
        return False
    try:
        _raise_all(int(text))
    except (OSError, AttributeError) as err:  # other systems do not have the call
        _log.warning("no real-time priority", wanted=text, reason=err)
        return False
    sys.setswitchinterval(SWITCH_S)
    # Exempt present objects from garbage collection: a full collection takes 10 ms and more.
    gc.collect()
    gc.freeze()
    # LimitRTTIME ends a thread that never sleeps; the traceback says where it was.
    faulthandler.register(signal.SIGXCPU, chain=True)
    return True


def _raise_all(priority: int) -> None:
    """Raise all threads alike: a thread with less would hold the interpreter's lock against the
    others.
    """
    for task in _TASKS.iterdir():
        try:
            os.sched_setscheduler(int(task.name), os.SCHED_RR, os.sched_param(priority))
        except ProcessLookupError:
            continue  # the thread has ended


def drop_priority() -> None:
    """Return the calling thread, and threads that it starts, to normal priority: for work beside
    control, such as pictures. Harmless without a priority.
    """
    with contextlib.suppress(OSError, AttributeError):
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


def ordinary(command: Sequence[str]) -> list[str]:
    """Return a command that starts with normal priority from a process that has a real-time one.
    Dropped by the started program itself, it would load its modules before everything else.
    """
    import shutil  # with its archive formats it costs every daemon 0.5 MB

    scheduler = getattr(os, "sched_getscheduler", None)
    is_raised = scheduler is not None and scheduler(0) != os.SCHED_OTHER
    changer = shutil.which("chrt") if is_raised else None
    return [changer, "--other", "0", *command] if changer else list(command)


def give_way() -> None:
    """Let this process be served after the daemons, and be ended before them when memory is short:
    for work beside control.
    """
    drop_priority()
    with contextlib.suppress(OSError):
        os.nice(_BEHIND)
    with contextlib.suppress(OSError):  # other systems do not have the file
        Path("/proc/self/oom_score_adj").write_text("500")
