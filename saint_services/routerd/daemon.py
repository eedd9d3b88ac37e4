"""Wires the router to the bus, the clock, its socket and its files. A sample is routed in the
callback that brings it; commands leave in the loop's next turn, so that of several samples that
came together only the newest is sent. Of many, a few leave per turn: a stick does not wait for what
a face has asked for. Not here: any rule.
"""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from typing import Any

from ..lib import log
from ..lib.api.credentials import WriterName
from ..lib.api.routing import Blending, EStopInfo, Route, RouteFile
from ..lib.bus import Bus, PolledSubscription, Publisher, Sample, Topic
from ..lib.bus.open import is_unproven_bus_accepted
from ..lib.clock import monotonic_s, stamp, wall_s
from ..lib.daemon import Context
from ..lib.errors import Code, SaintError
from ..lib.generated import topics
from ..lib.generated.saint_msgs import (
    ArmState,
    ConsoleAlert,
    ConsoleOverride,
    EStop,
    InputSample,
    RoleFault,
    RouterHeartbeat,
)
from ..lib.generated.std_msgs import Bool
from ..lib.ipc import Api, Client
from ..lib.stall import StallWatch
from . import adapters, report, state
from .api import RoutesApi
from .backup import RouterBackup
from .config import Config
from .credential import publish_credential
from .drill.api import DrillApi, drills_store
from .estop.api import EStopApi
from .estop.confirmations import Confirmations
from .estop.latch import raised, stamped
from .estop.latch_file import LatchFile
from .estop.latch_start import SOURCE, after_start, leave_marker
from .estop.latch_store import LatchClearing, LatchStore
from .estop.outcomes import LONGEST_NODE_ID
from .estop.presses import PressEdges
from .estop.proven_roles import ProvenRoles
from .fields import command_messages
from .fields.command_queue import CommandQueue
from .fields.motion import FOREVER
from .fields.targets import CommandLayout, RobotTargets
from .inputs.console import REPEAT_S, ConsoleButtons
from .inputs.neighbours import Neighbours, WriterAnnouncements
from .inputs.writers import Admitted, InputWriters, WriterRegistration
from .logic import Router
from .routes.checks import check, check_file
from .routes.presets_api import PresetsApi
from .status_publisher import StatusPublisher

BEAT_S = 0.05
# States of an arm that wait for a beat. An arm publishes one in that time; the rest is room, so
# that no fault between two beats is lost. A fault that stops the robot also has a topic that wakes.
ARM_STATES = 16
STALL_S = 0.1  # between two beats; below the shortest time-out of a source
_LONGEST = 200  # characters of a text from the bus that are told on
ROS = "autonomous:ros"  # foreign commands on our command topics
# Whose topic it is, and which sources that daemon has.
INPUTS: dict[Topic[InputSample], tuple[WriterName, str]] = {
    topics.INPUT_RC: ("rcd", "rc"),
    topics.INPUT_LIVELINK: ("livelinkd", "livelink"),
    topics.INPUT_WEBSOCKET: ("webd", "websocket"),
}
PROGRAMS = ("autonomous", "leader:", "safety:")  # sources on the topic of programs
_log = log.get("routerd")


async def run(context: Context[Config]) -> None:
    """The daemon's life."""
    share, folder = context.directories.share, context.directories.state
    robot = await asyncio.to_thread(adapters.load_robot, share, context.config.robot)
    preset = await asyncio.to_thread(adapters.load_start, share, context.config.preset, robot)
    try:
        check_file(preset, robot)
    except SaintError as err:
        raise SaintError(Code.CONFIG_INVALID, f"{context.config.preset}: {err.message}") from err
    routes_store = state.routes_store(folder)
    start = await asyncio.to_thread(after_start, folder, int(wall_s()))
    latch = stamped(start.latch, _iso_now())
    if start.doubt:
        _log.warning("the stored e-stop is in doubt: the robot starts stopped", why=start.doubt)
    saved = await asyncio.to_thread(routes_store.load)
    if routes_store.problem:
        context.health.raise_issue(routes_store.problem.code, routes_store.problem.message)
    routes, parked = _sorted(context, saved.routes, preset.routes, robot)
    store = LatchStore(context.health, LatchFile(folder), latch)
    if not await store.save():  # a robot that cannot remember a stop must not drive
        latch = stamped(raised(latch, SOURCE, store.problem, is_repeat=True), _iso_now())
        store.keep(latch)
    await asyncio.to_thread(leave_marker, folder, latch.generation)
    blending = preset.blending if saved.routes is None else _fitting(context, saved, robot)
    router = Router(robot, routes, latch, blending)
    bus = await context.open_bus()
    is_accepted = is_unproven_bus_accepted(bus.origin)
    writers = InputWriters(is_unnamed_accepted=is_accepted)
    adoptiond = Client(context.directories.runtime / "adoptiond.sock")
    proven = ProvenRoles(bus, adoptiond, is_unnamed_accepted=is_accepted)
    neighbours = Neighbours(bus.origin)
    announcing = WriterAnnouncements(bus, neighbours)
    wiring = Wiring(bus, router, store, writers, proven, neighbours, adoptiond)
    loaded = context.config.preset if saved.routes is None else saved.loaded
    control = RoutesApi(router, routes_store, parked, loaded, wiring.settle, wiring.estop_info)
    shelf = adapters.PresetStore(share, folder)
    api = PresetsApi(control, shelf, robot).add_to(control.add_to(Api()))
    RouterBackup(control, shelf, robot, preset, context.config.preset).backup().add_to(api)
    WriterRegistration(writers, partial(_writer_changed, announcing)).add_to(api)
    EStopApi(router, store, wiring.clearing, wiring.confirmations, wiring.settle).add_to(api)
    stored = drills_store(folder)
    drills = DrillApi(router, wiring.confirmations, adoptiond, stored, context.health, _iso_now)
    await drills.load()
    drills.add_to(api)
    await context.serve_ipc(api)
    context.spawn(proven.work(), "proven roles")
    context.spawn(wiring.confirmations.work(), "confirmations")
    context.spawn(publish_credential(bus, adoptiond, context.health), "credential")
    context.spawn(wiring.beat(), "heartbeat")
    context.spawn(StatusPublisher(bus, router).work(), "status")
    context.spawn(store.work(), "latch")
    context.spawn(wiring.console_clears(), "console")
    context.ready(f"{len(routes)} routes")
    await context.stopping.wait()
    wiring.close()
    await store.save()


def _writer_changed(
    announcing: WriterAnnouncements, daemon: str, origin: str, is_there: bool
) -> None:
    announcing.changed(origin, is_there)
    _log.info("writer registered" if is_there else "writer gone", daemon=daemon, origin=origin)


def _sorted(
    context: Context[Config], saved: list[Route] | None, preset: list[Route], robot: RobotTargets
) -> tuple[list[Route], list[Route]]:
    """Routes to use, and saved ones that do not fit this robot: kept, but not used."""
    if saved is None:
        return preset, []
    sound: list[Route] = []
    parked: list[Route] = []
    for route in saved:
        try:
            if any(route.id == each.id for each in sound):
                raise SaintError(Code.CONFIG_INVALID, f"there are two routes {route.id!r}")
            check(route, robot)
            sound.append(route)
        except SaintError as err:
            parked.append(route)
            text = f"routes.yaml: {err.message}"
            context.health.raise_issue(Code.CONFIG_INVALID, text, f"route {route.id}")
    return sound, parked


def _fitting(context: Context[Config], saved: state.SavedRoutes, robot: RobotTargets) -> Blending:
    """The saved blending, without what this robot does not have."""
    try:
        check_file(RouteFile(blending=saved.blending), robot)
    except SaintError as err:
        text = f"routes.yaml: {err.message}"
        context.health.raise_issue(Code.CONFIG_INVALID, text, "blending")
        return saved.blending.model_copy(update={"fields": {}})
    return saved.blending


def _iso_now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


class Wiring:
    """Samples and time in, commands and life signs out."""

    def __init__(
        self,
        bus: Bus,
        router: Router,
        store: LatchStore,
        writers: InputWriters,
        proven: ProvenRoles,
        neighbours: Neighbours,
        adoptiond: Client,
    ) -> None:
        self._neighbours = neighbours
        self._router = router
        self._writers_known = writers
        self._proven = proven
        self._store = store
        self.confirmations = Confirmations(
            bus, tuple(router.robot.fields), proven, adoptiond, self._on_unseen_stop
        )
        self.clearing = LatchClearing(router, store, self.settle)
        self._console_clears: asyncio.Queue[int] = asyncio.Queue(maxsize=1)
        self._pressing, self._pressing_router = PressEdges(), PressEdges()
        self._overrides = ConsoleButtons(router)
        self._home_timer: asyncio.TimerHandle | None = None
        self._alerts = bus.publisher(topics.CONSOLE_ALERTS)
        self._latch = router.latch
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._timer_at = FOREVER
        self._flush_due = False
        self._beats = 0
        self._stalls = StallWatch(STALL_S)
        self._foreign = 0
        self._estop = bus.publisher(topics.ESTOP)
        self._heartbeat = bus.publisher(topics.ROUTER_HEARTBEAT)
        self._writers = [
            command_messages.CommandWriter(each, router.by_name) for each in router.robot.commands
        ]
        self._commands: list[Publisher[Any]] = [
            bus.publisher(writer.topic) for writer in self._writers
        ]
        self._pending = CommandQueue(len(self._writers))
        self._publish_latch()
        self.confirmations.latched(router.latch, monotonic_s())
        self._polled: list[PolledSubscription] = []
        self._subscribe(bus)

    def _subscribe(self, bus: Bus) -> None:
        for topic, (daemon, kind) in INPUTS.items():
            bus.subscribe(topic, self._receiver(daemon, kind))
        bus.subscribe(topics.INPUT_AUTONOMOUS, self._on_program)
        bus.subscribe(topics.ESTOP, self._on_foreign_estop, own=False)
        for writer in self._writers:
            bus.subscribe(writer.topic, self._foreign_receiver(writer.command), own=False)
        bus.subscribe(topics.TRACKS_ESTOP, self._on_tracks_estop)
        bus.subscribe(topics.CONSOLE_OVERRIDE, self._on_override)
        bus.subscribe(topics.ROLE_FAULTS, self._on_role_fault)
        for target in self._router.robot.fields:
            role, _, instance = target.partition(".")
            if role == "arms":
                state = topics.ARM_STATE.at(instance=instance)
                receive = self._fault_receiver(target)
                self._polled.append(bus.poll(state, receive, depth=ARM_STATES))

    def _receiver(self, daemon: WriterName, kind: str) -> Callable[[Sample[InputSample]], None]:
        admit = self._writers_known.admit

        def receive(sample: Sample[InputSample]) -> None:
            source, origin, now = sample.message.source, sample.origin, sample.received_s
            admitted = admit(daemon, source, origin, now)
            if admitted and admitted.is_known and not source.startswith(kind):
                self._router.refused["source on the wrong topic"] += 1
            else:
                self._sample(sample, admitted)

        return receive

    def _on_program(self, sample: Sample[InputSample]) -> None:
        source = sample.message.source
        if not source.startswith(PROGRAMS):
            self._router.refused["source on the wrong topic"] += 1
            return
        admit = self._writers_known.admit_program
        self._sample(sample, admit(source, sample.origin, sample.received_s))

    def _sample(self, sample: Sample[InputSample], admitted: Admitted | None) -> None:
        if sample.origin in self._neighbours and not (admitted and admitted.is_known):
            self._router.refused["input of another robot"] += 1
            return
        if admitted is None:
            self._router.refused["unregistered writer"] += 1
            return
        self._take(sample.message, sample.origin, sample.received_s, admitted)

    def _take(
        self, message: InputSample, origin: str, received_s: float, admitted: Admitted | None = None
    ) -> None:
        """Route a sample, unless it may be older than its source's time-out: the loop stood still,
        and the time of arrival says only when it was read.
        """
        waited_s = self._stalls.waited_s(monotonic_s())
        source = admitted.source if admitted else message.source
        if waited_s and self._router.is_too_old(source, waited_s):
            self._router.refuse_old(message, received_s, admitted)
        else:
            self._router.sample(message, origin, received_s, admitted)
        self.settle()

    def _on_foreign_estop(self, sample: Sample[EStop]) -> None:
        """Roles stop for anyone; the router has to know, so that people see and clear the stop."""
        # Of a program each message is a press. Another robot's router answers our press with one of
        # its own, and that must not go on for ever.
        is_edge = self._pressing_router.is_edge(sample.origin, sample.message.active)
        is_press = is_edge or sample.origin not in self._neighbours or not self._router.latch.active
        if sample.message.active and is_press:
            source = f"participant {sample.origin or 'unnamed'}"
            reason = f"{topics.ESTOP.name}: {sample.message.reason[:_LONGEST]}"
            self._router.raise_estop(source, reason, sample.received_s)
            self.settle()

    def _foreign_receiver(self, command: CommandLayout) -> Callable[[Sample[Any]], None]:
        def receive(sample: Sample[Any]) -> None:
            names, values = command_messages.read(command, sample.message)
            if not names:
                self._router.refused["empty foreign command"] += 1
                return
            if not self._neighbours.is_program(sample.origin, sample.received_s):
                self._router.refused["command of another robot"] += 1
                return
            self._foreign += 1
            message = InputSample(
                source=ROS,
                sequence=self._foreign,
                target=command.target,
                names=names,
                values=values,
            )
            self._take(message, ROS, sample.received_s)

        return receive

    def _on_tracks_estop(self, sample: Sample[Bool]) -> None:
        is_edge = self._pressing.is_edge(sample.origin, sample.message.data)
        if sample.message.data:
            reason = f"{topics.TRACKS_ESTOP.name} is true"
            self._router.raise_estop("ros", reason, sample.received_s, is_repeat=not is_edge)
            self.settle()

    def _on_override(self, sample: Sample[ConsoleOverride]) -> None:
        """A button of the console; what is refused is said on its display."""
        order, now = sample.message, sample.received_s
        if order.action != "stop" and not self._proven.is_console(sample.origin, now):
            self._refuse(f"{order.action[:16]} was refused: no node of this robot signed for it")
            return
        if order.action == "clear":
            if not self._console_clears.full():
                self._console_clears.put_nowait(order.generation)
            return
        self._refuse(self._overrides.act(order.target, order.action, now))
        if self._overrides.is_homing and self._home_timer is None:
            self._home_timer = self._loop.call_later(REPEAT_S, self._home)
        self.settle()

    async def console_clears(self) -> None:
        """Clear the e-stop for the console, as a request would, until stopped."""
        while True:
            generation = await self._console_clears.get()
            try:
                await self.clearing.clear("console", generation)
            except SaintError as err:
                self._refuse(err.message)

    def _refuse(self, refusal: str) -> None:
        if refusal:
            alert = ConsoleAlert(stamp(), "warning", Code.REFUSED.value, refusal[:_LONGEST])
            self._alerts.publish(alert)

    def _home(self) -> None:
        self._home_timer = None
        if self._stalls.is_stalled(monotonic_s()):
            self._overrides.forget()
        self._overrides.step(monotonic_s())
        if self._overrides.is_homing:
            self._home_timer = self._loop.call_later(REPEAT_S, self._home)
        self.settle()

    def _on_role_fault(self, sample: Sample[RoleFault]) -> None:
        """A role that turns faulty may stop the robot; which ones do, the roles know."""
        fault = sample.message
        if fault.stops_robot:
            source = fault.target if fault.target in self._router.robot.fields else "a role"
            reason = f"{fault.text[:_LONGEST]} ({fault.node_id[:LONGEST_NODE_ID]})"
            self._router.raise_estop(source, reason, sample.received_s, is_repeat=True)
            self.settle()

    def _fault_receiver(self, target: str) -> Callable[[Sample[ArmState]], None]:
        """A role that turns faulty stops the robot; cleared by hand, also while it stays faulty."""
        was_faulty = False

        def receive(sample: Sample[ArmState]) -> None:
            nonlocal was_faulty
            is_faulty = sample.message.error_state
            if is_faulty and not was_faulty:
                reason = sample.message.error_message or "the role reports a fault"
                self._router.raise_estop(target, reason, sample.received_s, is_repeat=True)
                self.settle()
            was_faulty = is_faulty

        return receive

    def _on_unseen_stop(self, target: str, detail: str) -> None:
        """A role of this robot is stopped and the latch is not: people must see it and clear it."""
        reason = f"its role is stopped{': ' if detail else ''}{detail}"
        self._router.raise_estop(target, reason, monotonic_s(), is_repeat=True)
        self.settle()

    def estop_info(self) -> EStopInfo:
        """The latch, for replies."""
        outcomes = self.confirmations.listed()
        return report.estop_info(self._router.latch, self._store.problem, outcomes)

    def settle(self) -> None:
        """Act on what has changed in the router."""
        router = self._router
        if router.latch is not self._latch:
            router.stamp_presses(_iso_now())
            self._latch = router.latch
            self._publish_latch()
            self.confirmations.latched(router.latch, monotonic_s())
            self._store.keep(router.latch)
            newest = router.latch.presses[-1] if router.latch.active else router.latch
            _log.info(
                "e-stop raised" if router.latch.active else "e-stop cleared",
                source=newest.source,
                reason=newest.reason,
            )
        if router.dirty:
            self._plan_flush()
        if router.wake_at < self._timer_at:
            self._arm(router.wake_at)

    def _plan_flush(self) -> None:
        if not self._flush_due:
            self._flush_due = True
            self._loop.call_soon(self._flush)

    def _flush(self) -> None:
        self._flush_due = False
        pending, dirty = self._pending, self._router.dirty
        if self._latch.active:
            pending.clear()
        else:
            pending.ask(dirty)
        dirty.clear()
        for index in pending.take():
            self._publish(index)
        if pending:
            self._plan_flush()

    def _publish(self, index: int) -> None:
        writer = self._writers[index]
        if writer.is_wanted:
            self._commands[index].publish(writer.message())

    def _arm(self, at: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer_at = at
        self._timer = self._loop.call_at(at, self._on_timer)

    def _on_timer(self) -> None:
        self._timer_at = FOREVER
        self._router.advance(monotonic_s())
        self.settle()

    async def beat(self) -> None:
        """The heartbeat; with it all commands go out again."""
        due = self._loop.time()
        while True:
            self._beat()
            due = max(due + BEAT_S, self._loop.time())  # beats missed in a stall are not made up
            await asyncio.sleep(due - self._loop.time())

    def _beat(self) -> None:
        self._beats += 1
        for polled in self._polled:
            self._loop.call_soon(polled.read)
        self._stalls.beat(monotonic_s())
        self._router.advance(monotonic_s())
        self.settle()
        latch = self._latch
        self._heartbeat.publish(
            RouterHeartbeat(
                stamp=stamp(),
                sequence=self._beats,
                estop=latch.active,
                estop_generation=latch.generation,
            )
        )
        if not latch.active:
            self._pending.repeat()
            self._plan_flush()

    def _publish_latch(self) -> None:
        self._estop.publish(report.estop_message(self._latch, stamp()))

    def close(self) -> None:
        """Fall silent: the roles stop at their deadline."""
        for timer in (self._timer, self._home_timer):
            if timer is not None:
                timer.cancel()
