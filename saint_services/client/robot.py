"""The robot as its parts: what a program says to it and hears from it, typed. What has no method of
its own goes through `request`. Not here: the connection (connection.py).
"""

import re
import ssl
from collections.abc import AsyncIterator, Mapping, Sequence
from types import TracebackType
from typing import Any, Literal, Self, TypeVar

from pydantic import BaseModel

from ..lib.api import Reply
from ..lib.api.adoption import NodeList
from ..lib.api.routing import EStopInfo, RouteList, RouterStatus
from ..lib.api.states import STATES, LatchState, SystemState
from ..lib.errors import Code, SaintError
from .connection import Access, Connection, Data
from .driving import Stream

S = TypeVar("S", bound=Reply)
M = TypeVar("M", bound=BaseModel)

_TOPICS = {model: topic for topic, model in STATES.items()}
_SCHEMES = {"http": "ws", "https": "wss"}


class Head:
    """Pan, tilt, roll, eyes in degrees; the jaw from 0 to 1."""

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
        """The named axes go there; `speed` from 0 to 1 is a share of their top speed."""
        wanted = {
            "pan": pan, "tilt": tilt, "roll": roll, "jaw": jaw, "eye_pan": eye_pan,
            "eye_tilt": eye_tilt, "speed": speed,
        }  # fmt: skip
        named = {name: value for name, value in wanted.items() if value is not None}
        await self._robot.request("head", "move", named)

    async def home(self) -> None:
        """All axes to neutral."""
        await self._robot.request("head", "home")


class Arm:
    """One arm."""

    def __init__(self, robot: "Robot", side: Literal["left", "right"]) -> None:
        self._robot = robot
        self._side = side

    async def move(self, positions: Sequence[float | None], speed: float | None = None) -> None:
        """Degrees, joint_0 first; None leaves a joint where it is."""
        params: Data = {"arm": self._side, "positions": list(positions)}
        await self._robot.request("arms", "move", params | ({"speed": speed} if speed else {}))

    async def grip(self, position: float) -> None:
        """0 is closed, 1 is open."""
        await self._robot.request("arms", "gripper", {"arm": self._side, "position": position})

    async def home(self) -> None:
        """All joints to neutral."""
        await self._robot.request("arms", "home", {"arm": self._side})


class Tracks:
    """The drive."""

    def __init__(self, robot: "Robot", connection: Connection) -> None:
        self._robot = robot
        self._connection = connection

    def drive(self) -> Stream:
        """Metres and radians a second, for as long as the program says so."""
        return Stream(self._connection, "tracks", {"linear": 0.0, "angular": 0.0})

    async def stop(self) -> None:
        """Zero velocity. That is no e-stop: another source may drive on."""
        await self._robot.request("tracks", "stop")


class Robot:
    """`async with Robot("http://saint.local", token="...") as robot: ...`"""

    def __init__(
        self,
        url: str,
        *,
        token: str = "",
        name: str = "program",
        tls: ssl.SSLContext | None = None,
    ) -> None:
        """`name` is how the robot calls this program: routes see it as websocket:<name>."""
        self._connection = Connection(Access(_socket_url(url), token, name, tls))
        self.head = Head(self)
        self.left_arm, self.right_arm = Arm(self, "left"), Arm(self, "right")
        self.tracks = Tracks(self, self._connection)

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
        """Now; a break is mended by itself."""
        return self._connection.is_connected

    async def wait_connected(self, limit_s: float = 10.0) -> None:
        """After a break, until the robot is back."""
        await self._connection.wait_connected(limit_s)

    async def request(
        self, group: str, action: str, params: Mapping[str, Any] | None = None
    ) -> Data:
        """Any action of /api/v1/; raises SaintError as the robot words it."""
        return await self._connection.request(group, action, dict(params or {}))

    async def ask(
        self, reply: type[M], group: str, action: str, params: Mapping[str, Any] | None = None
    ) -> M:
        """The same, with the answer as its model (saint_services.lib.api)."""
        return reply.model_validate(await self.request(group, action, params))

    async def watch(self, state: type[S], rate_hz: float = 10.0) -> AsyncIterator[S]:
        """The states of a topic by its model: `async for tracks in robot.watch(TracksState)`.

        Only the newest counts: who is slow misses some. 0 Hz is every change.
        """
        topic = _TOPICS.get(state)
        if topic is None:
            known = ", ".join(model.__name__ for model in _TOPICS)
            raise TypeError(f"{state.__name__} is no state of a topic; there are {known}")
        feed = self._connection.feed(topic, rate_hz)
        async for data in feed:
            yield state.model_validate(data)

    async def estop(self, reason: str = "") -> EStopInfo:
        """Nothing moves from now on, whoever commands, until it is cleared."""
        return await self._latch({"enable": True, "reason": reason})

    async def estop_state(self) -> LatchState | None:
        """The e-stop with all its presses; None while the router is silent."""
        return SystemState.model_validate(await self.request("system", "status")).estop

    async def clear_estop(self, generation: int) -> EStopInfo:
        """Clear the e-stop whose presses were seen: `generation` is that of estop_state(). Refused
        when another press came since, and while a velocity input is not neutral.
        """
        return await self._latch({"enable": False, "generation": generation})

    async def _latch(self, params: Data) -> EStopInfo:
        return EStopInfo.model_validate((await self.request("system", "estop", params))["estop"])

    async def nodes(self) -> NodeList:
        """Who is on this robot, in which role."""
        return await self.ask(NodeList, "management", "list_nodes")

    async def routes(self) -> RouteList:
        """All routes."""
        return await self.ask(RouteList, "router", "list_routes")

    async def router(self) -> RouterStatus:
        """Each output with its reason, all sources, the latch."""
        return await self.ask(RouterStatus, "router", "get_status")


def _socket_url(url: str) -> str:
    found = re.fullmatch(r"(?:(https?|wss?)://)?([^/?#@\s]+)/?", url)
    if found is None:
        text = f"{url!r} is not the address of a robot"
        raise SaintError(Code.REQUEST_INVALID, text, fix="Write it like http://saint.local:8080.")
    scheme = found[1] or "ws"
    return f"{_SCHEMES.get(scheme, scheme)}://{found[2]}"
