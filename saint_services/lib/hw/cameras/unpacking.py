"""Unpacks a compressed picture into pixels, within limits: its bytes come from a device that
anybody may plug in, or from a cable that disturbs them. By Pillow, which is loaded with the first
picture. Not here: when pixels are wanted.
"""

import io
import struct
import warnings
from dataclasses import dataclass
from typing import Any

# As a message that still passes the bus (16 MB): the largest picture of a 5 megapixel sensor.
LARGEST_PIXELS = 2592 * 1944
_FORMATS = ("JPEG", "PNG")  # cameras, and the simulated one; Pillow's other readers are not used
# What readers of pictures raise for bytes that are none.
_DAMAGED = (
    OSError, SyntaxError, ValueError, TypeError, LookupError, ArithmeticError, EOFError,
    AttributeError, AssertionError, MemoryError, RuntimeError, Warning, struct.error,
)  # fmt: skip


class DamagedPictureError(ValueError):
    """A picture that cannot be unpacked, or must not be."""


@dataclass(frozen=True, slots=True)
class Pixels:
    """An unpacked picture: rows from the top, three bytes for each pixel (rgb8)."""

    width: int
    height: int
    data: bytes


def size(data: bytes) -> tuple[int, int]:
    """Return width and height by the picture's head alone. Raises DamagedPictureError."""
    return _opened(data).size  # type: ignore[no-any-return]


def unpack(data: bytes) -> Pixels:
    """Return the pixels. Raises DamagedPictureError; nothing is unpacked that is too large."""
    opened = _opened(data)
    try:
        picture = opened.convert("RGB")
        return Pixels(picture.width, picture.height, picture.tobytes())
    except _DAMAGED as err:
        raise DamagedPictureError(str(err)) from err


def _opened(data: bytes) -> Any:
    from PIL import Image

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # Pillow warns of what it finds too large
            opened = Image.open(io.BytesIO(data), formats=_FORMATS)
    except (*_DAMAGED, Image.DecompressionBombError) as err:
        raise DamagedPictureError(str(err)) from err
    width, height = opened.size
    if not 0 < width * height <= LARGEST_PIXELS:
        raise DamagedPictureError(f"{width} x {height} pixels")
    if opened.info.get("progressive"):  # cameras do not; thousands of passes hide in few bytes
        raise DamagedPictureError("a progressive picture")
    return opened
