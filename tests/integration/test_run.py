"""`make run` itself: resumes, refuses politely, ends with nothing left. How fast it starts is
measured by tools/bench/start.py.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.robot import (
    ROOT,
    Robot,
    free_domain,
    is_alive,
    short_folder,
)
from tests.waiting import block_until

_NODES = ("head", "arm_left", "arm_right", "tracks", "console")
LIMIT_S = 20.0  # a busy computer; a fault shows as well, later


@pytest.fixture(scope="module")
def resumed() -> Iterator[Robot]:
    """The smallest robot, ended by Ctrl-C and started again in the same folder."""
    with short_folder() as root:
        with Robot(root, free_domain(), "--robot", "rover") as first:
            first.wait_ready()
            first.process.send_signal(signal.SIGINT)
            assert first.process.wait(LIMIT_S) == 0, first.diagnosis()
        with Robot(root, free_domain(), "--robot", "rover") as second:
            second.wait_ready()
            yield second


def test_every_role_runs_and_the_spare_has_none(robot: Robot) -> None:
    running = robot.pids()
    assert {machine for machine, name in running if name.startswith("role-")} == set(_NODES)
    assert ("spare", "noded") in running


def test_current_leads_to_the_servers_sockets(robot: Robot) -> None:
    assert (robot.root / "current" / "adoptiond.sock").is_socket()


def test_second_robot_in_the_same_folder_is_refused(robot: Robot) -> None:
    result = _run("--root", str(robot.root))
    assert result.returncode == 5
    assert "already running" in result.stdout
    result = _run("--root", str(robot.root), "--fresh")
    assert result.returncode == 5
    assert robot.pids()


def test_folder_of_others_is_not_deleted(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("precious")
    result = _run("--root", str(tmp_path), "--fresh")
    assert result.returncode == 5
    assert "nothing was deleted" in result.stdout
    assert (tmp_path / "thesis.txt").exists()


def test_killed_daemon_is_back(robot: Robot) -> None:
    before = robot.kill("adoptiond")
    block_until(lambda: robot.pid("adoptiond") not in (0, before), LIMIT_S, robot.diagnosis)
    block_until(lambda: robot.daemon("adoptiond")["phase"] == "running", LIMIT_S, robot.diagnosis)


def test_next_start_after_ctrl_c_resumes_the_roles(resumed: Robot) -> None:
    output = resumed.root / "run.out"
    block_until(lambda: "SAINT.OS is running" in output.read_text(), LIMIT_S, resumed.diagnosis)
    assert "not adopted" not in output.read_text()


def test_killed_launcher_leaves_nothing(resumed: Robot) -> None:
    pids = resumed.pids()
    assert {"routerd", "webd", "role-tracksd", "guardd"} <= {name for _, name in pids}
    os.kill(resumed.process.pid, signal.SIGKILL)
    resumed.process.wait(LIMIT_S)
    block_until(lambda: not any(is_alive(pid) for pid in pids.values()), LIMIT_S, lambda: str(pids))


def _run(*options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tools.run", "--no-browser", *options],
        cwd=ROOT, capture_output=True, text=True, timeout=LIMIT_S, check=False,
    )  # fmt: skip
