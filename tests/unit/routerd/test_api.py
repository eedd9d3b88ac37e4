"""Every request of the router's socket, against a running router."""

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from saint_services.lib.api import Request, presets, routing
from saint_services.lib.api.endpoint import Endpoint, Nothing
from saint_services.lib.api.presets import LoadPreset, PresetParams, SavePreset
from saint_services.lib.api.routing import (
    Blending,
    MappingCurve,
    OutputParams,
    PreviewCurve,
    PreviewRoute,
    ReleaseControl,
    ReplaceRoutes,
    Route,
    RouteFile,
    RouteList,
    RoutePriority,
    TakeControl,
)
from saint_services.lib.errors import Code, SaintError
from saint_services.lib.state import StateStore
from saint_services.routerd import state
from tests.unit.routerd.daemon_rig import RunningRouter, alive, places
from tests.unit.routerd.rig import route
from tests.waiting import turns

MINE = route("mine", "rc", "head", [{"from": "channel_4", "to": "pan", "scale": 400}])
SHIPPED = {"default", "facecap_head", "manual_override", "rc_manual", "ue_fullbody"}


@pytest.fixture
async def robot(tmp_path: Path) -> AsyncIterator[RunningRouter]:
    async with alive(places(tmp_path)) as running:
        yield running


async def loaded(robot: RunningRouter) -> str:
    return (await robot.client.request(presets.LIST_PRESETS, Nothing())).loaded


async def ids(robot: RunningRouter) -> list[str]:
    return [
        info.route.id
        for info in (await robot.client.request(routing.LIST_ROUTES, Nothing())).routes
    ]


async def test_shipped_presets_are_listed_and_fit(robot: RunningRouter) -> None:
    found = await robot.client.request(presets.LIST_PRESETS, Nothing())
    assert {each.name for each in found.presets if each.is_shipped} == SHIPPED
    assert [each.fault for each in found.presets] == [""] * 5
    assert found.loaded == "default"


@pytest.mark.parametrize("name", sorted(SHIPPED))
async def test_preset_is_loaded_at_once_and_after_a_restart(tmp_path: Path, name: str) -> None:
    async with alive(places(tmp_path)) as robot:
        reply = await robot.client.request(presets.LOAD_PRESET, LoadPreset(preset_name=name))
        kept = await robot.client.request(presets.GET_PRESET, PresetParams(preset_name=name))
        wanted = kept.routes
        assert [info.route for info in reply.routes] == wanted
        assert await loaded(robot) == name
    async with alive(places(tmp_path)) as robot:
        assert await ids(robot) == [each.id for each in wanted]
        assert await loaded(robot) == name


async def test_preset_is_saved_edited_loaded_and_deleted(robot: RunningRouter) -> None:
    before = await ids(robot)
    mine = await robot.client.request(
        presets.SAVE_PRESET,
        presets.SavePreset(
            preset_name="mine",
        ),
    )
    assert (mine.routes, mine.is_shipped) == (len(before), False)
    await robot.client.request(routing.SET_ROUTE, routing.SetRoute(route=MINE))
    assert await loaded(robot) == ""
    await robot.client.request(
        presets.SAVE_PRESET, presets.SavePreset(preset_name="one", routes=[MINE])
    )
    await robot.client.request(
        presets.LOAD_PRESET, presets.LoadPreset(preset_name="one", confirm=["rc_estop:channel_6"])
    )
    assert await ids(robot) == ["mine"]
    await robot.client.request(presets.LOAD_PRESET, presets.LoadPreset(preset_name="mine"))
    assert await ids(robot) == before
    await robot.client.request(presets.DELETE_PRESET, presets.PresetParams(preset_name="mine"))
    names = {
        each.name for each in (await robot.client.request(presets.LIST_PRESETS, Nothing())).presets
    }
    assert names == SHIPPED | {"one"}


@pytest.mark.parametrize(
    ("row", "params", "code", "words"),
    [
        (presets.DELETE_PRESET, PresetParams(preset_name="default"), Code.REFUSED, "shipped"),
        (presets.SAVE_PRESET, SavePreset(preset_name="default"), Code.REFUSED, "shipped"),
        (presets.GET_PRESET, PresetParams(preset_name="defualt"), Code.NOT_FOUND,
         "did you mean 'default'?"),
        (presets.LOAD_PRESET, LoadPreset(preset_name="none"), Code.NOT_FOUND, "no preset 'none'"),
        (presets.SAVE_PRESET, SavePreset.model_construct(preset_name="a b"), Code.REQUEST_INVALID,
         "preset_name"),
        (presets.SAVE_PRESET, SavePreset(preset_name="a", routes=[route("a", "rc", "legs")]),
         Code.REQUEST_INVALID, "output.target 'legs'"),
        (routing.GET_OUTPUT, OutputParams(output="tracks.linaer"), Code.NOT_FOUND,
         "did you mean 'tracks.linear'?"),
        (routing.SET_ROUTE_PRIORITY, RoutePriority(route_id="rc_driv", priority=1), Code.NOT_FOUND,
         "did you mean 'rc_drive'?"),
        (routing.SET_BLENDING, routing.SetBlending(blending=Blending(fields={"head.pam": "blend"})),
         Code.REQUEST_INVALID, "did you mean 'head.pan'?"),
        (routing.PREVIEW_ROUTE, PreviewRoute(route=route("a", "rc", "head", [
            {"from": "x", "to": "pam"}])), Code.REQUEST_INVALID, "did you mean 'pan'?"),
        (routing.TAKE_CONTROL, TakeControl(target="haed", holder="rc"), Code.NOT_FOUND,
         "did you mean 'head'?"),
        (routing.TAKE_CONTROL, TakeControl(target="head", holder="me"), Code.REQUEST_INVALID,
         "not the name of a source"),
    ],
)  # fmt: skip
async def test_request_that_cannot_be_is_refused(
    robot: RunningRouter, row: Endpoint[Any, Any], params: Any, code: Code, words: str
) -> None:
    with pytest.raises(SaintError) as caught:
        await robot.client.request(row, params)
    assert caught.value.code is code
    assert words in caught.value.message


async def test_priority_is_set_and_reset(robot: RunningRouter) -> None:
    for priority in (7, None):
        wanted = RoutePriority(route_id="rc_drive", priority=priority)
        info = await robot.client.request(routing.SET_ROUTE_PRIORITY, wanted)
        assert info.route.priority == priority


async def test_blending_is_set_and_kept(tmp_path: Path) -> None:
    wanted = Blending(mode="blend", blend_time_ms=50, source_timeout_ms={"rc": 80})
    async with alive(places(tmp_path)) as robot:
        given = routing.SetBlending(blending=wanted)
        assert await robot.client.request(routing.SET_BLENDING, given) == wanted
    async with alive(places(tmp_path)) as robot:
        assert (await robot.client.request(routing.LIST_ROUTES, Nothing())).blending == wanted


async def test_preview_reports_values_and_moves_nothing(robot: RunningRouter) -> None:
    body = PreviewRoute(route=MINE, values={"channel_4": 0.5, "other": 1.0})
    (field,) = (await robot.client.request(routing.PREVIEW_ROUTE, body)).fields
    assert (field.target, field.field, field.value, field.asked, field.clamped) == (
        "head", "pan", 180.0, 200.0, True,
    )  # fmt: skip
    assert "mine" not in await ids(robot)
    empty = await robot.client.request(routing.PREVIEW_ROUTE, PreviewRoute(route=MINE))
    assert (empty.fields, empty.missing) == ([], ["channel_4"])
    status = await robot.client.request(routing.GET_STATUS, Nothing())
    assert (status.sources, status.samples) == ([], 0)


async def test_preview_of_direct_commands_uses_the_routes_target(robot: RunningRouter) -> None:
    body = PreviewRoute(route=route("a", "websocket", "head"), values={"pan": 200.0, "x": 1.0})
    shown = await robot.client.request(routing.PREVIEW_ROUTE, body)
    assert [(each.field, each.value) for each in shown.fields] == [("pan", 180.0)]
    assert (shown.missing, shown.estop) == ([], False)


async def test_preview_of_huge_numbers_is_still_encoded(robot: RunningRouter) -> None:
    arrows = [{"from": "x", "to": "pan", "scale": sign * 1.7e308} for sign in (1, -1)]
    body = PreviewRoute(route=route("a", "rc", "head", arrows), values={"x": 1e6})
    (field,) = (await robot.client.request(routing.PREVIEW_ROUTE, body)).fields
    assert field.value == 0.0
    body = PreviewRoute(route=route("a", "rc", "head", arrows[:1]), values={"x": 1e6})
    (field,) = (await robot.client.request(routing.PREVIEW_ROUTE, body)).fields
    assert (field.value, field.asked, field.clamped) == (180.0, 1e300, True)


async def test_preview_reports_the_stop(robot: RunningRouter) -> None:
    stop = route("s", "rc", "*", [{"from": "x", "to": "estop", "mode": "switch"}])
    for value, raises in ((0.4, False), (0.5, True)):
        body = PreviewRoute(route=stop, values={"x": value})
        assert (await robot.client.request(routing.PREVIEW_ROUTE, body)).estop is raises


async def test_why_names_winner_and_contenders(robot: RunningRouter) -> None:
    robot.rc(channel_2=0.0)
    await turns()
    why = await robot.client.request(
        routing.GET_OUTPUT, routing.OutputParams(output="tracks.linear")
    )
    assert (why.winner, why.source, why.policy) == ("rc_drive", "rc", "live")


async def test_control_is_granted_refused_and_released(robot: RunningRouter) -> None:
    take = TakeControl(target="tracks", holder="websocket:a", timeout_ms=60_000)
    status = await robot.client.request(routing.TAKE_CONTROL, take)
    assert [(each.target, each.holder) for each in status.control] == [("tracks", "websocket:a")]
    robot.rc(channel_2=0.0)
    await turns()
    why = await robot.client.request(
        routing.GET_OUTPUT, routing.OutputParams(output="tracks.linear")
    )
    assert (why.winner, why.rivals[0].reason) == ("", "panel locked by websocket:a")
    other = take.model_copy(update={"holder": "websocket:b"})
    with pytest.raises(SaintError, match="locked by websocket:a") as caught:
        await robot.client.request(routing.TAKE_CONTROL, other)
    assert caught.value.code is Code.CONFLICT
    give = ReleaseControl(target="tracks", holder="websocket:b")
    with pytest.raises(SaintError, match="locked by websocket:a"):
        await robot.client.request(routing.RELEASE_CONTROL, give)
    forced = give.model_copy(update={"force": True})
    assert (await robot.client.request(routing.RELEASE_CONTROL, forced)).control == []


async def test_damaged_preset_is_listed_and_the_others_stay(tmp_path: Path) -> None:
    folders = places(tmp_path)
    (folders.state / "presets").mkdir(parents=True)
    (folders.state / "presets" / "bad.yaml").write_text("{")
    async with alive(folders) as robot:
        found = (await robot.client.request(presets.LIST_PRESETS, Nothing())).presets
        assert [each.name for each in found if each.fault] == ["bad"]
        assert len(found) == 6


def test_routes_of_the_version_before_keep_their_timeouts(tmp_path: Path) -> None:
    text = (
        "version_of_format: 1\n"
        "routes:\n"
        "- {id: web, input: {source: websocket}, output: {target: '*'}, mapping: passthrough}\n"
        "blending: {mode: priority, blend_time_ms: 200, source_timeout_ms: 500}\n"
    )
    (tmp_path / "routes.yaml").write_text(text)
    saved = state.routes_store(tmp_path).load()
    assert saved.blending.source_timeout_ms is None
    assert [each.id for each in saved.routes or []] == ["web"]


def test_routes_and_presets_of_the_version_before_are_read_as_they_are(tmp_path: Path) -> None:
    routes = (
        "routes:\n"
        "- {id: look, input: {source: rc}, output: {target: head}, mapping: [{from: a, to: pan}]}\n"
        "blending: {mode: blend, source_timeout_ms: 500}\n"
    )
    (tmp_path / "routes.yaml").write_text(f"version_of_format: 2\n{routes}loaded: mine\n")
    (tmp_path / "presets").mkdir()
    (tmp_path / "presets/mine.yaml").write_text(f"version_of_format: 1\n{routes}")
    saved = state.routes_store(tmp_path).load()
    preset = state.preset_store(tmp_path, "mine").load()
    assert (saved.loaded, saved.blending.source_timeout_ms) == ("mine", 500)
    assert saved.routes == preset.routes == [route("look", "rc", "head", [LOOK])]


LOOK = {"from": "a", "to": "pan"}
PAN = route("look", "rc", "head", [{"from": "channel_4", "to": "pan", "scale": 180}])
JAW = route("talk", "rc", "head", [{"from": "channel_3", "to": "jaw"}])
WRONG = route("look", "rc", "head", [{"from": "channel_4", "to": "pam"}])


def ids_of(listed: RouteList) -> list[str]:
    return [info.route.id for info in listed.routes]


async def test_all_routes_are_replaced_in_the_order_given(robot: RunningRouter) -> None:
    file = RouteFile(routes=[JAW, PAN], blending=Blending(mode="blend"))
    wanted = ReplaceRoutes(file=file, confirm=["rc_estop:channel_6"])
    reply = await robot.client.request(routing.REPLACE_ROUTES, wanted)
    assert ids_of(reply) == ["talk", "look"]
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


async def line(robot: RunningRouter, drawn: Route, **more: Any) -> MappingCurve:
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


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        ({"input": "channel_4", "output": "head.pan"}, (180, 0, 0)),
        ({"input": "channel_2", "output": "tracks.linear"}, (1.5, 0, 0.05)),
        ({"input": "channel_3", "output": "head.jaw"}, (0.5, 0.5, 0)),
        ({"source": "livelink", "input": "jawOpen", "output": "head.jaw"}, (1, 0, 0)),
        ({"source": "livelink", "input": "headYaw", "output": "head.pan"}, (57.2958, 0, 0)),
        ({"source": "livelink", "input": "Head.yaw", "output": "head.pan"}, (1, 0, 0)),
        (
            {"source": "livelink", "input": "jawOpen", "output": "head.jaw", "low": 0.05}
            | {"high": 0.45},
            (2.5, -0.125, 0),
        ),
        ({"input": "a", "output": "head.tilt", "low": -0.5, "high": 1.0}, (120, -30, 0)),
        ({"source": "autonomous", "input": "x", "output": "head.pan"}, (1, 0, 0)),
    ],
)
async def test_proposed_scale_makes_the_full_range_of_a_full_stick(
    robot: RunningRouter, request_: dict[str, Any], expected: tuple[float, float, float]
) -> None:
    params = routing.ProposeMapping.model_validate(request_)
    found = (await robot.client.request(routing.PROPOSE_MAPPING, params)).mapping
    assert (found.scale, found.offset, found.deadzone) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        ({"output": "head.pam"}, "output 'head.pam' is not known; did you mean 'head.pan'?"),
        ({"output": "head.pan", "low": 1, "high": 0}, "low must be below high, not 1 and 0"),
    ],
)
async def test_proposal_without_a_range_is_refused(
    robot: RunningRouter, request_: dict[str, Any], words: str
) -> None:
    params = routing.ProposeMapping.model_validate({"input": "a", **request_})
    with pytest.raises(SaintError, match=re.escape(words)):
        await robot.client.request(routing.PROPOSE_MAPPING, params)


async def test_preview_names_the_conditions_that_do_not_hold(robot: RunningRouter) -> None:
    condition = {"source": "rc", "input": "channel_7", "above": 0.5}
    made = route("look", "rc", "head", [LOOK | {"only_while": [condition], "filter": "low_pass"}])
    wanted = routing.PreviewRoute(route=made, values={"a": 0.5})
    reply = await robot.client.request(routing.PREVIEW_ROUTE, wanted)
    assert reply.unmet == ["rc channel_7 at or above 0.5"]
    assert [each.value for each in reply.fields] == [0.5]
