"""Unpacking pictures of a device that may send anything."""

import io
import random
import struct
import zlib
from pathlib import Path
from typing import Any

import pytest

from saint_services.lib.hw.cameras import unpacking
from saint_services.lib.hw.cameras.unpacking import DamagedPictureError
from tools.sim.camera import draw


def jpeg(width: int = 640, height: int = 480, mode: str = "RGB", **how: Any) -> bytes:
    from PIL import Image

    out = io.BytesIO()
    Image.new(mode, (width, height), 90).save(out, "JPEG", **how)
    return out.getvalue()


def bomb(width: int, height: int) -> bytes:
    """Return a PNG of a few bytes that says it is as large."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(b""))
        + (chunk(b"IEND", b""))
    )


@pytest.mark.parametrize("mode", ["RGB", "L", "CMYK"])
def test_picture_becomes_three_bytes_for_each_pixel(mode: str) -> None:
    pixels = unpacking.unpack(jpeg(64, 48, mode))
    assert (pixels.width, pixels.height, len(pixels.data)) == (64, 48, 64 * 48 * 3)
    assert unpacking.size(jpeg(64, 48, mode)) == (64, 48)


def test_pixels_are_those_of_the_picture() -> None:
    pixels = unpacking.unpack(draw(160, 120, 1, 0.0))
    assert tuple(pixels.data[159 * 3 + 100 * 480 : 160 * 3 + 100 * 480]) == (16, 16, 16)


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"\xff\xd8 a picture \xff\xd9", id="only a beginning and an end"),
        pytest.param(jpeg()[:-700], id="cut off"),
        pytest.param(b"GIF89a" + bytes(64), id="another format"),
        pytest.param(bomb(30_000, 30_000), id="900 megapixels"),
        pytest.param(bomb(0, 480), id="no width"),
        pytest.param(jpeg(2600, 1944), id="larger than a message may be"),
        pytest.param(jpeg(progressive=True), id="progressive"),
    ],
)
def test_damaged_or_too_large_picture_is_refused(data: bytes) -> None:
    with pytest.raises(DamagedPictureError):
        unpacking.unpack(data)


def test_broken_pictures_end_in_pixels_or_refusal_and_nothing_else() -> None:
    rng = random.Random(5)
    whole = [jpeg(96, 64), draw(96, 64, 1, 0.5)]
    refused = 0
    for _ in range(200):
        data = bytearray(rng.choice(whole))
        for _ in range(rng.randint(1, 12)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        try:
            pixels = unpacking.unpack(bytes(data[: rng.randint(1, len(data))]))
        except DamagedPictureError:
            refused += 1
        else:
            assert len(pixels.data) == pixels.width * pixels.height * 3
    assert refused > 100


def test_role_that_drives_the_head_never_loads_pillow() -> None:
    """A picture's reader must not come near the process that moves something."""
    role = Path(unpacking.__file__).parents[3] / "role_headd"
    for name in ("daemon.py", "camera.py", "camera_process.py", "camera_wire.py"):
        text = (role / name).read_text()
        assert "camera_topics" not in text
        assert "hw.cameras" not in text
