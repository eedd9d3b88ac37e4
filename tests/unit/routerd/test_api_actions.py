"""The WebSocket's router actions with a running router behind them."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from saint_services.lib.access.audit import AuditRecord
from saint_services.lib.errors import SaintError
from saint_services.webd.actions.act import Caller, data_of
from saint_services.webd.actions.table import ACTIONS
from saint_services.webd.robot.daemon_clients import DaemonClients
from saint_services.webd.topics.newest import Newest
from tests.audit_log import collected
from tests.unit.routerd.daemon_rig import RunningRouter, alive, places
from tests.unit.routerd.rig import route
from tests.waiting import until

MINE = route("mine", "rc", "head", [{"from": "channel_4", "to": "pan", "scale": 400}])


@pytest.fixture
async def entries(tmp_path: Path) -> AsyncIterator[list[AuditRecord]]:
    async with collected(places(tmp_path).runtime) as found:
        yield found


@pytest.fixture
async def robot(tmp_path: Path, entries: list[AuditRecord]) -> AsyncIterator[RunningRouter]:
    async with alive(places(tmp_path)) as running:
        yield running


async def noted(entries: list[AuditRecord], count: int) -> list[AuditRecord]:
    """Return the entries of the log, as soon as there are `count`."""
    await until(lambda: len(entries) >= count)
    return entries


class Page:
    """The WebSocket's actions with the real router behind them."""

    def __init__(self, robot: RunningRouter, client_id: str = "page") -> None:
        self.caller = Caller(client_id)
        daemons = DaemonClients(*[robot.client] * 6)
        stop = SimpleNamespace(publish=lambda _: None)
        self.robot: Any = SimpleNamespace(daemons=daemons, stop=stop, newest=Newest())

    async def do(self, action: str, group: str = "router", **params: Any) -> dict[str, Any]:
        found = ACTIONS[group][action]
        checked = found.params.model_validate(params)
        reply = data_of(await found.handler(self.robot, self.caller, checked))
        json.dumps(reply, allow_nan=False)
        return reply


async def test_actions_of_the_specifications_table_do_what_they_say(
    robot: RunningRouter, entries: list[AuditRecord]
) -> None:
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
    assert [each.text for each in await noted(entries, 8)] == [
        "Route mine was saved",
        "Route mine was switched off",
        "The priority of route mine is now 9",
        "Preset show was saved",
        "Preset one was saved",
        "Preset one was loaded",
        "Preset show was deleted",
        "Route mine was deleted",
    ]
    loading = entries[5]
    assert (loading.what, loading.who, loading.level) == ("router load_preset", "anyone", "admin")
    assert loading.source == "websocket:page"
    assert loading.detail == 'confirm: ["rc_estop:channel_6"], preset_name: one'


async def test_specifications_own_set_route_message_is_accepted(robot: RunningRouter) -> None:
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


async def test_actions_preview_blend_explain_and_lock(
    robot: RunningRouter, entries: list[AuditRecord]
) -> None:
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
    logged = [(each.what, each.text or each.refused) for each in await noted(entries, 4)]
    assert logged == [
        ("router set_blending", "Contenders are now combined by additive"),
        ("router take_control", "Exclusive control of * was taken"),
        ("router take_control", entries[2].refused),
        ("router release_control", "Exclusive control of * was released"),
    ]
    assert "locked by websocket:page" in entries[2].refused
    assert entries[2].source == "websocket:other"


@pytest.mark.parametrize("group", ["tracks", "system"])
async def test_stop_and_its_clear_give_one_entry_each_and_no_second_sentence(
    robot: RunningRouter, entries: list[AuditRecord], group: str
) -> None:
    page = Page(robot)
    raised = await page.do("estop", group, reason="a child")
    seen = raised["estop"]["generation"]
    with pytest.raises(SaintError, match="the e-stop stays"):
        await page.do("estop", group, enable=False, generation=seen - 1)
    await page.do("estop", group, enable=False, generation=seen)
    logged = [
        (each.what, each.who, each.text, bool(each.refused)) for each in await noted(entries, 3)
    ]
    assert logged == [
        ("router estop", "anyone", "", False),
        ("router clear_estop", "anyone", "", True),
        ("router clear_estop", "anyone", "", False),
    ]
    assert entries[0].detail == "source: websocket:page, reason: a child"


async def test_drill_names_who_began_it_and_logs_how_it_ended(
    robot: RunningRouter, entries: list[AuditRecord]
) -> None:
    page = Page(robot)
    begun = await page.do("begin", "drill")
    assert begun["running"]["by"] == "anyone"
    await page.do("skip", "drill", way="rc", reason="no transmitter")
    with pytest.raises(SaintError, match="no node holds tracks"):
        await page.do("kill", "drill", target="tracks")
    await page.do("wait", "drill", way="console")
    await page.do("finish", "drill")
    await noted(entries, 5)
    assert [(each.what, each.text, each.severity) for each in entries] == [
        ("drill begin", "Stop drill started", "INFO"),
        ("drill skip", "", "INFO"),
        ("drill kill", "", "INFO"),
        ("drill wait", "", "INFO"),
        ("drill finish", "Stop drill failed: console", "ERROR"),
    ]
    assert entries[2].refused == "no node holds tracks"


async def test_all_routes_travel_as_yaml(robot: RunningRouter, entries: list[AuditRecord]) -> None:
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
    await noted(entries, 2)
    assert entries[-1].text == f"All routes were replaced: now {before['routes']}"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("routes:\n  - id: a\n    sorce: rc\n", "mine.yaml, line 3: routes[0].sorce is not"),
        ("routes: [", "mine.yaml, line 1: this is not YAML"),
        ("routes: [{id: a, input: {source: rc}, output: {target: hed}, mapping: []}]",
         "route a: output.target 'hed' is not known; did you mean 'head'?"),
    ],
)  # fmt: skip
async def test_a_text_with_a_fault_changes_nothing(
    robot: RunningRouter, text: str, reason: str
) -> None:
    page = Page(robot)
    before = await page.do("list_routes")
    with pytest.raises(SaintError) as refused:
        await page.do("import_routes", yaml=text, name="mine.yaml")
    assert refused.value.status == 400
    assert reason in refused.value.message
    assert await page.do("list_routes") == before


async def test_a_preset_and_a_curve_are_shown(robot: RunningRouter) -> None:
    page = Page(robot)
    shown = await page.do("get_preset", preset_name="facecap_head")
    assert [each["id"] for each in shown["routes"]] == ["facecap_to_head", "rc_estop"]
    mine = MINE.model_dump(mode="json", by_alias=True)
    drawn = await page.do("preview_curve", route=mine, index=0, steps=2)
    assert drawn["points"] == [[-1.0, -180.0], [0.0, 0.0], [1.0, 180.0]]
