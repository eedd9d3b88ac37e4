"""What is recorded: the moments in the life of a robot's computer at which power may go.

Each is driven as its owner would do it, from inside of the machine, and says at every step what
may change and what has been promised. One machine is server and node, with simulated hardware. Not
here: the machine and its disk (rig.py).
"""

import contextlib
import json
import shlex
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ..vm.channel import SilentError
from ..vm.shell import CommandFailedError
from .facts import ROUTE_OFF, ROUTE_ON, digest
from .release import served
from .rig import Rig

_ROLE, _OTHER_ROLE = "tracks", "head"
_SOON_S = 900  # an emulated processor is about ten times slower than that of a Pi
_INSTALL_S = 3600
_POLL_S = 1.0
# What the owner wrote on the card, and the machine moves to its own partition at the first start.
CLAIM = "power-cut-claim-on-the-card"
_ROUTES = ("evening", "rehearsal")
NEXT_VERSION = "0.1.1"


@dataclass(frozen=True, slots=True)
class Session:
    """One run of one machine: chapters that follow each other. `after`: the session whose disk it
    begins with; empty for a card just written."""

    name: str
    after: str
    chapters: Mapping[str, Callable[[Rig], None]]
    role: str = "both"
    needs_release: bool = False
    is_rauc: bool = False  # RAUC alone, on a disk of this computer: see rauc.py
    is_robot: bool = False  # not a virtual machine: see robot.py


def first_boot(rig: Rig) -> None:
    """A new card: the machine gets its identity, its keys, its whole data partition."""
    for fact in ("machine-id", "ssh-host-key", "node-id", "token"):
        rig.begin(fact, None)
    rig.keep("role", "")
    rig.keep("claim", digest(CLAIM.encode()))
    rig.say(f"systemd says: {rig.machine.wait_up(timeout_s=_SOON_S)}")
    rig.keep("machine-id", _sh(rig, "cat /etc/machine-id"))
    node = _node(rig, "unadopted")
    rig.keep("node-id", node["node_id"])
    rig.keep("ssh-host-key", _sh(rig, "cat /data/ssh/ssh_host_ed25519_key.pub"))
    token = _sh(rig, "cat /var/lib/saint/webd/token 2>/dev/null || true")
    if token:
        rig.keep("token", digest(token.encode()))


def start(rig: Rig) -> None:
    """Orderly on."""
    rig.say(f"systemd says: {rig.machine.wait_up(timeout_s=_SOON_S)}")
    rig.keep("role", "")


def adoption(rig: Rig) -> None:
    """The node gets its role."""
    node = _node(rig, "unadopted")["node_id"]
    rig.begin("role", f"{_ROLE}:")
    _sh(rig, f"saintctl node adopt {node} {_ROLE} --name Chassis")
    _node(rig, "active")
    rig.keep("role", f"{_ROLE}:")


def settings(rig: Rig) -> None:
    """A person edits routes, the e-stop, the receiver."""
    for name in _ROUTES:
        rig.keep(f"route.{name}", "")
        _change(rig, f"route.{name}", ROUTE_ON, "PUT", f"routerd/routes/{name}", _route(name))
    for _ in range(3):
        for enabled, value in ((False, ROUTE_OFF), (True, ROUTE_ON)):
            path = f"routerd/routes/{_ROUTES[0]}/enabled"
            _change(rig, f"route.{_ROUTES[0]}", value, "POST", path, {"enabled": enabled})
    for enabled in (False, True):
        value = str(enabled).lower()
        _change(rig, "rc-enabled", value, "POST", "rcd/enabled", {"enabled": enabled})
    rig.say("routes and receiver set")
    stop = {"source": "power cut test", "reason": "test"}
    _change(rig, "estop", "latched", "POST", "routerd/estop", stop)
    seen = _request(rig, "GET", "routerd/status")["estop"]["generation"]
    clear = {"source": stop["source"], "generation": seen}
    _change(rig, "estop", "open", "POST", "routerd/estop/clear", clear)
    _change(rig, f"route.{_ROUTES[1]}", "", "DELETE", f"routerd/routes/{_ROUTES[1]}")


def restart(rig: Rig) -> None:
    """Orderly off and on again: everything is as before."""
    since = rig.machine.serial.end
    _sh(rig, "systemctl reboot --no-block")
    rig.machine.wait_up(since, timeout_s=2 * _SOON_S)
    _node(rig, "active")


def factory_reset(rig: Rig) -> None:
    """The node forgets its role, then gets another."""
    node = _node(rig, "active")["node_id"]
    rig.begin("role", "")
    _sh(rig, f"saintctl node reset {node} --factory")
    _node(rig, "unadopted")
    rig.keep("role", "")
    rig.say("forgotten")
    rig.begin("role", f"{_OTHER_ROLE}:")
    _sh(rig, f"saintctl node adopt {node} {_OTHER_ROLE}")
    _node(rig, "active")
    rig.keep("role", f"{_OTHER_ROLE}:")


# Another release: every file differs. It hides the folder of the running one, which is proven.
_OTHER_FILES = """
import hashlib, pathlib, shutil, subprocess, sys
from saint_services.setup.boot_files import SHIPPED, SUMS, sums
shipped, other = pathlib.Path("/") / SHIPPED, pathlib.Path("/run/other-boot-files")
subprocess.run(["umount", shipped], check=False)
shutil.rmtree(other, ignore_errors=True)
shutil.copytree(shipped, other)
paths = [path for path in other.rglob("*") if path.is_file() and path.name != SUMS]
for path in paths:
    with path.open("a") as file:
        file.write("# " + sys.argv[1] + chr(10))
(other / SUMS).write_text(sums(other, paths))
subprocess.run(["mount", "--bind", other, shipped], check=True)
pathlib.Path("/run/saint-proven").touch()
print(hashlib.sha256((other / SUMS).read_bytes()).hexdigest()[:12])
"""


def boot_files(rig: Rig) -> None:
    """Three proven releases bring their boot files, one after the other."""
    rig.say(f"systemd says: {rig.machine.wait_up(timeout_s=_SOON_S)}")
    for number in range(3):
        script = f"python3 -c {shlex.quote(_OTHER_FILES)} {number}"
        found = _sh(rig, script, _SOON_S).split()[-1]
        rig.begin("boot-files", found)
        _sh(rig, "systemctl start saint-boot-files.service", _SOON_S)
        rig.keep("boot-files", found)


def power_off(rig: Rig) -> None:
    """As a person does it."""
    since = rig.machine.serial.end
    _sh(rig, "systemctl poweroff --no-block")
    rig.machine.serial.wait_for(r"reboot: Power down", since, timeout_s=_SOON_S)


# -- requests to the machine -------------------------------------------------------------------


def _sh(rig: Rig, command: str, timeout_s: float = 120) -> str:
    return rig.machine.shell.check(command, timeout_s)


# In one line, for a shell: the machine has no curl.
_ASK = (
    "import http.client as h,socket,sys;c=h.HTTPConnection('x');"
    "s=socket.socket(socket.AF_UNIX);s.connect('/run/saint/'+sys.argv[2]+'.sock');c.sock=s;"
    "k={'Content-Type':'application/json'};"
    "c.request(sys.argv[1],'/'+sys.argv[3],sys.argv[4] or None,k);"
    "r=c.getresponse();t=r.read().decode();print(t);sys.exit(r.status>=300)"
)


def _request(rig: Rig, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
    daemon, _, rest = path.partition("/")
    text = json.dumps(body) if body is not None else ""
    quoted = text.replace("'", "'\\''")
    return json.loads(_sh(rig, f"python3 -c \"{_ASK}\" {method} {daemon} {rest} '{quoted}'"))


def _change(
    rig: Rig, fact: str, value: str, method: str, path: str, body: dict[str, Any] | None = None
) -> None:
    rig.begin(fact, value)
    _request(rig, method, path, body)
    rig.keep(fact, value)


def _node(rig: Rig, state: str) -> dict[str, Any]:
    """The one node, once the server sees it in this state."""
    return _wait(rig, state, lambda: _request(rig, "GET", "adoptiond/nodes")["nodes"])


def _this_node(rig: Rig, state: str) -> dict[str, Any]:
    """The same on a machine that is no server."""
    return _wait(rig, state, lambda: [_request(rig, "GET", "noded/status")])


def _wait(rig: Rig, state: str, look: Callable[[], list[dict[str, Any]]]) -> dict[str, Any]:
    deadline = time.monotonic() + _SOON_S
    nodes: list[dict[str, Any]] = []
    while time.monotonic() < deadline:
        # A daemon that is only just starting answers with an error.
        with contextlib.suppress(CommandFailedError):
            nodes = look()
        for node in nodes:
            if node["state"] == state:
                return node
        time.sleep(_POLL_S)
    raise SilentError(f"no node became {state} within {_SOON_S} s: {nodes}")


def _route(name: str) -> dict[str, Any]:
    return {
        "id": name,
        "input": {"source": "autonomous", "subject": name},
        "output": {"target": "tracks"},
        "mapping": "passthrough",
    }


# Over the bus, as the robot's server does it.
_INSTALL = """
import asyncio, sys
from saint_services.lib.bus.open import open_bus
from saint_services.lib.generated import topics
from saint_services.lib.generated.saint_msgs import UpdateNode_Request
async def main(node, version, url, checksum):
    bus = await open_bus("power_cut_test")
    request = UpdateNode_Request(
        node_id=node, action="install", version=version, url=url, checksum_sha256=checksum)
    answer = await bus.call(topics.NODE_UPDATE.at(node_id=node), request, 30)
    print(answer.message)
    sys.exit(not answer.success)
asyncio.run(main(*sys.argv[1:]))
"""


def install(rig: Rig) -> None:
    """The node writes the other slot, and restarts into it."""
    assert rig.release, "this session needs a release"
    rig.say(f"systemd says: {rig.machine.wait_up(timeout_s=_SOON_S)}")
    node = _this_node(rig, "unadopted")["node_id"]
    rig.keep("role", "")
    rig.keep("node-id", node)
    rig.keep("claim", digest(CLAIM.encode()))
    rig.keep("machine-id", _sh(rig, "cat /etc/machine-id"))
    _sh(rig, "ip address add 10.0.2.15/24 dev eth0")
    since = rig.machine.serial.end
    with served(rig.release) as url:
        words = (node, rig.release.version, url, rig.release.checksum())
        text = shlex.quote(_INSTALL)
        environment = "set -a; . /run/saint/machine.env; "
        rig.say(_sh(rig, f"{environment} python3 -c {text} {' '.join(words)}"))
        rig.machine.serial.wait_for(r"^U-Boot 20\d\d", since, timeout_s=_INSTALL_S)


def trial(rig: Rig) -> None:
    """The new release proves itself and is called good."""
    assert rig.release, "this session needs a release"
    rig.machine.shell.open(_SOON_S)
    deadline = time.monotonic() + _SOON_S
    verdict: Any = None
    while time.monotonic() < deadline:
        text = rig.machine.shell.run("cat /var/lib/saint/noded/update.json").text
        with contextlib.suppress(ValueError):
            record = json.loads(text)
            verdict = record["last"]["verdict"]
            if record["pending"] is None:
                break
        time.sleep(_POLL_S)
    rig.say(f"verdict {verdict!r}")
    if verdict != "healthy":
        raise SilentError(f"the new release did not become healthy: {text}")
    rig.keep("update-verdict", f"healthy:{rig.release.version}")
    rig.keep("slot-image", rig.release.version)


SESSIONS = {
    "first-boot": Session("first-boot", "", {"first boot": first_boot}),
    # As the chapters of "robot", in the image itself; it takes long on an emulated processor.
    "life": Session(
        "life",
        "first-boot",
        {
            "start": start,
            "adoption": adoption,
            "settings": settings,
            "restart": restart,
            "factory reset": factory_reset,
            "power off": power_off,
        },
    ),
    "update": Session(
        "update",
        "first-boot",
        {"install and switch": install, "trial and mark-good": trial, "power off": power_off},
        role="node",  # half the processes, twice as fast; the same software
        needs_release=True,
    ),
    "boot-files": Session("boot-files", "first-boot", {"three releases": boot_files}, role="node"),
    "rauc": Session("rauc", "first-boot", {}, role="node", needs_release=True, is_rauc=True),
    "robot": Session("robot", "", {}, is_robot=True),
}
USUAL = ("first-boot", "boot-files", "rauc", "robot")
