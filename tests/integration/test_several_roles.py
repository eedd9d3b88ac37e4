"""Tracks and an arm on one node, in processes of their own: each is guarded by itself. No server is
there: the node resumes both from its disk.
"""

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from saint_services.lib import config as settings
from saint_services.lib.api.node import NodeReport, RoleStatus
from saint_services.lib.errors import SaintError
from saint_services.lib.ipc import Client
from saint_services.lib.role_config.model import RoleConfig
from saint_services.noded.lifecycle.model import Assignment
from saint_services.noded.state import NodeFiles
from tests.integration.node_crowd import places
from tests.integration.robot import free_domain, short_folder
from tests.waiting import block_until, seconds_until
from tools.sim.observe import PinWatch

ROOT = Path(__file__).resolve().parents[2]
SAFE_S = 0.250
START_LIMIT_S = 150.0  # on a machine that is busy with other things
MOTORS = 12, 13  # manifests/roles/tracks.yaml


@dataclass
class Machine:
    """A node with two roles."""

    root: Path
    environment: dict[str, str]
    processes: dict[str, "subprocess.Popen[bytes]"] = field(default_factory=dict)

    def start(self, name: str) -> None:
        """One of its daemons, again after it was killed."""
        if name in self.processes:
            self.processes[name].wait(5.0)
        words = [sys.executable, "-m", f"saint_services.{name}"]
        log = (self.root / f"{name}.log").open("ab")
        with log:
            self.processes[name] = subprocess.Popen(
                words, cwd=ROOT, env=self.environment, stdin=subprocess.DEVNULL, stdout=log,
                stderr=subprocess.STDOUT,
            )  # fmt: skip

    def kill(self, name: str) -> None:
        """Without a word; not waited for, so that nothing is lost of the time until safe."""
        os.kill(self.processes[name].pid, signal.SIGKILL)

    def roles(self) -> list[RoleStatus]:
        """As noded reports."""
        return asyncio.run(self._roles())

    async def _roles(self) -> list[RoleStatus]:
        async with Client(self.root / "run/noded.sock") as client:
            return (await client.get("/status", NodeReport)).roles

    def at_work(self) -> list[RoleStatus]:
        """When both are."""

        def both() -> list[RoleStatus]:
            with contextlib.suppress(SaintError):
                roles = self.roles()
                if len(roles) == 2 and all(role.role_alive for role in roles):
                    return roles
            return []

        def logs() -> str:
            return "\n".join(log.read_text() for log in self.root.glob("*.log"))

        return block_until(both, START_LIMIT_S, logs)


@pytest.fixture(scope="module")
def started() -> Iterator[Machine]:
    with short_folder() as root:
        for name in ("tracks", "arms_left"):
            text = (ROOT / f"manifests/roles/{name}.yaml").read_text()
            config = settings.parse(RoleConfig, text, name)
            NodeFiles(root / "state").store(Assignment(config, text, "SAINT-01"))
        environment = {
            **os.environ,
            **places(root),
            "ROS_DOMAIN_ID": str(free_domain()),
            "SAINT_BUS": "dds",
            "SAINT_DDS_INTERFACE": "lo",
            "SAINT_SHARE": str(ROOT),
            "SAINT_NODE_ID": "pi_1",
            "SAINT_HW": f"sim:{root / 'hw'}",
            "DBUS_SYSTEM_BUS_ADDRESS": f"unix:path={root / 'no-bus'}",
        }
        found = Machine(root, environment)
        for name in ("guardd", "role_tracksd", "role_armsd", "noded"):
            found.start(name)
        try:
            yield found
        finally:
            for process in found.processes.values():
                process.kill()
                process.wait(5.0)


@pytest.fixture
def machine(started: Machine) -> Machine:
    """With both roles at work: what a test killed is started again."""
    for name, process in started.processes.items():
        if process.poll() is not None:
            started.start(name)
    started.at_work()
    return started


def seconds_until_quiet(pins: PinWatch, limit_s: float) -> float:
    return seconds_until(lambda: all(pins.read(pin).value == 0.0 for pin in MOTORS), limit_s)


def test_killed_role_is_made_safe_and_the_other_one_does_not_notice(machine: Machine) -> None:
    before = machine.roles()
    assert [role.role for role in before] == ["tracks", "arms"]
    restarts = [role.role_restarts for role in before]
    pins = PinWatch(machine.root / "hw")
    for pin in MOTORS:
        pins.write(pin, 0.6)  # as a role leaves its motors that dies while it drives
    machine.kill("role_tracksd")
    assert seconds_until_quiet(pins, 2.0) <= SAFE_S
    tracks, arm = machine.roles()
    assert arm.role_alive
    assert [tracks.role_restarts, arm.role_restarts] == [restarts[0] + 1, restarts[1]]
    machine.start("role_tracksd")
    tracks, arm = machine.at_work()
    assert [tracks.role_restarts, arm.role_restarts] == [restarts[0] + 1, restarts[1]]
    pins.close()


def test_killed_arm_leaves_the_motors_of_the_tracks_alone(machine: Machine) -> None:
    before = machine.roles()
    pins = PinWatch(machine.root / "hw")
    for pin in MOTORS:
        pins.write(pin, 0.6)
    machine.kill("role_armsd")
    assert seconds_until_quiet(pins, 0.5) == 0.5
    tracks, arm = machine.roles()
    assert tracks.role_alive
    restarts = tracks.role_restarts, arm.role_restarts
    assert restarts == (before[0].role_restarts, before[1].role_restarts + 1)
    pins.close()
