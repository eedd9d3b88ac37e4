"""Which nodes a simulated robot gets, and that a folder belongs to one robot."""

from pathlib import Path

import pytest

from saint_services.lib.errors import Code, SaintError
from tools.launch import robot, roster, settings, summary
from tools.launch.registry import Role


def test_nodes_known_by_heart_are_those_of_the_manifest() -> None:
    assert roster.read("saint").nodes == robot.NODES


def test_another_robot_has_the_nodes_of_its_manifest(tmp_path: Path) -> None:
    (tmp_path / "robots").mkdir()
    (tmp_path / "robots" / "rover.yaml").write_text(
        "name: ROVER\nroles: [{role: tracks, config: tracks.yaml}]\n"
    )
    shipped = Path(__file__).resolve().parents[4] / "manifests" / "roles" / "tracks.yaml"
    (tmp_path / "tracks.yaml").write_text(shipped.read_text())
    nodes = roster.read("rover", tmp_path).nodes
    assert [(node.node_id, node.display_name, node.roles) for node in nodes] == [
        ("sim_tracks", "Tracks", (Role("tracks"),)),
        ("sim_spare", "Spare", ()),
    ]


def test_roles_that_share_a_computer_are_one_node() -> None:
    found = roster.read("saint_two")
    upper = Role("head"), Role("arms", "left"), Role("arms", "right"), Role("console")
    assert [(node.name, node.roles) for node in found.nodes] == [
        ("upper", upper),
        ("base", (Role("tracks"),)),
        ("spare", ()),
    ]
    assert found.carrier == "base"


@pytest.mark.parametrize(
    ("nodes", "said"),
    [("{a: [arms]}", "nodes names arms; the robot has tracks"),
     ("{a: [tracks], b: [tracks]}", "nodes names tracks twice")],
)  # fmt: skip
def test_node_with_a_role_that_cannot_be_is_one_sentence(
    tmp_path: Path, nodes: str, said: str
) -> None:
    (tmp_path / "robots").mkdir()
    text = f"name: R\nroles: [{{role: tracks, config: tracks.yaml}}]\nnodes: {nodes}\n"
    (tmp_path / "robots" / "rover.yaml").write_text(text)
    with pytest.raises(SaintError, match=said):
        roster.read("rover", tmp_path)


def test_unknown_robot_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(SaintError, match=r"robots/nobody\.yaml does not exist"):
        roster.choose("nobody", tmp_path)
    assert not list(tmp_path.iterdir())


def test_folder_of_another_robot_is_not_taken(tmp_path: Path) -> None:
    roster.choose("saint", tmp_path)
    (tmp_path / "server").mkdir()
    with pytest.raises(SaintError, match="holds the robot saint, not rover") as caught:
        roster.choose("rover", tmp_path)
    assert caught.value.code is Code.CONFLICT
    assert roster.choose("saint", tmp_path).robot == "saint"


def test_folder_from_before_robots_had_names_is_saints(tmp_path: Path) -> None:
    (tmp_path / "server").mkdir()
    with pytest.raises(SaintError, match="holds the robot saint"):
        roster.choose("rover", tmp_path)


def test_daemons_get_another_robot_only(tmp_path: Path) -> None:
    tty = tmp_path / "rc_tty"
    assert not {"adoptiond.yaml", "routerd.yaml"} & set(settings.server(tty, tmp_path))
    reported = settings.server(tty, tmp_path, "rover")
    for daemon in ("adoptiond", "routerd", "webd"):
        assert reported[f"{daemon}.yaml"].startswith("robot: rover\n")


def test_pages_require_a_sign_in_on_request_and_an_edited_file_stays(tmp_path: Path) -> None:
    tty, file = tmp_path / "rc_tty", tmp_path / "webd.yaml"

    def run(*, is_locked: bool) -> str:
        settings.lock_pages(tmp_path, "", is_locked=is_locked)
        made = settings.server(tty, tmp_path, is_locked=is_locked)
        settings.write(tmp_path, {"webd.yaml": made["webd.yaml"]})
        return file.read_text(encoding="utf-8")

    assert "required: false" in run(is_locked=False)
    assert "required: true" in run(is_locked=True)
    assert "required: false" in run(is_locked=False)
    file.write_text("auth:\n  required: false\n# mine\n", encoding="utf-8")
    assert run(is_locked=True).endswith("# mine\n")


def test_terminal_says_how_the_claim_code_is_found(tmp_path: Path) -> None:
    assert "saintctl user claim-code" in summary.claim_fact(tmp_path)[1]
