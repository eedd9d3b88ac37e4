"""Kills a role's process for a stop drill, as by a fault, and measures how long the guard takes to
make its outputs safe. Not here: whose order it is (server/orders.py), the guard (guardd).
"""

import asyncio
from collections.abc import Callable
from pathlib import Path

from ..lib.api import Done
from ..lib.api.orders import KillReply
from ..lib.clock import monotonic_s
from ..lib.errors import Code, SaintError
from ..lib.ipc import Client
from .adapters.guard import CarriedOut
from .adapters.role_process import daemon_of
from .lifecycle.model import RoleId, RoleLifecycle
from .lifecycle.node import NodeLifecycle

LIMIT_S = 2.0


class RoleKill:
    """Kills the role processes of one node, one at a time."""

    def __init__(self, runtime: Path, announce: Callable[[RoleId], None]) -> None:
        """`announce` is called before a process is killed."""
        self._runtime = runtime
        self._announce = announce
        self._waiting: tuple[str, asyncio.Future[CarriedOut]] | None = None

    def carried_out(self, event: CarriedOut) -> None:
        """Record that the guard has acted."""
        if self._waiting and event.target == self._waiting[0] and not self._waiting[1].done():
            self._waiting[1].set_result(event)

    async def kill(self, node: NodeLifecycle, wanted: RoleId) -> KillReply:
        """Kill the process of a role and wait for the guard. Raises SaintError when the role does
        not work here, or the guard does not act."""
        life = _working(node, wanted)
        assert life.config_in_use
        if self._waiting:
            raise SaintError(Code.CONFLICT, "another drill kills a process of this node")
        target = life.config_in_use.target
        answer: asyncio.Future[CarriedOut] = asyncio.get_running_loop().create_future()
        self._waiting = target, answer
        self._announce(wanted)
        began_s = monotonic_s()
        try:
            await self._end(daemon_of(wanted.role, life.process))
            async with asyncio.timeout(LIMIT_S):
                event = await answer
        except TimeoutError as err:
            message = f"the guard did not act within {LIMIT_S:g} s after the end of {wanted}"
            fix = "Cut the power of its outputs and look at the log of saint-guardd."
            raise SaintError(Code.HARDWARE_FAULT, message, fix=fix) from err
        finally:
            self._waiting = None
        after_ms = (monotonic_s() - began_s) * 1000
        return KillReply(
            after_ms=round(after_ms, 1), detail=event.why[:200], failed=event.failed[:200]
        )

    async def _end(self, daemon: str) -> None:
        """Have the process kill itself; it does not answer."""
        async with Client(self._runtime / f"{daemon}.sock") as role:
            try:
                await role.post("/kill", None, Done, timeout_s=LIMIT_S)
            except SaintError as err:
                if err.code is not Code.DAEMON_UNREACHABLE:
                    raise


def _working(node: NodeLifecycle, wanted: RoleId) -> RoleLifecycle:
    for life in node.roles:
        if life.wanted == wanted and life.role_alive and life.config_in_use:
            return life
    raise SaintError(Code.REFUSED, f"{wanted} does not work on {node.node_id}")
