"""`saintctl robot figure`, and the robot with its figure as one file, against a real adoptiond."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from saint_services.lib.robot import restart
from saint_services.lib.robot.figure.archive import zipped
from tests.unit.adoptiond.adoption_rig import Robot
from tests.unit.lib.robot.figure.uploads import URDF, figure, stl
from tests.unit.saintctl.robot.test_robot import SAINT, Terminal

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def _adoptiond_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(restart, "_PAUSE_S", 60.0)


@pytest.fixture
async def saintctl(tmp_path: Path) -> AsyncIterator[Terminal]:
    robot = Robot(tmp_path)
    async with robot.registry():
        yield Terminal(robot)


def stored(saintctl: Terminal, name: str, content: bytes) -> str:
    path = saintctl.robot.root / name
    path.write_bytes(content)
    return str(path)


async def in_force(saintctl: Terminal) -> str:
    return str((await saintctl("robot", "show")).stdout)


async def test_figure_is_set_with_joints_of_like_names_and_says_what_none_shows(
    saintctl: Terminal,
) -> None:
    done = await saintctl("robot", "figure", "set", stored(saintctl, "mine.zip", figure()))
    assert done.exit_code == 0, done.output
    assert "No joint shows head.tilt" in done.stdout
    assert "No part moves propeller." in done.stdout
    assert "pan: neck_yaw" in await in_force(saintctl)
    listed = await saintctl("robot", "versions")
    assert "mine.zip" in listed.stdout


async def test_named_joint_is_used_and_a_wrong_one_changes_nothing(saintctl: Terminal) -> None:
    file = stored(saintctl, "mine.zip", figure())
    for wrong, said in (
        ("left_motor=propeller", "is not ROLE.PART=JOINT"),
        ("tracks.left_motor=mouth", "must be continuous"),
        ("head.pan=nose", "nose"),
    ):
        refused = await saintctl("robot", "figure", "set", file, "--joint", wrong)
        assert refused.exit_code == 2 and said in refused.stderr, refused.output
    assert await in_force(saintctl) == SAINT
    named = "tracks.left_motor=propeller"
    done = await saintctl("robot", "figure", "set", file, "--joint", named, "--note", "with wheels")
    assert done.exit_code == 0 and "No part moves" not in done.stdout, done.output
    assert "left_motor: propeller" in await in_force(saintctl)
    assert "with wheels" in (await saintctl("robot", "versions")).stdout


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("mine.zip", figure(**{"mine/meshes/skull.stl": stl(30_000)}), "at most 20000"),
        ("mine.urdf", URDF.encode(), "not in the archive"),
        ("mine.zip", b"PK nothing", "the file is no zip"),
        ("mine.urdf", b"\0" * ((8 << 20) + 1), "8388608"),
    ],
    ids=["triangles", "no meshes", "no archive", "size"],
)
async def test_faulty_figure_is_refused_before_it_is_sent(
    saintctl: Terminal, name: str, content: bytes, said: str
) -> None:
    refused = await saintctl("robot", "figure", "set", stored(saintctl, name, content))
    assert refused.exit_code == 2, refused.output
    assert said in refused.stderr
    assert await in_force(saintctl) == SAINT


async def test_file_that_is_not_there_is_named(saintctl: Terminal) -> None:
    refused = await saintctl("robot", "figure", "set", "nowhere.zip")
    assert refused.exit_code == 2 and "nowhere.zip cannot be read" in refused.stderr


async def test_show_lists_parts_with_their_joints_as_a_table_and_as_json(
    saintctl: Terminal,
) -> None:
    shipped = await saintctl("robot", "figure", "show")
    assert "shipped" in shipped.stdout and "head.pan" in shipped.stdout
    await saintctl("robot", "figure", "set", stored(saintctl, "mine.zip", figure()))
    shown = await saintctl("robot", "figure", "show")
    assert "yours" in shown.stdout and "2 triangles" in shown.stdout
    row = next(line for line in shown.stdout.splitlines() if line.startswith("head.pan"))
    assert "neck_yaw" in row and "-57.3" in row
    as_json = json.loads((await saintctl("robot", "figure", "show", "--json")).stdout)
    assert (as_json["kind"], as_json["triangles"]) == ("own", 2)


async def test_remove_returns_to_the_figure_of_the_parts(saintctl: Terminal) -> None:
    await saintctl("robot", "figure", "set", stored(saintctl, "mine.zip", figure()))
    removed = await saintctl("robot", "figure", "remove")
    assert removed.exit_code == 0, removed.output
    shown = await saintctl("robot", "figure", "show")
    assert "made of the parts" in shown.stdout
    assert "no arm is kept clear of anything" in shown.stdout


async def test_robot_with_its_figure_is_exported_and_imported_as_one_file(
    saintctl: Terminal,
) -> None:
    await saintctl("robot", "figure", "set", stored(saintctl, "mine.zip", figure()))
    wanted = await in_force(saintctl)
    to = str(saintctl.robot.root / "robot.zip")
    assert "its figure are in" in (await saintctl("robot", "export", "--to", to)).stdout
    text = await saintctl("robot", "export", "--to", str(saintctl.robot.root / "robot.yaml"))
    assert "--to robot.zip writes both" in text.stdout
    await saintctl("robot", "undo", "1")
    assert await in_force(saintctl) == SAINT
    imported = await saintctl("robot", "import", to)
    assert imported.exit_code == 0, imported.output
    assert await in_force(saintctl) == wanted


async def test_lint_of_a_zip_says_what_its_import_would_and_stores_nothing(
    saintctl: Terminal,
) -> None:
    await saintctl("robot", "figure", "set", stored(saintctl, "mine.zip", figure()))
    to = str(saintctl.robot.root / "robot.zip")
    await saintctl("robot", "export", "--to", to)
    text = (await saintctl("robot", "export")).stdout
    await saintctl("robot", "undo", "1")
    figures = saintctl.robot.root / "robot/figures"
    for path in figures.iterdir():
        path.unlink()
    sound = await saintctl("robot", "lint", to)
    assert (sound.exit_code, sound.stdout) == (0, f"{to} is sound.\n")
    assert "figure none -> " in (await saintctl("robot", "diff", to)).stdout
    assert list(figures.iterdir()) == []
    cases = {
        "text.zip": zipped({"robot.yaml": text.replace("pin: 13", "pin: 31").encode()}),
        "damaged.zip": b"PK nothing",
        "empty.zip": zipped({"other.yaml": b""}),
        "without.zip": zipped({"robot.yaml": text.encode()}),
    }
    for name, content in cases.items():
        file = stored(saintctl, name, content)
        linted = await saintctl("robot", "lint", file)
        imported = await saintctl("robot", "import", file)
        assert (linted.exit_code, imported.exit_code) == (2, 2), (name, linted.output)
        verdict = (linted.stdout + linted.stderr).strip().splitlines()[0]
        assert verdict.removesuffix(".") in imported.output, name
