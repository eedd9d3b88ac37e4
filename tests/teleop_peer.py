"""A peer of remote operation, typed from the document of the data channels with plain aiortc: none
of the product's own code packs or reads its messages.
"""

import asyncio
import contextlib
import json
import struct
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from aiortc import RTCConfiguration, RTCPeerConnection, RTCSessionDescription
from aiortc.mediastreams import MediaStreamError, MediaStreamTrack

from tests.waiting import every, until

COMMAND = struct.Struct("<BfffBBB")
DAMP, STAND, MOVE = range(3)
STATE_BYTES = 144
LIMIT_S = 20.0
Request = Callable[..., Awaitable[dict[str, Any]]]  # action, parameters -> the reply's data


class TeleopPeer:
    """One session. `request` sends signalling: connect, renew, ... `is_page`: it opens no more
    channels than the product's page does.
    """

    def __init__(self, request: Request, *, is_page: bool = False) -> None:
        self.request = request
        self.session = ""
        self.reports: list[dict[str, Any]] = []
        self.states: list[bytes] = []
        self.frames: list[Any] = []
        self.sounds: list[Any] = []
        self.is_talking = False
        self.sound = ""  # the place whose microphone it names
        self.answers = False  # says which report has arrived
        self.picture_ms: float | None = None  # what it names as the age of its picture
        self._report_s = 0.0
        self._last: dict[str, Any] = {}
        self._pc = RTCPeerConnection(RTCConfiguration(iceServers=[]))
        make = self._pc.createDataChannel
        if not is_page:
            self.commands = make("commands")
            self.state = make("state", ordered=False, maxRetransmits=0)
            self.state.on("message", self.states.append)
        self.fields = make("fields", ordered=False, maxRetransmits=0)
        self.fields.on("message", self._on_report)
        self._pc.on("track", self._on_track)
        self._readers: list[asyncio.Task[None]] = []
        self._sequence = 0

    async def connect(
        self, *, wants_control: bool, video: bool = False, says: MediaStreamTrack | None = None,
        replaces: str = "",
    ) -> None:  # fmt: skip
        """Offer, answer, and wait until the channels are open."""
        if video:
            self._pc.addTransceiver("video", direction="recvonly")
        if says is not None:
            self._pc.addTrack(says)
        await self._pc.setLocalDescription(await self._pc.createOffer())
        reply = await self.request(
            "connect", sdp=self._pc.localDescription.sdp, wants_control=wants_control,
            replaces=replaces,
        )  # fmt: skip
        self.session = reply["session"]
        answer = RTCSessionDescription(reply["sdp"], "answer")
        await self._pc.setRemoteDescription(answer)
        await self.until(lambda: self.fields.readyState == "open")

    def command(
        self, vx: float = 0.0, vyaw: float = 0.0, *, mode: int = MOVE, stop: int = 0
    ) -> None:
        """Send TeleopCommand_S, enabled."""
        self.commands.send(COMMAND.pack(mode, vx, 0.0, vyaw, 0, 1, stop))

    def send(self, **targets: dict[str, float]) -> None:
        """Send the named form; without targets it is a heartbeat."""
        self.fields.send(self.text(**targets))

    async def release(self) -> None:
        """Release the control for as long as it takes before something may move."""
        async for _ in every(0.05, times=13):
            self.send()

    def text(self, **targets: dict[str, float]) -> str:
        """Return the next message of the named form."""
        self._sequence += 1
        message: dict[str, Any] = {"v": 1, "seq": self._sequence, "t": time.monotonic() * 1000}
        if self.answers and self.reports:
            held_ms = (time.monotonic() - self._report_s) * 1000
            message |= {"ack": self.reports[-1]["seq"], "ack_ms": held_ms}
            if self.picture_ms is not None:
                message |= {"picture_ms": self.picture_ms}
        if self.is_talking:
            message |= {"talk": True}
        if self.sound:
            message |= {"sound": self.sound}
        return json.dumps(message | ({"targets": targets} if targets else {}))

    @contextlib.asynccontextmanager
    async def commanding(self, vx: float = 0.0, *, mode: int = MOVE) -> AsyncIterator[None]:
        """The same with TeleopCommand_S."""

        async def command() -> None:
            async for _ in every(0.02):
                self.command(vx, mode=mode)

        task = asyncio.create_task(command())
        try:
            yield
        finally:
            task.cancel()

    @contextlib.asynccontextmanager
    async def beating(self, **targets: dict[str, float]) -> AsyncIterator[None]:
        """The input loop: 50 messages per second meanwhile."""

        async def beat() -> None:
            async for _ in every(0.02):
                self.send(**targets)

        task = asyncio.create_task(beat())
        try:
            yield
        finally:
            task.cancel()

    async def until(self, condition: Callable[[], object], limit_s: float = LIMIT_S) -> None:
        await until(condition, limit_s)

    async def report(self, is_it: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
        """The first report from now on that is the one wanted."""
        begin = len(self.reports)
        await self.until(lambda: any(map(is_it, self.reports[begin:])))
        return next(filter(is_it, self.reports[begin:]))

    async def close(self) -> None:
        for each in self._readers:
            each.cancel()
        await self._pc.close()

    def _on_report(self, text: str) -> None:
        self._last = self._last | json.loads(text)  # a sign of life has the first fields only
        if "seat" in self._last:
            self.reports.append(self._last)
        self._report_s = time.monotonic()

    def _on_track(self, track: Any) -> None:
        async def read() -> None:
            with contextlib.suppress(MediaStreamError):
                while True:
                    (self.frames if track.kind == "video" else self.sounds).append(
                        await track.recv()
                    )

        self._readers.append(asyncio.create_task(read()))


@contextlib.asynccontextmanager
async def teleop_peer(
    request: Request,
    *,
    wants_control: bool = True,
    video: bool = False,
    says: MediaStreamTrack | None = None,
    replaces: str = "",
) -> AsyncIterator[TeleopPeer]:
    """A connected peer."""
    peer = TeleopPeer(request)
    try:
        await peer.connect(wants_control=wants_control, video=video, says=says, replaces=replaces)
        yield peer
    finally:
        await peer.close()
