"""A program of the owner's on a real server: added and started over ssh, it drives the head, comes
back after a restart of the server, and sees neither daemons, settings, the card nor the network,
and no other program.
"""

from pathlib import Path

import pytest

from saint_services.saintctl.program import pack
from tests.image.robot import Robot

_NAME, _OTHER = "nod", "lamp"
# What it may not do is printed with its error; then it reads the robot for as long as it runs.
_MAIN = """
import asyncio, ctypes, os, socket
from saint_services.client import Robot

def local(path):
    socket.socket(socket.AF_UNIX).connect(path)

def ring():
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syscall(425, 4, ctypes.create_string_buffer(120)) < 0:  # io_uring_setup
        raise OSError(ctypes.get_errno(), "io_uring_setup")

def tries():
    yield "card", lambda: open(__file__ + "-mine", "w")
    yield "settings", lambda: os.listdir("/etc/saint") and None or open("/etc/saint/webd.yaml")
    yield "keys", lambda: os.listdir("/data/saint/webd")
    yield "daemon", lambda: local("/run/saint/routerd.sock")
    yield "log", lambda: local("/run/systemd/journal/stdout")
    yield "names", lambda: local("/run/systemd/resolve/io.systemd.Resolve")
    yield "ring", ring
    yield "capture", lambda: socket.socket(type=socket.SOCK_DGRAM).bind(("127.0.0.1", 11111))
    yield "node", lambda: socket.create_connection(("192.168.10.1", 8080), 3)
    yield "files", lambda: socket.create_connection(("127.0.0.1", 9090), 3)

for name, attempt in tries():
    try:
        attempt()
    except OSError as err:
        print("refused", name, type(err).__name__, flush=True)
    else:
        print("POSSIBLE", name, flush=True)

async def main():
    async with Robot.from_environment() as robot:
        print("connected", flush=True)
        await asyncio.sleep(86400)

asyncio.run(main())
"""

pytestmark = pytest.mark.image_all


def lines(robot: Robot, name: str = _NAME) -> str:
    return robot.server.sh(f"journalctl -b -o cat -t saint-program-{name} --no-pager")


def expect_it_runs(robot: Robot, name: str = _NAME) -> None:
    robot.until("the program has signed in", lambda: "connected" in lines(robot, name), 300)
    said = lines(robot, name)
    assert "POSSIBLE" not in said, said
    assert said.count("refused") >= _MAIN.count("    yield "), said


def start(robot: Robot, name: str, access: str, tmp_path: Path) -> None:
    folder = tmp_path / name
    folder.mkdir()
    (folder / "program.yaml").write_text(f"name: {name}\naccess: {access}\n")
    (folder / "main.py").write_text(_MAIN)
    archive = pack.pack(folder, tmp_path / f"{name}.zip")
    assert robot.server.ssh is not None
    robot.server.ssh.put(archive, f"/tmp/{name}.zip")
    for words in (("add", f"/tmp/{name}.zip"), ("start", name)):
        said = robot.saintctl("program", *words)
        assert said.code == 0, said.text
    expect_it_runs(robot, name)


def user(robot: Robot, name: str) -> int:
    pid = robot.server.sh(f"systemctl show -P MainPID saint-program@{name}.service").strip()
    return int(robot.server.sh(f"stat -c %u /proc/{pid}"))


def test_program_runs_in_its_sandbox_and_comes_back(robot: Robot, tmp_path: Path) -> None:
    start(robot, _NAME, "drive", tmp_path)
    start(robot, _OTHER, "read", tmp_path)
    # Of the same user, the one could read the other's token.
    users = {user(robot, name) for name in (_NAME, _OTHER)}
    assert len(users) == 2
    assert all(61184 <= each <= 65519 for each in users)  # systemd's range, for the packet filter
    assert "running" in robot.saintctl("program", "list").text

    robot.server.sh("sync")
    since = robot.server.machine.serial.end
    robot.server.machine.reset()
    robot.server.machine.wait_up(since)
    expect_it_runs(robot)

    said = robot.saintctl("program", "stop", _NAME)
    assert said.code == 0, said.text
    robot.server.sh(f"until ! systemctl is-active saint-program@{_NAME}; do sleep 1; done", 60)
    assert robot.server.sh("systemctl --failed --plain --no-legend") == ""
