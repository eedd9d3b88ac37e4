"""Every request that would take a stop away: refused without its name, done with it."""

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from saint_services.lib.api import Done
from saint_services.lib.api.backup import DaemonBackup, RestoreNotes
from saint_services.lib.api.routing import (
    Blending,
    PresetInfo,
    Route,
    RouteFile,
    RouteInfo,
    RouteList,
    RouterStatus,
    SavePreset,
    SetEnabled,
    SetPriority,
)
from saint_services.lib.errors import Code, SaintError
from tests.unit.routerd.daemon_rig import Robot, alive, places
from tests.unit.routerd.rig import route

NAME = "rc_estop:channel_6"
JAW = route("talk", "rc", "head", [{"from": "channel_3", "to": "jaw"}])
HARMLESS = route("rc_estop", "rc", "head", [{"from": "channel_6", "to": "jaw"}])

Change = Callable[[Robot, str], Awaitable[object]]


@pytest.fixture
async def robot(tmp_path: Path) -> AsyncIterator[Robot]:
    async with alive(places(tmp_path)) as running:
        await running.client.put("/presets/bare", SavePreset(routes=[JAW]), PresetInfo)
        yield running


async def stops(robot: Robot) -> list[str]:
    return (await robot.client.get("/status", RouterStatus)).stop_switches


CHANGES: dict[str, Change] = {
    "delete": lambda robot, query: robot.client.delete(f"/routes/rc_estop{query}", Done),
    "disable": lambda robot, query: robot.client.post(
        f"/routes/rc_estop/enabled{query}", SetEnabled(enabled=False), RouteInfo
    ),
    "edit": lambda robot, query: robot.client.put(f"/routes/rc_estop{query}", HARMLESS, RouteInfo),
    "replace": lambda robot, query: robot.client.put(
        f"/routes{query}", RouteFile(routes=[JAW]), RouteList
    ),
    "preset": lambda robot, query: robot.client.post(f"/presets/bare/load{query}", None, RouteList),
}


@pytest.mark.parametrize("name", CHANGES)
async def test_change_that_takes_the_stop_switch_away_is_refused_without_its_name(
    robot: Robot, name: str
) -> None:
    before = await robot.client.get("/routes", RouteList)
    for query in ("", "?confirm=", "?confirm=rc_estop", "?confirm=rc_estop:channel_5,other"):
        with pytest.raises(SaintError, match=NAME) as caught:
            await CHANGES[name](robot, query)
        assert caught.value.code is Code.STOP_CHANGED
        assert caught.value.names == (NAME,)
    assert await robot.client.get("/routes", RouteList) == before
    assert NAME in await stops(robot)


@pytest.mark.parametrize("name", CHANGES)
async def test_change_that_names_the_stop_switch_is_done(robot: Robot, name: str) -> None:
    await CHANGES[name](robot, f"?confirm={NAME}")
    assert NAME not in await stops(robot)


async def test_priority_of_the_safety_class_and_longer_silence_are_confirmed_by_name(
    robot: Robot,
) -> None:
    strong = SetPriority(priority=1000)
    with pytest.raises(SaintError, match="every lock: websocket_direct"):
        await robot.client.post("/routes/websocket_direct/priority", strong, RouteInfo)
    query = "?confirm=websocket_direct"
    await robot.client.post(f"/routes/websocket_direct/priority{query}", strong, RouteInfo)
    with pytest.raises(SaintError, match="websocket_direct"):
        await robot.client.put("/blending", Blending(source_timeout_ms=5000), RouteList)
    weak = SetPriority(priority=10)
    with pytest.raises(SaintError, match="no longer stop the robot: websocket_direct"):
        await robot.client.post("/routes/websocket_direct/priority", weak, RouteInfo)


async def test_backup_without_the_stop_switch_names_it(robot: Robot) -> None:
    backup = await robot.client.get("/backup", DaemonBackup)
    assert (await robot.client.post("/backup/check", backup, RestoreNotes)).confirm == []
    routes = backup.sections["routes"].data["routes"]
    backup.sections["routes"].data["routes"] = [r for r in routes if r["id"] != "rc_estop"]
    assert (await robot.client.post("/backup/check", backup, RestoreNotes)).confirm == [NAME]


async def test_robot_tells_its_stop_switches_and_the_buttons_of_its_console(robot: Robot) -> None:
    assert await stops(robot) == [NAME, "console:button_b"]


async def test_other_changes_need_no_confirmation(robot: Robot) -> None:
    listed = await robot.client.get("/routes", RouteList)
    for info in listed.routes:
        same: Route = info.route
        await robot.client.put(f"/routes/{same.id}", same, RouteInfo)
    off = SetEnabled(enabled=False)
    await robot.client.post("/routes/rc_drive/enabled", off, RouteInfo)
    await robot.client.post("/presets/rc_manual/load", None, RouteList)
