"""The head's camera: off, switched on, seen, unplugged, switched off."""

import struct
import time
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from saint_services.lib.generated.std_msgs import Bool
from saint_services.lib.generated.topics import HEAD_CAMERA_CMD
from saint_services.lib.role_config.model import Camera
from tests.unit.role.role_rig import Rig, load_role

TOPIC = "/saint/head/camera/image_raw/compressed"
FAST = Camera(enabled=True, resolution=(160, 120), framerate=100)


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    rig = Rig(tmp_path, "head", load_role("head", camera=FAST))
    yield rig
    rig.close()


def until(rig: Rig, condition: Callable[[], object]) -> None:
    """Wait for the camera's thread, which runs in real time."""
    deadline_s = time.monotonic() + 5.0
    while not condition():
        assert time.monotonic() < deadline_s
        rig.clock.from_threads.get(timeout=5.0)()


def switch(rig: Rig, is_on: bool) -> None:
    rig.send(HEAD_CAMERA_CMD, Bool(is_on))


def active(rig: Rig) -> bool:
    rig.clock.advance(0.06)
    found: bool = rig.bus.sent["/saint/head/state"][-1].camera_active
    return found


def test_camera_is_off_until_it_is_switched_on(rig: Rig) -> None:
    assert not active(rig)
    assert rig.bus.sent[TOPIC] == []


def test_pictures_come_and_are_pictures(rig: Rig) -> None:
    switch(rig, True)
    until(rig, lambda: len(rig.bus.sent[TOPIC]) >= 3)
    image = rig.bus.sent[TOPIC][-1]
    assert (image.format, image.header.frame_id) == ("png", "head_camera")
    assert bytes(image.data[:8]) == b"\x89PNG\r\n\x1a\n"
    assert active(rig)


def test_switched_off_means_no_more_pictures(rig: Rig) -> None:
    switch(rig, True)
    until(rig, lambda: rig.bus.sent[TOPIC])
    switch(rig, False)
    count = len(rig.bus.sent[TOPIC])
    assert not active(rig)
    assert len(rig.bus.sent[TOPIC]) == count


def test_switching_on_twice_opens_one_camera(rig: Rig) -> None:
    switch(rig, True)
    feed = rig.session._camera._feed  # type: ignore[attr-defined]
    switch(rig, True)
    assert rig.session._camera._feed is feed  # type: ignore[attr-defined]


def test_missing_camera_is_reported_and_the_head_goes_on(rig: Rig, tmp_path: Path) -> None:
    (tmp_path / "camera-unplugged").touch()
    switch(rig, True)
    until(rig, lambda: rig.session.report().reason)
    report = rig.session.report()
    assert "no camera is plugged in" in report.reason
    assert report.ready
    assert not active(rig)
    switch(rig, False)
    assert rig.session.report().reason == ""


def test_camera_that_is_plugged_in_again_goes_on_by_itself(rig: Rig, tmp_path: Path) -> None:
    switch(rig, True)
    until(rig, lambda: rig.bus.sent[TOPIC])
    (tmp_path / "camera-unplugged").touch()
    until(rig, lambda: "gone" in rig.session.report().reason)
    (tmp_path / "camera-unplugged").unlink()
    count = len(rig.bus.sent[TOPIC])
    until(rig, lambda: len(rig.bus.sent[TOPIC]) > count)
    assert rig.session.report().reason == ""


def test_end_of_the_assignment_closes_the_camera(rig: Rig) -> None:
    switch(rig, True)
    feed = rig.session._camera._feed  # type: ignore[attr-defined]
    rig.session.close()
    assert feed.join()


def test_head_without_a_camera_counts_the_command(tmp_path: Path) -> None:
    rig = Rig(tmp_path, "head", load_role("head", camera=Camera(enabled=False)))
    switch(rig, True)
    assert rig.counters["camera_refused"] == 1
    rig.close()


def test_simulated_picture_can_be_read(rig: Rig) -> None:
    switch(rig, True)
    until(rig, lambda: rig.bus.sent[TOPIC])
    data = bytes(rig.bus.sent[TOPIC][0].data)
    place, found = 8, {}
    while place < len(data):
        (length,) = struct.unpack_from(">I", data, place)
        kind, body = data[place + 4 : place + 8], data[place + 8 : place + 8 + length]
        (checksum,) = struct.unpack_from(">I", data, place + 8 + length)
        assert checksum == zlib.crc32(kind + body)
        found[kind] = body
        place += 12 + length
    assert struct.unpack(">IIBBBBB", found[b"IHDR"]) == (160, 120, 8, 3, 0, 0, 0)
    rows = zlib.decompress(found[b"IDAT"])
    assert len(rows) == 120 * 161
    assert max(rows) < len(found[b"PLTE"]) // 3
