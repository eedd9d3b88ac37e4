"""Connects to a role process: sends its configuration and receives its reports. When the connection
ends, the role brings its outputs to the safe state. Connecting starts the process (socket
activation). Not here: when to connect again (lifecycle/role.py).
"""

import asyncio
import contextlib
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from ...lib.api.node import RoleAssignment, RoleReport
from ...lib.errors import SaintError
from ...lib.ipc import Client
from ..lifecycle.model import RoleBroken, RoleReported


def daemon_of(role: str, process: int) -> str:
    """Name the daemon of a role's process: role-armsd, or role-armsd@2 for the second."""
    return f"role-{role}d" if process == 1 else f"role-{role}d@{process}"


Spawn = Callable[[Coroutine[Any, Any, None], str], asyncio.Task[Any]]


class RoleProcess:
    """At most one connection at a time, whose reports and end are events."""

    def __init__(
        self,
        runtime: Path,
        spawn: Spawn,
        handle: Callable[[RoleReported | RoleBroken], None],
        ready_timeout_s: float,
        silence_timeout_s: float,
    ) -> None:
        self._runtime = runtime
        self._spawn = spawn
        self._handle = handle
        self._ready_timeout_s = ready_timeout_s
        self._silence_timeout_s = silence_timeout_s
        self._task: asyncio.Task[Any] | None = None

    def start(
        self,
        assignment: RoleAssignment,
        process: int,
        attempt: int,
        pause_s: float,
        rescue: asyncio.Task[None] | None = None,
    ) -> None:
        """Connect to that process of the role after a pause, and after its outputs were made safe
        (`rescue`); an earlier connection is closed."""
        self.stop()
        daemon = daemon_of(assignment.config.role, process)
        work = self._live(daemon, assignment, attempt, pause_s, rescue)
        self._task = self._spawn(work, "role")

    def stop(self) -> None:
        """Close the connection, without an event."""
        task, self._task = self._task, None
        if task and task is not asyncio.current_task():  # that one has sent its last event
            task.cancel()

    async def _live(
        self,
        daemon: str,
        assignment: RoleAssignment,
        attempt: int,
        pause_s: float,
        rescue: asyncio.Task[None] | None,
    ) -> None:
        await asyncio.sleep(pause_s)
        if rescue:
            await asyncio.wait({rescue})
        client = Client(self._runtime / f"{daemon}.sock")
        try:
            reason = await self._follow(client, assignment, attempt)
            self._handle(RoleBroken(attempt, reason))
        finally:
            await client.close()

    async def _follow(self, client: Client, assignment: RoleAssignment, attempt: int) -> str:
        """Handle the reports until they end; returns why they ended."""
        newest: RoleReport | None = None
        ended = f"{client.name} ended the connection"
        try:
            async with (
                asyncio.timeout(self._ready_timeout_s) as limit,
                contextlib.aclosing(
                    client.stream(
                        "POST",
                        "/assignment",
                        assignment,
                        RoleReport,
                        first_s=self._ready_timeout_s,
                        silence_s=self._silence_timeout_s,
                    )
                ) as reports,
            ):
                async for newest in reports:
                    if newest.ready:
                        limit.reschedule(None)
                    self._handle(RoleReported(attempt, newest))
        except TimeoutError:
            ended = f"{client.name} was not ready within {self._ready_timeout_s:g} s"
        except SaintError as err:
            ended = err.message
        return newest.reason if newest and not newest.ready and newest.reason else ended
