"""The whole simulated robot in real processes, for tests: started as a person starts it
(tools.run), in a folder and on a ROS domain of its own. See conftest.py for the fixtures.
"""

import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

from saint_services.lib.errors import SaintError
from saint_services.lib.ipc import Client
from tests.waiting import block_until
from tools.launch import domain
from tools.launch.machines.receiver import open_wire

ROOT = Path(__file__).resolve().parents[2]
START_LIMIT_S = 120.0  # a quiet computer takes 4 to 8 (tools/bench/start.py)
STOP_LIMIT_S = 8.0


class Robot:
    """A running robot. Machines: server, head, arm_left, arm_right, tracks, console, spare."""

    def __init__(self, root: Path, number: int, *options: str, checkout: Path = ROOT) -> None:
        self.root = root
        self.domain = number
        command = [
            *(_python(checkout), "-m", "tools.run", "--no-browser", "--until-eof"),
            *("--root", str(root), "--domain", str(number)),
            *("--port", "0", "--saint-port", "0", "--face-port", "0", *options),
        ]
        with (root / "run.out").open("wb") as output:
            self.process = subprocess.Popen(
                command, cwd=checkout, stdin=subprocess.PIPE, stdout=output,
                stderr=subprocess.STDOUT, start_new_session=True,
            )  # fmt: skip

    def report(self) -> dict[str, Any]:
        """What the launcher says: processes, ports, domain. Empty before and after."""
        with contextlib.suppress(FileNotFoundError):
            report: dict[str, Any] = json.loads((self.root / "robot.json").read_text())
            return report
        return {}

    @property
    def http_url(self) -> str:
        return f"http://127.0.0.1:{self.report()['ports']['http']}"

    @property
    def saint_url(self) -> str:
        return f"ws://127.0.0.1:{self.report()['ports']['saint']}/saint"

    @property
    def face_address(self) -> tuple[str, int]:
        """Where face datagrams go."""
        return "127.0.0.1", self.report()["ports"]["llf"]

    @property
    def environment(self) -> dict[str, str]:
        """For a program of the test that joins the robot's bus."""
        return {"ROS_DOMAIN_ID": str(self.domain), "SAINT_DDS_INTERFACE": "lo"}

    def run(self, machine: str = "server") -> Path:
        """The folder with a machine's sockets."""
        return self.root / machine / "run"

    def hw(self, machine: str) -> Path:
        """The folder with a node's simulated pins and chips."""
        return self.root / machine / "hw"

    def state(self, machine: str, daemon: str) -> Path:
        """A daemon's state folder."""
        return self.root / machine / "state" / daemon

    def client(self, daemon: str, machine: str = "server") -> Client:
        """A connection to a daemon's socket; use it with `async with`."""
        return Client(self.run(machine) / f"{daemon}.sock")

    def rc_wire(self) -> int:
        """The transmitter's end of the receiver's serial line: os.write() CRSF bytes to it."""
        return open_wire(self.root)

    def log(self, daemon: str, machine: str = "server") -> str:
        """What a daemon has logged."""
        with contextlib.suppress(FileNotFoundError):
            return (self.root / "log" / f"{machine}-{daemon}.log").read_text(errors="replace")
        return ""

    def daemon(self, daemon: str, machine: str = "server") -> dict[str, Any]:
        """pid, phase and starts of a daemon."""
        found: dict[str, Any] = self.report()["machines"][machine]["daemons"][daemon]
        return found

    def pid(self, daemon: str, machine: str = "server") -> int:
        """0 while it is not running."""
        return int(self.daemon(daemon, machine)["pid"])

    def kill(
        self, daemon: str, machine: str = "server", number: signal.Signals = signal.SIGKILL
    ) -> int:
        """Send a signal to a running daemon; returns the pid that got it."""
        pid = self.pid(daemon, machine)
        assert pid, f"{machine}/{daemon} is not running"
        os.kill(pid, number)
        return pid

    def pids(self) -> dict[tuple[str, str], int]:
        """All running daemons by (machine, daemon)."""
        return {
            (machine, name): entry["pid"]
            for machine, fields in self.report().get("machines", {}).items()
            for name, entry in fields["daemons"].items()
            if entry["pid"]
        }

    def wait_ready(self) -> None:
        """Until every node has its role and the page answers."""
        block_until(self._is_ready, START_LIMIT_S, self.diagnosis)

    def stop(self) -> None:
        """End it as Ctrl-C does; it must end by itself, with code 0, and leave nothing behind."""
        pids = self.pids()
        self.end_input()
        try:
            code = self.process.wait(STOP_LIMIT_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = self.process.wait(STOP_LIMIT_S)
        left = [name for name, pid in pids.items() if is_alive(pid)]
        assert (code, left) == (0, []), f"ended with {code}, left {left}\n{self.diagnosis()}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Whatever a test did with it, or failed to do: it is gone."""
        self.end_input()
        try:
            self.process.wait(STOP_LIMIT_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(STOP_LIMIT_S)

    def end_input(self) -> None:
        """Its standard input is what ties it to this test: without it, it ends."""
        if self.process.stdin:
            self.process.stdin.close()

    def diagnosis(self) -> str:
        """Everything that explains a failure."""
        logs = sorted((self.root / "log").glob("*.log"))
        parts = [(self.root / "run.out").read_text(errors="replace")]
        parts += [f"--- {p.stem}\n{p.read_text(errors='replace')[-1500:]}" for p in logs]
        return "\n".join(parts)

    def _is_ready(self) -> bool:
        assert self.process.poll() is None, f"tools.run has ended\n{self.diagnosis()}"
        report = self.report()
        assert not report.get("problems"), f"{report['problems']}\n{self.diagnosis()}"
        return bool(report.get("ready"))


@contextlib.contextmanager
def running_robot(*options: str, checkout: Path = ROOT) -> Iterator[Robot]:
    """A robot that is whole; ended and deleted afterwards. `options` are those of tools.run, of
    another checkout with its own .venv where one is named."""
    with short_folder() as root:
        robot = Robot(root, free_domain(), *options, checkout=checkout)
        try:
            robot.wait_ready()
            yield robot
        finally:
            robot.stop()


def free_domain() -> int:
    """A ROS domain that nobody on this computer uses. pytest's workers have their own ones each."""
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    numbers = range(1 + worker, 101, int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")))
    for number in random.sample(numbers, len(numbers)):
        with contextlib.suppress(SaintError):
            domain.choose(number).lock.close()
            return number
    raise AssertionError("every ROS domain is in use")


def _python(checkout: Path) -> str:
    return sys.executable if checkout == ROOT else str(checkout / ".venv" / "bin" / "python")


def is_alive(pid: int) -> bool:
    """Whether there is such a process."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, 0)
        return True
    return False


@contextlib.contextmanager
def short_folder() -> Iterator[Path]:
    """Not pytest's tmp_path: a socket's path must be short."""
    root = Path(tempfile.mkdtemp(prefix="saint-", dir="/tmp"))
    try:
        yield root
    finally:
        shutil.rmtree(root, ignore_errors=True)
