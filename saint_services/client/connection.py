"""A WebSocket to webd that reconnects automatically: requests with their replies, the newest state
of each topic. Not here: actions (robot.py), driving (drive_stream.py).
"""

import asyncio
import contextlib
import itertools
import ssl
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import aiohttp
import orjson

from ..lib.errors import Code, SaintError
from ..lib.ipc.wire import ErrorReply

Data = dict[str, Any]

FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.2, 5.0
CONNECT_LIMIT_S = 5.0
ANSWER_LIMIT_S = 40.0  # an adoption waits for its node
SEND_LIMIT_S = 0.3  # as long as a motion command holds
HEARTBEAT_S = 2.0
_LARGEST_BYTES = 16 << 20


@dataclass(frozen=True, slots=True)
class RobotAccess:
    """Address of the robot, and the identity of this program."""

    url: str  # ws://saint-server.local:9090, wss://...
    token: str = field(default="", repr=False)
    name: str = "program"  # its samples are "websocket:<name>"
    tls: ssl.SSLContext | None = field(default=None, repr=False)


class TopicFeed:
    """The newest state of a topic; a state that was not read in time is replaced."""

    def __init__(self, rate_hz: float) -> None:
        self.rate_hz = rate_hz
        self._newest: Data | None = None
        self._is_new = asyncio.Event()

    def put(self, data: Data) -> None:
        self._newest = data
        self._is_new.set()

    async def get(self) -> Data:
        """Wait for the next state."""
        await self._is_new.wait()
        self._is_new.clear()
        assert self._newest is not None
        return self._newest


class RobotConnection:
    """The WebSocket between `open` and `close`; requests raise at once while it is down."""

    def __init__(self, access: RobotAccess) -> None:
        self._access = access
        self._ids = itertools.count(1)
        self._pending: dict[int, asyncio.Future[Data]] = {}
        self._feeds: dict[str, set[TopicFeed]] = {}
        self._socket: aiohttp.ClientWebSocketResponse | None = None
        self._work: asyncio.Task[None] | None = None
        self._is_open = asyncio.Event()
        self.refusal: SaintError | None = None  # of the newest message that had no id
        self.client_id = access.name  # as the robot knows this program: a taken name gets a number

    @property
    def is_connected(self) -> bool:
        return self._is_open.is_set()

    async def open(self) -> None:
        """Connect. Raises the error of the first attempt; after later losses it only reconnects."""
        first: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._work = asyncio.create_task(self._reconnect(first), name="saint client")
        async with contextlib.AsyncExitStack() as undoing:  # also after a cancellation
            undoing.push_async_callback(self.close)
            await first
            undoing.pop_all()

    async def close(self) -> None:
        """Disconnect; the robot releases what this client commanded."""
        if self._work is not None:
            self._work.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._work

    async def wait_connected(self, limit_s: float) -> None:
        """Wait until the connection is up. Raises daemon_unreachable after `limit_s`."""
        try:
            async with asyncio.timeout(limit_s):
                await self._is_open.wait()
        except TimeoutError as err:
            raise self._unreachable(f"did not reconnect within {limit_s:g} s") from err

    async def request(
        self, group: str, action: str, params: Data, limit_s: float = ANSWER_LIMIT_S
    ) -> Data:
        """Request an action and return the data of its reply. Raises the robot's refusal."""
        if not self.is_connected:
            raise self._unreachable("is not connected")
        return await self._exchange({"type": group, "action": action, "params": params}, limit_s)

    async def send(self, message: Data) -> None:
        """Send a message that has no reply. Raises daemon_unreachable while disconnected."""
        if not self.is_connected:
            raise self._unreachable("is not connected")
        await self._write(message)

    async def _write(self, message: Data) -> None:
        """Send within 0.3 s: late motion commands are worse than none."""
        socket = self._socket
        if socket is None:
            raise self._unreachable("is not connected")
        try:
            async with asyncio.timeout(SEND_LIMIT_S):
                await socket.send_str(orjson.dumps(message).decode())
        except (aiohttp.ClientError, OSError, TimeoutError) as err:
            raise self._unreachable("accepts no messages") from err

    async def feed(self, topic: str, rate_hz: float) -> AsyncIterator[Data]:
        """Yield every newer state of a topic, also across reconnects."""
        feed = TopicFeed(rate_hz)
        self._feeds.setdefault(topic, set()).add(feed)
        try:
            if self.is_connected:  # else at the next sign-in
                await self._subscribe(topic)
            while True:
                yield await feed.get()
        finally:
            self._feeds[topic].discard(feed)
            if not self._feeds[topic]:
                del self._feeds[topic]
                with contextlib.suppress(SaintError):
                    await self.send({"type": "unsubscribe", "topics": [topic]})

    async def _subscribe(self, topic: str) -> None:
        """Subscribe at the highest rate of all feeds."""
        rates = [feed.rate_hz for feed in self._feeds[topic]]
        rate_hz = 0.0 if 0.0 in rates else max(rates)
        message = {"type": "subscribe", "topics": [topic], "rate_hz": rate_hz}
        await self._exchange(message, ANSWER_LIMIT_S)

    async def _exchange(self, message: Data, limit_s: float) -> Data:
        message_id = next(self._ids)
        answer: asyncio.Future[Data] = asyncio.get_running_loop().create_future()
        self._pending[message_id] = answer
        try:
            await self._write({"id": message_id, **message})
            async with asyncio.timeout(limit_s):
                return await answer
        except TimeoutError as err:
            raise self._unreachable(f"did not answer within {limit_s:g} s") from err
        finally:
            self._pending.pop(message_id, None)

    async def _reconnect(self, first: "asyncio.Future[None]") -> None:
        """Connect and reconnect, with growing pauses."""
        pause_s = FIRST_PAUSE_S
        async with aiohttp.ClientSession() as session:
            while True:
                try:
                    await self._run(session, first)
                    pause_s = FIRST_PAUSE_S
                except (aiohttp.ClientError, OSError, TimeoutError) as err:
                    if not first.done():
                        first.set_exception(self._unreachable(f"does not answer: {_reason(err)}"))
                        return
                except SaintError as err:
                    if not first.done():
                        first.set_exception(err)
                        return
                    self.refusal = err
                    if err.code in (Code.UNAUTHORIZED, Code.FORBIDDEN):
                        return  # a wrong token stays wrong
                finally:
                    self._disconnected()
                await asyncio.sleep(pause_s)
                pause_s = min(LONGEST_PAUSE_S, pause_s * 2)

    async def _run(self, session: aiohttp.ClientSession, first: "asyncio.Future[None]") -> None:
        """Run one connection, from sign-in to its end."""
        url = f"{self._access.url.rstrip('/')}/api/ws"
        async with asyncio.timeout(CONNECT_LIMIT_S):
            opened = await session.ws_connect(
                url,
                ssl=self._access.tls or True,
                heartbeat=HEARTBEAT_S,
                max_msg_size=_LARGEST_BYTES,
            )
        async with opened as socket:
            reading = asyncio.create_task(self._read(socket))
            try:
                self._socket = socket
                await self._sign_in()
                self._is_open.set()
                if not first.done():
                    first.set_result(None)
                await reading
            finally:
                reading.cancel()

    async def _sign_in(self) -> None:
        """Authenticate and renew all subscriptions."""
        hello = {"type": "auth", "token": self._access.token, "client_id": self._access.name}
        greeting = await self._exchange(hello, CONNECT_LIMIT_S)
        self.client_id = str(greeting.get("client_id", self._access.name))
        for topic in tuple(self._feeds):
            await self._subscribe(topic)

    async def _read(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        async for message in socket:
            if message.type is aiohttp.WSMsgType.TEXT:
                self._receive(orjson.loads(message.data))

    def _receive(self, message: Data) -> None:
        if message["type"] == "state":
            for feed in self._feeds.get(message["node"], ()):
                feed.put(message["data"])
            return
        is_ok = message.get("status") == "ok"
        error = None if is_ok else ErrorReply.model_validate(message["error"]).error()
        answer = self._pending.get(message.get("id", 0))
        if answer is None or answer.done():
            self.refusal = error or self.refusal
        elif error is None:
            answer.set_result(message.get("data", {}))
        else:
            answer.set_exception(error)

    def _disconnected(self) -> None:
        self._is_open.clear()
        self._socket = None
        for answer in self._pending.values():
            if not answer.done():
                answer.set_exception(self._unreachable("was lost during the request"))

    def _unreachable(self, what: str) -> SaintError:
        text = f"the robot at {self._access.url} {what}"
        return SaintError(
            Code.DAEMON_UNREACHABLE,
            text,
            fix="Check that the robot is on and the address is right.",
        )


def _reason(error: Exception) -> str:
    return str(error) or type(error).__name__
