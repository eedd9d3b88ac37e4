"""Simulates a camera: colour bars, a square that goes from left to right once in four seconds,
and the number of the picture as a row of bits. A file `camera-unplugged` in the board's folder
unplugs it; JPEG files in a folder `camera-pictures` there are sent instead, in turns.
"""

import struct
import time
import zlib
from pathlib import Path

from saint_services.lib.errors import Code, SaintError
from saint_services.lib.hw.cameras.camera import Picture
from saint_services.lib.role_config.model import Camera

PLUG, RECORDED = "camera-unplugged", "camera-pictures"
BARS = ((235, 235, 235), (200, 200, 30), (30, 200, 200), (30, 180, 30), (200, 30, 200),
        (200, 30, 30), (30, 30, 200), (16, 16, 16))  # fmt: skip
_SQUARE, _OFF, _ON = len(BARS), len(BARS) + 1, len(BARS) + 2
_PALETTE = bytes(part for colour in (*BARS, (255, 128, 0), (0, 0, 0), (255, 255, 255))
                 for part in colour)  # fmt: skip
BITS = 16
_CROSSING_S = 4.0


class SimCamera:
    """Implements CameraSource. Pictures are PNG, which the standard library can write."""

    def __init__(self, directory: Path, settings: Camera) -> None:
        self._plug = directory / PLUG
        self._recorded = directory / RECORDED
        self._pictures: list[bytes] = []
        self._settings = settings
        self._count = 0
        self._due_s = 0.0
        self.damaged = 0

    def open(self) -> None:
        """Check that the camera is plugged in."""
        if self._plug.exists():
            raise SaintError(Code.HARDWARE_MISSING, "no camera is plugged in")
        self._due_s = time.monotonic()
        self._pictures = [path.read_bytes() for path in sorted(self._recorded.glob("*.jpg"))]

    def read(self) -> Picture | None:
        """Return the next picture, at the manifest's rate."""
        if self._plug.exists():
            raise OSError(19, "No such device")
        self._due_s = max(self._due_s + 1.0 / self._settings.framerate, time.monotonic())
        time.sleep(max(0.0, self._due_s - time.monotonic()))
        self._count += 1
        if self._pictures:
            data = self._pictures[self._count % len(self._pictures)]
            return Picture("jpeg", data, time.time_ns())
        share = self._count / self._settings.framerate / _CROSSING_S % 1.0
        data = draw(*self._settings.resolution, self._count, share)
        return Picture("png", data, time.time_ns())

    def close(self) -> None:
        """Do nothing: no resource is held."""


def draw(width: int, height: int, count: int, share: float) -> bytes:
    """Encode a picture as PNG with a palette (PNG specification, second edition)."""
    bars = bytes(x * len(BARS) // width for x in range(width))
    side = max(1, height // 8)
    left = round(share * max(0, width - side))
    crossed = bars[:left] + bytes((_SQUARE,)) * side + bars[left + side :]
    cell = max(1, width // BITS)
    bits = bytes(
        _ON if count >> (BITS - 1 - min(x // cell, BITS - 1)) & 1 else _OFF for x in range(width)
    )
    band = max(1, height // 16)
    middle = (height - band - side) // 2
    rows = (
        (b"\0" + bits) * band
        + (b"\0" + bars) * middle
        + (b"\0" + crossed[:width]) * side
        + (b"\0" + bars) * (height - band - middle - side)
    )
    head = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    parts = (
        (b"IHDR", head),
        (b"PLTE", _PALETTE),
        (b"IDAT", zlib.compress(rows, 1)),
        (b"IEND", b""),
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*part) for part in parts)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
