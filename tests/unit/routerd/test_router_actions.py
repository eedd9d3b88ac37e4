"""The WebSocket's router actions with a running router behind them."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from saint_services.lib.errors import SaintError
from saint_services.webd.actions import ACTIONS
from saint_services.webd.actions.caller import Caller
from tests.unit.routerd.daemon_rig import Robot, alive, places
from tests.unit.routerd.rig import route

MINE = route("mine", "rc", "head", [{"from": "channel_4", "to": "pan", "scale": 400}])


@pytest.fixture
async def robot(tmp_path: Path) -> AsyncIterator[Robot]:
    async with alive(places(tmp_path)) as running:
        yield running


class Page:
    """The WebSocket's actions with the real router behind them."""

    def __init__(self, robot: Robot, client_id: str = "page") -> None:
        self.caller = Caller(client_id)
        self.notes: list[str] = []
        daemons = SimpleNamespace(routerd=robot.client)
        self.robot: Any = SimpleNamespace(daemons=daemons, note=self._note)

    def _note(self, level: str, source: str, text: str) -> None:
        self.notes.append(text)

    async def do(self, action: str, **params: Any) -> dict[str, Any]:
        found = ACTIONS["router"][action]
        reply = await found.handler(self.robot, self.caller, found.params.model_validate(params))
        json.dumps(reply, allow_nan=False)
        return reply


async def test_actions_of_the_specifications_table_do_what_they_say(robot: Robot) -> None:
    page = Page(robot)
    mine = MINE.model_dump(mode="json", by_alias=True)
    assert (await page.do("set_route", route=mine))["status"] == "standby"
    switched = await page.do("set_route_enabled", route_id="mine", enabled=False)
    assert switched["status"] == "disabled"
    assert (await page.do("set_route_priority", route_id="mine", priority=9))["route"][
        "priority"
    ] == 9
    assert (await page.do("save_preset", preset_name="show"))["name"] == "show"
    assert (await page.do("save_preset", preset_name="one", routes=[mine]))["routes"] == 1
    names = [each["name"] for each in (await page.do("list_presets"))["presets"]]
    assert {"show", "one"} <= set(names)
    confirm = ["rc_estop:channel_6"]
    loaded = await page.do("load_preset", preset_name="one", confirm=confirm)
    assert len(loaded["routes"]) == 1
    await page.do("delete_preset", preset_name="show")
    await page.do("delete_route", route_id="mine")
    assert (await page.do("list_routes"))["routes"] == []
    assert (await page.do("get_status"))["state"] == "idle"
    assert "Preset one was loaded" in page.notes


async def test_specifications_own_set_route_message_is_taken(robot: Robot) -> None:
    message = {
        "id": "my_custom_route",
        "enabled": True,
        "priority": 150,
        "input": {"source": "livelink", "subject": "MyCharacter", "type": "animation"},
        "output": {"target": "head"},
        "mapping": [{"from": "Head", "to": "pan", "scale": 1.0}],
    }
    saved = await Page(robot).do("set_route", route=message)
    assert (saved["route"]["id"], saved["status"]) == ("my_custom_route", "standby")


async def test_actions_preview_blend_explain_and_lock(robot: Robot) -> None:
    page = Page(robot)
    mine = MINE.model_dump(mode="json", by_alias=True)
    shown = await page.do("preview_route", route=mine, values={"channel_4": -1.0})
    assert shown["fields"][0]["value"] == -180.0
    assert (await page.do("set_blending", blending={"mode": "additive"}))["mode"] == "additive"
    assert (await page.do("get_output", output="head.pan"))["winner"] == ""
    taken = await page.do("take_control", target="*")
    assert {each["holder"] for each in taken["control"]} == {"websocket:page"}
    with pytest.raises(SaintError, match="locked by websocket:page"):
        await Page(robot, "other").do("take_control", target="head")
    assert (await page.do("release_control", target="*"))["control"] == []


async def test_all_routes_travel_as_yaml(robot: Robot) -> None:
    page = Page(robot)
    before = await page.do("export_routes")
    mine = MINE.model_dump(mode="json", by_alias=True)
    await page.do("set_route", route=mine)
    changed = (await page.do("export_routes"))["yaml"]
    read = await page.do("import_routes", yaml=before["yaml"], check_only=True)
    assert len(read["routes"]) == before["routes"]
    assert (await page.do("export_routes"))["yaml"] == changed
    await page.do("import_routes", yaml=before["yaml"])
    assert (await page.do("export_routes"))["yaml"] == before["yaml"]
    assert page.notes[-1] == f"All routes were replaced: {before['routes']} now"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("routes:\n  - id: a\n    sorce: rc\n", "mine.yaml, line 3: routes[0].sorce is not"),
        ("routes: [", "mine.yaml, line 1: this is not YAML"),
        ("routes: [{id: a, input: {source: rc}, output: {target: hed}, mapping: []}]",
         "route a: output.target 'hed' is not known; did you mean 'head'?"),
    ],
)  # fmt: skip
async def test_a_text_with_a_fault_changes_nothing(robot: Robot, text: str, told: str) -> None:
    page = Page(robot)
    before = await page.do("list_routes")
    with pytest.raises(SaintError) as refused:
        await page.do("import_routes", yaml=text, name="mine.yaml")
    assert refused.value.status == 400
    assert told in refused.value.message
    assert await page.do("list_routes") == before


async def test_a_preset_and_a_curve_are_shown(robot: Robot) -> None:
    page = Page(robot)
    shown = await page.do("get_preset", preset_name="facecap_head")
    assert [each["id"] for each in shown["routes"]] == ["facecap_to_head", "rc_estop"]
    mine = MINE.model_dump(mode="json", by_alias=True)
    drawn = await page.do("preview_curve", route=mine, index=0, steps=2)
    assert drawn["points"] == [[-1.0, -180.0], [0.0, 0.0], [1.0, 180.0]]
