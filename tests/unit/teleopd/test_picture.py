"""The stream of a camera after a change of bit rate or size: it begins again with a key picture."""

import io
from itertools import pairwise

import av
import pytest
from PIL import Image

from saint_services.lib.generated.sensor_msgs import CompressedImage
from saint_services.teleopd.packing import SharedPacking
from saint_services.teleopd.picture import EncodedPicture, PictureEncoder, PictureError
from saint_services.teleopd.rate import VideoTarget
from tests.unit.teleopd.rig import jpeg

GRAIN = Image.effect_noise((240, 60), 90).resize((960, 240)).convert("RGB")


def encoded(encoder: PictureEncoder, number: int, target: VideoTarget) -> EncodedPicture:
    picture = CompressedImage(format="jpeg", data=jpeg(number % 8, (320, 240)))
    found = encoder.encode(picture, number / 30, target, is_key=False)
    assert found is not None
    return found


def panned(number: int) -> CompressedImage:
    """Grain that jumps."""
    left, out = 97 * number % 640, io.BytesIO()
    GRAIN.crop((left, 0, left + 320, 240)).save(out, "JPEG", quality=75)
    return CompressedImage(format="jpeg", data=out.getvalue())


def size_of(picture: EncodedPicture) -> tuple[int, int]:
    decoder = av.VideoCodecContext.create("libvpx", "r")
    frame = decoder.decode(av.Packet(bytes(picture.packet)))[0]
    return frame.width, frame.height


def test_other_target_begins_a_stream_with_a_key_picture() -> None:
    encoder = PictureEncoder()
    first, second = (encoded(encoder, number, VideoTarget(800)) for number in range(2))
    assert (first.is_key, second.is_key) == (True, False)
    third = encoded(encoder, 2, VideoTarget(400))
    smaller = encoded(encoder, 3, VideoTarget(400, 2))
    assert third.is_key
    assert smaller.is_key
    assert (size_of(third), size_of(smaller)) == ((320, 240), (160, 120))
    times = [each.packet.pts for each in (first, second, third, smaller)]
    assert times == [0, 3000, 6000, 9000]  # 90 kHz goes on


def test_picture_is_as_large_as_its_bits() -> None:
    sizes = {}
    for kbps in (200.0, 2000.0):
        encoder, target = PictureEncoder(), VideoTarget(kbps)
        sizes[kbps] = sum(encoded(encoder, number, target).packet.size for number in range(60))
    assert sizes[200.0] < 2 * 200_000 / 8 * 1.6  # two seconds


@pytest.mark.parametrize("kbps", [120.0, 255.0])
def test_scene_that_is_too_much_for_its_bits_has_fewer_pictures(kbps: float) -> None:
    encoder, target = PictureEncoder(), VideoTarget(kbps)
    found = [
        encoder.encode(panned(number), number / 30, target, is_key=number == 45)
        for number in range(90)
    ]
    sent = [number for number, each in enumerate(found) if each is not None]
    assert (
        sum(each.packet.size for each in found if each) * 8 / 3000 < 1.5 * kbps
    )  # two key pictures
    assert 45 in sent  # a viewer waits for it
    assert max(b - a for a, b in pairwise([*sent, 90])) <= 20  # two thirds of a second


def test_first_picture_of_a_stream_is_no_burst() -> None:
    found = PictureEncoder().encode(panned(0), 0.0, VideoTarget(600.0), is_key=True)
    assert found is not None
    assert found.packet.size * 8 / 600_000 < 0.2  # seconds of its rate


def test_damaged_picture_is_refused() -> None:
    picture = CompressedImage(format="jpeg", data=b"\xff\xd8nothing")
    with pytest.raises(PictureError):
        PictureEncoder().encode(picture, 0.0, VideoTarget(800), is_key=True)


def test_picture_is_packed_once_for_all_viewers() -> None:
    encoder, packing = PictureEncoder(), SharedPacking()
    first, second = (encoded(encoder, number, VideoTarget(800)) for number in range(2))
    payloads, stamp = packing.pack(first.packet)
    assert packing.pack(first.packet)[0] is payloads
    assert sum(map(len, payloads)) > first.packet.size  # with a descriptor each
    assert packing.pack(second.packet) != (payloads, stamp)
    assert packing.pack(second.packet)[1] == stamp + 3000
