"""`saintctl node gpio` and `node check` with a webd and fake nodes."""

import asyncio
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from saint_services.lib.generated.saint_msgs import PeripheralInfo
from saint_services.saintctl.app import app
from tests.web.fakes.nodes import CHIPS
from tests.web.fakes.robot import FakeRobot, fake_robot


async def said(path: Path, *words: str, chips: tuple[PeripheralInfo, ...] = CHIPS) -> Result:
    """Run a node command with the robot."""
    async with fake_robot(path) as (robot, _, __):
        robot.headers.chips = chips
        return await asyncio.to_thread(_call, robot, *words)


def _call(robot: FakeRobot, *words: str) -> Result:
    return CliRunner().invoke(app, ["--run", str(robot.runtime), "node", *words])


async def test_header_is_drawn_as_it_lies_on_the_board(tmp_path: Path) -> None:
    result = await said(tmp_path, "gpio", "sim_head")
    assert result.exit_code == 0, result.output
    lines = result.output.splitlines()
    assert lines[0].split() == ["3V3", "1", "[+][+]", "2", "5V"]
    assert lines[15].split(None, 1)[1].strip() == "31 [ ][P] 32  GPIO12: pan, PWM 7 %"
    assert lines[16].strip().startswith("tilt, PWM 6 %: GPIO13")
    assert "PCA9685" in result.output


async def test_check_names_what_is_missing_and_fails_for_the_named_role(
    tmp_path: Path,
) -> None:
    result = await said(tmp_path, "check", "sim_spare", "console", chips=CHIPS[:1])
    assert result.exit_code == 1
    assert "console: does not fit" in result.output
    assert "SSD1306 at I2C 1:0x3c" in result.output and "head" not in result.output


@pytest.mark.parametrize("words", [("gpio", "sim_head"), ("check", "sim_spare")])
async def test_json_is_the_reply_of_webd(tmp_path: Path, words: tuple[str, str]) -> None:
    result = await said(tmp_path, *words, "--json")
    data = json.loads(result.output)
    assert len(data.get("pins", data.get("status", {}).get("pins"))) == 40


async def test_unknown_node_exits_4(tmp_path: Path) -> None:
    assert (await said(tmp_path, "check", "nobody")).exit_code == 4


async def test_update_of_one_node_leaves_the_others(tmp_path: Path) -> None:
    async with fake_robot(tmp_path) as (robot, _, __):
        result = await asyncio.to_thread(_call, robot, "update", "sim_head")
        assert result.exit_code == 0, result.output
        assert robot.otad.plan
        assert [step.node_id for step in robot.otad.plan.steps] == ["sim_head"]
        assert "sim_head is being updated to release" in result.output
