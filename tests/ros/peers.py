"""Processes on one ROS domain, from the test's side: stock ROS 2 nodes and buses of ours."""

import contextlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.waiting import block_until

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).parent
LIMIT_S = 20.0
ENDS_S = 8.0
_POLL_S = 0.01


class Peer:
    """A process that obeys lines of JSON."""

    def __init__(self, command: list[str], environment: dict[str, str]) -> None:
        self.events: list[dict[str, Any]] = []
        self._answers: list[Any] = []
        self.process = subprocess.Popen(
            command,
            cwd=ROOT,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._complaints: list[str] = []
        self._threads = [threading.Thread(target=self._listen), threading.Thread(target=self._keep)]
        for thread in self._threads:
            thread.start()

    def do(self, what: str, **arguments: Any) -> Any:
        """Have something done and return what it answers."""
        before = len(self._answers)
        assert self.process.stdin
        self.process.stdin.write(json.dumps({"do": what, **arguments}) + "\n")
        self.process.stdin.flush()
        self.wait(lambda: len(self._answers) > before)
        return self._answers[-1]

    def values(self, topic: str) -> list[Any]:
        """What it received on a topic or as a request."""
        return [one["value"] for one in self.events if one.get("topic") == topic]

    def wait(self, is_true: Callable[[], object], limit_s: float = LIMIT_S) -> None:
        """Wait until something holds; a process that has ended fails at once."""

        def is_so() -> object:
            found = is_true()
            assert found or self.process.poll() is None, f"has ended\n{self.complaints}"
            return found

        block_until(is_so, limit_s, lambda: self.complaints, pause_s=_POLL_S)

    @property
    def complaints(self) -> str:
        """Its stderr."""
        return "".join(self._complaints)

    def cpu_s(self) -> float:
        """Processor time that it has used."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def end(self) -> int:
        """Close its stdin, after which it must end by itself."""
        assert self.process.stdin
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        try:
            code = self.process.wait(ENDS_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(ENDS_S)
            code = -1
        for thread in self._threads:
            thread.join(ENDS_S)
        for stream in (self.process.stdout, self.process.stderr):
            assert stream
            stream.close()
        return code

    def _listen(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            event = json.loads(line)
            if "answer" in event:
                self._answers.append(event["answer"])
            else:
                self.events.append(event)

    def _keep(self) -> None:
        assert self.process.stderr
        for line in self.process.stderr:
            self._complaints.append(line)


@contextlib.contextmanager
def stock_node(domain: int, name: str = "stock") -> Iterator[Peer]:
    """A plain rclpy node."""
    command = [sys.executable, str(HERE / "stock_node.py"), name]
    with _running(command, {**os.environ, "ROS_DOMAIN_ID": str(domain)}) as peer:
        yield peer


@contextlib.contextmanager
def our_bus(backend: str, domain: int, name: str = "ours", *, quiet: bool = True) -> Iterator[Peer]:
    """A bus of ours; over `dds` it is the product as it is installed, without any ROS 2."""
    python = product_python() if backend == "dds" else sys.executable
    environment = product_environment() if backend == "dds" else dict(os.environ)
    # Only what ROS 2's own packages import is deprecated.
    environment |= {
        "ROS_DOMAIN_ID": str(domain),
        "SAINT_BUS": backend,
        "PYTHONWARNINGS": "error,ignore::DeprecationWarning",
    }
    with _running([python, "-m", "tests.ros.our_bus", name], environment) as peer:
        yield peer
    # Warnings, unclosed things, noise of a library.
    assert not (quiet and peer.complaints), f"{name} complained:\n{peer.complaints}"


def product_python() -> str:
    """The interpreter of the product's own environment."""
    return os.environ.get("SAINT_PRODUCT_PYTHON", sys.executable)


def product_environment() -> dict[str, str]:
    """This process's variables without those that belong to the ROS 2."""
    foreign = os.environ.get("SAINT_PRODUCT_PATHS", "").split(os.pathsep)
    kept = {name: value for name, value in os.environ.items() if name not in foreign}
    return kept | {"PATH": os.environ["PATH"], "SAINT_DDS_INTERFACE": "lo"}


@contextlib.contextmanager
def _running(command: list[str], environment: dict[str, str]) -> Iterator[Peer]:
    peer = Peer(command, environment)
    try:
        peer.wait(lambda: {"ready": True} in peer.events)
        yield peer
    except BaseException:
        peer.end()
        sys.stderr.write(peer.complaints)  # pytest shows it with the failure
        raise
    code = peer.end()
    assert code == 0, f"ended with {code}\n{peer.complaints}"
