"""A daemon on the way from stick to motor goes before everything else on its machine: it takes the
real-time priority that its unit gives it, for all its threads and those that they start later.

It does so when it is ready. Starting takes seconds of processor time on a Pi, is not urgent, and
would keep the service manager from its work. Not here: who gets a priority, and what ends a process
that never sleeps (systemd/*/30-realtime.conf).
"""

import contextlib
import faulthandler
import gc
import os
import signal
import sys
from collections.abc import Mapping
from pathlib import Path

from .. import log

VARIABLE = "SAINT_REALTIME"
HIGHEST = 49  # the kernel's own threads for interrupts have 50
# Worker threads (settings, disk) hand the interpreter over after so long. With its default of 5 ms
# each of them would stand before a stick, whatever the priority.
SWITCH_S = 0.0005
_TASKS = Path("/proc/self/task")
_log = log.get("realtime")


def take(environment: Mapping[str, str] = os.environ) -> bool:
    """Take the priority that the environment names, if it names one; False without it. A system
    that refuses is no reason to stop: the robot works, only slower where others are busy.
    """
    text = environment.get(VARIABLE, "")
    if not text:
        return False
    if not (text.isascii() and text.isdigit() and 0 < int(text) <= HIGHEST):
        _log.warning("no real-time priority", wanted=text, allowed=f"1 to {HIGHEST}")
        return False
    try:
        _raise_all(int(text))
    except (OSError, AttributeError) as err:  # another system does not have the call at all
        _log.warning("no real-time priority", wanted=text, reason=err)
        return False
    sys.setswitchinterval(SWITCH_S)
    # What is there now stays: a search for garbage through all of it would take 10 ms and more.
    gc.collect()
    gc.freeze()
    # LimitRTTIME ends a thread that never sleeps; the traceback says where it was.
    faulthandler.register(signal.SIGXCPU, chain=True)
    return True


def _raise_all(priority: int) -> None:
    """All threads alike: one with less would hold the interpreter's lock against the others."""
    for task in _TASKS.iterdir():
        try:
            os.sched_setscheduler(int(task.name), os.SCHED_RR, os.sched_param(priority))
        except ProcessLookupError:
            continue  # it has ended since


def leave() -> None:
    """For a thread that works beside the way from stick to motor (pictures, for instance): from now
    on it, and what it starts, waits for its turn like everybody else. Harmless without a priority.
    """
    with contextlib.suppress(OSError, AttributeError):
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
