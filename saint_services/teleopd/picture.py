"""Turns the pictures of a camera into VP8, once for all viewers. Blocks: its methods run in a
thread. Not here: who watches (cameras.py).
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import av
from av.video.frame import PictureType, VideoFrame

from ..lib.generated.sensor_msgs import CompressedImage
from .rate import VideoTarget

CLOCK_HZ = 90_000  # of RTP video (RFC 7741)
TIME_BASE = Fraction(1, CLOCK_HZ)
MOST_PIXELS = 1280 * 720  # larger pictures are halved: VP8 of them costs more than a core of a Pi
_DECODERS = {"jpeg": "mjpeg", "jpg": "mjpeg", "png": "png"}
_OPTIONS = {
    "deadline": "realtime", "cpu-used": "-8", "lag-in-frames": "0", "error-resilient": "1",
    "auto-alt-ref": "0", "undershoot-pct": "95", "g": "3000",
    # At the coarsest VP8 can do, a scene that moves needs seven times what a narrow link has, and
    # the queue before that link drops reports and states too: pictures are left out instead.
    "drop-threshold": "30",
    "max-intra-rate": "600",  # percent of a picture's share of the rate
}  # fmt: skip


class PictureError(ValueError):
    """A picture that cannot be decoded."""


@dataclass(frozen=True, slots=True)
class EncodedPicture:
    """One picture of the stream, for every viewer."""

    packet: "av.Packet[Any]"
    is_key: bool  # a viewer can begin with it
    capture_s: float
    source_pixels: int  # of the camera's picture


class PictureEncoder:
    """One encoder; a change of the picture's size begins a new stream."""

    def __init__(self) -> None:
        self._encoder: av.VideoCodecContext | None = None
        self._target: VideoTarget | None = None
        self._decoders: dict[str, av.VideoCodecContext] = {}
        self._first_s: float | None = None
        self._last = -1

    def encode(
        self, picture: CompressedImage, capture_s: float, target: VideoTarget, *, is_key: bool
    ) -> EncodedPicture | None:
        """Return the picture as VP8, with the time of its capture; None where the target has no
        bits left for it. Raises PictureError.
        """
        whole = self._decoded(bytes(picture.data), picture.format)
        frame = _reduced(whole, target.divisor)
        found = self._encoder
        size = (frame.width, frame.height)
        if found is None or (found.width, found.height) != size or target != self._target:
            self._encoder, self._target, is_key = _made(size, target.kbps), target, True
        assert self._encoder is not None
        if self._first_s is None:
            self._first_s = capture_s
        self._last = max(self._last + 1, round((capture_s - self._first_s) * CLOCK_HZ))
        frame.pts, frame.time_base = self._last, TIME_BASE
        frame.pict_type = PictureType.I if is_key else PictureType.NONE
        packets = self._encoder.encode(frame)
        if not packets:
            return None
        if len(packets) != 1:
            raise PictureError(f"the encoder returned {len(packets)} packets for one picture")
        packet = packets[0]
        packet.pts, packet.time_base = self._last, TIME_BASE
        return EncodedPicture(packet, packet.is_keyframe, capture_s, whole.width * whole.height)

    def _decoded(self, data: bytes, kind: str) -> VideoFrame:
        name = next((codec for word, codec in _DECODERS.items() if word in kind), None)
        if name is None:
            raise PictureError(f"the format {kind!r} is not known")
        try:
            decoder = self._decoders.get(name) or _opened(name)
            self._decoders[name] = decoder
            frames = decoder.decode(av.Packet(data))
            frame = frames[0]
        except (av.error.FFmpegError, IndexError) as err:
            self._decoders.pop(name, None)
            raise PictureError(f"a picture of {len(data)} bytes cannot be decoded") from err
        return frame


def _reduced(frame: VideoFrame, divisor: int) -> VideoFrame:
    width, height = frame.width & ~1, frame.height & ~1
    while width * height > MOST_PIXELS:
        width, height = (width // 2) & ~1, (height // 2) & ~1
    width, height = max(2, (width // divisor) & ~1), max(2, (height // divisor) & ~1)
    return frame.reformat(width=width, height=height, format="yuv420p")


def _made(size: tuple[int, int], kbps: float) -> av.VideoCodecContext:
    bits = round(kbps * 1000)
    made = av.VideoCodecContext.create("libvpx", "w")
    (made.width, made.height), made.pix_fmt = size, "yuv420p"
    made.time_base, made.bit_rate = TIME_BASE, bits
    made.thread_count = 1  # several threads of VP8 wait for each other: 15 times the time
    made.options = {**_OPTIONS, **{name: str(bits) for name in ("minrate", "maxrate", "bufsize")}}
    return made


def _opened(name: str) -> av.VideoCodecContext:
    made = av.CodecContext.create(name, "r")
    assert isinstance(made, av.VideoCodecContext)
    return made
