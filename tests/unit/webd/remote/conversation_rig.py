"""Conversations with remote sides on a bus of their own, with a router that grants every lock: no
web server, so that what they decide is quick to test.
"""

import asyncio
import json
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, cast

from saint_services.lib.api.routing import EStopInfo
from saint_services.lib.bus.local import LocalDomain
from saint_services.lib.errors import Code, SaintError
from saint_services.lib.generated import topics
from saint_services.lib.generated.saint_msgs import EStop, PartCommand
from saint_services.lib.role_config.model import RoleConfig
from saint_services.lib.stall import StallWatch
from saint_services.webd.actions.act import Caller
from saint_services.webd.audit.record import Repeats
from saint_services.webd.remote.conversation import PeerKind, RemoteConversation, RemoteShared
from saint_services.webd.remote.rooms import Rooms, RoomSession
from saint_services.webd.remote.stops import StopExchange
from saint_services.webd.robot.goals import Goals
from saint_services.webd.topics.newest import Newest
from tests.waiting import turns, until

FIELDS = {"shoulder_pan": ("deg", -110, 110), "elbow_flex": ("deg", -90, 90),
          "gripper": ("ratio", 0, 1)}  # fmt: skip
ROLE = RoleConfig.model_validate(
    {
        "role": "parts",
        "instance": "follower",
        "version": "1",
        "topic_prefix": "/saint/parts/follower",
        "commands": {
            "cmd": {"topic": "/saint/parts/follower/cmd", "type": "saint_msgs/msg/PartCommand"}
        },
        "fields": {
            name: {"command": "cmd", "kind": "position", "unit": unit, "limits": (low, high),
                   "max_rate": 120, "on_loss": "hold"}
            for name, (unit, low, high) in FIELDS.items()
        },
        "gpio_mapping": {
            name: {"type": "bus_servo", "device": "arm", "servo_id": number, "ticks": [800, 3200]}
            for number, name in enumerate(FIELDS, 1)
        },
        "serial_devices": {"arm": {"port": "/dev/ttyACM0", "driver": "feetech"}},
    }
)  # fmt: skip
TARGET = "parts.follower"


@dataclass
class Channel:
    """The sending side of a connection."""

    sent: list[dict[str, Any]] = field(default_factory=list)
    unsent: int = 0
    ended: str = ""

    def send(self, text: str) -> None:
        self.sent.append(json.loads(text))

    def unsent_bytes(self) -> int:
        return self.unsent

    def end(self, reason: str) -> None:
        self.ended = reason

    def of(self, kind: str) -> list[dict[str, Any]]:
        """Return the messages of a type."""
        return [each for each in self.sent if each["type"] == kind]


class ConversationRig:
    """One robot with remote sides."""

    def __init__(self) -> None:
        domain = LocalDomain()
        router, unknown = domain.bus("router"), domain.bus("unknown")
        topic = topics.PARTS_CMD.at(instance="follower")
        self._router, self._unknown = router.publisher(topic), unknown.publisher(topic)
        self.sent: list[tuple[str, dict[str, float]]] = []
        self.requests: list[tuple[str, Any]] = []
        self.conflict = ""  # why the router grants no lock
        self.holder = ""  # of the follower's lock
        self.goals = Goals()
        self.newest = Newest(estop=EStop(generation=1))
        self._tasks: set[asyncio.Task[None]] = set()
        robot = SimpleNamespace(
            newest=self.newest, goals=self.goals, repeats=Repeats(), bus=domain.bus("webd"),
            stalls=StallWatch(0.3, 0.25), samples=SimpleNamespace(is_registered=True),
            daemons=SimpleNamespace(
                forward=self._forward, routerd=SimpleNamespace(request=self._request)
            ),
            send=lambda source, target, values: self.sent.append((source, dict(values))),
            aim=lambda source, role, values: self.sent.append((source, dict(values))),
            record=lambda _: None, note=lambda *_: None,
            roles=SimpleNamespace(name="SAINT", by_target={TARGET: ROLE}),
            stop=SimpleNamespace(publish=lambda _: None),
        )  # fmt: skip
        self.writer = cast(Any, SimpleNamespace(router_origin=router.origin))
        self.shared = RemoteShared(cast(Any, robot), self.writer, self._spawn)
        self.stops = StopExchange(self.shared.robot, self.shared.open, self._spawn)
        self.shared.stops = self.stops
        self.rooms = Rooms(self.shared, self.stops, cast(Any, None), cast(Any, None))
        self.stops.on_stop = self.rooms.stopped
        self.stops.latched(self.estop)

    @property
    def estop(self) -> EStop:
        """The latch."""
        assert self.newest.estop is not None
        return self.newest.estop

    def conversation(
        self, name: str, *, leads: bool = False, is_link: bool = False
    ) -> tuple[RemoteConversation, Channel]:
        """Return a remote side and what it is sent."""
        channel, caller = Channel(), Caller(f"remote:{self.shared.free_name(name)}")
        kind = PeerKind(leads=leads, is_link=is_link, reports=is_link and not leads)
        made = RemoteConversation(self.shared, kind, ROLE, caller, channel, "follower")
        return made, channel

    def participant(self, room: str, role: str, name: str) -> tuple[RoomSession, Channel]:
        """Return a participant that has requested to join a room."""
        channel, caller = Channel(), Caller(f"remote:{self.shared.free_name(name)}")
        opened = self.rooms.opened("lab", room)
        session = RoomSession(self.rooms, opened, cast(Any, channel), caller)
        session.receive(json.dumps({"participant_id": name, "role": role}))
        return session, channel

    def command(self, *, is_router: bool = True, **values: float) -> None:
        """Command the follower on the bus."""
        publisher = self._router if is_router else self._unknown
        publisher.publish(PartCommand(tuple(values), tuple(values.values())))

    def stop(self, source: str, reason: str) -> None:
        """Raise the latch."""
        made = EStop(active=True, generation=self.estop.generation + 1)
        made.source, made.reason = source, reason
        self._latch(made)

    def clear(self) -> None:
        """Clear the latch."""
        self._latch(EStop(generation=self.estop.generation + 1))

    def presses(self) -> list[str]:
        """Return the sources of the stops that the router was sent."""
        return [params.source for action, params in self.requests if action == "estop"]

    async def settled(self) -> None:
        """Wait until what was begun is done, and what was published has arrived."""
        await turns()
        await until(lambda: all(task.done() for task in self._tasks))
        await turns()

    def _latch(self, latch: EStop) -> None:
        self.newest.estop = latch
        self.goals.clear()
        self.stops.latched(latch)

    def _spawn(self, work: Any) -> None:
        self._tasks.add(asyncio.create_task(work))

    async def _forward(self, row: Any, params: Any, _: object, timeout_s: float = 0.0) -> Any:
        self.requests.append((row.action, params))
        if row.action in ("take_control", "release_control") and not self.conflict:
            self.holder = params.holder if row.action == "take_control" else ""
        if row.action == "take_control" and self.conflict:
            raise SaintError(Code.CONFLICT, self.conflict)
        if row.action != "estop":
            return None
        self.stop(params.source, params.reason)
        return EStopInfo(active=True, generation=self.estop.generation, source=params.source)

    async def _request(self, *_: object, timeout_s: float = 0.0) -> Any:
        return SimpleNamespace(masters=[SimpleNamespace(target=TARGET, holder=self.holder)])
