"""Bundles as bytes, raw requests, refusals."""

import asyncio

from saint_services.lib.api.firmware import FirmwareReport
from saint_services.otad.config import Config
from tests.unit.otad.ota_rig import Ota, Robot


async def content(robot: Robot, version: str = "1.1.0", **changes: object) -> bytes:
    path = await asyncio.to_thread(lambda: robot.bundle(version, **changes))
    return await asyncio.to_thread(path.read_bytes)


async def versions(ota: Ota) -> list[str]:
    shown = await ota.client.get("/status", FirmwareReport)
    return [release.version for release in shown.releases]


def left_behind(robot: Robot) -> list[str]:
    return [path.name for path in (robot.directories.state / "incoming").glob("**/*")]


async def refusal(robot: Robot, data: bytes, config: Config | None = None, **headers: str):
    """Upload something bad; what was said, and that nothing came of it."""
    async with robot.otad(config) as ota:
        status, answer = await ota.upload(data, **headers)
        assert await versions(ota) == []
        assert left_behind(robot) == []
    return status, answer["message"]


async def raw(ota: Ota, request: bytes) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", ota.port)
    writer.write(request)
    answer = await reader.readuntil(b"\r\n\r\n")
    writer.close()
    return answer
