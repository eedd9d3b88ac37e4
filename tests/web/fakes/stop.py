"""What the fake robot's roles say of a stop, and the stop drill of routerd upon it."""

from collections.abc import Callable, Collection
from datetime import UTC, datetime
from math import nan
from pathlib import Path
from typing import Any, Protocol, cast

from saint_services.lib.api.adoption import NodeInfo, NodeRoleInfo
from saint_services.lib.api.orders import KILL, KillReply, KillRole
from saint_services.lib.api.routing import StopOutcomeInfo
from saint_services.lib.clock import monotonic_s, stamp
from saint_services.lib.generated import saint_msgs as msgs
from saint_services.lib.health import Health
from saint_services.lib.ipc import Api, Call, Client
from saint_services.routerd.drill.api import DrillApi, drills_store
from saint_services.routerd.estop.latch import Latch
from saint_services.routerd.estop.outcomes import TargetOutcomes

TARGETS = ("head", "arms.left", "arms.right", "tracks")


def outcomes(silent: Collection[str], detail: str = "") -> list[StopOutcomeInfo]:
    """Return one for each target; those in `silent` have not answered."""
    return [
        StopOutcomeInfo(target=target, state="silent")
        if target in silent
        else StopOutcomeInfo(
            target=target, node_id="fake", state="stopped", after_ms=8.0, detail=detail
        )
        for target in TARGETS
    ]


def message(latch: Latch, found: list[StopOutcomeInfo]) -> msgs.StopOutcomes:
    """Return the same for the bus."""
    is_confirmed = bool(found) and all(each.state == "stopped" for each in found)
    listed = tuple(
        msgs.StopOutcome(
            each.target,
            each.node_id,
            each.state,
            nan if each.after_ms is None else each.after_ms,
            each.detail,
        )
        for each in found
    )
    return msgs.StopOutcomes(stamp(), latch.active, latch.generation, is_confirmed, listed)


class Stopped(Protocol):
    """The robot under a drill."""

    @property
    def latch(self) -> Latch: ...
    @property
    def nodes(self) -> dict[str, NodeInfo]: ...
    @property
    def stop_outcomes(self) -> list[StopOutcomeInfo]: ...


class FakeConfirmations:
    """Stands for routerd's; every press is confirmed at once but by those who are silent."""

    def __init__(self, robot: Stopped) -> None:
        self._robot = robot
        self._watchers: list[Callable[[], None]] = []
        self.outcomes = TargetOutcomes(TARGETS)

    @property
    def nodes(self) -> list[NodeInfo]:
        """With their roles, which the fake's registry leaves out."""
        return [
            node.model_copy(
                update={"roles": [NodeRoleInfo(role=node.role, instance=node.instance)]}
            )
            for node in self._robot.nodes.values()
        ]

    def listed(self) -> list[StopOutcomeInfo]:
        return self._robot.stop_outcomes

    def watch(self, on_change: Callable[[], None]) -> None:
        self._watchers.append(on_change)

    def latched(self) -> None:
        """After a press or a clear."""
        latch = self._robot.latch
        self.outcomes = self.outcomes.latched(
            latch.generation, monotonic_s(), is_active=latch.active
        )
        for watcher in self._watchers:
            watcher()


def drills(robot: Stopped, found: FakeConfirmations, runtime: Path) -> DrillApi:
    """Return the router's own drills, upon the fake's latch."""
    adoptiond = Client(runtime / "adoptiond.sock")
    store = drills_store(runtime.parent)
    now = lambda: datetime.now(UTC).isoformat(timespec="seconds")  # noqa: E731
    stops = cast(Any, found)
    return DrillApi(cast(Any, robot), stops, adoptiond, store, Health("routerd"), now)


async def kill(_: Call[KillRole]) -> KillReply:
    """What a node's guard does about a killed role."""
    return KillReply(after_ms=31.0, detail="its process ended")


def add_kill(api: Api) -> Api:
    """As adoptiond passes it on."""
    api.bind(KILL, kill)
    return api
