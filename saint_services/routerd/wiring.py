"""Connects the router with the bus and the clock. Commands leave in the loop's next turn, so that
of several samples that came together only the newest is sent; of many commands a few leave per
turn. Not here: any rule.
"""

import asyncio
from datetime import UTC, datetime
from typing import Any

from ..lib import log
from ..lib.api.routing import EStopInfo
from ..lib.bus import Bus, Publisher
from ..lib.clock import monotonic_s, stamp
from ..lib.generated import topics
from ..lib.generated.saint_msgs import RouterHeartbeat
from ..lib.ipc import Client
from ..lib.stall import StallWatch
from . import report
from .estop.confirmations import Confirmations
from .estop.latch_store import LatchClearing, LatchStore
from .estop.proven_roles import ProvenRoles
from .estop.stop_topics import StopTopics
from .fields.command_messages import CommandWriter
from .fields.command_queue import CommandQueue
from .fields.motion import FOREVER
from .fields.places import JointPlaces
from .inputs.console_topic import ConsoleTopic
from .inputs.input_topics import InputTopics
from .inputs.neighbours import Neighbours
from .inputs.writers import InputWriters
from .logic import Router

BEAT_S = 0.05
STALL_S = 0.1  # between two beats; below the shortest time-out of a source
_log = log.get("routerd")


def iso_now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


class Wiring:
    """Passes samples and time to the router; publishes its commands, heartbeat and latch."""

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
        self._router = router
        self._store = store
        self._latch = router.latch
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._timer_at = FOREVER
        self._flush_due = False
        self._beats = 0
        self.stalls = StallWatch(STALL_S)
        self._estop = bus.publisher(topics.ESTOP)
        self._heartbeat = bus.publisher(topics.ROUTER_HEARTBEAT)
        self._writers = [CommandWriter(each, router.by_name) for each in router.robot.commands]
        self._commands: list[Publisher[Any]] = [
            bus.publisher(writer.topic) for writer in self._writers
        ]
        self._queue = CommandQueue()
        router.masters.places_of = JointPlaces(bus, router.robot).of
        self._publish_latch()
        self._stops = StopTopics(bus, router, neighbours, self.settle)
        targets = tuple(router.robot.fields)
        self.confirmations = Confirmations(
            bus, targets, proven, adoptiond, self._stops.on_unseen_stop
        )
        self.confirmations.latched(router.latch, monotonic_s())
        self.clearing = LatchClearing(router, store, self.stalls, self.settle)
        InputTopics(bus, router, writers, neighbours, self.stalls, self.settle)
        self.console = ConsoleTopic(bus, router, proven, self.clearing, self.stalls, self.settle)

    def estop_info(self) -> EStopInfo:
        """Return the latch as it stands in replies."""
        outcomes = self.confirmations.listed()
        return report.estop_info(self._router.latch, self._store.problem, outcomes)

    def settle(self) -> None:
        """Act on what has changed in the router."""
        router = self._router
        if router.latch is not self._latch:
            self._settle_latch()
        if router.dirty:
            self._plan_flush()
        if router.wake_at < self._timer_at:
            self._schedule(router.wake_at)

    def _settle_latch(self) -> None:
        """Publish, log and store a new latch."""
        router = self._router
        router.stamp_presses(iso_now())
        self._latch = router.latch
        # First: no fault of what follows may keep a stop from the disk.
        self._store.put(router.latch)
        self.confirmations.latched(router.latch, monotonic_s())
        self._publish_latch()
        newest = router.latch.presses[-1] if router.latch.active else router.latch
        _log.info(
            "e-stop raised" if router.latch.active else "e-stop cleared",
            source=newest.source,
            reason=newest.reason,
        )

    def _plan_flush(self) -> None:
        if not self._flush_due:
            self._flush_due = True
            self._loop.call_soon(self._flush)

    def _flush(self) -> None:
        self._flush_due = False
        queue, dirty = self._queue, self._router.dirty
        if self._latch.active:
            queue.clear()
        else:
            queue.put(dirty)
        dirty.clear()
        for index in queue.next_batch():
            self._publish(index)
        if queue:
            self._plan_flush()

    def _publish(self, index: int) -> None:
        writer = self._writers[index]
        if writer.is_wanted:
            self._commands[index].publish(writer.message())

    def _schedule(self, at: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer_at = at
        self._timer = self._loop.call_at(at, self._on_timer)

    def _on_timer(self) -> None:
        self._timer_at = FOREVER
        self._router.advance(monotonic_s())
        self.settle()

    async def beat(self) -> None:
        """Publish the heartbeat and repeat all commands every BEAT_S, until stopped."""
        due = self._loop.time()
        while True:
            self._beat()
            due = max(due + BEAT_S, self._loop.time())  # beats missed in a stall are not made up
            await asyncio.sleep(due - self._loop.time())

    def _beat(self) -> None:
        self._beats += 1
        self._loop.call_soon(self._stops.poll)
        self.stalls.beat(monotonic_s())
        self._router.advance(monotonic_s())
        self.settle()
        latch = self._latch
        self._heartbeat.publish(
            RouterHeartbeat(
                stamp=stamp(),
                sequence=self._beats,
                estop=latch.active,
                estop_generation=latch.generation,
                outputs=self._router.robot.marks,
            )
        )
        if not latch.active:
            self._queue.put_behind(i for i, each in enumerate(self._writers) if each.is_wanted)
            if self._queue:
                self._plan_flush()

    def _publish_latch(self) -> None:
        self._estop.publish(report.estop_message(self._latch, stamp()))

    def close(self) -> None:
        """Publish nothing more: the roles stop at their deadline."""
        self.console.close()
        if self._timer is not None:
            self._timer.cancel()
