"""What `saintctl sim node` refuses before it starts anything."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tools.sim import node

Refused = Callable[..., tuple[int, str]]


@pytest.fixture
def refused(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Refused:
    """Run the command in this process: its exit code, and what it wrote."""

    def start(*_: object) -> None:
        raise AssertionError("the node was started")

    def run(*options: str) -> tuple[int, str]:
        monkeypatch.setattr(node, "_run", start)
        monkeypatch.setattr("sys.argv", ["saintctl sim node", *options])
        with pytest.raises(SystemExit) as ended:
            node.main()
        assert isinstance(ended.value.code, int)
        return ended.value.code, "".join(capsys.readouterr())

    return run


def test_without_a_robot_the_bus_must_be_named(refused: Refused, tmp_path: Path) -> None:
    code, text = refused("--root", str(tmp_path))
    assert code == 2
    assert "make run" in text
    assert "--domain" in text


def test_name_of_a_machine_of_the_robot_is_refused(refused: Refused, tmp_path: Path) -> None:
    (tmp_path / "robot.json").write_text(json.dumps({"domain": 7, "machines": {"tracks": {}}}))
    for name in ("tracks", "server"):
        code, text = refused("--root", str(tmp_path), "--name", name)
        assert code == 5
        assert f"a machine {name}" in text


@pytest.mark.parametrize("name", ["../up", "a b", "-x", "é", "x" * 49])
def test_name_must_be_a_ros_token(refused: Refused, tmp_path: Path, name: str) -> None:
    code, _ = refused("--root", str(tmp_path), f"--name={name}")
    assert code == 2
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("words", "said"),
    [(("--role=tail",), "'tail' is no role; use head, arms, tracks, wagon"),
     (("--role=arms", "--role=head", "--instance=left"), "--role arms.left"),
     (("--role=arms.left", "--instance=right"), "does not say which role")],
)  # fmt: skip
def test_role_that_cannot_be_is_refused(
    refused: Refused, tmp_path: Path, words: tuple[str, ...], said: str
) -> None:
    code, text = refused("--root", str(tmp_path), "--domain=7", *words)
    assert code == 2
    assert said in text


def test_impossible_domain_is_refused(refused: Refused, tmp_path: Path) -> None:
    code, text = refused("--root", str(tmp_path), "--domain", "233")
    assert code == 2
    assert "0 to 232" in text
