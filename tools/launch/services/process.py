"""Starts processes as systemd does (descriptors from 3 on, LISTEN_PID, a clean environment), learns
of their end, and leaves none behind. Not here: when and why.
"""

import asyncio
import contextlib
import os
import signal
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

# Only the process itself knows its number before it runs, hence the shell between.
_EXEC = 'cd / && export LISTEN_PID=$$ WATCHDOG_PID=$$ && exec "$@"'
# Waits until our end of its pipe is gone, however that came, then ends its group: all we started.
_GUARD = 'trap "" HUP INT TERM; read -r line; kill -TERM 0; sleep 1; kill -KILL 0'
_BACK_TO_DEFAULT = (signal.SIGINT, signal.SIGPIPE, signal.SIGTERM, signal.SIGHUP)
# The environment of another service manager is not for our children.
_NOT_INHERITED = frozenset(
    {
        "INVOCATION_ID",
        "JOURNAL_STREAM",
        "LISTEN_FDNAMES",
        "LISTEN_FDS",
        "LISTEN_PID",
        "NOTIFY_SOCKET",
        "WATCHDOG_PID",
        "WATCHDOG_USEC",
    }
)


def inherited_environment() -> dict[str, str]:
    """Our environment without what was meant for us alone."""
    return {name: value for name, value in os.environ.items() if name not in _NOT_INHERITED}


def _keep_own_descriptors() -> None:
    """What our own parent left open is not for our children either."""
    for entry in Path("/dev/fd").iterdir():
        with contextlib.suppress(OSError):  # the listing's own descriptor is gone by now
            if int(entry.name) > 2:
                os.set_inheritable(int(entry.name), False)


class Processes:
    """All processes of this launcher, in one process group that cannot outlive it."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._on_exit: dict[int, Callable[[int], None]] = {}
        _keep_own_descriptors()
        reader, self._lifeline = os.pipe()
        actions = [(os.POSIX_SPAWN_DUP2, reader, 0)]
        self._guard = os.posix_spawn(
            "/bin/sh", ["saint-guard", "-c", _GUARD], {"PATH": os.defpath},
            file_actions=actions, setpgroup=0,
        )  # fmt: skip
        os.close(reader)
        loop.add_signal_handler(signal.SIGCHLD, self._reap)

    def spawn(
        self,
        command: Sequence[str],
        environment: dict[str, str],
        descriptors: Sequence[int],
        output: int,
        on_exit: Callable[[int], None],
        priority: int = 0,
    ) -> int:
        """Start `command`; `on_exit` gets its exit code, or minus the signal that ended it.
        `priority` is a real-time one that this computer permits, or 0.
        """
        actions: list[tuple[int, ...] | tuple[int, int, str, int, int]] = [
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_DUP2, output, 1),
            (os.POSIX_SPAWN_DUP2, output, 2),
        ]
        actions += [(os.POSIX_SPAWN_DUP2, fd, 3 + n) for n, fd in enumerate(descriptors)]
        scheduler: dict[str, Any] = {}
        if priority:
            scheduler["scheduler"] = (os.SCHED_RR, os.sched_param(priority))
        pid = os.posix_spawn(
            "/bin/sh", ["sh", "-c", _EXEC, "sh", *command], environment,
            file_actions=actions, setpgroup=self._guard, setsigdef=_BACK_TO_DEFAULT, **scheduler,
        )  # fmt: skip
        self._on_exit[pid] = on_exit
        return pid

    def signal(self, pid: int, number: signal.Signals) -> None:
        """A process that is not reaped yet cannot be another one's number."""
        if pid in self._on_exit:
            os.kill(pid, number)

    def close(self) -> None:
        """End at once what is left, the guard included."""
        self._loop.remove_signal_handler(signal.SIGCHLD)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._guard, signal.SIGKILL)
        for pid in (*self._on_exit, self._guard):
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)
        self._on_exit.clear()
        os.close(self._lifeline)

    def _reap(self) -> None:
        for pid in tuple(self._on_exit):
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended:
                self._on_exit.pop(pid)(os.waitstatus_to_exitcode(status))
