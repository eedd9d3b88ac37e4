"""What is recorded of a simulated robot: machines whose state lies on one recorded disk.

The product's own processes run here at full speed (`make run`), so that far more happens than in a
virtual machine: adoptions, many settings, resets, an update of all. Not here: booting,
writing slots (scenarios.py).
"""

import contextlib
import http.client
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from .facts import ROBOT, ROUTE_OFF, ROUTE_ON
from .host_rig import HostRig
from .small_robot import NODES

_ROOT = Path(__file__).resolve().parents[2]
_PROGRAM = "tools.powercut.small_robot"
_SOON_S = 600
_ANSWER_S = 60
_POLL_S = 0.3
_ROUNDS = 8
_VERSION = "0.2.0"
_ROLES = {node.name: f"{role.role}:{role.instance}" for node in NODES for role in node.roles[:1]}

Json = dict[str, Any]


def adoption(rig: HostRig) -> None:
    """New nodes get their roles."""
    for name, role in _ROLES.items():
        rig.keep(f"{name}:role", "")
        rig.begin(f"{name}:role", role)
    with _robot(rig):
        waiting = set(_ROLES)
        for nodes in _looks(rig, lambda: not waiting):
            for name in sorted(waiting):
                if nodes.get(name, ("", ""))[0] == "active":
                    rig.keep(f"{name}:role", _ROLES[name])
                    waiting.discard(name)
                elif nodes.get(name, ("", ""))[1]:  # it was tried, and this computer was too busy
                    _adopt(rig, name, _ROLES[name])


def settings(rig: HostRig) -> None:
    """A person edits routes, the e-stop and the receiver, again and again."""
    with _robot(rig):
        for _ in _looks(rig, lambda: True):
            pass
        for number in range(_ROUNDS):
            name = f"scene-{number}"
            rig.keep(f"server:route.{name}", "")
            _change(rig, f"route.{name}", ROUTE_ON, "PUT", f"routerd/routes/{name}", _route(name))
            path = f"routerd/routes/{name}/enabled"
            _change(rig, f"route.{name}", ROUTE_OFF, "POST", path, {"enabled": False})
            is_on = number % 2 == 0
            _change(
                rig, "rc-enabled", str(is_on).lower(), "POST", "rcd/enabled", {"enabled": is_on}
            )
            stop = {"source": "power cut", "reason": f"number {number}"}
            _change(rig, "estop", "latched", "POST", "routerd/estop", stop)
            _clear(rig)
            if number % 2:
                _change(rig, f"route.{name}", "", "DELETE", f"routerd/routes/{name}")


def factory_reset(rig: HostRig) -> None:
    """Two nodes forget their roles and get them again."""
    with _robot(rig):
        for _ in _looks(rig, lambda: True):
            pass
        for name, role in (("head", "head:"), ("tracks", "tracks:")):
            rig.begin(f"{name}:role", "")
            node = f"adoptiond/nodes/sim_{name}"
            _request(rig, "POST", f"{node}/reset", {"factory_reset": True})
            _until(rig, name, "unadopted")
            rig.keep(f"{name}:role", "")
            rig.begin(f"{name}:role", role)
            _until(rig, name, "active", role)
            rig.keep(f"{name}:role", role)


def update(rig: HostRig) -> None:
    """All machines take a release and prove it."""
    machines: dict[str, str] = {f"sim_{node.name}": node.name for node in NODES}
    for name in machines.values():
        rig.keep(f"{name}:update-verdict", ":")
        rig.begin(f"{name}:update-verdict", f"healthy:{_VERSION}")
    with _robot(rig, "--release", _VERSION):
        deadline = time.monotonic() + 2 * _SOON_S
        while machines and time.monotonic() < deadline:
            report = _request(rig, "GET", "otad/status")
            for machine in report["machines"]:
                name = machines.get(machine["node_id"], "")
                if name and machine["verdict"] == "healthy" and machine["version"] == _VERSION:
                    rig.keep(f"{name}:update-verdict", f"healthy:{_VERSION}")
                    rig.say(f"{name} runs {_VERSION}")
                    del machines[machine["node_id"]]
            time.sleep(_POLL_S)
        if machines:
            raise TimeoutError(f"not updated: {sorted(machines)}; {report}")


CHAPTERS: Mapping[str, Callable[[HostRig], None]] = {
    "robot: adoption": adoption,
    "robot: settings": settings,
    "robot: factory reset": factory_reset,
    "robot: update": update,
}


@contextlib.contextmanager
def _robot(rig: HostRig, *more: str) -> Iterator[None]:
    """The robot runs, until the block ends."""
    root = rig.mount / ROBOT
    options = [
        "--no-browser",
        "--until-eof",
        "--port",
        "0",
        "--saint-port",
        "0",
        "--face-port",
        "0",
    ]
    with (rig.folder / "robot.log").open("ab") as log:
        process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "tools.powercut.small_robot",
                *options,
                "--root",
                str(root),
                *more,
            ],
            cwd=_ROOT,
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=log,
        )
        assert process.stdin is not None
        try:
            _wait_answer(rig, process)
            yield
        finally:
            process.stdin.close()
            process.wait(_SOON_S)


def _wait_answer(rig: HostRig, process: subprocess.Popen[bytes]) -> None:
    """Sockets of a former run lie there too; they refuse."""
    deadline = time.monotonic() + _SOON_S
    while True:
        try:
            _ask_once(rig, "GET", "adoptiond/nodes", None)
            return
        except (OSError, http.client.HTTPException) as err:
            if time.monotonic() > deadline or process.poll() is not None:
                raise TimeoutError(f"the simulated robot did not start: {err}") from err
        time.sleep(_POLL_S)


def _adopt(rig: HostRig, name: str, role: str) -> None:
    wanted, _, instance = role.partition(":")
    with contextlib.suppress(RuntimeError):  # refused: it is being adopted already
        body = {"role": wanted, "instance": instance}
        _request(rig, "POST", f"adoptiond/nodes/sim_{name}/adopt", body)


def _looks(rig: HostRig, is_enough: Callable[[], bool]) -> Iterator[dict[str, tuple[str, str]]]:
    """State and complaint of each node, again until it is enough and all are active."""
    deadline = time.monotonic() + _SOON_S
    while True:
        nodes = _request(rig, "GET", "adoptiond/nodes")["nodes"]
        states = {
            node["node_id"].removeprefix("sim_"): (node["state"], node["reason"]) for node in nodes
        }
        yield states
        if is_enough() and all(states.get(name, ("",))[0] == "active" for name in _ROLES):
            return
        if time.monotonic() > deadline:
            raise TimeoutError(f"the simulated robot is not whole: {states}")
        time.sleep(_POLL_S)


def _until(rig: HostRig, name: str, state: str, role: str = "") -> None:
    """`role`: requested again while the node is without, e.g. because its last try failed."""
    deadline = time.monotonic() + _SOON_S
    while True:
        nodes = _request(rig, "GET", "adoptiond/nodes")["nodes"]
        now = {node["node_id"]: node["state"] for node in nodes}.get(f"sim_{name}", "")
        if now == state:
            return
        if now == "unadopted" and role:
            _adopt(rig, name, role)
        if time.monotonic() > deadline:
            raise TimeoutError(f"{name} did not become {state}, it is {now!r}")
        time.sleep(_POLL_S)


def _change(
    rig: HostRig, fact: str, value: str, method: str, path: str, body: Json | None = None
) -> None:
    rig.begin(f"server:{fact}", value)
    _request(rig, method, path, body)
    rig.keep(f"server:{fact}", value)


def _clear(rig: HostRig) -> None:
    """Clear the e-stop that is seen now; looked at again when the daemon dies meanwhile."""
    rig.begin("server:estop", "open")
    deadline = time.monotonic() + _SOON_S
    while (latch := _request(rig, "GET", "routerd/status")["estop"])["active"]:
        body = {"source": "power cut", "generation": latch["generation"]}
        with contextlib.suppress(ConnectionError, TimeoutError, http.client.HTTPException):
            _ask_once(rig, "POST", "routerd/estop/clear", body)
        if time.monotonic() > deadline:
            raise TimeoutError(f"the e-stop stays: {latch}")
    rig.keep("server:estop", "open")


def _request(rig: HostRig, method: str, path: str, body: Json | None = None) -> Any:
    """Over a daemon's socket of the simulated server; said again when the daemon dies meanwhile."""
    deadline = time.monotonic() + _SOON_S
    while True:
        try:
            return _ask_once(rig, method, path, body)
        except (ConnectionError, TimeoutError, http.client.HTTPException):
            if time.monotonic() > deadline:
                raise
        time.sleep(_POLL_S)


def _ask_once(rig: HostRig, method: str, path: str, body: Json | None) -> Any:
    daemon, _, rest = path.partition("/")
    connection = http.client.HTTPConnection("robot", timeout=_ANSWER_S)
    connection.sock = socket.socket(socket.AF_UNIX)
    connection.sock.settimeout(_ANSWER_S)
    # The path of a socket may be longer than a socket's address: from its folder it is not.
    folder = os.open(rig.mount / ROBOT / "server" / "run", os.O_RDONLY | os.O_DIRECTORY)
    try:
        connection.sock.connect(f"/proc/self/fd/{folder}/{daemon}.sock")
    finally:
        os.close(folder)
    with contextlib.closing(connection):
        text = json.dumps(body) if body is not None else None
        connection.request(method, f"/{rest}", text, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        said = answer.read().decode()
        if answer.status >= 300:
            raise RuntimeError(f"{method} {path}: {answer.status} {said}")
        return json.loads(said)


def _route(name: str) -> Json:
    return {
        "id": name,
        "input": {"source": "autonomous", "subject": name},
        "output": {"target": "tracks"},
        "mapping": "passthrough",
    }
