"""Wires the router to the bus, the clock, its socket and its files. A sample is routed in the
callback that brings it; commands leave in the loop's next turn, so that of several samples that
came together only the newest is sent. Of many, a few leave per turn: a stick does not wait for what
a face has asked for. Not here: any rule.
"""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from ..lib import log
from ..lib.api.routing import Blending, Route, RouteFile
from ..lib.bus import Bus, Publisher, Sample, Topic
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
from ..lib.ipc import Api
from ..lib.stall import StallWatch
from . import adapters, messages, state
from .api import Control
from .backup import Kept
from .claims import FOREVER
from .config import Config
from .estop import Latch
from .logic import Router
from .overrides import REPEAT_S, Overrides
from .pending import Pending
from .preset_api import Presets
from .routes import check, check_file
from .targets import Command, Robot
from .teller import Teller

BEAT_S = 0.05
STALL_S = 0.1  # between two beats; below the shortest time-out of a source
RETRY_S = 5.0
_LONGEST = 200  # characters of a text from the bus that are told on
ROS = "autonomous:ros"  # foreign commands on our command topics
# Which sources may use a topic: leaders of arms and safety devices are programs too.
INPUTS: dict[Topic[InputSample], tuple[str, ...]] = {
    topics.INPUT_RC: ("rc",),
    topics.INPUT_LIVELINK: ("livelink",),
    topics.INPUT_WEBSOCKET: ("websocket",),
    topics.INPUT_AUTONOMOUS: ("autonomous", "leader:", "safety:"),
}
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
    routes_store, latch_store = state.routes_store(folder), state.latch_store(folder)
    saved = await asyncio.to_thread(routes_store.load)
    if routes_store.problem:
        context.health.raise_issue(routes_store.problem.code, routes_store.problem.message)
    routes, parked = _sorted(context, saved.routes, preset.routes, robot)
    latch = await asyncio.to_thread(latch_store.load)
    keeper = Keeper(context, latch_store, _after_start(latch, latch_store.problem))
    blending = preset.blending if saved.routes is None else _fitting(context, saved, robot)
    router = Router(robot, routes, keeper.saved.latch(), blending)
    bus = await context.open_bus()
    wiring = Wiring(bus, router, keeper)
    loaded = context.config.preset if saved.routes is None else saved.loaded
    control = Control(
        router, routes_store, parked, loaded, wiring.settle, keeper.since, keeper.save
    )
    shelf = adapters.Shelf(share, folder)
    api = Presets(control, shelf, robot).add_to(control.add_to(Api()))
    Kept(control, shelf, robot, preset, context.config.preset).backup().add_to(api)
    await context.serve_ipc(api)
    context.spawn(wiring.beat(), "heartbeat")
    context.spawn(Teller(bus, router).work(), "status")
    context.spawn(keeper.work(), "latch")
    context.ready(f"{len(routes)} routes")
    await context.stopping.wait()
    wiring.close()
    await keeper.save()


def _sorted(
    context: Context[Config], saved: list[Route] | None, preset: list[Route], robot: Robot
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


def _fitting(context: Context[Config], saved: state.SavedRoutes, robot: Robot) -> Blending:
    """The saved blending, without what this robot does not have."""
    try:
        check_file(RouteFile(blending=saved.blending), robot)
    except SaintError as err:
        text = f"routes.yaml: {err.message}"
        context.health.raise_issue(Code.CONFIG_INVALID, text, "blending")
        return saved.blending.model_copy(update={"fields": {}})
    return saved.blending


def _after_start(saved: state.SavedLatch, problem: SaintError | None) -> state.SavedLatch:
    """The latch as it was; active when nobody can tell."""
    newest = int(wall_s())  # above every generation that roles may remember
    if problem:
        reason = f"the saved e-stop is unknown: {problem.message}"
        return state.SavedLatch.of(Latch(True, "routerd", reason, newest), _iso_now())
    if saved.generation == 0:
        return saved.model_copy(update={"generation": newest})
    return saved


def _iso_now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


class Keeper:
    """Saves the latch behind the loop's back: the stop itself never waits for a disk."""

    def __init__(self, context: Context[Config], store: Any, saved: state.SavedLatch) -> None:
        self._health = context.health
        self._store = store
        self._changed = asyncio.Event()
        self._saving = asyncio.Lock()
        self.saved = saved

    def since(self) -> str:
        """When the latch was raised."""
        return self.saved.since

    def keep(self, latch: Latch) -> None:
        """Remember this latch; returns at once."""
        self.saved = state.SavedLatch.of(latch, _iso_now() if latch.active else "")
        self._changed.set()

    async def work(self) -> None:
        """Save what is to be kept, again and again."""
        while True:
            await self._changed.wait()
            if not await self.save():
                await asyncio.sleep(RETRY_S)

    async def save(self) -> bool:
        """Save now if something changed; a save under way is waited for."""
        async with self._saving:
            if not self._changed.is_set():
                return True
            self._changed.clear()
            try:
                await asyncio.to_thread(self._store.save, self.saved)
            except SaintError as err:
                self._changed.set()
                self._health.raise_issue(err.code, err.message)
                return False
        self._health.clear(Code.INTERNAL)
        return True


class Wiring:
    """Samples and time in, commands and life signs out."""

    def __init__(self, bus: Bus, router: Router, keeper: Keeper) -> None:
        self._router = router
        self._keeper = keeper
        self._overrides = Overrides(router)
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
        self._writers = [messages.Writer(each, router.by_name) for each in router.robot.commands]
        self._commands: list[Publisher[Any]] = [
            bus.publisher(writer.topic) for writer in self._writers
        ]
        self._pending = Pending(len(self._writers))
        self._publish_latch()
        self._subscribe(bus)

    def _subscribe(self, bus: Bus) -> None:
        for topic, kinds in INPUTS.items():
            bus.subscribe(topic, self._receiver(kinds))
        for writer in self._writers:
            bus.subscribe(writer.topic, self._foreign_receiver(writer.command), own=False)
        bus.subscribe(topics.TRACKS_ESTOP, self._on_tracks_estop)
        bus.subscribe(topics.CONSOLE_OVERRIDE, self._on_override)
        bus.subscribe(topics.ROLE_FAULTS, self._on_role_fault)
        for target in self._router.robot.fields:
            role, _, instance = target.partition(".")
            if role == "arms":
                state = topics.ARM_STATE.at(instance=instance)
                bus.subscribe(state, self._fault_receiver(target))

    def _receiver(self, kinds: tuple[str, ...]) -> Callable[[Sample[InputSample]], None]:
        router, take = self._router, self._take

        def receive(sample: Sample[InputSample]) -> None:
            message = sample.message
            if not message.source.startswith(kinds):
                router.refused["source on the wrong topic"] += 1
                return
            take(message, sample.origin, sample.received_s)

        return receive

    def _take(self, message: InputSample, origin: str, received_s: float) -> None:
        """Route a sample, unless it may be older than its source's time-out: the loop stood still,
        and the time of arrival says only when it was read.
        """
        waited_s = self._stalls.waited_s(monotonic_s())
        if waited_s and self._router.is_too_old(message.source, waited_s):
            self._router.refuse_old(message, received_s)
        else:
            self._router.sample(message, origin, received_s)
        self.settle()

    def _foreign_receiver(self, command: Command) -> Callable[[Sample[Any]], None]:
        def receive(sample: Sample[Any]) -> None:
            names, values = messages.read(command, sample.message)
            if not names:
                self._router.refused["empty foreign command"] += 1
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
        if sample.message.data:
            name = topics.TRACKS_ESTOP.name
            self._router.raise_estop("ros", f"{name} is true", sample.received_s)
            self.settle()

    def _on_override(self, sample: Sample[ConsoleOverride]) -> None:
        """A button of the console; what is refused is said on its display."""
        order = sample.message
        refusal = self._overrides.act(order.target, order.action, sample.received_s)
        if refusal:
            alert = ConsoleAlert(stamp(), "warning", Code.REFUSED.value, refusal[:_LONGEST])
            self._alerts.publish(alert)
        if self._overrides.is_homing and self._home_timer is None:
            self._home_timer = self._loop.call_later(REPEAT_S, self._home)
        self.settle()

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
            reason = f"{fault.text[:_LONGEST]} ({fault.node_id[:_LONGEST]})"
            self._router.raise_estop(source, reason, sample.received_s)
            self.settle()

    def _fault_receiver(self, target: str) -> Callable[[Sample[ArmState]], None]:
        """A role that turns faulty stops the robot; cleared by hand, also while it stays faulty."""
        was_faulty = False

        def receive(sample: Sample[ArmState]) -> None:
            nonlocal was_faulty
            is_faulty = sample.message.error_state
            if is_faulty and not was_faulty:
                reason = sample.message.error_message or "the role reports a fault"
                self._router.raise_estop(target, reason, sample.received_s)
                self.settle()
            was_faulty = is_faulty

        return receive

    def settle(self) -> None:
        """Act on what has changed in the router."""
        router = self._router
        if router.latch is not self._latch:
            self._latch = router.latch
            self._publish_latch()
            self._keeper.keep(router.latch)
            _log.info(
                "e-stop raised" if router.latch.active else "e-stop cleared",
                source=router.latch.source,
                reason=router.latch.reason,
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
        latch = self._latch
        self._estop.publish(
            EStop(
                stamp=stamp(),
                active=latch.active,
                source=latch.source,
                reason=latch.reason,
                generation=latch.generation,
            )
        )

    def close(self) -> None:
        """Fall silent: the roles stop at their deadline."""
        for timer in (self._timer, self._home_timer):
            if timer is not None:
                timer.cancel()
