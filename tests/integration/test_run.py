"""`make run` itself: resumes, refuses politely, ends with nothing left. How fast it starts is
measured by tools/bench/start.py.
"""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from tests.integration.robot import (
    ROOT,
    Robot,
    free_domain,
    is_alive,
    short_folder,
    wait_for,
)

_NODES = ("head", "arm_left", "arm_right", "tracks", "console")


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
    wait_for(lambda: robot.pid("adoptiond") not in (0, before), 5.0, robot.diagnosis)
    wait_for(lambda: robot.daemon("adoptiond")["phase"] == "running", 5.0, robot.diagnosis)


def test_killed_launcher_leaves_nothing() -> None:
    with short_folder() as root, Robot(root, free_domain()) as robot:
        robot.wait_ready()
        pids = robot.pids()
        os.kill(robot.process.pid, signal.SIGKILL)
        robot.process.wait(5.0)
        assert len(pids) >= 14
        wait_for(lambda: not any(is_alive(pid) for pid in pids.values()), 5.0, lambda: str(pids))


def test_ctrl_c_ends_it_and_the_next_start_resumes_the_roles() -> None:
    with short_folder() as root:
        with Robot(root, free_domain()) as first:
            first.wait_ready()
            began_s = time.monotonic()
            first.process.send_signal(signal.SIGINT)
            assert first.process.wait(5.0) == 0
            assert time.monotonic() - began_s < 2.5
        with Robot(root, free_domain()) as second:
            second.wait_ready()
            second.stop()
        output = (root / "run.out").read_text()
        assert "SAINT.OS is running" in output
        assert "not adopted" not in output


def _run(*options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tools.run", "--no-browser", *options],
        cwd=ROOT, capture_output=True, text=True, timeout=20, check=False,
    )  # fmt: skip
