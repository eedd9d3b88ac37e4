"""Releases on the whole simulated robot: refused ones, a broken one on the canary, a good one on
all machines. The daemons' own code does it; RAUC, boot loader and power are imitated.
"""

import asyncio
import contextlib
import itertools
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import aiohttp
import pytest
from pydantic import BaseModel
from typer.testing import CliRunner

from saint_services.lib.api.adoption import NodeList, NodeState
from saint_services.lib.api.firmware import (
    FirmwareReport,
    MachineFirmware,
    RolloutState,
    RolloutStep,
    UpdateVerdict,
)
from saint_services.lib.errors import SaintError
from saint_services.saintctl.app import app
from tests.integration.robot import ROOT, Robot, free_domain, short_folder
from tests.integration.senders import stick, transmitter
from tests.waiting import block_until, every
from tools.fake_rauc import bus_daemon
from tools.fake_rauc.__main__ import make_release
from tools.fake_rauc.bundle_writer import Release, make_keys, write_bundle
from tools.fake_rauc.faults import Fault, Faults
from tools.launch import settings
from tools.launch.machines.machine import Folders

pytestmark = [
    pytest.mark.long,
    pytest.mark.timeout(400),
    pytest.mark.skipif(bus_daemon.program() is None, reason="needs dbus-daemon"),
]
NODES = ("arm_left", "arm_right", "console", "head", "spare", "tracks")
M = TypeVar("M", bound=BaseModel)
LIMIT_S = 120.0  # for one machine, on a computer that does much else


@pytest.fixture(scope="module")
def robot() -> Iterator[Robot]:
    """After the canary all nodes at once: one after the other is tests/unit/otad's to show."""
    with short_folder() as root:
        found = settings.server(root / "unused", root)["otad.yaml"]
        settings.write(Folders("server", root).config, {"otad.yaml": f"{found}parallel: 6\n"})
        running = Robot(root, free_domain())
        try:
            running.wait_ready()
            yield running
        finally:
            running.stop()


def saintctl(robot: Robot, *words: str, expected: int = 0) -> str:
    """Its command line, in this process: another one takes half a second to start. All it said."""
    run = CliRunner().invoke(app, ["--run", str(robot.run()), *words])
    assert run.exit_code == expected, f"{run.output}\n{robot.diagnosis()}"
    return run.output


def saintctl_program(robot: Robot, *words: str, expected: int = 0) -> str:
    """As a person would run it."""
    command = [sys.executable, "-m", "saint_services.saintctl", "--run", str(robot.run())]
    run = subprocess.run(
        [*command, *words], cwd=ROOT, capture_output=True, text=True, timeout=360, check=False
    )
    said = run.stdout + run.stderr
    assert run.returncode == expected, f"{said}\n{robot.diagnosis()}"
    return said


def requested(robot: Robot, daemon: str, path: str, model: type[M]) -> M:
    """What a daemon answers: cheaper than saintctl where it is repeated."""

    async def request() -> M:
        async with robot.client(daemon) as client:
            return await client.get(path, model)

    return asyncio.run(request())


def report(robot: Robot) -> FirmwareReport:
    return requested(robot, "otad", "/status", FirmwareReport)


def machine(robot: Robot, node_id: str) -> MachineFirmware:
    return next(each for each in report(robot).machines if each.node_id == node_id)


def until(robot: Robot, condition: Callable[[FirmwareReport], object]) -> None:
    """Wait for it; the server itself may restart meanwhile."""

    async def follow() -> None:
        async with asyncio.timeout(LIMIT_S), robot.client("otad") as otad:
            async for _ in every(0.2):
                with contextlib.suppress(SaintError):
                    async for shown in otad.stream("GET", "/watch", None, FirmwareReport):
                        if condition(shown):
                            return

    try:
        asyncio.run(follow())
    except TimeoutError:
        pytest.fail(f"not within {LIMIT_S:g} s\n{robot.diagnosis()}")


def tracks_of(shown: FirmwareReport) -> MachineFirmware:
    return next(each for each in shown.machines if each.node_id == "sim_tracks")


def upload(robot: Robot, version: str, **more: str) -> None:
    saintctl(robot, "firmware", "upload", str(make_release(robot.root, version, **more)))


def slots(robot: Robot, name: str) -> dict[str, Any]:
    """What the imitated boot loader of a machine knows."""
    found: dict[str, Any] = json.loads((robot.root / name / "slots.json").read_text())
    return found


async def over_websocket(robot: Robot, action: str) -> dict[str, Any]:
    async with (
        aiohttp.ClientSession() as session,
        session.ws_connect(robot.saint_url) as socket,
        asyncio.timeout(20),
    ):
        await socket.send_json({"id": "1", "type": "management", "action": action})
        while True:
            message: dict[str, Any] = json.loads(await socket.receive_str())
            if message.get("id") == "1":
                found: dict[str, Any] = message["data"]
                return found


def refused_bundles(robot: Robot, folder: Path) -> dict[str, Path]:
    """Words of the refusal, and a file that deserves it."""
    keys, good = make_keys(robot.root / "keys"), make_release(robot.root, "0.9.0")
    data = good.read_bytes()
    paths = {
        "key": write_bundle(folder / "a", Release(version="0.9.0"), make_keys(folder / "foreign")),
        "toaster": write_bundle(folder / "b", Release(version="0.9.0", compatible="toaster"), keys),
        "match": folder / "c",
        "cut off": folder / "d",
        "is not a bundle": folder / "e",
    }
    paths["match"].write_bytes(data[:5000] + b"x" + data[5001:])
    paths["cut off"].write_bytes(data[:4096] + data[2 << 20 :])
    paths["is not a bundle"].write_bytes(b"text" * 100)
    return paths


def test_bad_bundles_are_refused_with_a_sentence(robot: Robot, tmp_path: Path) -> None:
    ways = itertools.chain([saintctl_program], itertools.repeat(saintctl))
    for way, (words, path) in zip(ways, refused_bundles(robot, tmp_path).items(), strict=False):
        said = way(robot, "firmware", "upload", str(path), expected=5)
        assert words in said
        assert "Traceback" not in said
    assert json.loads(saintctl(robot, "firmware", "status", "--json"))["releases"] == []
    saintctl(robot, "firmware", "upload", str(tmp_path / "nowhere"), expected=4)


async def test_bad_bundle_from_a_browser_is_refused_with_a_sentence(
    robot: Robot, tmp_path: Path
) -> None:
    bundles = await asyncio.to_thread(refused_bundles, robot, tmp_path)
    data = await asyncio.to_thread(bundles["key"].read_bytes)
    async with aiohttp.ClientSession() as session:
        answer = await session.post(f"{robot.http_url}/api/firmware", data=data)
        problem = await answer.json()
    assert (answer.status, problem["code"]) == (422, "release_invalid")
    assert "key" in problem["message"]


def test_broken_release_stops_at_the_canary_and_the_old_one_is_back(robot: Robot) -> None:
    upload(robot, "0.2.0", breaks="role")
    said = saintctl_program(robot, "firmware", "rollout", "--canary", "sim_tracks", expected=1)
    assert "Roll-out of 0.2.0 was halted" in said
    assert "saint-role-tracksd" in said

    found = report(robot)
    assert found.plan
    assert (found.robot_version, found.plan.state) == ("0.1.0", RolloutState.HALTED)
    assert [step.step for step in found.plan.steps].count(RolloutStep.WAITING) == len(NODES)
    shown = saintctl(robot, "node", "show", "sim_tracks")
    assert "0.2.0 rolled back" in shown
    assert "ImportError: this release has a broken role" in shown
    assert slots(robot, "tracks")["order"] == ["A"]
    assert slots(robot, "head")["b"]["installed"] == {}

    reported = asyncio.run(over_websocket(robot, "firmware_status"))
    seen = next(each for each in reported["machines"] if each["node_id"] == "sim_tracks")
    assert seen["verdict"] == "rolled_back"
    assert "saint-role-tracksd" in seen["reason"]
    block_until(lambda: role_is_active(robot, "sim_tracks"), LIMIT_S, robot.diagnosis)


def role_is_active(robot: Robot, node_id: str) -> bool:
    nodes = requested(robot, "adoptiond", "/nodes", NodeList).nodes
    return any(n.node_id == node_id and n.state is NodeState.ACTIVE for n in nodes)


def test_release_that_does_not_boot_is_given_up_after_three_tries(robot: Robot) -> None:
    upload(robot, "0.3.0", breaks="boot")
    saintctl(robot, "firmware", "rollout", "0.3.0", "--canary", "sim_spare", expected=1)
    found = machine(robot, "sim_spare")
    assert (found.verdict, found.version, found.slot) == (UpdateVerdict.ROLLED_BACK, "0.1.0", "A")
    assert "never reached its health check" in found.reason
    assert slots(robot, "spare")["b"]["left"] == 0


def test_release_comes_on_a_stick_too(robot: Robot) -> None:
    bundle = make_release(robot.root, "0.4.0")
    saintctl(robot, "firmware", "import", str(bundle), expected=2)  # not where sticks are
    stick = robot.root / "usb" / bundle.name
    stick.parent.mkdir()
    bundle.rename(stick)
    assert "Release 0.4.0 is on the server" in saintctl(robot, "firmware", "import", str(stick))


def test_no_update_while_outputs_are_live(robot: Robot) -> None:
    with transmitter(robot, [stick(forward=1.0)]):
        until(robot, lambda shown: tracks_of(shown).blocked_by)
        assert "live" in machine(robot, "sim_tracks").blocked_by
        assert slots(robot, "tracks")["b"]["version"] == "0.2.0"


def test_power_cut_while_installing_leaves_the_old_release(robot: Robot) -> None:
    Faults(robot.root / "head").ask_for(Fault.CUT)
    saintctl(robot, "firmware", "rollout", "0.4.0", "--canary", "sim_head", expected=1)
    found = machine(robot, "sim_head")
    assert (found.version, found.slot, found.verdict) == ("0.1.0", "A", UpdateVerdict.FAILED)
    assert "interrupted" in found.reason
    assert slots(robot, "head")["order"] == ["A"]
    block_until(lambda: role_is_active(robot, "sim_head"), LIMIT_S, robot.diagnosis)


def test_good_release_reaches_all_machines_the_canary_first(robot: Robot) -> None:
    until(robot, lambda shown: not tracks_of(shown).blocked_by)
    Faults(robot.root / "head").ask_for(Fault.TRANSIENT)  # it is tried again by itself
    said = saintctl_program(robot, "firmware", "rollout", "0.4.0", "--canary", "sim_tracks")
    assert "Roll-out of 0.4.0 is done: 7 of 7 machines healthy." in said
    firsts = [line.partition(":")[0] for line in said.splitlines() if "installing" in line]
    order = list(dict.fromkeys(firsts))
    assert (order[0], order[-1], len(order)) == ("sim_tracks", "server", len(NODES) + 1)
    assert report(robot).robot_version == "0.4.0"
    for name in (*NODES, "server"):
        found = slots(robot, name)
        letter = found["booted"]
        assert found[letter.lower()]["version"] == "0.4.0"
        assert found["order"][0] == letter
        assert found[letter.lower()]["left"] == 3  # marked good


def test_all_roll_back_to_the_release_before(robot: Robot) -> None:
    saintctl(robot, "firmware", "rollback")
    until(robot, lambda shown: shown.plan and shown.plan.state is not RolloutState.RUNNING)
    found = report(robot)
    assert found.plan
    assert found.plan.state is RolloutState.DONE
    until(robot, lambda shown: shown.robot_version == "0.1.0")  # all have said so
