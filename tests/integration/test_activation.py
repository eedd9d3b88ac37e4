"""Real daemons under the real systemd-socket-activate: the first request starts them."""

import asyncio
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.robot import free_domain, short_folder
from tests.waiting import block_until
from tools.launch import requests
from tools.launch.unit_files import units

ROOT = Path(__file__).resolve().parents[2]
ACTIVATE = shutil.which("systemd-socket-activate")
pytestmark = pytest.mark.skipif(ACTIVATE is None, reason="needs systemd-socket-activate")

_START_S = 40.0


class Activation:
    """systemd-socket-activate with one daemon behind it."""

    def __init__(self, home: Path, package: str, *options: str) -> None:
        assert ACTIVATE
        self._log_path = home / "log"
        variables = {
            "CONFIGURATION_DIRECTORY": home / "config",
            "PYTHONUNBUFFERED": 1,
            "ROS_DOMAIN_ID": free_domain(),
            "RUNTIME_DIRECTORY": home,
            "SAINT_DDS_INTERFACE": "lo",
            "SAINT_HW": f"sim:{home / 'hw'}",
            "SAINT_SIMULATION": "tools.sim",
            "SAINT_NODE_ID": "sim_test",
            "STATE_DIRECTORY": home / "state",
        }
        setenv = [f"--setenv={name}={value}" for name, value in variables.items()]
        command = [sys.executable, "-m", f"saint_services.{package}"]
        with self._log_path.open("wb") as log:
            self.process = subprocess.Popen(
                [ACTIVATE, *setenv, *options, *command], cwd=ROOT, stderr=log, stdout=log
            )
        block_until(lambda: "Listening on" in self.log(), _START_S, self.log)

    def log(self) -> str:
        return self._log_path.read_text(errors="replace")

    def is_started(self) -> bool:
        """systemd-socket-activate becomes the daemon by exec."""
        return "Execing" in self.log()

    def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(8.0)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(5.0)
            raise


@pytest.fixture
def home() -> Iterator[Path]:
    with short_folder() as made:
        for folder in ("config", "state", "hw"):
            (made / folder).mkdir()
        yield made


def _free_port(kind: socket.SocketKind) -> int:
    with socket.socket(socket.AF_INET, kind) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _fd_names(package: str) -> set[str]:
    name = f"saint-{package.replace('_', '-')}.service"
    return {unit.fd_name for unit in units.load(ROOT / "systemd").sockets_of(name)}


def _ask_health(path: Path) -> object:
    async def health() -> object:
        return await requests.over_unix(path, "GET /health", timeout_s=_START_S)

    return asyncio.run(health())


_SERVER = ("adoptiond", "routerd", "rcd", "livelinkd", "teleopd")
_NODE = (
    "noded",
    "role_headd",
    "role_armsd",
    "role_tracksd",
    "role_consoled",
    "role_partsd",
    "role_legsd",
    "role_wagond",
    "role_leaderd",
)


@pytest.mark.parametrize("package", [*_SERVER, *_NODE])
def test_first_request_starts_the_daemon_and_is_answered(home: Path, package: str) -> None:
    assert "api" in _fd_names(package)
    path = home / f"{package.replace('_', '-')}.sock"
    activation = Activation(home, package, f"--listen={path}", "--fdname=api")
    try:
        assert not activation.is_started()
        assert _ask_health(path), activation.log()
        assert activation.is_started()
        assert _ask_health(path), activation.log()
    finally:
        assert activation.stop() == 0, activation.log()


def test_first_visitor_starts_webd_and_sees_the_page(home: Path) -> None:
    assert _fd_names("webd") == {"http", "https", "saint", "api", "audit"}
    (home / "config/webd.yaml").write_text("auth: {required: false}\n")
    ports = [_free_port(socket.SOCK_STREAM) for _ in range(2)]
    listen = [f"--listen=127.0.0.1:{port}" for port in ports]
    activation = Activation(home, "webd", *listen, "--fdname=http:saint")
    try:
        status = asyncio.run(requests.page("127.0.0.1", ports[0], "/", timeout_s=_START_S))
        assert status == 200, activation.log()
    finally:
        assert activation.stop() == 0, activation.log()


def test_first_datagram_starts_livelinkd(home: Path) -> None:
    """The socket comes without a control socket, so the daemon opens that one by itself."""
    formats = {"llf", "json", "vmc", "ifacialmocap", "lines"}
    assert _fd_names("livelinkd") == {"api", *formats}
    port = _free_port(socket.SOCK_DGRAM)
    activation = Activation(
        home, "livelinkd", "--datagram", f"--listen=127.0.0.1:{port}", "--fdname=llf"
    )
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as phone:
            phone.sendto(b"not a face", ("127.0.0.1", port))
        block_until((home / "livelinkd.sock").exists, _START_S, activation.log)
        block_until(lambda: _refused(home / "livelinkd.sock"), 5.0, activation.log)
    finally:
        assert activation.stop() == 0, activation.log()


def _refused(path: Path) -> dict[str, int]:
    async def ask_subjects() -> dict[str, int]:
        reply = await requests.over_unix(path, "GET /subjects", timeout_s=_START_S)
        refused: dict[str, int] = reply["refused"]
        return refused

    return asyncio.run(ask_subjects())


def test_wrong_setting_keeps_nobody_from_an_answer(home: Path) -> None:
    (home / "config/adoptiond.yaml").write_text("robott: saint\n")
    path = home / "adoptiond.sock"
    activation = Activation(home, "adoptiond", f"--listen={path}", "--fdname=api")
    try:
        _ask_health(path)
        assert "adoptiond.yaml, line 1" in (home / "state/settings-problem").read_text()
    finally:
        assert activation.stop() == 0, activation.log()
