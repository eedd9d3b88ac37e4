"""A picture for which the link has no room: the camera's viewers do not get it, and one who waits
for a key picture still gets that.
"""

from collections import Counter

import pytest

from saint_services.lib.bus.local import LocalDomain
from saint_services.lib.clock import monotonic_s, stamp
from saint_services.lib.generated import topics
from saint_services.lib.generated.sensor_msgs import CompressedImage
from saint_services.lib.generated.std_msgs import Header
from saint_services.teleopd import cameras
from saint_services.teleopd.cameras import SharedCamera
from saint_services.teleopd.picture import EncodedPicture, PictureEncoder
from tests.unit.teleopd.rig import jpeg
from tests.waiting import until


class FullOnce(PictureEncoder):
    """Has no bits left for the first picture."""

    keys: list[bool] = []

    def encode(self, *given: object, is_key: bool) -> EncodedPicture | None:  # type: ignore[override]
        self.keys.append(is_key)
        found = super().encode(*given, is_key=is_key)  # type: ignore[arg-type]
        return None if len(self.keys) == 1 else found


class Watching:
    """A viewer."""

    def __init__(self) -> None:
        self.pictures: list[EncodedPicture] = []

    def put(self, picture: EncodedPicture) -> None:
        self.pictures.append(picture)


async def test_key_picture_that_was_left_out_follows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cameras, "PictureEncoder", FullOnce)
    monkeypatch.setattr(FullOnce, "keys", [])
    domain, counters, viewer = LocalDomain(), Counter[str](), Watching()
    camera = SharedCamera("head", topics.HEAD_CAMERA, domain.bus("teleopd"), 800, counters)
    camera.add(viewer)
    publisher = domain.bus("head").publisher(topics.HEAD_CAMERA)
    for number in range(2):
        publisher.publish(CompressedImage(Header(stamp()), "jpeg", jpeg(number, (320, 240))))
        if not number:
            await until(lambda: counters["pictures_dropped"] == 1)
            assert not camera.is_live(monotonic_s())
    await until(lambda: viewer.pictures)
    assert FullOnce.keys == [True, True]
    assert counters["pictures_encoded"] == 1
    camera.remove(viewer)
