"""The stream of a camera after a change of bit rate or size: it begins again with a key picture."""

import av
import pytest

from saint_services.lib.generated.sensor_msgs import CompressedImage
from saint_services.teleopd.packing import SharedPacking
from saint_services.teleopd.picture import EncodedPicture, PictureEncoder, PictureError
from saint_services.teleopd.rate import VideoTarget
from tests.unit.teleopd.rig import jpeg


def encoded(encoder: PictureEncoder, number: int, target: VideoTarget) -> EncodedPicture:
    picture = CompressedImage(format="jpeg", data=jpeg(number % 8, (320, 240)))
    return encoder.encode(picture, number / 30, target, is_key=False)


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
