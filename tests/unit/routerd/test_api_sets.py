"""All routes at once, and the line of one mapping: over the router's socket."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from saint_services.lib.api import Request, presets, routing
from saint_services.lib.api.endpoint import Endpoint, Nothing
from saint_services.lib.api.routing import (
    Blending,
    Curve,
    PreviewCurve,
    ReplaceRoutes,
    Route,
    RouteFile,
    RouteList,
)
from saint_services.lib.errors import SaintError
from saint_services.lib.state import StateStore
from saint_services.routerd import state
from tests.unit.routerd.daemon_rig import RunningRouter, alive, places
from tests.unit.routerd.rig import route

PAN = route("look", "rc", "head", [{"from": "channel_4", "to": "pan", "scale": 180}])
JAW = route("talk", "rc", "head", [{"from": "channel_3", "to": "jaw"}])
WRONG = route("look", "rc", "head", [{"from": "channel_4", "to": "pam"}])


@pytest.fixture
async def robot(tmp_path: Path) -> AsyncIterator[RunningRouter]:
    async with alive(places(tmp_path)) as running:
        yield running


def ids(listed: RouteList) -> list[str]:
    return [info.route.id for info in listed.routes]


async def test_all_routes_are_replaced_in_the_order_given(robot: RunningRouter) -> None:
    file = RouteFile(routes=[JAW, PAN], blending=Blending(mode="blend"))
    wanted = ReplaceRoutes(file=file, confirm=["rc_estop:channel_6"])
    reply = await robot.client.request(routing.REPLACE_ROUTES, wanted)
    assert ids(reply) == ["talk", "look"]
    assert (await robot.client.request(routing.LIST_ROUTES, Nothing())).blending.mode == "blend"
    assert (await robot.client.request(presets.LIST_PRESETS, Nothing())).loaded == ""


async def test_a_set_with_one_fault_changes_nothing(robot: RunningRouter) -> None:
    before = await robot.client.request(routing.LIST_ROUTES, Nothing())
    file = RouteFile(routes=[JAW, WRONG])
    requests: list[tuple[Endpoint[Any, Any], Request]] = [
        (routing.REPLACE_ROUTES, ReplaceRoutes(file=file)), (routing.CHECK_ROUTES, file),
    ]  # fmt: skip
    for row, params in requests:
        with pytest.raises(SaintError, match=r"mapping\[0\].to 'pam' .* did you mean 'pan'"):
            await robot.client.request(row, params)
    assert await robot.client.request(routing.LIST_ROUTES, Nothing()) == before


async def test_a_set_is_checked_without_being_used(robot: RunningRouter) -> None:
    before = await robot.client.request(routing.LIST_ROUTES, Nothing())
    reply = await robot.client.request(routing.CHECK_ROUTES, RouteFile(routes=[PAN]))
    assert reply.message == "1 routes fit this robot"
    assert await robot.client.request(routing.LIST_ROUTES, Nothing()) == before


async def test_a_saved_route_that_is_not_used_says_why(tmp_path: Path) -> None:
    directories = places(tmp_path)
    store: StateStore[Any] = state.routes_store(directories.state)
    await asyncio.to_thread(store.save, state.SavedRoutes(routes=[JAW, WRONG, JAW]))
    async with alive(directories) as robot:
        listed = await robot.client.request(routing.LIST_ROUTES, Nothing())
    faults = [info.fault for info in listed.routes]
    assert faults[0] == ""
    assert "did you mean 'pan'" in faults[1]
    assert faults[2] == "there are two routes 'talk'"


async def line(robot: RunningRouter, drawn: Route, **more: Any) -> Curve:
    request = PreviewCurve(route=drawn, index=0, **more)
    return await robot.client.request(routing.PREVIEW_CURVE, request)


async def test_curve_is_what_the_mapping_makes_within_the_fields_limits(
    robot: RunningRouter,
) -> None:
    drawn = route("a", "rc", "head", [{"from": "x", "to": "tilt", "scale": 180, "deadzone": 0.3}])
    reply = await line(robot, drawn, steps=4)
    assert (reply.target, reply.field, reply.unit, reply.limits) == (
        "head",
        "tilt",
        "deg",
        (-90, 90),
    )
    places_and_values = dict(reply.points)
    assert [x for x, _ in reply.points] == [-1.0, -0.5, -0.3, 0.0, 0.3, 0.5, 1.0]
    assert places_and_values[0.3] == places_and_values[-0.3] == places_and_values[0.0] == 0.0
    assert places_and_values[0.5] == pytest.approx(180 * 0.2 / 0.7)
    assert places_and_values[1.0] == 90.0


@pytest.mark.parametrize("to", ["estop", "jaw"])
async def test_curve_of_a_switch_jumps_at_its_threshold(robot: RunningRouter, to: str) -> None:
    mapping = {"from": "x", "to": to, "mode": "switch", "threshold": 0.25}
    reply = await line(robot, route("a", "rc", "head", [mapping]), steps=2)
    assert [y for _, y in reply.points] == [0.0, 0.0, 0.0, 1.0, 1.0]
    below, above = reply.points[2][0], reply.points[3][0]
    assert above == 0.25
    assert 0 < above - below < 1e-12


async def test_curve_of_a_mapping_that_is_not_there_is_refused(robot: RunningRouter) -> None:
    with pytest.raises(SaintError, match=r"there is no mapping\[1\]"):
        await robot.client.request(routing.PREVIEW_CURVE, PreviewCurve(route=PAN, index=1))
    direct = route("a", "websocket", "head", "passthrough")
    with pytest.raises(SaintError, match=r"there is no mapping\[0\]"):
        await line(robot, direct)
