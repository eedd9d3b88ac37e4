"""A program of the owner's on a real server: added and started over ssh, it drives the head, comes
back after a restart of the server, and sees neither daemons, settings, the card nor the network.
"""

from pathlib import Path

import pytest

from saint_services.saintctl.program import pack
from tests.image.robot import Robot

_NAME = "nod"
_ARCHIVE = "/tmp/nod.zip"
_MANIFEST = "name: nod\naccess: drive\n"
# What it may not do is printed with its error; then it reads the robot for as long as it runs.
_MAIN = """
import asyncio, os, socket
from saint_services.client import Robot

def tries():
    yield "card", lambda: open("/data/programs/nod/mine", "w")
    yield "settings", lambda: os.listdir("/etc/saint") and None or open("/etc/saint/webd.yaml")
    yield "keys", lambda: os.listdir("/data/saint/webd")
    yield "daemon", lambda: socket.socket(socket.AF_UNIX).connect("/run/saint/routerd.sock")
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


def lines(robot: Robot) -> str:
    return robot.server.sh("journalctl -b -o cat -t saint-program-nod --no-pager")


def expect_it_runs(robot: Robot) -> None:
    robot.until("the program has signed in", lambda: "connected" in lines(robot), 300)
    assert "POSSIBLE" not in lines(robot), lines(robot)
    assert lines(robot).count("refused") >= 6, lines(robot)


def test_program_runs_in_its_sandbox_and_comes_back(robot: Robot, tmp_path: Path) -> None:
    folder = tmp_path / _NAME
    folder.mkdir()
    (folder / "program.yaml").write_text(_MANIFEST)
    (folder / "main.py").write_text(_MAIN)
    archive = pack.pack(folder, tmp_path / "nod.zip")
    assert robot.server.ssh is not None
    robot.server.ssh.put(archive, _ARCHIVE)
    for words in (("add", _ARCHIVE), ("start", _NAME)):
        said = robot.saintctl("program", *words)
        assert said.code == 0, said.text
    expect_it_runs(robot)
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
