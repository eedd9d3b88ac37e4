"""The simulated robot's physics, faults and extra nodes, in real processes and by saintctl."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from saint_services.lib.api.adoption import NodeList
from tests.integration.robot import (
    ROOT,
    Robot,
    free_domain,
    is_alive,
    short_folder,
)
from tests.integration.senders import RECORDED_FACE, phone, stick, transmitter
from tests.integration.tracks import Tracks
from tests.waiting import block_until
from tools.sim.bodies.observer import BodyObserver
from tools.sim.bodies.plant import Plant

pytestmark = [pytest.mark.long, pytest.mark.changes_robot]
_LIMIT_S = 30.0
_SAINTCTL = (sys.executable, "-m", "saint_services.saintctl")


@pytest.fixture
def tracks(robot: Robot) -> Iterator[Tracks]:
    watch = Tracks(robot)
    yield watch
    watch.close()


def test_head_follows_its_servos_to_where_they_are_sent(robot: Robot) -> None:
    observer = BodyObserver(robot.hw("head"))

    def tilt_is_there() -> bool:
        plant = looked_at(observer)
        tilt = next(joint for joint in plant.joints if joint.name == "tilt")
        return tilt.value > 5.0 and tilt.servo.position_us == tilt.servo.pulse_us

    with phone(robot, RECORDED_FACE):
        block_until(tilt_is_there, _LIMIT_S, robot.diagnosis)
    observer.close()


def test_driven_base_moves_forward_and_its_encoders_count(robot: Robot) -> None:
    observer = BodyObserver(robot.hw("tracks"))
    base = looked_at(observer).base
    assert base
    began_m = base.x_m
    with transmitter(robot, [stick(forward=1.0)]):
        block_until(lambda: way_m(observer) > began_m + 0.5, _LIMIT_S, robot.diagnosis)
    block_until(lambda: looked_at(observer).ride.speed_mps == 0.0, _LIMIT_S, robot.diagnosis)
    observer.close()


def test_stalled_track_is_felt_by_the_running_role(robot: Robot, tracks: Tracks) -> None:
    saintctl(robot, "fault", "tracks", "left_motor", "stall")
    assert "left_motor stall" in saintctl(robot, "list")
    with transmitter(robot, [stick(forward=1.0)]):
        block_until(tracks.is_driving, _LIMIT_S, robot.diagnosis)
        # The role sees a driven motor whose encoder stands still; the stick is still forward.
        block_until(lambda: tracks.duties() == (0.0, 0.0), _LIMIT_S, robot.diagnosis)
    assert "left_motor" in saintctl(robot, "clear")
    assert "stall" not in saintctl(robot, "list")
    with transmitter(robot, [stick()]):
        block_until(lambda: tracks.duties() == (0.0, 0.0), _LIMIT_S, robot.diagnosis)


def test_node_for_a_role_that_is_taken_stays_free(robot: Robot) -> None:
    with sim_node(robot.run(), "--role", "console", "--name", "second") as node:
        block_until(lambda: "stays unadopted" in node.said(), _LIMIT_S, robot.diagnosis)
        assert "sim_console" in node.said()
        assert state_of(robot, "sim_second") == "unadopted"


def test_node_beside_the_robot_takes_a_free_role_and_ends_safely(robot: Robot) -> None:
    reset(robot, "sim_tracks")
    with sim_node(robot.run(), "--role", "tracks", "--name", "rover") as node:
        block_until(lambda: "sim_rover is running" in node.said(), _LIMIT_S, robot.diagnosis)
        assert state_of(robot, "sim_rover") == "active"
        shown = {n["name"]: n for n in json.loads(saintctl(robot, "list", "--json"))}
        assert (shown["rover"]["role"], shown["rover"]["state"]) == ("tracks", "running, alone")
        motors = Tracks(robot, "rover")
        with transmitter(robot, [stick(forward=1.0)]):
            block_until(motors.is_driving, _LIMIT_S, robot.diagnosis)
            pids = node.pids()
            assert node.interrupt() == 0
            assert motors.duties() == (0.0, 0.0)
        motors.close()
        assert len(pids) >= 2
        assert not [pid for pid in pids if is_alive(pid)]


def test_node_beside_the_robot_takes_two_roles(robot: Robot) -> None:
    for free in ("sim_head", "sim_console"):
        reset(robot, free)
    with sim_node(robot.run(), "--role", "head", "--role", "console", "--name", "upper") as node:
        block_until(lambda: "sim_upper is running" in node.said(), _LIMIT_S, robot.diagnosis)
        shown = {n["name"]: n for n in json.loads(saintctl(robot, "list", "--json"))}
        assert shown["upper"]["role"] == "console, head"
        assert "pan" in saintctl(robot, "show", "upper")
        assert node.interrupt() == 0


def test_node_alone_on_a_bus_runs_until_ctrl_c() -> None:
    with short_folder() as root:
        words = ("--domain", str(free_domain()), "--root", str(root), "--name", "alone")
        with sim_node(root / "server" / "run", *words) as node:
            block_until(lambda: "sim_alone is running" in node.said(), _LIMIT_S, node.said)
            assert (root / "alone" / "run" / "noded.sock").is_socket()
            assert node.pids()
            assert node.interrupt() == 0
            assert "Stopping" in node.said()


def test_another_robot_is_another_file(monkeypatch: pytest.MonkeyPatch) -> None:
    with short_folder() as share, short_folder() as root:
        shutil.copytree(ROOT / "manifests", share / "manifests")
        (share / "web").symlink_to(ROOT / "web")
        (share / "manifests" / "robots" / "rover.yaml").write_text(
            "name: ROVER\nroles: [{role: tracks, config: roles/tracks.yaml}]\n"
        )
        monkeypatch.setenv("SAINT_SHARE", str(share))
        rover = Robot(root, free_domain(), "--robot", "rover")
        try:
            rover.wait_ready()
            assert state_of(rover, "sim_tracks") == "active"
            assert state_of(rover, "sim_head") == ""
            motors = Tracks(rover)
            with transmitter(rover, [stick(forward=1.0)]):
                block_until(motors.is_driving, _LIMIT_S, rover.diagnosis)
            motors.close()
        finally:
            rover.stop()


class Node:
    """A running `saintctl sim node`."""

    def __init__(self, process: "subprocess.Popen[bytes]", output: Path) -> None:
        self._process, self._output = process, output

    def said(self) -> str:
        return self._output.read_text(errors="replace")

    def interrupt(self) -> int:
        """Ctrl-C; its exit code."""
        self._process.send_signal(signal.SIGINT)
        return self._process.wait(10.0)

    def pids(self) -> list[int]:
        """The daemons that it runs."""
        reports = self._output.parent.glob("*/robot.json")
        found = [json.loads(path.read_text())["machines"] for path in reports]
        daemons = [
            d for machines in found for m in machines.values() for d in m["daemons"].values()
        ]
        return [daemon["pid"] for daemon in daemons if daemon["pid"]]


@contextmanager
def sim_node(run: Path, *words: str) -> Iterator[Node]:
    output = run.parents[1] / "sim_node.out"
    with output.open("wb") as out:
        process = subprocess.Popen(
            [*_SAINTCTL, "--run", str(run), "sim", "node", *words],
            cwd=ROOT, stdout=out, stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
    try:
        yield Node(process, output)
    finally:
        if process.poll() is None:
            os.kill(process.pid, signal.SIGINT)
            process.wait(10.0)


def looked_at(observer: BodyObserver) -> Plant:
    plant = observer.observe()
    assert plant
    return plant


def way_m(observer: BodyObserver) -> float:
    base = looked_at(observer).base
    assert base
    return base.x_m


def saintctl(robot: Robot, *words: str) -> str:
    result = subprocess.run(
        [*_SAINTCTL, "--run", str(robot.run()), "sim", *words],
        cwd=ROOT, capture_output=True, text=True, timeout=30, check=False,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    return result.stdout


def reset(robot: Robot, node_id: str) -> None:
    words = ("--run", str(robot.run()), "node", "reset", node_id)
    command = [*_SAINTCTL, *words]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=30)
    block_until(lambda: state_of(robot, node_id) == "unadopted", _LIMIT_S, robot.diagnosis)


def state_of(robot: Robot, node_id: str) -> str:
    words = ("--run", str(robot.run()), "node", "list", "--json")
    command = [*_SAINTCTL, *words]
    result = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=30, check=True
    )
    nodes: dict[str, Any] = {
        n.node_id: n for n in NodeList.model_validate_json(result.stdout).nodes
    }
    return str(nodes[node_id].state) if node_id in nodes else ""
