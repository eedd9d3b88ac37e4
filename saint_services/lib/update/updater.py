"""Runs the update of this machine: installer, disk, boot and health checks report events to the
rules, and the actions are carried out here, one after the other. The daemon that owns the update
(noded, or otad on a machine that is only a server) reports the state of its own work, and stops it
while a slot is written. No rules.
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
from . import events, watch
from .checks import Services, UnitProblems, log_excerpt
from .dbus import SystemBus
from .events import Action, Event, Update, UpdateLimits, WantedRelease, WorkPart
from .installer import Installer, RaucInstaller, SlotMark, Slots
from .logic import step
from .no_slots import NoSlots
from .rauc_errors import InstallError
from .record import StateBefore, UpdateRecord, store
from .settings import fitted
from .status import firmware_status

_POLL_S = 1.0
_WATCH_S, _RUN_S = 10.0, 60.0  # between checks: in the hour after an update, and later
_FIRST_READ_LIMIT_S = 3.0  # the first call starts RAUC; a role must not wait for that
_READ_LIMIT_S = 15.0
_ANSWER_LIMIT_S = 15.0
_FIRST_PAUSE_S = 1.0
_LONGEST_PAUSE_S = 60.0
_log = log.get("update")

Spawn = Callable[[Coroutine[Any, Any, None], str], asyncio.Task[Any]]


@dataclass(frozen=True, slots=True)
class WorkState:
    """The state of the owner's own work."""

    bus_problem: str = ""
    parts: tuple[WorkPart, ...] = ()
    server_answers: bool = False


class UpdateOwner(Protocol):
    """The daemon that owns this machine's update."""

    def work(self) -> WorkState:
        """Return the state of the work now."""

    def hold(self) -> None:
        """Stop the work, with outputs safe, until resume() or a restart. Raises SaintError when
        that is not possible."""

    def resume(self) -> None:
        """Continue the work; harmless when it was not stopped."""

    def publish(self, status: FirmwareStatus) -> None:
        """Publish a changed status."""


@dataclass(frozen=True, slots=True)
class UpdateEnvironment:
    """What an update accesses; tests use their own."""

    installer: Installer
    services: Services
    boot: boots.Boot

    @classmethod
    def of_this_machine(cls) -> "UpdateEnvironment":
        """Return the system bus and the boot's files."""
        bus = SystemBus()
        installer = NoSlots() if boots.is_without_slots() else RaucInstaller(bus)
        return cls(installer, Services(bus), boots.Boot())


class Updater:
    """The update of one machine."""

    def __init__(
        self,
        node_id: str,
        owner: UpdateOwner,
        directory: Path,
        spawn: Spawn,
        limits: UpdateLimits,
        world: UpdateEnvironment | None = None,
    ) -> None:
        self._runner: Runner[Update, Event, Action] = Runner(Update("", limits), step)
        self.problem = ""  # what is wrong with the record's file
        self._node_id = node_id
        self._owner = owner
        self._store = store(directory)
        self._spawn = spawn
        self._world = world or UpdateEnvironment.of_this_machine()
        self._has_slots = not isinstance(self._world.installer, NoSlots)
        self._batches: asyncio.Queue[tuple[Action, ...]] = asyncio.Queue(256)
        self._is_publish_waiting = False  # alone, at the end of the queue
        self._is_read_waiting = False
        self._looked_s = monotonic_s()
        self._changed_event = asyncio.Event()

    @property
    def update(self) -> Update:
        """The state of the update."""
        return self._runner.state

    # Called by the owner.

    async def start(self) -> None:
        """Read the state of this machine; the rest runs beside the owner's work."""
        version = await asyncio.to_thread(computer.version)
        timer_s = await asyncio.to_thread(boots.deadman_s)
        limits = fitted(self.update.limits, timer_s)
        self._runner.state = replace(self.update, version=version, limits=limits)
        await self._read_state(_FIRST_READ_LIMIT_S)
        if self.update.record.watched:
            self._looked_s = -_WATCH_S  # at once: this process may be what keeps crashing
        self._spawn(self._carry_out_batches(), "update actions")
        self._spawn(self._poll(), "update pulse")

    def close(self) -> None:
        """Close the connection to the installer."""
        self._world.installer.close()

    def status(self) -> FirmwareStatus:
        """Return the status message."""
        return firmware_status(self.update, self._node_id)

    def block(self, reason: str, unsafe: str = "") -> None:
        """Set why the machine must not be interrupted now; empty: it may be. `unsafe`: why outputs
        that nothing uses could not be made safe."""
        if (reason, unsafe) != (self.update.blocked, self.update.unsafe):
            self.handle(events.BlockedChanged(reason, unsafe))

    async def install(self, wanted: WantedRelease, *, force: bool = False) -> Answer:
        """Request a release; the answer says whether its installation has begun."""
        return await self._request(lambda n: events.InstallRequested(wanted, force, n))

    async def rollback(self) -> Answer:
        """Request the release in the other slot."""
        return await self._request(events.RollbackRequested)

    def offer(self, wanted: WantedRelease) -> bool:
        """Offer the server's release. Return True when it is being installed."""
        self.handle(events.InstallRequested(wanted))
        return self.update.state is UpdateState.INSTALLING

    def rest(self, *, is_resting: bool) -> None:
        """Set whether the machine rests: offers are declined from its last use until it does."""
        self.handle(events.RestChanged(is_resting))

    def want_download(self) -> None:
        """Accept the next offer, whatever release runs."""
        self.handle(events.DownloadRequested())

    # Events.

    def handle(self, event: Event) -> None:
        """Apply an event to the update."""
        before = self.update
        actions = self._runner.apply(event)
        if before.state is not self.update.state or before.record.last != self.update.record.last:
            _log_change(self.update)
        later = tuple(action for action in actions if not self._answered(action))
        is_lone_publish = later == (events.PublishStatus(),)
        if later and not (is_lone_publish and self._is_publish_waiting):
            self._is_publish_waiting = is_lone_publish
            self._batches.put_nowait(later)
        self._changed_event.set()

    def _answered(self, action: Action) -> bool:
        """Deliver an answer at once: a request does not wait for the queued actions."""
        if not isinstance(action, Answer):
            return False
        self._runner.answer(action)
        return True

    async def _poll(self) -> None:
        """Check the machine during a trial, read a failed state or save a record again; sleep
        otherwise."""
        failures = 0
        while True:
            self._changed_event.clear()
            state = self.update.state
            if state is UpdateState.VERIFYING:
                self.handle(await self._checked())
            elif state is UpdateState.RESTARTING:
                self.handle(events.TimePassed(monotonic_s()))
            is_unread = self._has_slots and self.update.slots is None
            is_unclear = is_unread or self.update.needs_read or self.update.is_unsaved
            failures = failures + 1 if is_unclear else 0
            if not is_unclear and state not in (UpdateState.VERIFYING, UpdateState.RESTARTING):
                await self._look_at_times()
                continue
            pause_s = min(_FIRST_PAUSE_S * (1 << min(failures, 8)), _LONGEST_PAUSE_S)
            is_watched = state in (UpdateState.VERIFYING, UpdateState.RESTARTING)
            await asyncio.sleep(_POLL_S if is_watched else pause_s)
            if self.update.is_unsaved:
                self.handle(await self._checked())
                self.handle(events.TimePassed(monotonic_s()))
            elif is_unclear and not self._is_read_waiting:
                self._is_read_waiting = True  # one at a time: the actions behind it have to wait
                self._batches.put_nowait((events.ReadState(),))

    async def _look_at_times(self) -> None:
        """Wait for a change; check a machine that is not on trial when that is due."""
        pause_s = _WATCH_S if self.update.record.watched else _RUN_S
        try:
            async with asyncio.timeout(max(0.0, self._looked_s + pause_s - monotonic_s())):
                await self._changed_event.wait()
        except TimeoutError:
            self._looked_s = monotonic_s()
            if self.update.state is UpdateState.IDLE:
                self.handle(await self._checked())

    async def _carry_out_batches(self) -> None:
        """Carry out one batch after the other; a failed action drops the rest of its batch."""
        while True:
            for action in await self._batches.get():
                try:
                    await self._carry_out(action)
                except SaintError as err:
                    text = type(action).__name__
                    _log.warning("action of an update failed", action=text, reason=err.message)
                    self.handle(events.ActionFailed(action, err.message))
                    break

    async def _carry_out(self, action: Action) -> None:
        match action:
            case events.SaveRecord(record):
                await asyncio.to_thread(self._store.save, record)
            case events.ReadState():
                await self._read_state(_READ_LIMIT_S)
                self._is_read_waiting = False
            case events.SetMark(mark, slot):
                await self._world.installer.mark(mark, slot)
                await asyncio.to_thread(self._world.boot.flush)
                self.handle(events.Marked(mark))
            case events.ReadLog(units):
                self.handle(events.LogRead(await log_excerpt(units)))
            case events.Disarm():
                if problem := await asyncio.to_thread(self._world.boot.disarm):
                    _log.warning("dead-man timer not disarmed", reason=problem)
            case events.Restart(reason):
                _log.info("restart requested", reason=reason)
                await asyncio.to_thread(self._world.boot.restart, reason)
            case (
                events.Inspect()
                | events.Install()
                | events.FollowInstallation()
                | events.SwitchSlot()
            ):
                self._spawn(self._carry_out_long(action), "installation")
            case _:
                self._carry_out_now(action)

    def _carry_out_now(self, action: Action) -> None:
        match action:
            case events.PublishStatus():
                self._is_publish_waiting = False
                self._owner.publish(self.status())
            case events.StopWork():
                # Outputs may have gone live since the decision: other actions came first.
                if self.update.in_use:
                    raise SaintError(Code.REFUSED, self.update.in_use)
                self._owner.hold()
            case events.ResumeWork():
                self._owner.resume()

    async def _read_state(self, limit_s: float) -> None:
        slots: Slots | None = None
        is_installing, installer_problem = False, ""
        record = await asyncio.to_thread(self._load)
        try:
            async with asyncio.timeout(limit_s):
                slots = await self._world.installer.slots()
                is_installing = await self._world.installer.is_installing()
        except SaintError as err:
            installer_problem = err.message
        except TimeoutError:
            installer_problem = f"RAUC has not answered within {limit_s:g} s"
        slot = slots.booted.letter if slots else await asyncio.to_thread(boots.booted_slot)
        self.handle(
            events.StateRead(monotonic_s(), record, slot, slots, installer_problem, is_installing)
        )

    def _load(self) -> UpdateRecord:
        try:
            record = self._store.load()
        except SaintError as err:
            self.problem = str(err)
            return UpdateRecord()
        self.problem = str(self._store.problem or "")
        return record

    async def _carry_out_long(
        self,
        action: events.Inspect | events.Install | events.FollowInstallation | events.SwitchSlot,
    ) -> None:
        """Carry out an action that takes minutes, beside the others."""
        installer = self._world.installer
        try:
            match action:
                case events.Inspect(wanted, pause_s):
                    await asyncio.sleep(pause_s)
                    bundle = await installer.inspect(wanted.source) if wanted.source else None
                    self.handle(events.Inspected(await self._before(), bundle))
                    return
                case events.Install(wanted, pause_s):
                    await asyncio.sleep(pause_s)
                    await installer.install(wanted.source, self._progressed)
                case events.FollowInstallation():
                    if not await installer.follow(self._progressed):
                        self.handle(events.InstallationLost("the installation has ended meanwhile"))
                        return
                case events.SwitchSlot():
                    await installer.mark(SlotMark.ACTIVE, "other")
            await asyncio.to_thread(self._world.boot.flush)
            self.handle(events.Installed())
        except InstallError as err:
            self.handle(_failed(action, err))
        except SaintError as err:
            if isinstance(action, events.Inspect):
                self.handle(events.InspectFailed(err.message, is_transient=True))
            else:
                self.handle(events.InstallationLost(err.message))

    def _progressed(self, percent: int, _: str) -> None:
        self.handle(events.Progressed(percent))  # at most a hundred different values

    async def _before(self) -> StateBefore:
        work, units = self._owner.work(), await self._units()
        known = () if isinstance(units, str) else (*units.failed, *units.restarting)
        last = self.update.record.last_run
        found = watch.before(last, work.parts, known)
        server_answers = work.server_answers or watch.SERVER in last.answered
        return found.model_copy(update={"server_answers": server_answers})

    async def _checked(self) -> events.HealthChecked:
        work, units = self._owner.work(), await self._units()
        known = UnitProblems() if isinstance(units, str) else units
        return events.HealthChecked(
            monotonic_s(),
            failed_units=known.failed,
            waiting_units=known.waiting,
            restarting_units=known.restarting,
            units_problem=units if isinstance(units, str) else "",
            bus_problem=work.bus_problem,
            parts=work.parts,
            server_answers=work.server_answers,
        )

    async def _units(self) -> UnitProblems | str:
        try:
            return await self._world.services.units()
        except SaintError as err:
            return err.message

    async def _request(self, make_event: Callable[[int], Event]) -> Answer:
        return await self._runner.request(make_event, self.handle, _ANSWER_LIMIT_S, Answer)


def _failed(
    action: events.Inspect | events.Install | events.FollowInstallation | events.SwitchSlot,
    err: InstallError,
) -> Event:
    if isinstance(action, events.Inspect):
        return events.InspectFailed(err.message, err.is_transient)
    return events.InstallFailed(err.message, err.is_transient)


def _log_change(update: Update) -> None:
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
