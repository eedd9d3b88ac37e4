"""Real-time priorities of a simulated machine's services, where this computer permits them.

The daemons take them themselves (saint_services/lib/machine/realtime.py); here are the limits of
that, as systemd sets them. Not here: who gets one (systemd/*/30-realtime.conf).
"""

import contextlib
import functools
import os
import resource
from dataclasses import dataclass

from saint_services.lib.machine.realtime import VARIABLE


@dataclass(frozen=True, slots=True)
class Limits:
    """LimitRTPRIO and LimitRTTIME: the highest priority, and how long a thread may go on without
    sleeping before it is warned and before it is killed. systemd's defaults.
    """

    priority: int = 0
    warn_s: float = 0.0  # 0: without limit
    kill_s: float = 0.0


def environment(limits: Limits, wanted: dict[str, str]) -> dict[str, str]:
    """Leave out the requested priority where none is permitted: each daemon would only log that
    this computer refuses.
    """
    if limits.priority and is_permitted(limits.priority):
        return wanted
    return {name: value for name, value in wanted.items() if name != VARIABLE}


def apply(pid: int, limits: Limits) -> None:
    """To a process that was just started and is far from ready."""
    if not limits.warn_s or not is_permitted(limits.priority):
        return
    times_us = (round(limits.warn_s * 1e6), round(limits.kill_s * 1e6))
    with contextlib.suppress(ProcessLookupError):
        resource.prlimit(pid, resource.RLIMIT_RTTIME, times_us)


def permitted(priority: int) -> int:
    """The priority where this computer permits it, else 0."""
    return priority if priority and is_permitted(priority) else 0


def stand_for_the_manager() -> None:
    """Let the launcher react before what it starts, as a service manager does: its watchdogs and
    its commands after an end are part of how soon outputs are safe. Children do not inherit it.
    """
    if is_permitted(1):
        policy = os.SCHED_RR | os.SCHED_RESET_ON_FORK
        os.sched_setscheduler(0, policy, os.sched_param(1))


@functools.cache
def is_permitted(priority: int) -> bool:
    """Found out by trying: root of a container may be refused, an ordinary user may be allowed."""
    if not hasattr(os, "sched_setscheduler"):  # Linux alone has it
        return False
    policy, parameter = os.sched_getscheduler(0), os.sched_getparam(0)
    try:
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(priority))
    except OSError:
        return False
    os.sched_setscheduler(0, policy, parameter)
    return True
