"""Wires the update of this machine together: installer, disk, boot and health report events to the
logic, and its actions are carried out here, one after the other. The daemon that owns the machine's
update (noded, or otad on a machine that is only a server) says how its own work is going, and stops
it while a slot is written. No rules.
"""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from .. import log
from ..api.firmware import UpdateState
from ..clock import monotonic_s
from ..errors import Code, SaintError
from ..generated.saint_msgs import FirmwareStatus
from ..machine import computer
from ..state_machine import Answer, Runner
from . import boot as boots
from . import events as words
from .checks import Services, Units, log_excerpt
from .dbus import SystemBus
from .events import Action, Event, Limits, Part, Update, Wanted
from .installer import Installer, Mark, RaucInstaller, Slots
from .logic import step
from .rauc_errors import InstallError
from .record import Before, Record, store
from .status import firmware_status

_PULSE_S = 1.0
_FIRST_LOOK_LIMIT_S = 3.0  # RAUC starts when it is asked; a role must not wait for that
_LOOK_LIMIT_S = 15.0
_ANSWER_LIMIT_S = 15.0
_LOOK_FIRST_S = 1.0
_LOOK_LONGEST_S = 60.0
_log = log.get("update")

Spawn = Callable[[Coroutine[Any, Any, None], str], asyncio.Task[Any]]


@dataclass(frozen=True, slots=True)
class Work:
    """How the owner's own work is going."""

    bus_problem: str = ""
    parts: tuple[Part, ...] = ()
    server_heard: bool = False


class Owner(Protocol):
    """The daemon that this machine's update belongs to."""

    def work(self) -> Work:
        """How it is going now."""

    def hold(self) -> None:
        """Stop, with outputs safe, until resume() or a restart. SaintError: it is not possible."""

    def resume(self) -> None:
        """Go on; harmless when nothing was held."""

    def tell(self, status: FirmwareStatus) -> None:
        """Something changed."""


@dataclass(frozen=True, slots=True)
class World:
    """What an update touches; a test brings its own."""

    installer: Installer
    services: Services
    boot: boots.Boot

    @classmethod
    def of_this_machine(cls) -> "World":
        """The system bus, the boot's files."""
        bus = SystemBus()
        return cls(RaucInstaller(bus), Services(bus), boots.Boot())


class Updater:
    """One machine's update."""

    def __init__(
        self,
        node_id: str,
        owner: Owner,
        directory: Path,
        spawn: Spawn,
        limits: Limits,
        world: World | None = None,
    ) -> None:
        self._runner: Runner[Update, Event, Action] = Runner(Update("", limits), step)
        self.problem = ""  # of the record's file
        self._node_id = node_id
        self._owner = owner
        self._store = store(directory)
        self._spawn = spawn
        self._world = world or World.of_this_machine()
        self._batches: asyncio.Queue[tuple[Action, ...]] = asyncio.Queue(256)
        self._is_tell_waiting = False  # alone, at the end of the queue
        self._is_look_waiting = False
        self._stirred = asyncio.Event()

    @property
    def update(self) -> Update:
        """The state of the update."""
        return self._runner.state

    # Called by the owner.

    async def start(self) -> None:
        """Know where this machine stands; the rest goes on beside the owner's work."""
        version = await asyncio.to_thread(computer.version)
        self._runner.state = replace(self.update, version=version)
        await self._look(_FIRST_LOOK_LIMIT_S)
        self._spawn(self._work_off(), "update actions")
        self._spawn(self._pulse(), "update pulse")

    def close(self) -> None:
        """Give the connection back."""
        self._world.installer.close()

    def status(self) -> FirmwareStatus:
        """How it stands."""
        return firmware_status(self.update, self._node_id)

    def block(self, reason: str) -> None:
        """Why the machine may not be disturbed now; empty: it may."""
        if reason != self.update.blocked:
            self.handle(words.BlockedChanged(reason))

    async def install(self, wanted: Wanted, *, force: bool = False) -> Answer:
        """Somebody asks for it. The answer tells whether it was begun."""
        return await self._request(lambda n: words.InstallRequested(wanted, force, n))

    async def rollback(self) -> Answer:
        """Somebody asks for the release in the other slot."""
        return await self._request(words.RollbackRequested)

    def offer(self, wanted: Wanted) -> bool:
        """The server has it; nobody asked. True when it is being installed."""
        self.handle(words.InstallRequested(wanted))
        return self.update.state is UpdateState.INSTALLING

    def want_download(self) -> None:
        """The next offer is taken whatever runs."""
        self.handle(words.DownloadRequested())

    # what happens

    def handle(self, event: Event) -> None:
        """Everything that happens to the update comes through here."""
        before = self.update
        actions = self._runner.apply(event)
        if before.state is not self.update.state or before.record.last != self.update.record.last:
            _report(self.update)
        later = tuple(action for action in actions if not self._answered(action))
        is_lone_tell = later == (words.Tell(),)
        if later and not (is_lone_tell and self._is_tell_waiting):
            self._is_tell_waiting = is_lone_tell
            self._batches.put_nowait(later)
        self._stirred.set()

    def _answered(self, action: Action) -> bool:
        """Who asks does not wait for what is being done."""
        if not isinstance(action, Answer):
            return False
        self._runner.answer(action)
        return True

    async def _pulse(self) -> None:
        """Looks at the machine during a trial, asks again for what failed; else it sleeps."""
        failures = 0
        while True:
            self._stirred.clear()
            state = self.update.state
            if state is UpdateState.VERIFYING:
                self.handle(await self._checked())
            elif state is UpdateState.RESTARTING:
                self.handle(words.Ticked(monotonic_s()))
            is_unclear = self.update.slots is None or self.update.needs_look
            failures = failures + 1 if is_unclear else 0
            if not is_unclear and state not in (UpdateState.VERIFYING, UpdateState.RESTARTING):
                await self._stirred.wait()
                continue
            pause_s = min(_LOOK_FIRST_S * (1 << min(failures, 8)), _LOOK_LONGEST_S)
            is_watched = state in (UpdateState.VERIFYING, UpdateState.RESTARTING)
            await asyncio.sleep(_PULSE_S if is_watched else pause_s)
            if is_unclear and not self._is_look_waiting:
                self._is_look_waiting = True  # one at a time: what is behind it has to wait
                self._batches.put_nowait((words.Look(),))

    async def _work_off(self) -> None:
        """One batch after the other; what fails drops the rest of its batch."""
        while True:
            for action in await self._batches.get():
                try:
                    await self._do(action)
                except SaintError as err:
                    text = type(action).__name__
                    _log.warning("part of an update failed", action=text, reason=err.message)
                    self.handle(words.ActionFailed(action, err.message))
                    break

    async def _do(self, action: Action) -> None:
        match action:
            case words.Save(record):
                await asyncio.to_thread(self._store.save, record)
            case words.Look():
                await self._look(_LOOK_LIMIT_S)
                self._is_look_waiting = False
            case words.SetMark(mark, slot):
                await self._world.installer.mark(mark, slot)
                await asyncio.to_thread(self._world.boot.flush)
                self.handle(words.Marked(mark))
            case words.ReadLog(units):
                self.handle(words.LogRead(await log_excerpt(units)))
            case words.Disarm():
                if problem := await asyncio.to_thread(self._world.boot.disarm):
                    _log.warning("the dead-man timer goes on", reason=problem)
            case words.Restart(reason):
                _log.info("restart asked for", reason=reason)
                await asyncio.to_thread(self._world.boot.restart, reason)
            case words.Inspect() | words.Install() | words.Follow() | words.Switch():
                self._spawn(self._long(action), "installation")
            case _:
                self._at_once(action)

    def _at_once(self, action: Action) -> None:
        match action:
            case words.Tell():
                self._is_tell_waiting = False
                self._owner.tell(self.status())
            case words.Hold():
                if self.update.blocked:  # only since it was decided: others came first in the queue
                    raise SaintError(Code.REFUSED, self.update.blocked)
                self._owner.hold()
            case words.Resume():
                self._owner.resume()

    async def _look(self, limit_s: float) -> None:
        slots: Slots | None = None
        is_installing, silence = False, ""
        record = await asyncio.to_thread(self._load)
        try:
            async with asyncio.timeout(limit_s):
                slots = await self._world.installer.slots()
                is_installing = await self._world.installer.is_installing()
        except SaintError as err:
            silence = err.message
        except TimeoutError:
            silence = f"RAUC has not answered within {limit_s:g} s"
        slot = slots.booted.letter if slots else await asyncio.to_thread(boots.booted_slot)
        self.handle(words.Looked(monotonic_s(), record, slot, slots, silence, is_installing))

    def _load(self) -> Record:
        try:
            record = self._store.load()
        except SaintError as err:
            self.problem = str(err)
            return Record()
        self.problem = str(self._store.problem or "")
        return record

    async def _long(
        self, action: words.Inspect | words.Install | words.Follow | words.Switch
    ) -> None:
        """What takes minutes, beside everything else."""
        installer = self._world.installer
        try:
            match action:
                case words.Inspect(wanted, pause_s):
                    await asyncio.sleep(pause_s)
                    bundle = await installer.inspect(wanted.source) if wanted.source else None
                    self.handle(words.Inspected(await self._before(), bundle))
                    return
                case words.Install(wanted, pause_s):
                    await asyncio.sleep(pause_s)
                    await installer.install(wanted.source, self._progressed)
                case words.Follow():
                    if not await installer.follow(self._progressed):
                        self.handle(words.Lost("the installation ended meanwhile"))
                        return
                case words.Switch():
                    await installer.mark(Mark.ACTIVE, "other")
            await asyncio.to_thread(self._world.boot.flush)
            self.handle(words.Installed())
        except InstallError as err:
            self.handle(_failed(action, err))
        except SaintError as err:
            if isinstance(action, words.Inspect):
                self.handle(words.InspectFailed(err.message, is_transient=True))
            else:
                self.handle(words.Lost(err.message))

    def _progressed(self, percent: int, _: str) -> None:
        self.handle(words.Progressed(percent))  # at most a hundred that differ

    async def _before(self) -> Before:
        work, units = self._owner.work(), await self._units()
        known = () if isinstance(units, str) else (*units.failed, *units.restarting)
        ill = tuple(part.name for part in work.parts if part.problem)
        return Before(
            failed_units=(*known, *ill),
            role_answered=not ill,
            server_heard=work.server_heard,
        )

    async def _checked(self) -> words.Checked:
        work, units = self._owner.work(), await self._units()
        known = Units() if isinstance(units, str) else units
        return words.Checked(
            monotonic_s(),
            failed_units=known.failed,
            waiting_units=known.waiting,
            restarting_units=known.restarting,
            units_problem=units if isinstance(units, str) else "",
            bus_problem=work.bus_problem,
            parts=work.parts,
            server_heard=work.server_heard,
        )

    async def _units(self) -> Units | str:
        try:
            return await self._world.services.units()
        except SaintError as err:
            return err.message

    async def _request(self, make_event: Callable[[int], Event]) -> Answer:
        return await self._runner.request(make_event, self.handle, _ANSWER_LIMIT_S, Answer)


def _failed(
    action: words.Inspect | words.Install | words.Follow | words.Switch, err: InstallError
) -> Event:
    if isinstance(action, words.Inspect):
        return words.InspectFailed(err.message, err.is_transient)
    return words.InstallFailed(err.message, err.is_transient)


def _report(update: Update) -> None:
    last, pending = update.record.last, update.record.pending
    _log.info(
        "update changed",
        state=update.state.value,
        version=update.version,
        slot=update.slot or "none",
        target=pending.version if pending else last.version,
        verdict="" if pending else last.verdict.value,
        reason=pending.reason if pending else last.reason,
    )
