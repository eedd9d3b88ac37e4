"""`saintctl robot` and `saintctl part` against a real adoptiond."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from saint_services.lib.robot import restart
from saint_services.lib.robot.source import template_text
from saint_services.saintctl.app import app
from tests.unit.adoptiond.adoption_rig import Robot

pytestmark = pytest.mark.slow

SAINT = template_text(Path(__file__).resolve().parents[4] / "manifests", "saint")
OTHER_PIN = SAINT.replace("pan: {type: servo, pin: 12,", "pan: {type: servo, pin: 18,")


@pytest.fixture(autouse=True)
def _adoptiond_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """It restarts half a second after such a change: tests/unit/lib/robot/test_restart.py."""
    monkeypatch.setattr(restart, "_PAUSE_S", 60.0)


class Terminal:
    """saintctl on the server of a robot."""

    def __init__(self, robot: Robot) -> None:
        self.robot = robot

    async def __call__(self, *words: str) -> Result:
        line = ["--run", str(self.robot.directories.runtime), *words]
        return await asyncio.to_thread(CliRunner().invoke, app, line)

    def file(self, text: str) -> str:
        path = self.robot.root / "robot.yaml"
        path.write_text(text)
        return str(path)


@pytest.fixture
async def saintctl(tmp_path: Path) -> AsyncIterator[Terminal]:
    robot = Robot(tmp_path)
    async with robot.registry():
        yield Terminal(robot)


async def test_show_prints_what_apply_takes(saintctl: Terminal) -> None:
    shown = await saintctl("robot", "show")
    assert shown.stdout == SAINT
    again = await saintctl("robot", "apply", saintctl.file(shown.stdout))
    assert "nothing has changed" in again.stdout


async def test_diff_says_what_apply_then_does(saintctl: Terminal) -> None:
    file = saintctl.file(OTHER_PIN)
    found = await saintctl("robot", "diff", file)
    assert found.stdout.splitlines() == [
        "head.pan: pin 12 -> 18.",
        "head opens its drivers again when its outputs are safe.",
    ]
    applied = await saintctl("robot", "apply", file, "--note", "moved")
    assert "head.pan: pin 12 -> 18." in applied.stdout
    listed = await saintctl("robot", "versions")
    assert "moved" in listed.stdout
    assert "in force" in listed.stdout


async def test_lint_names_line_and_field_and_ends_with_2(saintctl: Terminal) -> None:
    found = await saintctl("robot", "lint", saintctl.file(SAINT.replace("pin: 13", "pin: 31")))
    assert found.exit_code == 2
    assert "line 30: roles[0].config.gpio_mapping.tilt.pin" in found.stdout


async def test_undo_returns_to_the_version_before(saintctl: Terminal) -> None:
    await saintctl("robot", "apply", saintctl.file(OTHER_PIN))
    undone = await saintctl("robot", "undo")
    assert "head.pan: pin 18 -> 12." in undone.stdout
    assert (await saintctl("robot", "show")).stdout == SAINT
    assert (await saintctl("robot", "export", "--version", "2")).stdout == OTHER_PIN


async def test_template_is_listed_shown_and_used(saintctl: Terminal) -> None:
    assert "rover" in (await saintctl("robot", "template")).stdout
    assert "ROVER-01" in (await saintctl("robot", "template", "rover", "--show")).stdout
    used = await saintctl("robot", "template", "rover")
    assert "Role head is removed." in used.stdout
    assert "ROVER-01" in (await saintctl("robot", "show")).stdout


async def test_part_is_set_by_key_and_value(saintctl: Terminal) -> None:
    done = await saintctl("part", "set", "head.pan", "pin=18", "pulse_us=600,2400", "max_rate=90")
    assert done.exit_code == 0, done.output
    assert "head.pan: pulse_us 500 to 2500 -> 600 to 2400." in done.stdout
    assert "GPIO18" in (await saintctl("part", "list")).stdout
    assert "GPIO18" in (await saintctl("pin", "plan")).stdout


async def test_several_parts_are_set_by_one_command_and_one_version(saintctl: Terminal) -> None:
    line = ("head.pan", "pin=18", "limits=-60,60", "head.tilt", "max_rate=90", "--note", "both")
    done = await saintctl("part", "set", *line)
    assert done.exit_code == 0, done.output
    assert "head.pan: pin 12 -> 18." in done.stdout
    assert "head.tilt: max_rate" in done.stdout
    listed = (await saintctl("robot", "versions")).stdout.splitlines()
    assert [line for line in listed if "both" in line and "in force" in line]
    assert len(listed) == 3  # the heading, the template, the change
    refused = await saintctl("part", "set", *line, "--rename", "x")
    assert refused.exit_code == 2 and "one part" in refused.output


async def test_part_on_a_taken_pin_is_refused_with_both_names(saintctl: Terminal) -> None:
    done = await saintctl("part", "set", "head.pan", "pin=13")
    assert done.exit_code == 2
    assert "GPIO13 is used by pan and by tilt of head" in done.stderr


async def test_unknown_key_is_refused_with_the_nearest(saintctl: Terminal) -> None:
    done = await saintctl("part", "set", "head.pan", "pulse=600,2400")
    assert done.exit_code != 0
    assert "'pulse=600,2400' is no setting of a part" in done.stderr


async def test_microphone_is_added_with_its_device_as_it_is_written(saintctl: Terminal) -> None:
    words = "driver=microphone", "alsa_device=plughw:1,0"
    done = await saintctl("part", "add", "head.microphone", *words)
    assert done.exit_code == 0, done.stderr
    assert "plughw:1,0" in (await saintctl("part", "list")).stdout


async def test_every_setting_of_a_can_device_is_known(saintctl: Terminal) -> None:
    words = "driver=vesc", "port=can0", "id=68", "pole_pairs=7"
    done = await saintctl("part", "add", "tracks.drive", *words)
    assert done.exit_code == 0, done.stderr


async def test_part_is_removed(saintctl: Terminal) -> None:
    done = await saintctl("part", "remove", "head.imu")
    assert "head.imu: I2C device is removed." in done.stdout


async def test_switch_that_power_on_switches_on_is_warned_of_once(saintctl: Terminal) -> None:
    pump = ("type=switch", "kind=switch")
    done = await saintctl("part", "add", "head.pump", *pump, "pin=8")
    assert done.exit_code == 0, done.output
    assert "Warning: head.pump is on from power-on until" in done.stdout
    shown = await saintctl("robot", "show")
    assert (
        "Warning: head.pump"
        in (await saintctl("robot", "lint", saintctl.file(shown.stdout))).stdout
    )
    done = await saintctl("part", "set", "head.pan", "pin=18")
    assert "Warning" not in done.stdout  # it is known
