"""The typed client of a robot: methods for head, arms, base, e-stop and states; `call` and
`request` for every other action. Not here: the connection (connection.py).
"""

import os
import re
import ssl
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self, TypeVar

from pydantic import BaseModel, ValidationError

from ..lib.api import Reply, adoption, routing
from ..lib.api.adoption import NodeList
from ..lib.api.endpoint import Endpoint
from ..lib.api.routing import EStopInfo, RouteList, RouterStatus
from ..lib.api.states import STATES, LatchState
from ..lib.api.webd import motion, system
from ..lib.config.validation import faults
from ..lib.errors import Code, SaintError
from ..lib.role_config import base
from .arm_stream import ArmStream
from .connection import Data, RobotAccess, RobotConnection
from .drive_stream import DriveStream
from .pose import ArmPose

S = TypeVar("S", bound=Reply)
P = TypeVar("P", bound=BaseModel)
R = TypeVar("R", bound=BaseModel)

_TOPICS = {model: topic for topic, model in STATES.items()}
_SCHEMES = {"http": "ws", "https": "wss"}


class Head:
    """The head: pan, tilt, roll and eyes in degrees, the jaw from 0 to 1."""

    def __init__(self, robot: "Robot") -> None:
        self._robot = robot

    async def move(
        self,
        *,
        pan: float | None = None,
        tilt: float | None = None,
        roll: float | None = None,
        jaw: float | None = None,
        eye_pan: float | None = None,
        eye_tilt: float | None = None,
        speed: float | None = None,
    ) -> None:
        """Move the named axes; `speed` from 0 to 1 is a share of their top speed."""
        axes = {
            "pan": pan, "tilt": tilt, "roll": roll, "jaw": jaw, "eye_pan": eye_pan,
            "eye_tilt": eye_tilt, "speed": speed,
        }  # fmt: skip
        named = {name: value for name, value in axes.items() if value is not None}
        await self._robot.call(motion.HEAD_MOVE, **named)

    async def home(self) -> None:
        """Move all axes to neutral."""
        await self._robot.call(motion.HEAD_HOME)


class Arm:
    """An arm."""

    def __init__(self, robot: "Robot", side: Literal["left", "right"]) -> None:
        self._robot = robot
        self._side = side

    async def move(self, positions: Sequence[float | None], speed: float | None = None) -> None:
        """Move joints to these degrees, joint_0 first; None leaves a joint as it is."""
        given = {"speed": speed} if speed else {}
        await self._robot.call(motion.ARM_MOVE, arm=self._side, positions=list(positions), **given)

    async def grip(self, position: float) -> None:
        """Move the gripper: 0 is closed, 1 is open."""
        await self._robot.call(motion.GRIPPER, arm=self._side, position=position)

    async def home(self) -> None:
        """Move all joints to neutral."""
        await self._robot.call(motion.ARM_HOME, arm=self._side)


class NamedParts:
    """Fields of any target by name, each in its unit."""

    def __init__(self, robot: "Robot") -> None:
        self._robot = robot

    async def set(self, target: str, values: Mapping[str, float]) -> None:
        """Set fields. Positions and lights are held, a velocity or switch counts for 300 ms."""
        await self._robot.call(motion.PARTS_SET, target=target, values=dict(values))

    async def home(self, target: str) -> None:
        """Move all positions of a target to neutral."""
        await self._robot.call(motion.PARTS_HOME, target=target)


_AT_REST = {base.LINEAR: 0.0, base.ANGULAR: 0.0}


class Base:
    """What drives the robot over the ground: tracks or a wagon."""

    def __init__(self, robot: "Robot", connection: RobotConnection) -> None:
        self._robot = robot
        self._connection = connection

    def drive(self) -> DriveStream:
        """Return a stream of velocities (m/s, rad/s) that hold while the program renews them."""
        return DriveStream(self._connection, self._target, _AT_REST)

    async def stop(self) -> None:
        """Request zero velocity. This is no e-stop: other sources may keep driving."""
        await self._robot.call(motion.STOP_BASE)

    async def _target(self) -> str:
        found = (await self._robot.call(system.DESCRIBE)).base
        if not found:
            raise SaintError(Code.NOT_FOUND, "this robot has no base that drives")
        return found


class Tracks:
    """The tracks."""

    def __init__(self, robot: "Robot", connection: RobotConnection) -> None:
        self._robot = robot
        self._connection = connection

    def drive(self) -> DriveStream:
        """Return a stream of velocities (m/s, rad/s) that hold while the program renews them."""
        return DriveStream(self._connection, "tracks", _AT_REST)

    async def stop(self) -> None:
        """Request zero velocity. This is no e-stop: other sources may keep driving."""
        await self._robot.call(motion.STOP_TRACKS)


class Robot:
    """A connection to a robot.

    async with Robot("http://saint-server.local", token="...") as robot:
    """

    def __init__(
        self,
        url: str,
        *,
        token: str = "",
        name: str = "program",
        tls: ssl.SSLContext | None = None,
    ) -> None:
        """Prepare a connection. Routes see this program as the source websocket:<name>."""
        self._connection = RobotConnection(RobotAccess(socket_url(url), token, name, tls))
        self.head = Head(self)
        self.left_arm, self.right_arm = Arm(self, "left"), Arm(self, "right")
        self.tracks = Tracks(self, self._connection)
        self.base = Base(self, self._connection)
        self.parts = NamedParts(self)

    @classmethod
    def from_environment(cls, *, name: str = "") -> Self:
        """Prepare the connection of a program that the robot starts (SAINT_TOKEN_FILE, set by
        saint-program@.service), or that a person starts (SAINT_SERVER, SAINT_TOKEN).
        """
        file = os.environ.get("SAINT_TOKEN_FILE", "")
        token = Path(file).read_text(encoding="ascii").strip() if file else ""
        return cls(
            os.environ.get("SAINT_SERVER", "http://saint-server.local"),
            token=token or os.environ.get("SAINT_TOKEN", ""),
            name=name or os.environ.get("SAINT_PROGRAM", "program"),
        )

    async def __aenter__(self) -> Self:
        await self._connection.open()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._connection.close()

    @property
    def is_connected(self) -> bool:
        """True while the connection is up; a lost connection is restored automatically."""
        return self._connection.is_connected

    async def wait_connected(self, limit_s: float = 10.0) -> None:
        """Wait until the connection is up. Raises daemon_unreachable after `limit_s`."""
        await self._connection.wait_connected(limit_s)

    async def request(
        self, group: str, action: str, params: Mapping[str, Any] | None = None
    ) -> Data:
        """Request an action of /api/v1/. Raises the SaintError that the robot replies with."""
        return await self._connection.request(group, action, dict(params or {}))

    async def call(self, row: Endpoint[P, R], **params: Any) -> R:
        """Request the action of a row of saint_services.lib.api: `call(adoption.LIST_NODES)`.
        Raises the SaintError that the robot replies with, request_invalid for wrong parameters.
        """
        try:
            given = row.params.model_validate(params)
        except ValidationError as err:
            text = str(faults(err, row.params, params, noun="parameter")[0])
            raise SaintError(Code.REQUEST_INVALID, f"{row.name}: {text}") from err
        data = given.model_dump(mode="json", by_alias=True, exclude_unset=True)
        return row.reply.model_validate(await self.request(row.group, row.action, data))

    async def watch(self, state: type[S], rate_hz: float = 10.0) -> AsyncIterator[S]:
        """Yield the states of a topic by its model: `async for state in robot.watch(TracksState)`.

        A slow consumer gets only the newest state. 0 Hz yields every change.
        """
        topic = _TOPICS.get(state)
        if topic is None:
            known = ", ".join(model.__name__ for model in _TOPICS)
            raise TypeError(f"{state.__name__} is no state of a topic; the states are {known}")
        feed = self._connection.feed(topic, rate_hz)
        async for data in feed:
            yield state.model_validate(data)

    def pose(self, target: str) -> ArmPose:
        """Return where an arm or a leader arm ("leader.hand") is, for `async with`."""
        return ArmPose(self.watch, target)

    def arm(self, target: str, *, takes_over: bool = False) -> ArmStream:
        """Return a stream that moves an arm under its lock; `takes_over` takes it from others."""
        return ArmStream(self.call, self.watch, self._connection, target, takes_over=takes_over)

    async def estop(self, reason: str = "") -> EStopInfo:
        """Set the e-stop: no source moves the robot until it is cleared."""
        return (await self.call(system.ESTOP, enable=True, reason=reason)).estop

    async def estop_state(self) -> LatchState | None:
        """Return the e-stop with all its presses; None while the router does not answer."""
        return (await self.call(system.STATUS)).estop

    async def clear_estop(self, generation: int) -> EStopInfo:
        """Clear the e-stop with the presses of this `generation` (see estop_state). Refused when
        another press came since, and while a velocity input is not neutral.
        """
        return (await self.call(system.ESTOP, enable=False, generation=generation)).estop

    async def nodes(self) -> NodeList:
        """Return the nodes of the robot and their roles."""
        return await self.call(adoption.LIST_NODES)

    async def routes(self) -> RouteList:
        """Return all routes."""
        return await self.call(routing.LIST_ROUTES)

    async def router(self) -> RouterStatus:
        """Return the outputs with their reasons, the sources and the e-stop."""
        return await self.call(routing.GET_STATUS)


def socket_url(url: str) -> str:
    """Return the WebSocket's address of a robot. Raises request_invalid."""
    found = re.fullmatch(r"(?:(https?|wss?)://)?([^/?#@\s]+)/?", url)
    if found is None:
        text = f"{url!r} is not the address of a robot"
        raise SaintError(
            Code.REQUEST_INVALID, text, fix="Write it like http://saint-server.local:8080."
        )
    scheme = found[1] or "ws"
    return f"{_SCHEMES.get(scheme, scheme)}://{found[2]}"
