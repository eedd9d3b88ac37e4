"""One WebSocket to webd that comes back by itself: requests with their answers, the newest state of
each topic. Not here: what is asked (robot.py), driving (driving.py).
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
class Access:
    """Where the robot is, and who asks."""

    url: str  # ws://saint.local:9090, wss://...
    token: str = field(default="", repr=False)
    name: str = "program"  # its samples are "websocket:<name>"
    tls: ssl.SSLContext | None = field(default=None, repr=False)


class Feed:
    """The newest state of one topic; what nobody took in time is replaced."""

    def __init__(self, rate_hz: float) -> None:
        self.rate_hz = rate_hz
        self._newest: Data | None = None
        self._is_new = asyncio.Event()

    def put(self, data: Data) -> None:
        """A newer one."""
        self._newest = data
        self._is_new.set()

    async def take(self) -> Data:
        """The next one."""
        await self._is_new.wait()
        self._is_new.clear()
        assert self._newest is not None
        return self._newest


class Connection:
    """Open between `open` and `close`; whatever is asked while it is broken raises at once."""

    def __init__(self, access: Access) -> None:
        self._access = access
        self._ids = itertools.count(1)
        self._asked: dict[int, asyncio.Future[Data]] = {}
        self._feeds: dict[str, set[Feed]] = {}
        self._socket: aiohttp.ClientWebSocketResponse | None = None
        self._work: asyncio.Task[None] | None = None
        self._is_open = asyncio.Event()
        self.refusal: SaintError | None = None  # of the newest message that had no id

    @property
    def is_connected(self) -> bool:
        """Now."""
        return self._is_open.is_set()

    async def open(self) -> None:
        """Raises what is wrong at the first try; later breaks are mended in silence."""
        first: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._work = asyncio.create_task(self._stay(first), name="saint client")
        async with contextlib.AsyncExitStack() as undoing:  # whoever cancels us too
            undoing.push_async_callback(self.close)
            await first
            undoing.pop_all()

    async def close(self) -> None:
        """The robot lets go of what this client commanded."""
        if self._work is not None:
            self._work.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._work

    async def wait_connected(self, limit_s: float) -> None:
        """Until it is back; raises daemon_unreachable when it takes longer."""
        try:
            async with asyncio.timeout(limit_s):
                await self._is_open.wait()
        except TimeoutError as err:
            raise self._away(f"was not back within {limit_s:g} s") from err

    async def request(
        self, group: str, action: str, params: Data, limit_s: float = ANSWER_LIMIT_S
    ) -> Data:
        """The data of an action's answer; raises the robot's refusal."""
        if not self.is_connected:
            raise self._away("is not connected")
        return await self._ask({"type": group, "action": action, "params": params}, limit_s)

    async def send(self, message: Data) -> None:
        """Without an answer; raises at once when the robot is away."""
        if not self.is_connected:
            raise self._away("is not connected")
        await self._write(message)

    async def _write(self, message: Data) -> None:
        """Late motion commands are worse than none, so it waits for little."""
        socket = self._socket
        if socket is None:
            raise self._away("is not connected")
        try:
            async with asyncio.timeout(SEND_LIMIT_S):
                await socket.send_str(orjson.dumps(message).decode())
        except (aiohttp.ClientError, OSError, TimeoutError) as err:
            raise self._away("takes no messages") from err

    async def feed(self, topic: str, rate_hz: float) -> AsyncIterator[Data]:
        """Every newer state of a topic, over breaks of the connection."""
        feed = Feed(rate_hz)
        self._feeds.setdefault(topic, set()).add(feed)
        try:
            if self.is_connected:  # else with the next greeting
                await self._subscribe(topic)
            while True:
                yield await feed.take()
        finally:
            self._feeds[topic].discard(feed)
            if not self._feeds[topic]:
                del self._feeds[topic]
                with contextlib.suppress(SaintError):
                    await self.send({"type": "unsubscribe", "topics": [topic]})

    async def _subscribe(self, topic: str) -> None:
        """At the highest rate that somebody wants."""
        rates = [feed.rate_hz for feed in self._feeds[topic]]
        rate_hz = 0.0 if 0.0 in rates else max(rates)
        message = {"type": "subscribe", "topics": [topic], "rate_hz": rate_hz}
        await self._ask(message, ANSWER_LIMIT_S)

    async def _ask(self, message: Data, limit_s: float) -> Data:
        message_id = next(self._ids)
        answer: asyncio.Future[Data] = asyncio.get_running_loop().create_future()
        self._asked[message_id] = answer
        try:
            await self._write({"id": message_id, **message})
            async with asyncio.timeout(limit_s):
                return await answer
        except TimeoutError as err:
            raise self._away(f"did not answer within {limit_s:g} s") from err
        finally:
            self._asked.pop(message_id, None)

    async def _stay(self, first: "asyncio.Future[None]") -> None:
        """Connects again and again, with growing pauses."""
        pause_s = FIRST_PAUSE_S
        async with aiohttp.ClientSession() as session:
            while True:
                try:
                    await self._live(session, first)
                    pause_s = FIRST_PAUSE_S
                except (aiohttp.ClientError, OSError, TimeoutError) as err:
                    if not first.done():
                        first.set_exception(self._away(f"does not answer: {_reason(err)}"))
                        return
                except SaintError as err:
                    if not first.done():
                        first.set_exception(err)
                        return
                    self.refusal = err
                    if err.code in (Code.UNAUTHORIZED, Code.FORBIDDEN):
                        return  # a token that is not right does not become so
                finally:
                    self._broken()
                await asyncio.sleep(pause_s)
                pause_s = min(LONGEST_PAUSE_S, pause_s * 2)

    async def _live(self, session: aiohttp.ClientSession, first: "asyncio.Future[None]") -> None:
        """One connection, from its greeting to its end."""
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
                await self._greet()
                self._is_open.set()
                if not first.done():
                    first.set_result(None)
                await reading
            finally:
                reading.cancel()

    async def _greet(self) -> None:
        """Who we are, and what was subscribed before."""
        hello = {"type": "auth", "token": self._access.token, "client_id": self._access.name}
        await self._ask(hello, CONNECT_LIMIT_S)
        for topic in tuple(self._feeds):
            await self._subscribe(topic)

    async def _read(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        async for message in socket:
            if message.type is aiohttp.WSMsgType.TEXT:
                self._take(orjson.loads(message.data))

    def _take(self, message: Data) -> None:
        if message["type"] == "state":
            for feed in self._feeds.get(message["node"], ()):
                feed.put(message["data"])
            return
        is_well = message.get("status") == "ok"
        error = None if is_well else ErrorReply.model_validate(message["error"]).error()
        answer = self._asked.get(message.get("id", 0))
        if answer is None or answer.done():
            self.refusal = error or self.refusal
        elif error is None:
            answer.set_result(message.get("data", {}))
        else:
            answer.set_exception(error)

    def _broken(self) -> None:
        self._is_open.clear()
        self._socket = None
        for answer in self._asked.values():
            if not answer.done():
                answer.set_exception(self._away("has gone while it was asked"))

    def _away(self, what: str) -> SaintError:
        text = f"the robot at {self._access.url} {what}"
        return SaintError(Code.DAEMON_UNREACHABLE, text, fix="Is it on, and is the address right?")


def _reason(error: Exception) -> str:
    return str(error) or type(error).__name__
