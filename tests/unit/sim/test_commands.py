"""`saintctl sim` on the folders of a simulated robot whose daemons have ended."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from saint_services.lib.hw.displays.opening import open_display, open_leds
from tests.unit.role.role_rig import load_role
from tools.sim.board import SimBoard
from tools.sim.breaking import break_device, broken, devices, faults_of, pressed
from tools.sim.commands import app

Saintctl = Callable[..., Result]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A robot with tracks, a head and a spare node."""
    (tmp_path / "robot.lock").touch()
    (tmp_path / "server" / "run").mkdir(parents=True)
    for name in ("tracks", "head", "spare"):
        board = SimBoard(tmp_path / name / "hw")
        (tmp_path / name / "config").mkdir()
        (tmp_path / name / "config" / "noded.yaml").touch()
        if name != "spare":
            board.prepare(load_role(name))
        board.close()
    return tmp_path


@pytest.fixture
def saintctl(root: Path) -> Saintctl:
    run = str(root / "server" / "run")
    return lambda *words: CliRunner().invoke(app, ["--run", run, *words])


def test_list_shows_every_node_with_its_role(saintctl: Saintctl) -> None:
    nodes = {node["name"]: node for node in json.loads(saintctl("list", "--json").stdout)}
    assert {name: node["role"] for name, node in nodes.items()} == {
        "tracks": "tracks", "head": "head", "spare": "",
    }  # fmt: skip
    assert nodes["tracks"]["node_id"] == "sim_tracks"
    assert nodes["tracks"]["state"] == "stopped"


def test_fault_is_set_shown_and_cleared(saintctl: Saintctl, root: Path) -> None:
    result = saintctl("fault", "sim_tracks", "left_motor", "stall")
    assert result.exit_code == 0, result.stderr
    assert broken(root / "tracks" / "hw") == {"left_motor": "stall"}
    assert "left_motor stall" in saintctl("list").stdout
    assert saintctl("clear").stdout == "Cleared the faults of tracks: left_motor\n"
    assert broken(root / "tracks" / "hw") == {}
    assert saintctl("clear").stdout == "There was no fault.\n"


def test_fault_of_a_chip_is_felt_on_its_bus(saintctl: Saintctl, root: Path) -> None:
    board = SimBoard(root / "head" / "hw")
    board.prepare(load_role("head"))
    bus = board.i2c(1)
    bus.transfer(0x40, b"\0", 1)
    assert saintctl("fault", "head", "face", "unplug").exit_code == 0
    with pytest.raises(OSError, match="no acknowledge"):
        bus.transfer(0x40, b"\0", 1)
    assert saintctl("clear", "head", "face").exit_code == 0
    bus.transfer(0x40, b"\0", 1)
    board.close()


def test_value_goes_with_its_fault(saintctl: Saintctl, root: Path) -> None:
    assert saintctl("fault", "tracks", "supply", "brown-out", "--value", "5.5").exit_code == 0
    assert broken(root / "tracks" / "hw") == {"supply": "brown-out 5.5"}


def test_show_reports_positions_and_faults(saintctl: Saintctl) -> None:
    saintctl("fault", "head", "pan", "stall")
    bodies = {body["name"]: body for body in json.loads(saintctl("show", "head", "--json").stdout)}
    assert (bodies["pan"]["asked"], bodies["pan"]["value"]) == ("limp", "0.0 deg")
    assert bodies["pan"]["fault"] == "stall"
    assert bodies["supply"]["value"] == "12.00 V"
    assert bodies["face"]["kind"] == "pca9685"


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("fault", "torso", "pan", "stall"), 4, "Known nodes: head, spare, tracks"),
        (("fault", "tracks", "pan", "stall"), 4, "left_motor, right_motor"),
        (("fault", "tracks", "left_motor", "nak"), 2, "stall, unplug, load, slip"),
        (("fault", "tracks", "left_motor", "stall", "--value", "1"), 2, "no value"),
        (("fault", "tracks", "left_motor", "load", "--value", "-1"), 2, "from 0 to 10"),
        (("fault", "head", "face", "nak", "--value", "1"), 2, "no value"),
        (("fault", "spare", "pan", "stall"), 5, "spare has no role yet"),
        (("show", "spare"), 5, "Adopt it first"),
        (("clear", "tracks", "pan"), 4, "left_motor"),
    ],
)
def test_what_cannot_be_done_is_explained(
    saintctl: Saintctl, words: tuple[str, ...], code: int, says: str
) -> None:
    result = saintctl(*words)
    assert result.exit_code == code
    assert says in result.stderr


def test_button_is_pressed_and_released(root: Path) -> None:
    board = SimBoard(root / "spare" / "hw")
    board.prepare(load_role("console"))
    button = board.edges((5,), "button_a", pull_up=True)
    with pressed(root / "spare" / "hw", "button_a"):
        assert button.levels() == {5: False}
    assert button.levels() == {5: True}
    board.close()


def test_unknown_button_names_those_there_are(saintctl: Saintctl) -> None:
    result = saintctl("press", "tracks", "button_a")
    assert result.exit_code == 4
    assert "Buttons: none" in result.stderr


def test_real_robot_has_nothing_to_break(tmp_path: Path) -> None:
    run = tmp_path / "run" / "saint"
    run.mkdir(parents=True)
    result = CliRunner().invoke(app, ["--run", str(run), "list"])
    assert result.exit_code == 5
    assert "is not simulated" in result.stderr


@pytest.mark.parametrize("name", ["tracks", "head", "arms_left", "console"])
def test_every_device_of_every_role_breaks_and_is_cleared(tmp_path: Path, name: str) -> None:
    board = SimBoard(tmp_path)
    board.prepare(load_role(name))
    for device, kind in devices(tmp_path).items():
        for fault in faults_of(kind):
            break_device(tmp_path, device, fault)
            assert broken(tmp_path)[device].startswith(fault)
            board.drive.advance()
    board.close()


def test_show_draws_the_display_and_names_the_colours_of_the_lights(
    saintctl: Saintctl, root: Path
) -> None:
    (root / "desk" / "config").mkdir(parents=True)
    (root / "desk" / "config" / "noded.yaml").touch()
    board = SimBoard(root / "desk" / "hw")
    config = load_role("console")
    board.prepare(config)
    display, strips = open_display(board, config), open_leds(board, config)
    assert display
    display.show(("SAINT-01", "running"), 8)
    strips["lights"].show([(0, 51, 0)] * 7)
    board.close()
    shown = saintctl("show", "desk").stdout
    assert "7 x #003300, 1 x dark" in shown
    assert "| SAINT-01" in shown and "| running" in shown
    assert saintctl("show", "tracks").stdout.count("|") == 0
