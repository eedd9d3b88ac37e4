"""Every request that would remove a stop: refused without its name, carried out with it."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from saint_services.lib.api import presets, routing
from saint_services.lib.api.backup import DaemonBackup, RestoreNotes
from saint_services.lib.api.endpoint import Endpoint, Nothing
from saint_services.lib.api.routing import (
    Blending,
    Confirming,
    Route,
    RouteFile,
)
from saint_services.lib.errors import Code, SaintError
from tests.unit.routerd.daemon_rig import RunningRouter, alive, places
from tests.unit.routerd.rig import route

NAME = "rc_estop:channel_6"
JAW = route("talk", "rc", "head", [{"from": "channel_3", "to": "jaw"}])
HARMLESS = route("rc_estop", "rc", "head", [{"from": "channel_6", "to": "jaw"}])


@pytest.fixture
async def robot(tmp_path: Path) -> AsyncIterator[RunningRouter]:
    async with alive(places(tmp_path)) as running:
        bare = presets.SavePreset(preset_name="bare", routes=[JAW])
        await running.client.request(presets.SAVE_PRESET, bare)
        yield running


async def stops(robot: RunningRouter) -> list[str]:
    return (await robot.client.request(routing.GET_STATUS, Nothing())).stop_switches


CHANGES: dict[str, tuple[Endpoint[Any, Any], Confirming]] = {
    "delete": (routing.DELETE_ROUTE, routing.RouteParams(route_id="rc_estop")),
    "disable": (
        routing.SET_ROUTE_ENABLED, routing.RouteEnabled(route_id="rc_estop", enabled=False),
    ),
    "edit": (routing.SET_ROUTE, routing.SetRoute(route=HARMLESS)),
    "replace": (routing.REPLACE_ROUTES, routing.ReplaceRoutes(file=RouteFile(routes=[JAW]))),
    "preset": (presets.LOAD_PRESET, presets.LoadPreset(preset_name="bare")),
}  # fmt: skip


async def change(robot: RunningRouter, name: str, *confirm: str) -> None:
    row, params = CHANGES[name]
    await robot.client.request(row, params.model_copy(update={"confirm": list(confirm)}))


@pytest.mark.parametrize("name", CHANGES)
async def test_change_that_takes_the_stop_switch_away_is_refused_without_its_name(
    robot: RunningRouter, name: str
) -> None:
    before = await robot.client.request(routing.LIST_ROUTES, Nothing())
    for confirm in ((), ("",), ("rc_estop",), ("rc_estop:channel_5", "other")):
        with pytest.raises(SaintError, match=NAME) as caught:
            await change(robot, name, *confirm)
        assert caught.value.code is Code.STOP_CHANGED
        assert caught.value.names == (NAME,)
    assert await robot.client.request(routing.LIST_ROUTES, Nothing()) == before
    assert NAME in await stops(robot)


@pytest.mark.parametrize("name", CHANGES)
async def test_change_that_names_the_stop_switch_is_done(robot: RunningRouter, name: str) -> None:
    await change(robot, name, NAME)
    assert NAME not in await stops(robot)


async def test_priority_of_the_safety_class_and_longer_silence_are_confirmed_by_name(
    robot: RunningRouter,
) -> None:
    strong = routing.RoutePriority(route_id="websocket_direct", priority=1000)
    with pytest.raises(SaintError, match="every lock: websocket_direct"):
        await robot.client.request(routing.SET_ROUTE_PRIORITY, strong)
    confirmed = strong.model_copy(update={"confirm": ["websocket_direct"]})
    await robot.client.request(routing.SET_ROUTE_PRIORITY, confirmed)
    with pytest.raises(SaintError, match="websocket_direct"):
        longer = routing.SetBlending(blending=Blending(source_timeout_ms=5000))
        await robot.client.request(routing.SET_BLENDING, longer)
    weak = strong.model_copy(update={"priority": 10})
    with pytest.raises(SaintError, match="no longer stop the robot: websocket_direct"):
        await robot.client.request(routing.SET_ROUTE_PRIORITY, weak)


async def test_backup_without_the_stop_switch_names_it(robot: RunningRouter) -> None:
    backup = await robot.client.get("/backup", DaemonBackup)
    assert (await robot.client.post("/backup/check", backup, RestoreNotes)).confirm == []
    routes = backup.sections["routes"].data["routes"]
    backup.sections["routes"].data["routes"] = [r for r in routes if r["id"] != "rc_estop"]
    assert (await robot.client.post("/backup/check", backup, RestoreNotes)).confirm == [NAME]


async def test_status_lists_stop_switches_and_the_buttons_of_the_console(
    robot: RunningRouter,
) -> None:
    assert await stops(robot) == [NAME, "console:button_b"]


async def test_other_changes_need_no_confirmation(robot: RunningRouter) -> None:
    listed = await robot.client.request(routing.LIST_ROUTES, Nothing())
    for info in listed.routes:
        same: Route = info.route
        await robot.client.request(routing.SET_ROUTE, routing.SetRoute(route=same))
    off = routing.RouteEnabled(route_id="rc_drive", enabled=False)
    await robot.client.request(routing.SET_ROUTE_ENABLED, off)
    await robot.client.request(presets.LOAD_PRESET, presets.LoadPreset(preset_name="rc_manual"))
