"""One link: a WebSocket that this server opens to another one, and opens again with a growing pause
when it ends. Not here: what is said on it (conversation.py), which links there are (control.py).
"""

import asyncio
import random
from collections import deque
from urllib.parse import quote

import aiohttp

from ...lib import log
from ...lib.access.levels import Level
from ...lib.api.webd.links import LinkInfo, LinkSpec
from ...lib.clock import monotonic_s
from ...lib.role_config.model import RoleConfig
from ..accounts.access import Identity
from ..actions.act import Caller
from ..api import stopping
from .conversation import SOURCE, PeerKind, RemoteConversation, RemoteShared
from .stops import StopExchange

FIRST_PAUSE_S = 0.5
LONGEST_PAUSE_S = 30.0
CONNECT_LIMIT_S = 5.0
PING_S = 2.0  # without any message; a dead connection ends after one and a half times that
STEADY_S = 5.0  # a connection that lasted so long makes the pause short again
LARGEST_BYTES = 64 * 1024
MOST_WAITING = 64  # messages; the oldest is dropped

_log = log.get("webd")


def pause_s(tries: int, share: float) -> float:
    """Return the pause before the next try: it doubles, and `share` (0 to 1) spreads it so that
    many robots do not return at the same moment.
    """
    longest = min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2.0 ** min(tries, 16))
    return longest * (0.5 + 0.5 * share)


def address_of(spec: LinkSpec) -> str:
    """Return the address of the WebSocket."""
    name = quote(spec.robot_id or spec.target, safe="")
    return f"{spec.url.rstrip('/')}/ws/{spec.kind}/{name}"


class LinkPeer:
    """The sending side: a bounded queue, so that a peer that does not read costs no memory."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._waiting: deque[str] = deque(maxlen=MOST_WAITING)
        self._has_some = asyncio.Event()
        self._ended = asyncio.Event()

    def send(self, text: str) -> None:
        """Send one message when those before it are sent."""
        self._waiting.append(text)
        self._has_some.set()

    def unsent_bytes(self) -> int:
        """Return the bytes that wait."""
        return sum(map(len, self._waiting))

    def end(self, reason: str) -> None:
        """Close the socket."""
        self._ended.set()
        self._has_some.set()

    async def run(self) -> None:
        """Send until the connection ends."""
        while not self._ended.is_set():
            await self._has_some.wait()
            self._has_some.clear()
            while self._waiting:
                await self._socket.send_str(self._waiting.popleft())
        await self._socket.close()


class Link:
    """A link while it exists."""

    def __init__(
        self, spec: LinkSpec, role: RoleConfig, shared: RemoteShared, stops: StopExchange,
        http: aiohttp.ClientSession,
    ) -> None:  # fmt: skip
        self.spec = spec
        self.conversation: RemoteConversation | None = None
        self.problem = "not connected yet"
        self.tries = 0
        self._role = role
        self._shared = shared
        self._stops = stops
        self._http = http

    async def run(self) -> None:
        """Stay connected until cancelled."""
        while True:
            begun_s = monotonic_s()
            try:
                await self._connect()
                self.problem = "the other server closed the connection"
            except (aiohttp.ClientError, TimeoutError, OSError, ValueError) as err:
                self.problem = _reason(err)
            if self.tries == 0 or monotonic_s() - begun_s >= STEADY_S:
                self.tries = 0
                _log.warning("link ended", link=self.spec.link, reason=self.problem)
            wait_s = pause_s(self.tries, random.random())
            self.tries += 1
            await asyncio.sleep(wait_s)

    async def _connect(self) -> None:
        headers = {"Authorization": f"Bearer {self.spec.token}"} if self.spec.token else {}
        async with asyncio.timeout(CONNECT_LIMIT_S):
            socket = await self._http.ws_connect(
                address_of(self.spec), headers=headers, heartbeat=PING_S,
                max_msg_size=LARGEST_BYTES, autoclose=True,
            )  # fmt: skip
        peer = LinkPeer(socket)
        conversation = self._begin(peer)
        self.problem = ""
        sending = asyncio.create_task(peer.run())
        try:
            async for message in socket:
                if message.type is aiohttp.WSMsgType.TEXT:
                    conversation.receive(message.data)
                elif message.type is aiohttp.WSMsgType.BINARY:
                    conversation.receive(_of_binary(message.data))
        finally:
            self.conversation = None
            conversation.close()
            sending.cancel()
            await asyncio.gather(sending, return_exceptions=True)
            await socket.close()

    def _begin(self, peer: LinkPeer) -> RemoteConversation:
        spec, leads = self.spec, self.spec.kind == "slave"
        kind = PeerKind(leads=leads, is_link=True, reports=not leads)
        identity = Identity(f"link {spec.link}", Level.OPERATOR, "token")
        name = self._shared.free_name(spec.link)
        caller = Caller(SOURCE + name, identity, spec.url)
        robot_id = spec.robot_id or spec.target
        made = RemoteConversation(self._shared, kind, self._role, caller, peer, robot_id)
        self.conversation = made
        self._stops.joined(made)
        _log.info("link connected", link=spec.link)
        return made

    def info(self) -> LinkInfo:
        """Describe the link, for users: without its token."""
        spec, conversation = self.spec, self.conversation
        return LinkInfo(
            name=spec.link,
            kind=spec.kind,
            url=spec.url,
            target=spec.target,
            robot_id=spec.robot_id or spec.target,
            has_token=bool(spec.token),
            is_connected=conversation is not None,
            tries=self.tries,
            problem=self.problem,
            connection=conversation.info() if conversation else None,
        )


def _of_binary(payload: bytes) -> str:
    """Return the stop for bytes that name it, and for others a text that is refused."""
    return stopping.ACTION if stopping.is_named(payload.decode(errors="replace")) else ""


def _reason(error: Exception) -> str:
    if isinstance(error, aiohttp.WSServerHandshakeError):
        return f"the other server refused the connection: {error.status} {error.message}"[:200]
    if isinstance(error, TimeoutError):
        return f"no answer within {CONNECT_LIMIT_S:g} s"
    return str(error)[:200] or type(error).__name__
