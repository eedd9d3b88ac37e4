"""Routes and presets in a backup: exported, restored, and what does not fit is left out."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from saint_services.lib.api import presets, routing
from saint_services.lib.api.backup import DaemonBackup, RestoreNotes
from saint_services.lib.api.endpoint import Nothing
from saint_services.lib.api.routing import RouteFile
from tests.unit.routerd.daemon_rig import RunningRouter, alive, places
from tests.unit.routerd.rig import route

PAN = route("look", "rc", "head", [{"from": "channel_4", "to": "pan", "scale": 180}])
JAW = route("talk", "rc", "head", [{"from": "channel_3", "to": "jaw"}])


@pytest.fixture
async def robot(tmp_path: Path) -> AsyncIterator[RunningRouter]:
    async with alive(places(tmp_path)) as running:
        yield running


async def replace(robot: RunningRouter, routes: list[routing.Route]) -> None:
    """Replace all routes, without the shipped stop switch."""
    wanted = routing.ReplaceRoutes(file=RouteFile(routes=routes), confirm=["rc_estop:channel_6"])
    await robot.client.request(routing.REPLACE_ROUTES, wanted)


async def ids(robot: RunningRouter) -> list[str]:
    listed = await robot.client.request(routing.LIST_ROUTES, Nothing())
    return [info.route.id for info in listed.routes]


async def own_presets(robot: RunningRouter) -> list[str]:
    found = await robot.client.request(presets.LIST_PRESETS, Nothing())
    return [preset.name for preset in found.presets if not preset.is_shipped]


async def test_routes_and_presets_come_back_as_they_were(robot: RunningRouter) -> None:
    await replace(robot, [PAN, JAW])
    await robot.client.request(
        presets.SAVE_PRESET,
        presets.SavePreset(
            preset_name="show",
        ),
    )
    backup = await robot.client.get("/backup", DaemonBackup)
    await replace(robot, [JAW])
    await robot.client.request(
        presets.SAVE_PRESET,
        presets.SavePreset(
            preset_name="other",
        ),
    )
    await robot.client.put("/backup", backup, RestoreNotes)
    assert await ids(robot) == ["look", "talk"]
    assert await own_presets(robot) == ["show"]


async def test_route_that_this_robot_cannot_use_is_left_out_with_a_note(
    robot: RunningRouter,
) -> None:
    await replace(robot, [PAN, JAW])
    backup = await robot.client.get("/backup", DaemonBackup)
    backup.sections["routes"].data["routes"][0]["output"]["target"] = "wings"
    notes = await robot.client.post("/backup/check", backup, RestoreNotes)
    assert notes.notes[0].startswith("Route look is left out")
    assert await ids(robot) == ["look", "talk"]
    await robot.client.put("/backup", backup, RestoreNotes)
    assert await ids(robot) == ["talk"]


async def test_forgotten_routes_are_those_of_the_start(robot: RunningRouter) -> None:
    first = await ids(robot)
    await replace(robot, [JAW])
    await robot.client.delete("/backup", RestoreNotes)
    assert await ids(robot) == first
    assert await own_presets(robot) == []
