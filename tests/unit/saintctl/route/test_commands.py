"""`saintctl route` with a running router."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from saint_services.saintctl.app import app
from tests.unit.routerd.daemon_rig import RunningRouter, alive, places
from tests.unit.saintctl.fake_daemons import FakeDaemons
from tests.waiting import every, turns

pytestmark = pytest.mark.slow

FILE = """\
routes:
  - id: mine
    input: {source: rc}
    output: {target: head}
    mapping: [{from: channel_4, to: pan, scale: 400}]
  - id: stop
    input: {source: rc}
    output: {target: "*"}
    mapping: [{from: channel_7, to: estop, mode: switch}]
"""


class Terminal:
    """saintctl on the robot's machine."""

    def __init__(self, robot: RunningRouter, folder: Path) -> None:
        self.robot, self.folder = robot, folder
        self.file = folder / "mine.yaml"
        self.file.write_text(FILE)

    async def run(self, *arguments: str) -> Result:
        line = ["--run", str(self.folder / "run"), "route", *arguments]
        return await asyncio.to_thread(CliRunner().invoke, app, line)

    async def ok(self, *arguments: str) -> str:
        result = await self.run(*arguments)
        assert result.exit_code == 0, result.output
        return result.stdout

    async def json(self, *arguments: str) -> Any:
        return json.loads(await self.ok(*arguments, "--json"))


@pytest.fixture
async def terminal(tmp_path: Path) -> AsyncIterator[Terminal]:
    async with alive(places(tmp_path)) as robot:
        yield Terminal(robot, tmp_path)


async def test_routes_are_set_changed_and_deleted(terminal: Terminal) -> None:
    assert "mine is saved" in await terminal.ok("set", str(terminal.file), "--route", "mine")
    assert (await terminal.json("disable", "mine"))["status"] == "disabled"
    assert "standby" in await terminal.ok("enable", "mine")
    assert (await terminal.json("priority", "mine", "12"))["route"]["priority"] == 12
    assert "that of its source" in await terminal.ok("priority", "mine", "default")
    assert "mine" in await terminal.ok("list")
    assert await terminal.ok("delete", "mine") == "Route mine is deleted.\n"
    assert (await terminal.run("delete", "mine")).exit_code == 4


@contextlib.asynccontextmanager
async def again_and_again(send: Callable[[], None]) -> AsyncIterator[None]:
    """Repeat the samples of a source while the command runs."""

    async def go_on() -> None:
        async for _ in every(0.02):
            send()

    going_on = asyncio.create_task(go_on())
    await turns()
    try:
        yield
    finally:
        going_on.cancel()


async def test_why_prints_the_reason(terminal: Terminal) -> None:
    async with again_and_again(lambda: terminal.robot.rc(channel_2=0.0)):
        text = await terminal.ok("why", "tracks.linear")
    assert "rc_drive, with rc" in text
    text = " ".join((await terminal.ok("why", "head.pan")).split())
    assert "head.pan not commanded" in text
    assert "not driven since the router started; the output stays where it is" in text
    missing = await terminal.run("why", "tracks.linaer")
    assert missing.exit_code == 4
    assert "did you mean 'tracks.linear'?" in missing.output


async def test_show_prints_the_whole_route(terminal: Terminal) -> None:
    await terminal.ok("set", str(terminal.file))
    text = " ".join((await terminal.ok("show", "mine")).split())
    assert "route mine status standby input rc output head priority its source's" in text
    assert "channel_4 pan times 400" in text
    assert "head.pan" in text and "not commanded no input: not driven since" in text
    data = await terminal.json("show", "mine")
    assert data["route"]["mapping"][0]["from"] == "channel_4"
    assert [each["field"] for each in data["outputs"]] == ["pan"]
    assert "on from 0.5" in await terminal.ok("show", "stop")
    missing = await terminal.run("show", "mien")
    assert missing.exit_code == 4 and "did you mean 'mine'?" in missing.output


async def test_why_explains_how_to_unblock_a_field_of_a_lost_receiver(
    terminal: Terminal,
) -> None:
    terminal.robot.rc(channel_2=0.5)

    def send() -> None:
        terminal.robot.rc(is_lost=True, channel_2=0.5)
        terminal.robot.page(target="tracks", linear=0.2)

    async with again_and_again(send):
        text = " ".join((await terminal.ok("why", "tracks.linear")).split())
    assert "no input: zero is commanded" in text
    assert "failsafe of rc holds" in text
    assert "its failsafe action is passthrough, or saintctl rc disable" in text


async def test_preview_of_a_file_and_of_the_robot(terminal: Terminal) -> None:
    text = await terminal.ok("preview", "mine", "channel_4=0.5", "--file", str(terminal.file))
    assert "180.000 deg" in text
    assert "limited from 200.000" in text
    text = await terminal.ok("preview", "rc_drive", "channel_2=1")
    assert "1.500 m/s" in text
    assert "Missing inputs: channel_1." in text
    assert "set the e-stop" in await terminal.ok(
        "preview", "stop", "channel_7=1", "--file", str(terminal.file)
    )
    assert (await terminal.run("preview", "mien", "a=1")).exit_code == 4
    for wrong in ("channel_2", "channel_2=x", "channel_2=nan"):
        assert (await terminal.run("preview", "rc_drive", wrong)).exit_code == 2


async def test_blending_is_shown_and_set_key_by_key(terminal: Terminal) -> None:
    assert "each class's" in await terminal.ok("blending")
    await terminal.ok("blending", "--mode", "blend", "--field", "head.pan=additive")
    text = await terminal.json("blending", "--timeout", "rc=220", "--blend-ms", "300")
    assert (text["mode"], text["fields"]) == ("blend", {"head.pan": "additive"})
    assert (text["source_timeout_ms"], text["blend_time_ms"]) == ({"rc": 220}, 300)
    assert "rc 220 ms" in await terminal.ok("blending", "--field", "head.pan=default")
    text = await terminal.json("blending", "--timeout", "rc=default", "--hysteresis-ms", "0")
    assert (text["source_timeout_ms"], text["fields"], text["hysteresis_ms"]) == (None, {}, 0)
    assert "300 ms for all" in await terminal.ok("blending", "--timeout", "300")
    assert (await terminal.json("blending", "--timeout", "default"))["source_timeout_ms"] is None


@pytest.mark.parametrize(
    ("option", "value", "text"),
    [
        ("--mode", "loudest", "mode must be one of"),
        ("--field", "head.pan", "not of the form"),
        ("--field", "head.pen=blend", "head.pan"),
        ("--timeout", "rc=soon", "milliseconds"),
        ("--timeout", "rc=1", "at least"),
        ("--timeout", "radio=200", "radio"),
    ],
)
async def test_wrong_blending_is_refused(
    terminal: Terminal, option: str, value: str, text: str
) -> None:
    before = await terminal.json("blending")
    result = await terminal.run("blending", option, value)
    assert result.exit_code == 2 and text in " ".join(result.stderr.split()), result.stderr
    assert await terminal.json("blending") == before


async def test_all_routes_are_exported_and_imported(terminal: Terminal) -> None:
    kept = terminal.folder / "kept.yaml"
    assert "routes are in" in await terminal.ok("export", "--to", str(kept))
    assert await terminal.ok("export") == kept.read_text()
    assert "2 routes fit this robot" in await terminal.ok("import", str(terminal.file), "--check")
    assert "rc_drive" in await terminal.ok("list")
    stop = ("--remove-stop", "rc_estop:channel_6")
    assert len((await terminal.json("import", str(terminal.file), *stop))["routes"]) == 2
    assert "rc_drive" not in await terminal.ok("list")
    refused = await terminal.run("import", str(kept), "--remove-stop", "rc_estop:channel_6")
    assert refused.exit_code == 5
    assert "--remove-stop stop:channel_7" in refused.output
    await terminal.ok("import", str(kept), "--remove-stop", "stop:channel_7")
    assert await terminal.ok("export") == kept.read_text()
    terminal.file.write_text(FILE.replace("to: pan", "to: pam"))
    for more in ((), ("--check",)):
        refused = await terminal.run("import", str(terminal.file), *more)
        assert refused.exit_code == 2
        assert "did you mean 'pan'" in refused.output
    assert (await terminal.run("export", "--to", str(terminal.folder))).exit_code == 2


async def test_presets_are_stored_by_name(terminal: Terminal) -> None:
    assert "in force" in await terminal.ok("preset", "list")
    await terminal.ok("preset", "save", "mine", "--file", str(terminal.file))
    shown = terminal.folder / "shown.yaml"
    shown.write_text(await terminal.ok("preset", "show", "mine"))
    await terminal.ok("preset", "save", "again", "--file", str(shown))
    stop = ("--remove-stop", "rc_estop:channel_6")
    assert len((await terminal.json("preset", "load", "again", *stop))["routes"]) == 2
    assert (await terminal.json("preset", "list"))["loaded"] == "again"
    await terminal.ok("preset", "delete", "mine")
    refused = await terminal.run("preset", "delete", "default")
    assert refused.exit_code == 5
    assert (await terminal.run("preset", "save", "a b")).exit_code == 2


async def test_control_is_taken_and_released(terminal: Terminal) -> None:
    assert "leader:left" in await terminal.ok("take", "arms.left", "--holder", "leader:left")
    assert (await terminal.run("take", "*", "--holder", "rc")).exit_code == 5
    assert (await terminal.run("release", "arms.left")).exit_code == 5
    assert "No target is" in await terminal.ok("release", "arms.left", "--force")
    assert (await terminal.run("take", "head", "--holder", "")).exit_code == 2


async def test_wrong_priority_is_wrong_usage(terminal: Terminal) -> None:
    for value in ("high", "1001", "1.5"):
        assert (await terminal.run("priority", "rc_drive", value)).exit_code == 2


async def test_route_list_shows_mapping(daemons: FakeDaemons) -> None:
    result = await daemons.saintctl("route", "list")
    assert "rc_drive" in result.stdout
    assert "channel_2" in result.stdout
