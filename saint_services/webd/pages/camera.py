"""GET /api/camera: the head's camera as a stream of pictures (MJPEG). Each viewer gets the newest
picture when it can receive one; the topic is subscribed only while there are viewers. Not here:
switching the camera (actions/motion.py).
"""

import asyncio
from collections.abc import Sequence

from aiohttp import web

from ...lib.access.levels import Level
from ...lib.bus import Bus, Sample, Subscription
from ...lib.errors import Code, SaintError
from ...lib.generated import topics
from ...lib.generated.sensor_msgs import CompressedImage
from ..accounts.gate import Gate
from ..server.handlers import RequestHandlers

MOST_VIEWERS = 4  # each costs the picture's bytes once more
CHECK_S = 1.0  # without pictures, so often the connection of a viewer is checked
SILENCE_S = 15.0
WRITE_LIMIT_S = 5.0  # for one picture; on a slower network the stream ends
_BOUNDARY = "picture"
_TYPES = {"png": "image/png", "jpeg": "image/jpeg", "jpg": "image/jpeg"}


class CameraStream(RequestHandlers):
    """Sends the pictures to the viewers; holds the newest one."""

    def __init__(self, gate: Gate, bus: Bus) -> None:
        self._gate = gate
        self._bus = bus
        self._viewers: set[asyncio.Event] = set()
        self._subscription: Subscription | None = None
        self._newest = b""  # a whole part, ready to be written

    def routes(self) -> Sequence[web.RouteDef]:
        return [web.get("/api/camera", self.stream)]

    async def close(self) -> None:
        """End the stream of all viewers."""
        self._viewers.clear()
        self._unsubscribe()

    async def stream(self, request: web.Request) -> web.StreamResponse:
        """Send pictures until the viewer disconnects, or none has arrived for a while."""
        self._gate.admit(request, Level.VIEWER)
        if len(self._viewers) >= MOST_VIEWERS:
            text = f"{MOST_VIEWERS} viewers already watch the camera"
            raise SaintError(Code.REFUSED, text, fix="Close one of them.")
        kind = f"multipart/x-mixed-replace; boundary={_BOUNDARY}"
        answer = web.StreamResponse(headers={"Content-Type": kind})
        has_new = asyncio.Event()
        self._viewers.add(has_new)
        try:
            await answer.prepare(request)
            await answer.write(f"--{_BOUNDARY}\r\n".encode())
            self._subscribe()
            await self._show(request, answer, has_new)
        except (ConnectionError, TimeoutError):
            pass  # disconnected or too slow: no reply reaches the viewer
        finally:
            self._viewers.discard(has_new)
            if not self._viewers:
                self._unsubscribe()
        return answer

    async def _show(
        self, request: web.Request, answer: web.StreamResponse, has_new: asyncio.Event
    ) -> None:
        silent_s = 0.0
        while request.transport is not None and silent_s < SILENCE_S:
            try:
                async with asyncio.timeout(CHECK_S):
                    await has_new.wait()
            except TimeoutError:
                silent_s += CHECK_S
                continue
            silent_s = 0.0
            has_new.clear()
            async with asyncio.timeout(WRITE_LIMIT_S):
                await answer.write(self._newest)

    def _subscribe(self) -> None:
        if self._subscription is None:
            self._subscription = self._bus.subscribe(topics.HEAD_CAMERA, self._store)

    def _unsubscribe(self) -> None:
        if self._subscription is not None:
            self._subscription.close()
        self._subscription, self._newest = None, b""

    def _store(self, sample: Sample[CompressedImage]) -> None:
        picture = sample.message
        kind = next((t for word, t in _TYPES.items() if word in picture.format), None)
        if kind is None or not picture.data:
            return
        head = f"Content-Type: {kind}\r\nContent-Length: {len(picture.data)}\r\n\r\n"
        # The boundary at the end, not at the beginning: browsers show a part when they see it.
        self._newest = b"%b%b\r\n--%b\r\n" % (head.encode(), picture.data, _BOUNDARY.encode())
        for has_new in self._viewers:
            has_new.set()
