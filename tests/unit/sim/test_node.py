"""What `saintctl sim node` refuses before it starts anything."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[3]


def sim_node(*options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tools.sim.node", *options],
        cwd=ROOT, capture_output=True, text=True, timeout=15, check=False,
    )  # fmt: skip


def test_without_a_robot_the_bus_must_be_named(tmp_path: Path) -> None:
    result = sim_node("--root", str(tmp_path))
    assert result.returncode == 2
    assert "make run" in result.stdout
    assert "--domain" in result.stdout


def test_name_of_a_machine_of_the_robot_is_refused(tmp_path: Path) -> None:
    (tmp_path / "robot.json").write_text(json.dumps({"domain": 7, "machines": {"tracks": {}}}))
    for name in ("tracks", "server"):
        result = sim_node("--root", str(tmp_path), "--name", name)
        assert result.returncode == 5
        assert f"a machine {name}" in result.stdout


@pytest.mark.parametrize("name", ["../up", "a b", "-x", "é", "x" * 49])
def test_name_must_be_a_ros_token(tmp_path: Path, name: str) -> None:
    result = sim_node("--root", str(tmp_path), f"--name={name}")
    assert result.returncode == 2
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("words", "said"),
    [(("--role=tail",), "'tail' is no role; use head, arms, tracks, console"),
     (("--role=arms", "--role=head", "--instance=left"), "--role arms.left"),
     (("--role=arms.left", "--instance=right"), "does not say which role")],
)  # fmt: skip
def test_role_that_cannot_be_is_refused(tmp_path: Path, words: tuple[str, ...], said: str) -> None:
    result = sim_node("--root", str(tmp_path), "--domain=7", *words)
    assert result.returncode == 2
    assert said in result.stdout + result.stderr


def test_impossible_domain_is_refused(tmp_path: Path) -> None:
    result = sim_node("--root", str(tmp_path), "--domain", "233")
    assert result.returncode == 2
    assert "0 to 232" in result.stdout
