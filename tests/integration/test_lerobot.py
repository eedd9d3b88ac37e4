"""LeRobot's own commands with our plugins, installed as packages: they record, replay and
teleoperate a simulated arm over the network; the robot's limits, time-out and e-stop are between.

`make test-lerobot` fetches LeRobot; elsewhere this is skipped.
"""

import asyncio
import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from saint_services.lib.api import routing
from saint_services.lib.api.endpoint import Endpoint, Nothing
from saint_services.lib.api.routing import EStopClear, EStopRequest
from tests.integration.robot import ROOT, Robot, running_robot
from tests.waiting import block_until, block_while, every
from tests.web.relay import Relay
from tools.sim.chips.servo_bus import ServoBusPeer, servo_file

LIB = ROOT / "build" / "lerobot" / "lib"
NODE, TARGET = "arms", "parts.follower"
FOLLOWER, LEADER = "/dev/ttyACM0", "/dev/ttyACM1"
PAN, ROLL = 1, 5
LIMIT_S = 60.0
NEAR = 60  # positions, 5 degrees

pytestmark = [
    pytest.mark.timeout(400),
    pytest.mark.skipif(
        not (LIB / "lerobot").is_dir(), reason="LeRobot is not here: make test-lerobot"
    ),
]


@pytest.fixture(scope="module")
def plugins(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Both packages, built and installed by pip."""
    folder = tmp_path_factory.mktemp("plugins")
    source = folder / "source"  # setuptools writes beside what it builds
    shutil.copytree(ROOT / "tools" / "lerobot", source)
    command = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--no-index",
        "--no-build-isolation",
        "--disable-pip-version-check",
        "--target",
        str(folder / "lib"),
        *(str(source / each) for each in ("robot", "teleoperator")),
    ]
    subprocess.run(command, check=True, timeout=120, capture_output=True)
    return folder / "lib"


@pytest.fixture(scope="module")
def pair() -> Iterator[Robot]:
    """A leader at rest, whose clutch is open, and its follower."""
    with running_robot("--robot", "so101_pair") as robot:
        yield robot


@pytest.fixture
def arm(pair: Robot) -> Robot:
    """The robot, released."""
    seen = (request(pair, routing.GET_STATUS, Nothing())).estop.generation
    request(pair, routing.CLEAR_ESTOP, EStopClear(source="test", generation=seen))
    return pair


def request(robot: Robot, row: Endpoint[Any, Any], body: Any) -> Any:
    async def send() -> Any:
        async with robot.client("routerd") as client:
            return await client.request(row, body)

    return asyncio.run(send())


def ticks(robot: Robot, port: str, servo: int) -> int:
    peer = ServoBusPeer(robot.hw(NODE) / servo_file(port))
    found = peer.servo(servo).position
    peer.close()
    return found


def turn(robot: Robot, places: Mapping[int, float]) -> None:
    """Turn joints of the leader by hand, slowly enough to be believed."""
    peer = ServoBusPeer(robot.hw(NODE) / servo_file(LEADER))
    for servo, place in places.items():
        for _ in every(0.02):
            if (way := place - peer.servo(servo).shaft) == 0:
                break
            peer.servo(servo).shaft += max(-60.0, min(way, 60.0))
    peer.close()


@contextlib.contextmanager
def lerobot(
    plugins: Path, folder: Path, url: str, command: str, *options: str
) -> Iterator[subprocess.Popen[bytes]]:
    """Run a command of LeRobot against the robot."""
    robot = [f"--robot.{each}" for each in ("type=saintos", f"url={url}", f"target={TARGET}")]
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.integration.lerobot_commands", str(LIB), str(plugins),
         command, *robot, *options], cwd=ROOT, stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE, env=os.environ | {"HF_LEROBOT_HOME": str(folder)},
    )  # fmt: skip
    with process:
        try:
            yield process
        finally:
            process.kill()


def teleop(url: str) -> tuple[str, ...]:
    return "--teleop.type=saintos", f"--teleop.url={url}", "--teleop.target=leader.hand"


def ended(process: subprocess.Popen[bytes]) -> tuple[int, str]:
    """Wait for the end of a command; return its code and what it has said."""
    _, said = process.communicate(timeout=LIMIT_S)
    return process.returncode, said.decode()


def follows(robot: Robot, servo: int = PAN) -> None:
    """Wait until the follower is where its leader is."""

    def is_near() -> bool:
        return abs(ticks(robot, FOLLOWER, servo) - ticks(robot, LEADER, servo)) < NEAR

    block_until(is_near, LIMIT_S, robot.diagnosis)


def test_record_loop_drives_the_arm_within_its_limits_and_is_replayed(
    arm: Robot, plugins: Path, tmp_path: Path
) -> None:
    dataset = ("--dataset.repo_id=test/wave", f"--dataset.root={tmp_path}")
    options = (
        *dataset, "--dataset.single_task=wave", "--dataset.num_episodes=1", "--dataset.fps=30",
        "--dataset.episode_time_s=12", "--dataset.push_to_hub=false", "--play_sounds=false",
    )  # fmt: skip
    turn(arm, {PAN: 1700.0})
    url = arm.http_url
    with lerobot(plugins, tmp_path, url, "record", *options, *teleop(url)) as process:
        follows(arm)
        turn(arm, {PAN: 2400.0, ROLL: 4000.0})
        follows(arm)
        code, said = ended(process)
    assert code == 0, said
    kept = json.loads((tmp_path / "test_wave.json").read_text())
    names = kept["features"]["action"]["names"]
    assert names == kept["features"]["observation.state"]["names"]
    assert names[0] == "shoulder_pan.pos" and names[-1] == "gripper.pos"
    assert len(kept["frames"]) > 100
    roll = names.index("wrist_roll.pos")
    assert max(frame["action"][roll] for frame in kept["frames"]) > 165.0
    measured = [frame["observation.state"] for frame in kept["frames"]]
    assert max(frame[roll] for frame in measured) <= 163.0, "the limit of the follower"
    assert max(abs(b[0] - a[0]) for a, b in pairwise(measured)) < 15.0  # 120 deg/s
    assert 0.0 <= min(frame[-1] for frame in measured) <= 100.0

    turn(arm, {PAN: 2400.0})
    last = kept["frames"][-1]["observation.state"][0]
    with lerobot(
        plugins, tmp_path, url, "replay", *dataset, "--dataset.episode=0", "--play_sounds=false"
    ) as process:
        start = ticks(arm, FOLLOWER, PAN)
        block_until(lambda: abs(ticks(arm, FOLLOWER, PAN) - start) > 300, LIMIT_S)
        code, said = ended(process)
    assert code == 0, said
    block_until(lambda: abs(degrees(ticks(arm, FOLLOWER, PAN)) - last) < 5.0, LIMIT_S)


def degrees(place: int) -> float:
    return (place - (796 + 3299) / 2) * 360 / 4095


def test_stop_ends_the_loop_with_its_reason_and_nothing_moves(
    arm: Robot, plugins: Path, tmp_path: Path
) -> None:
    turn(arm, {PAN: 2048.0})
    url = arm.http_url
    with lerobot(plugins, tmp_path, url, "teleoperate", *teleop(url)) as process:
        follows(arm)
        stop = EStopRequest(source="test", reason="a hand is in the way")
        request(arm, routing.ESTOP, stop)
        turn(arm, {PAN: 2600.0})
        code, said = ended(process)
    assert code != 0
    assert "the robot is stopped by" in said and "a hand is in the way" in said
    assert abs(ticks(arm, FOLLOWER, PAN) - 2048) < NEAR


def test_frozen_loop_moves_nothing(arm: Robot, plugins: Path, tmp_path: Path) -> None:
    turn(arm, {PAN: 2048.0})
    url = arm.http_url
    with lerobot(plugins, tmp_path, url, "teleoperate", *teleop(url)) as process:
        follows(arm)
        process.send_signal(signal.SIGSTOP)
        turn(arm, {PAN: 2300.0})
        assert abs(ticks(arm, FOLLOWER, PAN) - 2048) < NEAR


def test_lost_connection_ends_the_loop_and_holds_the_arm(
    arm: Robot, plugins: Path, tmp_path: Path
) -> None:
    turn(arm, {PAN: 2300.0})
    relay = Relay(arm.report()["ports"]["http"])
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    asyncio.run_coroutine_threadsafe(relay.open(), loop).result(LIMIT_S)
    url = f"http://127.0.0.1:{relay.port}"
    with lerobot(plugins, tmp_path, url, "teleoperate", *teleop(arm.http_url)) as process:
        follows(arm)
        loop.call_soon_threadsafe(relay.cut)
        code, said = ended(process)
    turn(arm, {PAN: 2600.0})
    assert code != 0 and "the robot at ws://" in said
    block_while(lambda: abs(ticks(arm, FOLLOWER, PAN) - 2300) < NEAR, 0.5)
    asyncio.run_coroutine_threadsafe(relay.close(), loop).result(LIMIT_S)
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


def test_arm_of_another_is_refused_with_its_name(arm: Robot, plugins: Path, tmp_path: Path) -> None:
    taken = routing.TakeControl(target=TARGET, holder="rc", timeout_ms=60_000, takeover=True)
    request(arm, routing.TAKE_CONTROL, taken)
    url = arm.http_url
    with lerobot(plugins, tmp_path, url, "teleoperate", *teleop(url)) as process:
        code, said = ended(process)
    request(arm, routing.RELEASE_CONTROL, routing.ReleaseControl(target=TARGET, holder="rc"))
    assert code != 0 and "rc" in said and TARGET in said
