"""The camera's process at work, with the simulated camera and a bus inside this process."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from saint_services.lib.bus.local import LocalDomain
from saint_services.lib.generated.topics import HEAD_CAMERA
from saint_services.lib.role_config.model import Camera
from saint_services.role_headd.camera_program import CameraWork
from saint_services.role_headd.camera_topics import PictureTopics
from saint_services.role_headd.camera_wire import CameraReport
from tests.unit.hw.cameras.test_unpacking import jpeg
from tests.waiting import until
from tools.sim.camera import PLUG, RECORDED, SimCamera

FAST = Camera(enabled=True, resolution=(160, 120), framerate=100)


class Watched:
    """A camera at work and what is seen of it."""

    def __init__(self, folder: Path) -> None:
        domain = LocalDomain()
        self.pictures: list[Any] = []
        domain.bus("reader").subscribe(HEAD_CAMERA, lambda s: self.pictures.append(s.message))
        self.reports: list[CameraReport] = []
        self.work = CameraWork(
            SimCamera(folder, FAST), PictureTopics(domain.bus("eye"), FAST), self.reports.append
        )

    @property
    def problem(self) -> str:
        return self.reports[-1].problem if self.reports else ""


@asynccontextmanager
async def watched(folder: Path) -> AsyncIterator[Watched]:
    eye = Watched(folder)
    try:
        yield eye
    finally:
        eye.work.close()
        assert await asyncio.to_thread(eye.work.join)


async def test_pictures_come_and_are_reported(tmp_path: Path) -> None:
    async with watched(tmp_path) as eye:
        await until(lambda: len(eye.pictures) >= 3)
        assert eye.pictures[0].format == "png"
        assert eye.reports[-1].has_pictures
        eye.work.report()
        assert eye.reports[-1].pictures >= 3


async def test_missing_camera_is_reported(tmp_path: Path) -> None:
    (tmp_path / PLUG).touch()
    async with watched(tmp_path) as eye:
        await until(lambda: "no camera is plugged in" in eye.problem)
        assert not eye.reports[-1].has_pictures


async def test_camera_that_is_plugged_in_again_goes_on_by_itself(tmp_path: Path) -> None:
    async with watched(tmp_path) as eye:
        await until(lambda: eye.pictures)
        (tmp_path / PLUG).touch()
        await until(lambda: "gone" in eye.problem)
        (tmp_path / PLUG).unlink()
        count = len(eye.pictures)
        await until(lambda: len(eye.pictures) > count and not eye.problem)


async def test_recorded_pictures_are_sent_in_turns(tmp_path: Path) -> None:
    (tmp_path / RECORDED).mkdir()
    two = [jpeg(160, 120, quality=quality) for quality in (30, 90)]
    for number, data in enumerate(two):
        (tmp_path / RECORDED / f"{number}.jpg").write_bytes(data)
    async with watched(tmp_path) as eye:
        await until(lambda: {bytes(each.data) for each in eye.pictures} == set(two))


@pytest.mark.parametrize("size", [(160, 120), (640, 480)])
async def test_simulated_picture_is_one_that_can_be_unpacked(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    from saint_services.lib.hw.cameras.unpacking import unpack

    camera = SimCamera(tmp_path, FAST.model_copy(update={"resolution": size}))
    picture = await asyncio.to_thread(camera.read)
    assert picture is not None
    pixels = unpack(picture.data)
    assert (pixels.width, pixels.height) == size
