"""Gives the pictures of a camera to all that watch it: subscribed and encoded only while there are
any, each picture once. The newest picture counts; one that comes while another is encoded waits,
and replaces the one that waited. Not here: the encoder (picture.py), the tracks (peers.py).
"""

import asyncio
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Protocol

from ..lib.bus import Bus, Sample, Subscription, Topic
from ..lib.clock import monotonic_s, wall_s
from ..lib.generated import topics
from ..lib.generated.sensor_msgs import CompressedImage
from ..lib.role_config.model import RoleConfig
from ..lib.teleop.fields import PictureReport
from .picture import EncodedPicture, PictureEncoder, PictureError
from .rate import RateRule, VideoTarget

SILENT_S = 0.35  # without a new picture; the report follows within 0.1 s
# Viewers that lose much would make every picture a key picture, four times as large, for all.
KEY_PAUSE_S, _LONGEST_KEY_PAUSE_S = 0.4, 1.5
_KEY_SHARE = 0.25  # of the bit rate: on a narrow link key pictures alone would fill it
ENCODED, DROPPED, DAMAGED = "pictures_encoded", "pictures_dropped", "pictures_damaged"
SENT, BYTES = "pictures_sent", "picture_bytes"  # over all viewers


class Viewer(Protocol):
    """Receives the encoded pictures."""

    def put(self, picture: EncodedPicture) -> None: ...


class SharedCamera:
    """One camera and its viewers."""

    def __init__(
        self, name: str, topic: Topic[CompressedImage], bus: Bus, bitrate_kbps: int,
        counters: Counter[str],
    ) -> None:  # fmt: skip
        self.name = name
        self._topic = topic
        self._bus = bus
        self.rule = RateRule(bitrate_kbps)
        self._target = VideoTarget(bitrate_kbps)
        self._next_key_s = float("-inf")
        self._is_left_out = False
        self._counters = counters
        self._viewers: set[Viewer] = set()
        self._subscription: Subscription | None = None
        self._encoder: PictureEncoder | None = None
        # One for each: in turns of six, each thread would keep the memory of a picture of its own.
        self._thread = ThreadPoolExecutor(1)
        self._waiting: CompressedImage | None = None
        self._task: asyncio.Task[None] | None = None
        self._is_key_wanted = True
        self._number = 0
        self._newest_s = float("-inf")
        self._age_s: float | None = None

    def add(self, viewer: Viewer) -> None:
        """Send the pictures to a viewer too, from the next key picture on."""
        self._viewers.add(viewer)
        self.want_key()
        if self._subscription is None:
            self._encoder = PictureEncoder()
            self._thread = ThreadPoolExecutor(1, f"picture-{self.name}")
            self._subscription = self._bus.subscribe(self._topic, self._store)

    def remove(self, viewer: Viewer) -> None:
        """Send nothing more to a viewer; without viewers the camera is not read."""
        self._viewers.discard(viewer)
        if not self._viewers and self._subscription is not None:
            self._subscription.close()
            self._subscription = self._encoder = self._waiting = None
            self._thread.shutdown(wait=False)

    def want_key(self) -> None:
        """Make the next picture one that a viewer can begin with."""
        self._is_key_wanted = True

    def aim(self, target: VideoTarget) -> None:
        """Encode as this says, from the next picture on."""
        self._target = target

    def is_live(self, now_s: float) -> bool:
        """Return whether pictures come."""
        return now_s - self._newest_s <= SILENT_S

    def report(self, now_s: float) -> PictureReport:
        """Return whether pictures come, and how old the newest was when it was sent."""
        is_live = self.is_live(now_s)
        age_ms = round(self._age_s * 1000, 1) if is_live and self._age_s is not None else None
        return PictureReport(
            camera=self.name,
            state="live" if is_live else "none",
            age_ms=age_ms,
            number=self._number,
            kbps=round(self._target.kbps),
        )

    def _store(self, sample: Sample[CompressedImage]) -> None:
        self._is_left_out = self._target.is_half_rate and not self._is_left_out
        if self._is_left_out:
            return
        if self._waiting is not None:
            self._counters[DROPPED] += 1
        self._waiting = sample.message
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._work())

    async def _work(self) -> None:
        """Encode what waits, until nothing does."""
        try:
            while self._waiting is not None and self._encoder is not None:
                picture, self._waiting = self._waiting, None
                await self._encode(picture, self._encoder)
        finally:
            self._task = None

    async def _encode(self, picture: CompressedImage, encoder: PictureEncoder) -> None:
        stamp = picture.header.stamp
        capture_s = stamp.sec + stamp.nanosec / 1e9 or wall_s()
        is_key = self._is_key_wanted and monotonic_s() >= self._next_key_s
        self._is_key_wanted &= not is_key
        try:
            work = partial(encoder.encode, picture, capture_s, self._target, is_key=is_key)
            encoded = await asyncio.get_running_loop().run_in_executor(self._thread, work)
        except PictureError:
            self._counters[DAMAGED] += 1
            self._is_key_wanted |= is_key
            return
        if encoded is None:
            self._counters[DROPPED] += 1
            self._is_key_wanted |= is_key
            return
        if encoded.is_key:
            took_s = 8.0 * encoded.packet.size / (1000.0 * self._target.kbps)
            pause_s = min(max(KEY_PAUSE_S, took_s / _KEY_SHARE), _LONGEST_KEY_PAUSE_S)
            self._next_key_s = monotonic_s() + pause_s
        self.rule.pixels = encoded.source_pixels
        self._counters[ENCODED] += 1
        self._counters[SENT] += len(self._viewers)
        self._counters[BYTES] += len(self._viewers) * encoded.packet.size
        self._number += 1
        self._newest_s, self._age_s = monotonic_s(), max(0.0, wall_s() - capture_s)
        for viewer in tuple(self._viewers):
            viewer.put(encoded)


def cameras_of(
    roles: Mapping[str, RoleConfig], bus: Bus, bitrate_kbps: int, counters: Counter[str]
) -> dict[str, SharedCamera]:
    """Return the robot's cameras by name. Only the role head publishes pictures today."""
    return {
        target: SharedCamera(target, topics.HEAD_CAMERA, bus, bitrate_kbps, counters)
        for target, role in roles.items()
        if role.role == "head" and role.camera.enabled
    }
