"""Releases on the disk: found again after a restart, damaged ones left out."""

from tests.unit.otad.adapters.upload_rig import versions
from tests.unit.otad.ota_rig import Robot


async def test_release_is_found_again_after_a_restart(robot: Robot):
    async with robot.otad() as ota:
        await ota.release("1.1.0")
    async with robot.otad() as ota:
        assert await versions(ota) == ["1.1.0"]


async def test_damaged_release_is_not_offered_and_reported(robot: Robot):
    async with robot.otad() as ota:
        await ota.release("1.1.0")
    image = robot.directories.state / "archive/v1.1.0/saint_node.img"
    image.write_bytes(image.read_bytes()[:-1])
    async with robot.otad() as ota:
        assert await versions(ota) == []
        assert "has" in str(ota.context.health.report().issues)
        await ota.release("1.1.0")
        assert await versions(ota) == ["1.1.0"]
    assert (robot.directories.state / "archive/damaged-1-v1.1.0").is_dir()
