"""Serves one role: accepts an assignment of the node daemon, opens the drivers, reports, and brings
the outputs to their safe state when the connection ends, for whatever reason.
"""

import asyncio
import contextlib
import os
from collections import Counter
from collections.abc import AsyncIterator, Callable
from typing import Any

from ..api import Done
from ..api.node import RoleAssignment, RoleReport
from ..bus import Bus
from ..bus.open import UNPROVEN_BUS, is_unproven_bus_accepted
from ..crypto import signing
from ..daemon import Context
from ..errors import Code, SaintError
from ..guard import wire
from ..hw import line_descriptors, open_board, will_of
from ..hw.ports import Board
from ..ipc import Api, Call
from ..machine import service_manager
from ..role_config.model import RoleConfig, RoleName
from .guard_client import GuardClient
from .session import Condition, RoleSession
from .timers import Clock

REPORT_S = 1.0  # noded ends an assignment without a report for 2.5 s
# Outputs count as at rest after this long: one report for a motion in many steps.
REST_S = 0.1
_OPEN_LIMIT_S = 4.0  # the node daemon waits 5 s
# For an assignment whose connection has ended: a node that is reset and adopted at once requests
# again before this process has seen the end of the connection before.
_LEAVING_S = 2.0

Factory = Callable[[RoleConfig, str, Clock, Counter[str]], RoleSession]


class RoleHost:
    """Serves one role, one assignment at a time."""

    def __init__(self, context: Context[Any], role: RoleName, factory: Factory) -> None:
        self._context = context
        self._role = role
        self._factory = factory
        self._session: RoleSession | None = None
        self._assigned = asyncio.Lock()
        self._devices_free = asyncio.Event()  # no thread opens them for an assignment that ended
        self._devices_free.set()

    async def serve(self) -> None:
        """Serve requests until the daemon is stopped; outputs are safe when this returns."""
        api = Api()
        api.get("/status", self._status)
        api.post("/kill", self._kill)
        api.stream("POST", "/assignment", self._assignment, body=RoleAssignment)
        await self._context.serve_ipc(api)
        self._context.ready("waiting for an assignment")
        await self._context.stopping.wait()
        if self._session:
            self._session.close()
            self._unguard(self._session)

    async def _status(self, call: Call[None]) -> RoleReport:
        if self._session:
            return self._session.report()
        return RoleReport(ready=False, safe=True, estop=False, reason="there is no assignment")

    async def _kill(self, call: Call[None]) -> Done:
        """End this process for a stop drill, as by a fault: it makes nothing safe itself. For the
        service manager it has not failed: an update takes a unit that keeps crashing for the
        release's fault. The next connection starts it again."""
        os._exit(0)

    async def _assignment(self, call: Call[RoleAssignment]) -> AsyncIterator[RoleReport]:
        config = call.body.config
        if config.role != self._role:
            message = f"this is the role {self._role}, not {config.role}"
            raise SaintError(Code.REQUEST_INVALID, message)
        await self._acquire()
        try:
            async for report in self._work(call.body):
                yield report
        finally:
            self._assigned.release()

    async def _acquire(self) -> None:
        """Wait for the end of the assignment before. Raises SaintError when it goes on."""
        try:
            async with asyncio.timeout(_LEAVING_S):
                await self._assigned.acquire()
        except TimeoutError as err:
            message = f"the role {self._role} has an assignment"
            raise SaintError(Code.CONFLICT, message, fix="Reset its node first.") from err

    async def _work(self, assignment: RoleAssignment) -> AsyncIterator[RoleReport]:
        try:
            board, session = await self._open(assignment)
        except SaintError as err:
            self._context.health.raise_issue(err.code, err.message)
            yield RoleReport(ready=False, safe=True, estop=False, reason=str(err))
            return
        self._session = session
        try:
            for code in (Code.HARDWARE_MISSING, Code.HARDWARE_FAULT, Code.CONFIG_INVALID):
                self._context.health.clear(code)
            self._context.status(f"{assignment.config.target} on {assignment.node_id}")
            async for report in self._reports(session):
                yield report
        finally:
            self._session = None
            session.close()
            self._unguard(session)
            board.close()
            self._context.status("waiting for an assignment")

    async def _reports(self, session: RoleSession) -> AsyncIterator[RoleReport]:
        """Report at the start, when the condition has changed, and every REPORT_S; end with the
        report of a fault. Commands alone are not reported: they come 50 times a second."""
        while True:
            session.changed.clear()
            reported = session.condition
            yield session.report()
            if session.fault:
                self._context.health.raise_issue(Code.HARDWARE_FAULT, session.fault)
                return
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(REPORT_S):
                    await _change(session, reported)

    async def _open(self, assignment: RoleAssignment) -> tuple[Board, RoleSession]:
        bus = await self._context.open_bus(self._node_name(assignment.node_id))
        loop = asyncio.get_running_loop()
        counters = self._context.health.counters
        session = self._factory(assignment.config, assignment.node_id, loop, counters)
        session.hardware = os.environ.get("SAINT_HW", "real")
        session.server_key = assignment.server_key
        session.robot_name = assignment.robot
        await asyncio.to_thread(signing.prepare)
        self._report_unproven(bus)
        board = await self._opened(session)
        try:
            await self._guard(board, session)
            session.open(bus)
        except (SaintError, asyncio.CancelledError):  # the latter: the connection has ended
            session.close()
            self._unguard(session)
            board.close()
            raise
        return board, session

    async def _guard(self, board: Board, session: RoleSession) -> None:
        """Leave the will of this role with the guard, before anything may move."""
        guard = GuardClient(session.clock, lambda: not session.is_safe, session.lose_guard)
        will = will_of(board, session.config, service_manager.process_name(self._context.name))
        path = self._context.directories.runtime / wire.SOCKET
        await guard.open(path, will, line_descriptors(board, will))
        session.guard = guard

    def _unguard(self, session: RoleSession) -> None:
        if isinstance(session.guard, GuardClient):
            session.guard.close()

    async def _opened(self, session: RoleSession) -> Board:
        """Open the devices in a thread, for they are slow. What a thread opens after the
        assignment has ended is closed again."""
        work: asyncio.Future[Board] | None = None
        try:
            async with asyncio.timeout(_OPEN_LIMIT_S):
                await self._devices_free.wait()
                work = asyncio.ensure_future(asyncio.to_thread(_open_hardware, session))
                return await asyncio.shield(work)
        except (TimeoutError, asyncio.CancelledError) as err:
            if work:
                self._devices_free.clear()
                work.add_done_callback(_LateOpening(session, self._devices_free.set))
            if isinstance(err, TimeoutError):
                message = f"the devices did not open within {_OPEN_LIMIT_S:g} s"
                raise SaintError(Code.HARDWARE_FAULT, message) from err
            raise

    def _report_unproven(self, bus: Bus) -> None:
        """Raise a health issue where commands are obeyed without any proof of their writer."""
        if is_unproven_bus_accepted(bus.origin):
            text = f"{UNPROVEN_BUS}=accept: every program on the bus can move this role"
            self._context.health.raise_issue(Code.BUS_UNPROVEN, text)
        elif not bus.origin:
            text = "this bus does not name its writers: the role obeys none and does not move"
            self._context.health.raise_issue(Code.BUS_UNPROVEN, text)

    def _node_name(self, node_id: str) -> str:
        """Name the ROS node after this node: two arms on two nodes are two ROS nodes."""
        name = f"{self._context.name}_{node_id}"
        return "".join(c if c.isascii() and c.isalnum() else "_" for c in name)


class _LateOpening:
    """Closes what a thread has opened too late, then calls `on_closed`."""

    def __init__(self, session: RoleSession, on_closed: Callable[[], None]) -> None:
        self._session = session
        self._on_closed = on_closed

    def __call__(self, work: "asyncio.Future[Board]") -> None:
        try:
            if not work.cancelled() and work.exception() is None:
                self._session.stop()
                self._session.close_sensors()
                self._session.close_drivers()
                work.result().close()
        finally:
            self._on_closed()


async def _change(session: RoleSession, reported: Condition) -> None:
    """Wait for another condition than the reported one. That outputs came to rest counts once they
    have rested for REST_S, except during a stop; everything else counts at once."""
    while (now := session.condition) == reported or _is_resting(now, reported):
        session.changed.clear()
        if now == reported:
            await session.changed.wait()
            continue
        try:
            async with asyncio.timeout(REST_S):
                await session.changed.wait()
        except TimeoutError:
            return


def _is_resting(now: Condition, reported: Condition) -> bool:
    return now == reported._replace(is_safe=True) and not now.is_stopped


def _open_hardware(session: RoleSession) -> Board:
    board = open_board(os.environ.get("SAINT_HW", "real"))
    try:
        board.prepare(session.config)
        session.open_drivers(board)
        session.open_sensors(board)
    except (SaintError, OSError) as err:
        session.close_sensors()
        session.close_drivers()
        board.close()
        if isinstance(err, OSError):
            raise SaintError(Code.HARDWARE_FAULT, f"the devices do not open: {err}") from err
        raise
    return board
