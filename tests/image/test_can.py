"""CAN with the image's own kernel: the SocketCAN back end between two processes on vcan, a wagon
that is armed, driven and stopped over it; a controller that leaves the bus and comes back.

What this cannot show: vcan has no errors and no controller, so nothing is lost there and nothing
goes bus-off; that comes from the kernel's slcan driver, fed by an adapter on a pseudo terminal.
QEMU has no gs_usb adapter: its driver, its queue and the times of a real bus are not shown.
"""

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.image import stages
from tests.image.rig import Host
from tests.image.robot import Robot

pytestmark = pytest.mark.image_all

_HERE = Path(__file__).parent
_FILES = (
    _HERE / "can_board.py",
    _HERE / "can_host.py",
    _HERE / "can_adapter.py",
    _HERE.parent / "unit" / "role_wagond" / "balance_board.py",
)
_FOLDER = "/run/can-test"
_PYTHON = f"cd {_FOLDER}; python3"
# Reads the counts and the state of a port that was opened before anything happened.
_WATCH = """
import sys, time
from saint_services.lib.hw.can.opening import open_can
port = open_can(sys.argv[1], "real")
print("open", flush=True)
end = time.monotonic() + 20
seen = []
while time.monotonic() < end and seen[-2:] != ["bus-off", "active"]:
    port.receive()
    state = port.state()
    if not seen or seen[-1] != state.bus.value:
        seen.append(state.bus.value)
    time.sleep(0.01)
print(" ".join(seen), state.bus_offs)
"""


@pytest.fixture(scope="module")
def server(adopted: Robot) -> Iterator[Host]:
    """A machine of the image, with the programs of this test."""
    stages.restore(adopted.pair, stages.ADOPTED)
    found = adopted.server
    assert found.ssh is not None
    found.sh(f"install -d -m 777 {_FOLDER}")
    for file in _FILES:
        found.ssh.put(file, f"{_FOLDER}/{file.name}")
    found.sh(f"printf %s {shlex.quote(_WATCH)} >{_FOLDER}/watch.py")
    yield found
    stages.restore(adopted.pair, stages.ADOPTED)


@pytest.fixture(scope="module")
def vcan(server: Host) -> str:
    """A bus of the kernel without a controller."""
    server.sh("modprobe vcan; ip link add can9 type vcan; ip link set can9 up")
    return "can9"


@pytest.fixture
def board(server: Host, vcan: str) -> Iterator[str]:
    """A stand-in board in a process of its own; yields the file with what it says."""
    server.sh(f"mkfifo {_FOLDER}/end; (sleep 1000 >{_FOLDER}/end & echo $! >{_FOLDER}/holder)")
    command = f"{_PYTHON} can_board.py {vcan} <{_FOLDER}/end >{_FOLDER}/board.out 2>&1"
    server.sh(f"sh -c {shlex.quote(command)} >/dev/null 2>&1 &")
    server.sh(f"until grep -q state {_FOLDER}/board.out; do sleep 0.2; done", 120)
    yield f"{_FOLDER}/board.out"
    server.sh(f"kill $(cat {_FOLDER}/holder); rm {_FOLDER}/end")


def test_modules_of_adapters_are_there(server: Host) -> None:
    for module in ("can_raw", "vcan", "gs_usb", "slcan", "mcp251x"):
        assert server.sh(f"modinfo -F name {module}") == module


def test_wagon_is_driven_between_two_processes(server: Host, vcan: str, board: str) -> None:
    said = server.sh(f"{_PYTHON} can_host.py {vcan}", 180)
    found = json.loads(said.splitlines()[-1])
    assert found["refusal"] == ""
    assert found["fastest"] == pytest.approx(0.5, abs=0.05)
    assert found["stopped_s"] < 1.0  # of an emulated processor; 0.25 s are tests/safety's
    assert (found["damaged"], found["foreign"], found["bus"]) == (0, 0, "active")
    states = [json.loads(line) for line in server.sh(f"cat {board}").splitlines()]
    assert [each["state"] for each in states][-1] == "ESTOP"
    assert states[-1]["speed"] == 0
    assert max(each["speed"] for each in states) == 250


def test_kernel_keeps_foreign_frames_from_the_role(server: Host, vcan: str, board: str) -> None:
    program = (
        "from saint_services.lib.hw.can.opening import open_can;"
        "from saint_services.lib.hw.can.frame import CanFrame;"
        f"port = open_can('{vcan}', 'real');"
        "[port.send(CanFrame(each, bytes(8), each > 2047)) for each in (1, 0x300, 0x1400) * 30]"
    )
    server.sh(f"{_PYTHON} -c {shlex.quote(program)}")
    found = json.loads(server.sh(f"{_PYTHON} can_host.py {vcan}", 180).splitlines()[-1])
    assert (found["damaged"], found["foreign"]) == (0, 0)


def test_name_that_is_none_says_so(server: Host) -> None:
    program = "from saint_services.lib.hw.can.opening import open_can; open_can('can7', 'real')"
    said = server.sh(f"{_PYTHON} -c {shlex.quote(program)} 2>&1 || true")
    assert "there is no CAN interface of that name" in said


@pytest.fixture
def adapter(server: Host) -> Iterator[str]:
    """An adapter on a pseudo terminal, as an interface of the kernel."""
    server.sh("modprobe slcan")
    server.sh(f"mkfifo {_FOLDER}/bus; (sleep 1000 >{_FOLDER}/bus & echo $! >{_FOLDER}/holder)")
    command = f"{_PYTHON} can_adapter.py <{_FOLDER}/bus >{_FOLDER}/adapter.out 2>&1"
    server.sh(f"sh -c {shlex.quote(command)} >/dev/null 2>&1 &")
    server.sh(f"until grep -q can {_FOLDER}/adapter.out; do sleep 0.2; done", 60)
    name = server.sh(f"head -n 1 {_FOLDER}/adapter.out")
    # networkd may be setting it up meanwhile; what it cannot set here is set by hand
    server.sh(f"sleep 3; ip link set {name} down; ip link set {name} type can bitrate 500000; true")
    server.sh(f"ip link set {name} up")
    yield name
    server.sh(f"kill $(cat {_FOLDER}/holder); rm {_FOLDER}/bus")


def test_queue_of_a_controller_is_short(server: Host, adapter: str) -> None:
    shown = server.sh(f"ip -details link show {adapter}")
    assert re.search(r"\bqlen 4\b", shown), shown  # 60-can.link
    assert "bitrate 500000" in shown


def test_bus_off_is_seen_and_ends(server: Host, adapter: str) -> None:
    """Show a controller that leaves its bus and is back by its own report; slcan does not restart,
    so its interface is taken down and up, as an owner would."""
    watch = f"{_PYTHON} watch.py {adapter} >{_FOLDER}/watch.out 2>&1"
    server.sh(f"sh -c {shlex.quote(watch)} >/dev/null 2>&1 &")
    server.sh(f"until grep -q open {_FOLDER}/watch.out; do sleep 0.2; done", 60)
    server.sh(f"echo state w >{_FOLDER}/bus; sleep 1; echo state b >{_FOLDER}/bus; sleep 1")
    shown = server.sh(f"ip -details link show {adapter}")
    assert "BUS-OFF" in shown or "STOPPED" in shown, shown
    server.sh(f"echo state a >{_FOLDER}/bus")
    server.sh(f"until [ $(wc -l <{_FOLDER}/watch.out) -ge 2 ]; do sleep 1; done", 90)
    assert server.sh(f"tail -n 1 {_FOLDER}/watch.out") == "active warning bus-off active 1"
    server.sh(
        f"ip link set {adapter} down; ip link set {adapter} up;"
        f" ip -details link show {adapter} | grep -q ERROR-ACTIVE"
    )
