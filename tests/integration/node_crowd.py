"""Many nodes over the real bus: noded many times in one process, each with a role process that is
played; adoptiond in its own process, as on a robot. `python -m tests.integration.node_crowd
<folder> <count>` is the nodes' process; `running_crowd` is for tests and for tools/bench/nodes.py.
"""

import asyncio
import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from saint_services.lib.api.adoption import NodeList
from saint_services.lib.daemon import running
from saint_services.lib.errors import SaintError
from saint_services.lib.ipc import Client
from saint_services.lib.machine.service_manager import Directories
from saint_services.noded.config import Config
from saint_services.noded.daemon import run
from tests.integration.robot import free_domain, short_folder
from tests.unit.noded.node_rig import FakeRole
from tests.waiting import until
from tools import sim

ROOT = Path(__file__).resolve().parents[2]
ROBOT = "crowd"
START_LIMIT_S = 90.0  # thirty of them, on a machine that is busy with other things


@dataclass
class Crowd:
    """A server and its nodes."""

    root: Path
    server: subprocess.Popen[bytes]
    environment: dict[str, str]

    def client(self) -> Client:
        """adoptiond's control plane."""
        return Client(self.root / "server/run/adoptiond.sock")

    async def offered(self, *wanted: str) -> None:
        """Until these nodes may be adopted."""
        async with self.client() as client:

            async def are_offered() -> bool:
                with contextlib.suppress(SaintError):
                    found = (await client.get("/nodes", NodeList)).nodes
                    return {node.node_id for node in found if node.is_offered} >= {*wanted}
                return False

            await until(are_offered, START_LIMIT_S, pause_s=0.02)

    @contextlib.contextmanager
    def nodes(self, count: int) -> Iterator[subprocess.Popen[bytes]]:
        """That many nodes, in one process."""
        words = [sys.executable, "-m", "tests.integration.node_crowd", str(self.root), str(count)]
        process = _started(words, self.environment, self.root / "nodes.log")
        try:
            yield process
        finally:
            _end(process)

    @contextlib.contextmanager
    def noded(self, node_id: str) -> Iterator[subprocess.Popen[bytes]]:
        """One node as a robot starts it, in a process of its own."""
        own = places(self.root / node_id)
        environment = {**self.environment, **own, "SAINT_NODE_ID": node_id}
        words = [sys.executable, "-m", "saint_services.noded"]
        process = _started(words, environment, self.root / f"{node_id}.log")
        try:
            yield process
        finally:
            _end(process)


@contextlib.contextmanager
def running_crowd(roles: int) -> Iterator[Crowd]:
    """adoptiond of a robot with that many arms, on a ROS domain of its own."""
    with short_folder() as root:
        write_manifests(root / "share", roles)
        environment = {
            **os.environ,
            **sim.environment(),
            "ROS_DOMAIN_ID": str(free_domain()),
            "SAINT_BUS": "dds",
            "SAINT_DDS_INTERFACE": "lo",
            "SAINT_SHARE": str(root / "share"),
            "SAINT_HW": f"sim:{root / 'hw'}",
            "DBUS_SYSTEM_BUS_ADDRESS": f"unix:path={root / 'no-bus'}",
        }
        (root / "server/etc").mkdir(parents=True)
        (root / "server/etc/adoptiond.yaml").write_text(f"robot: {ROBOT}\n")
        words = [sys.executable, "-m", "saint_services.adoptiond"]
        own = places(root / "server")
        server = _started(words, {**environment, **own}, root / "server.log")
        try:
            yield Crowd(root, server, environment)
        finally:
            _end(server)


def places(machine: Path) -> dict[str, str]:
    """The folders of one machine, as the service manager names them."""
    (machine / "run").mkdir(parents=True, exist_ok=True)
    return {
        "CONFIGURATION_DIRECTORY": str(machine / "etc"),
        "STATE_DIRECTORY": str(machine / "state"),
        "RUNTIME_DIRECTORY": str(machine / "run"),
    }


def write_manifests(share: Path, roles: int) -> None:
    """A robot with many arms and nothing else."""
    manifests = share / "manifests"
    (manifests / "robots").mkdir(parents=True)
    (manifests / "roles").mkdir()
    lines = ["name: CROWD-01", "roles:"]
    for number in range(roles):
        name = f"n{number}"
        lines.append(f"  - {{role: arms, instance: {name}, config: roles/{name}.yaml}}")
        text = f"role: arms\ninstance: {name}\nversion: '1'\ntopic_prefix: /saint/arms/{name}\n"
        (manifests / f"roles/{name}.yaml").write_text(text)
    (manifests / f"robots/{ROBOT}.yaml").write_text("\n".join(lines))


def cpu_s(pid: int) -> float:
    """Processor time that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def kept_waiting_s(pid: int) -> float:
    """How long its main thread could have run and did not, because others had the processors."""
    return int(Path(f"/proc/{pid}/task/{pid}/schedstat").read_text().split()[1]) / 1e9


def _started(words: list[str], environment: dict[str, str], log: Path) -> "subprocess.Popen[bytes]":
    with log.open("wb") as output:
        return subprocess.Popen(
            words, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=output,
            stderr=subprocess.STDOUT,
        )  # fmt: skip


def _end(process: "subprocess.Popen[bytes]") -> None:
    process.terminate()
    try:
        process.wait(5.0)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(5.0)


async def _nodes(root: Path, count: int) -> None:
    async with contextlib.AsyncExitStack() as stack:
        for number in range(count):
            node_id = f"crowd_{number}"
            os.environ["SAINT_NODE_ID"] = node_id
            os.environ["SAINT_HW"] = f"sim:{root / node_id / 'hw'}"
            own = places(root / node_id)
            directories = Directories.from_environment({**os.environ, **own})
            role = FakeRole(directories.runtime, "role-armsd", [])
            await role.start()
            stack.push_async_callback(role.close)
            await stack.enter_async_context(running("noded", Config(), run, directories))
        print(f"{count} nodes after {time.process_time():.1f} s of processor time", flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_nodes(Path(sys.argv[1]), int(sys.argv[2])))
