"""Runs the self-test of this machine: what drives nothing in a thread, a test with a wire in the
loop while nothing forbids it. A role that starts ends the latter at once. Not here: the checks
(lib/selftest).
"""

import asyncio
import os
import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from ..lib.api import selftest as rows
from ..lib.api.adoption import NodeState
from ..lib.api.endpoint import Nothing
from ..lib.api.selftest import Jumper, RunSelfTest, SelfTestCheck, SelfTestReport
from ..lib.errors import Code, SaintError
from ..lib.guard import wire
from ..lib.guard.will import Will
from ..lib.ipc import Api, Call
from ..lib.machine import computer, realtime
from ..lib.role.guard_client import GuardClient
from .adapters.pins import NodePins
from .lifecycle.node import NodeLifecycle

if TYPE_CHECKING:  # loaded when a test is requested: most nodes run for months without
    from ..lib.selftest.passive import MachineUnderTest
    from ..lib.selftest.pwm_loop import PwmLoop
    from ..lib.selftest.situation import Situation

T = TypeVar("T")
TARGET = "selftest"  # of the will that is left with the guard
_CONFIRM = "Confirm that nothing but the wire is connected to these pins (only_jumper)."


class NodeSelfTest:
    """One test at a time; the last report stays until the process ends."""

    def __init__(
        self,
        outputs: NodePins,
        read: Callable[[], NodeLifecycle],
        runtime: Path,
        share: Path,
        scratch: Path,
    ) -> None:
        self.last = SelfTestReport()
        self._outputs = outputs
        self._read = read
        self._runtime = runtime
        self._share = share
        self._scratch = scratch
        self._is_running = False
        self._pulses: PwmLoop | None = None
        self._wired: asyncio.Task[SelfTestCheck] | None = None

    def bind(self, api: Api) -> None:
        """Serve the test to this machine's users."""

        async def run(call: Call[RunSelfTest]) -> SelfTestReport:
            return await self.run(call.body)

        async def last(_: Call[Nothing]) -> SelfTestReport:
            return self.last

        api.bind(rows.RUN_HERE, run)
        api.bind(rows.LAST_HERE, last)

    async def run(self, wanted: RunSelfTest) -> SelfTestReport:
        """Run the test and return the whole report. Raises conflict while one runs."""
        if self._is_running:
            raise SaintError(Code.CONFLICT, "a self-test of this node runs", fix="Wait for it.")
        if wanted.jumper and not wanted.only_jumper:
            raise SaintError(Code.REFUSED, "the test drives pins of the header", fix=_CONFIRM)
        self._is_running = True
        try:
            return await self._run(wanted.jumper)
        finally:
            self._is_running = False

    def interrupt(self, why: str) -> asyncio.Task[SelfTestCheck] | None:
        """End pulses at once: a role or an update begins. Returns what it has to wait for, until
        the pins are released.
        """
        if self._pulses:
            self._pulses.end(why)
        return self._wired

    async def _run(self, jumper: Jumper | None) -> SelfTestReport:
        await asyncio.to_thread(_load)
        from ..lib.selftest import passive
        from ..lib.selftest.report import reported

        machine = self._machine()
        now = datetime.now(UTC).isoformat(timespec="seconds")
        began = (self.last.began if jumper else "") or now
        # A machine that was not tested yet: the wire's result alone would say little.
        known = self.last.checks if jumper else []
        if not known:
            here = self._situation()
            known = await _in_thread(lambda: passive.checks(machine, here))
        if jumper:
            known = [*known, await self._with_wire(jumper, machine)]
        node_id = self._read().node_id
        self.last = await asyncio.to_thread(
            lambda: reported(machine.root, computer.version(), began, known, {node_id})
        )
        return self.last

    def _machine(self) -> "MachineUnderTest":
        from ..lib.selftest.passive import MachineUnderTest

        hardware = os.environ.get("SAINT_HW", "real")
        outputs = self._outputs
        return MachineUnderTest(
            outputs.board, outputs.problem, hardware, self._share, self._scratch
        )

    def _situation(self) -> "Situation":
        from ..lib.selftest import situation

        life = self._read()
        busy = "an update is being installed" if life.state is NodeState.UPDATING else ""
        if life.is_changing or life.is_lost or not life.is_started:
            busy = "the roles of this node are changing"
        return replace(
            situation.of_roles(life.configs_in_use),
            is_role_alive=life.is_any_alive,
            is_driven=not life.outputs_safe,
            busy=busy,
            enable_line=os.environ.get("SAINT_ENABLE_LINE", ""),
        )

    async def _with_wire(self, jumper: Jumper, machine: "MachineUnderTest") -> SelfTestCheck:
        from ..lib.selftest import situation
        from ..lib.selftest.result import skipped

        name, header = f"{jumper}_jumper", await asyncio.to_thread(self._outputs.pins)
        # Nothing is awaited from here until the test runs: no role begins in between.
        if reason := situation.refusal(jumper, self._situation(), header):
            text = f"{reason[:1].upper()}{reason[1:]}: nothing was sent."
            return skipped(name, text, "Test before a role is adopted, or after a reset.")
        if machine.board is None:
            return skipped(name, f"There is no header: {machine.problem}.")
        self._wired = asyncio.ensure_future(self._sent(jumper, machine))
        try:
            return await self._wired
        finally:
            self._wired = None

    async def _sent(self, jumper: Jumper, machine: "MachineUnderTest") -> SelfTestCheck:
        from ..lib.hw.pins.header import HEADER_UART
        from ..lib.selftest import serial_loop
        from ..lib.selftest.pwm_loop import PwmLoop

        board = machine.board
        assert board
        if jumper == "serial":
            return await serial_loop.run(
                lambda line: board.serial(
                    HEADER_UART, line.baud, parity=line.parity, stopbits=line.stopbits
                )
            )
        self._pulses = PwmLoop(board, jumper, self._guarded, TARGET)
        try:
            return await self._pulses.run()
        finally:
            self._pulses = None

    async def _guarded(
        self, will: Will, is_moving: Callable[[], bool], on_lost: Callable[[str], None]
    ) -> GuardClient:
        client = GuardClient(asyncio.get_running_loop(), is_moving, on_lost)
        await client.open(self._runtime / wire.SOCKET, will)
        return client


def _load() -> None:
    """Import what a test needs: files are read, so not in the loop."""
    from ..lib.selftest import passive, pwm_loop, report, serial_loop

    del passive, pwm_loop, report, serial_loop


async def _in_thread(work: Callable[[], T]) -> T:
    """Do work in a thread of normal priority: it must not compete with the way from stick to motor.
    The thread does not keep the process from ending.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()

    def deliver(result: T | None, err: BaseException | None) -> None:
        if done.done():
            return
        if err is not None:
            done.set_exception(err)
        else:
            done.set_result(result)  # type: ignore[arg-type]  # T may be None

    def run() -> None:
        realtime.drop_priority()
        try:
            result, err = work(), None
        except (OSError, SaintError, ValueError) as caught:
            result, err = None, caught
        try:
            loop.call_soon_threadsafe(deliver, result, err)
        except RuntimeError:
            return  # the loop has ended

    threading.Thread(target=run, name="self-test", daemon=True).start()
    return await done
