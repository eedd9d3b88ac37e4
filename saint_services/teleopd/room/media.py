"""Publishes the robot's pictures and sound in a room: pictures as they are encoded for everybody,
sound decoded again, as the package takes only samples. Decides nothing.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any

import av

from ...lib.hw.sound.port import RATE_HZ
from ..cameras import SharedCamera
from ..microphone import MOST_WAITING, SharedMicrophone
from ..picture import EncodedPicture
from .package import outcome
from .rules import vp8_size

REFUSED = "livekit_pictures_refused"
_PIECE_LIMIT_S = 2.0
_MOST_PICTURES = 4  # that wait
Publish = Callable[[Any, Any], Awaitable[object]]


class RoomVideo:
    """The camera's viewer that feeds the room. Its track is published with the first key picture,
    which names the size. `work` ends only by a fault.
    """

    def __init__(
        self, rtc: Any, camera: SharedCamera, publish: Publish, counters: Counter[str]
    ) -> None:
        self._rtc = rtc
        self._camera = camera
        self._counters = counters
        self._source: Any = None
        self._size = (0, 0)
        self._time_us = 0
        self._is_waiting_for_key = True
        self._pictures: asyncio.Queue[EncodedPicture] = asyncio.Queue(_MOST_PICTURES)
        self.work = asyncio.ensure_future(self._run(publish))
        camera.add(self)

    def put(self, picture: EncodedPicture) -> None:
        """Queue a picture. After a gap the next key picture continues the stream."""
        if self._is_waiting_for_key and not picture.is_key:
            return
        if self._pictures.full():
            while not self._pictures.empty():
                self._pictures.get_nowait()
            self._is_waiting_for_key = not picture.is_key
            self._camera.want_key()
            if self._is_waiting_for_key:
                return
        self._is_waiting_for_key = False
        self._pictures.put_nowait(picture)

    def feedback(self) -> float | None:
        """Obey a request for a key picture; return the bit rate in kbit/s that the link carries."""
        if self._source is None:
            return None
        found = self._source.take_feedback()
        if found.keyframe_requested:
            self._camera.want_key()
        rate = found.rate_control
        return None if rate is None else rate.target_bitrate_bps / 1000

    async def close(self) -> None:
        """Stop watching."""
        self._camera.remove(self)
        self.work.cancel()
        await asyncio.wait({self.work})

    async def _run(self, publish: Publish) -> None:
        try:
            while True:
                picture = await self._pictures.get()
                data = bytes(picture.packet)
                self._size = (vp8_size(data) if picture.is_key else None) or self._size
                if self._source is None:
                    self._source = self._rtc.EncodedVideoSource(*self._size)
                    await self._open(publish)
                if not self._source.capture_frame(self._frame(picture, data)):
                    self._counters[REFUSED] += 1
        finally:
            if self._source is not None:
                await outcome(self._source.aclose(), _PIECE_LIMIT_S)

    async def _open(self, publish: Publish) -> None:
        rtc = self._rtc
        track = rtc.LocalVideoTrack.create_video_track("camera", self._source)
        options = rtc.TrackPublishOptions(
            source=rtc.TrackSource.SOURCE_CAMERA, video_codec=rtc.VideoCodec.VP8,
            video_encoder=rtc.VideoEncoderBackend.ENCODER_BACKEND_PRE_ENCODED, simulcast=False,
        )  # fmt: skip
        await publish(track, options)

    def _frame(self, picture: EncodedPicture, data: bytes) -> Any:
        rtc, kinds = self._rtc, self._rtc.EncodedFrameType
        self._time_us = max(self._time_us + 1, round(picture.capture_s * 1e6))
        return rtc.EncodedVideoFrame(
            data=data, width=self._size[0], height=self._size[1], codec=rtc.VideoCodec.VP8,
            frame_type=kinds.ENCODED_FRAME_KEY if picture.is_key else kinds.ENCODED_FRAME_DELTA,
            timestamp_us=self._time_us,
        )  # fmt: skip


class RoomSound:
    """The microphone's listener that feeds the room. `work` ends only by a fault."""

    def __init__(self, rtc: Any, microphone: SharedMicrophone, publish: Publish) -> None:
        self._rtc = rtc
        self._microphone = microphone
        self._decoder = av.CodecContext.create("libopus", "r")
        self._samples = av.AudioResampler(format="s16", layout="mono", rate=RATE_HZ)
        self._packets: asyncio.Queue[Any] = asyncio.Queue(MOST_WAITING)
        self.work = asyncio.ensure_future(self._run(publish))
        microphone.add(self)

    def put(self, packet: "av.Packet[Any]") -> None:
        """Queue a piece; the oldest is dropped."""
        if self._packets.full():
            self._packets.get_nowait()
        self._packets.put_nowait(packet)

    async def close(self) -> None:
        """Stop listening."""
        self._microphone.remove(self)
        self.work.cancel()
        await asyncio.wait({self.work})

    async def _run(self, publish: Publish) -> None:
        rtc = self._rtc
        source = rtc.AudioSource(RATE_HZ, 1)
        track = rtc.LocalAudioTrack.create_audio_track("microphone", source)
        options = rtc.TrackPublishOptions(source=rtc.TrackSource.SOURCE_MICROPHONE)
        try:
            await publish(track, options)
            while True:
                for piece in self._decoded(await self._packets.get()):
                    frame = rtc.AudioFrame(piece, RATE_HZ, 1, len(piece) // 2)
                    await outcome(source.capture_frame(frame), _PIECE_LIMIT_S)
        finally:
            await outcome(source.aclose(), _PIECE_LIMIT_S)

    def _decoded(self, packet: Any) -> list[bytes]:
        assert isinstance(self._decoder, av.AudioCodecContext)
        copy = av.Packet(bytes(packet))  # the packet belongs to all listeners
        frames = [each for found in self._decoder.decode(copy)
                  for each in self._samples.resample(found)]  # fmt: skip
        return [bytes(each.planes[0])[: 2 * each.samples] for each in frames]
