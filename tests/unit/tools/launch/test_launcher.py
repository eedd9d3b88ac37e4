"""The launcher with real sockets and real processes: a tiny daemon that knows nothing of it."""

import asyncio
import contextlib
import json
import os
import signal
import sys
import tempfile
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

import pytest

from tests.waiting import stays, turns, until
from tools.launch.launcher import Launcher
from tools.launch.machines.machine import Folders, Machine, Plan
from tools.launch.services.life_cycle import Phase
from tools.launch.services.service import Service
from tools.launch.unit_files import units

ROOT = Path(__file__).resolve().parents[4]
TINY = Path(__file__).with_name("tiny_daemon.py")
SERVICE = f"""[Unit]
PartOf=saint.target

[Service]
Type=notify
ExecStart={sys.executable} {TINY}
StateDirectory=saint/tiny
Sockets=saint-tiny.socket saint-tiny-udp.socket
Restart=on-failure
RestartSec=50ms
RestartPreventExitStatus=2
WatchdogSec=1s
TimeoutAbortSec=300ms
"""
SOCKET = """[Unit]
PartOf=saint.target

[Socket]
ListenStream=/run/saint/tiny.sock
FileDescriptorName=api
[Install]
WantedBy=saint.target
"""
UDP = """[Unit]
PartOf=saint.target

[Socket]
ListenDatagram=11111
FileDescriptorName=llf
Service=saint-tiny.service
"""


class Stage:
    """A launcher with one machine and its tiny daemon; `more` units by name."""

    def __init__(self, root: Path, more: Mapping[str, str] | None = None) -> None:
        folder = root / "units"
        folder.mkdir()
        for name, text in {
            "saint.target": "[Unit]\n",
            "saint-tiny.service": SERVICE,
            "saint-tiny.socket": SOCKET,
            "saint-tiny-udp.socket": UDP,
            **(more or {}),
        }.items():
            (folder / name).write_text(text, encoding="utf-8")
        self.news: list[str] = []
        self.root = root
        self.launcher = Launcher(units.load(folder), root / "robot.json", on_news=self.news.append)
        plan = Plan(Folders("server", root), "saint.target", ports={"11111": 0})
        self.machine: Machine = self.launcher.add(plan)
        self.tiny: Service = self.machine.services["tiny"]
        self.launcher.start()

    async def say(self, *lines: str, at: str = "tiny") -> list[str]:
        async with asyncio.timeout(10):
            reader, writer = await asyncio.open_unix_connection(
                str(self.machine.folders.run / f"{at}.sock")
            )
            answers = []
            for line in lines:
                writer.write(f"{line}\n".encode())
                answers.append((await reader.readline()).decode().strip())
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()
            return answers

    async def pid(self) -> int:
        (answer,) = await self.say("who")
        return int(answer.removeprefix("pid "))


@contextlib.asynccontextmanager
async def staged(more: Mapping[str, str] | None = None) -> AsyncIterator[Stage]:
    with tempfile.TemporaryDirectory(prefix="saint-") as root:
        built = Stage(Path(root), more)
        try:
            yield built
        finally:
            await built.launcher.stop(3.0)


@pytest.fixture
async def stage() -> AsyncIterator[Stage]:
    async with staged() as built:
        yield built


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def test_first_request_starts_the_daemon_and_is_answered(stage: Stage) -> None:
    assert stage.tiny.pid == 0
    assert await stage.pid() == stage.tiny.pid
    log = stage.machine.folders.log_of("tiny").read_text(encoding="utf-8")
    assert log == "tiny daemon is up\n"


async def test_datagram_starts_the_daemon_too(stage: Stage) -> None:
    loop = asyncio.get_running_loop()
    address = ("127.0.0.1", stage.machine.port("llf"))
    transport, _ = await loop.create_datagram_endpoint(
        asyncio.DatagramProtocol, remote_addr=address
    )
    transport.sendto(b"face")
    await until(lambda: stage.tiny.pid)
    transport.close()
    assert await stage.pid() == stage.tiny.pid


async def test_daemon_gets_what_systemd_would_hand_it(stage: Stage) -> None:
    variables, directories, descriptors = await stage.say("variables", "directories", "open")
    pid = stage.tiny.pid
    assert variables == (
        f"LISTEN_PID={pid} LISTEN_FDS=2 LISTEN_FDNAMES=llf:api "
        f"WATCHDOG_USEC=1000000 WATCHDOG_PID={pid}"
    )
    home = stage.root / "server"
    assert directories == f"{home}/run {home}/state/tiny {home}/config"
    # 0 to 2, the two sockets, this connection, and the listing itself: nothing of ours leaks.
    assert descriptors == "0 1 2 3 4 5 6"


async def test_killed_daemon_is_back_and_answers(stage: Stage) -> None:
    first = await stage.pid()
    os.kill(first, signal.SIGKILL)
    await until(lambda: stage.tiny.starts == 2)
    second = await stage.pid()
    assert second != first
    assert stage.news == ["server/tiny ended with SIGKILL: tiny daemon is up"]


async def test_halted_daemon_is_killed_by_the_watchdog_and_is_back(stage: Stage) -> None:
    first = await stage.pid()
    os.kill(first, signal.SIGSTOP)
    await until(lambda: stage.tiny.starts == 2)
    assert await stage.pid() != first
    assert not _is_alive(first)
    assert stage.news[0].startswith("server/tiny did not answer for 1 s")


async def test_wrong_setting_is_not_tried_again_until_requested(stage: Stage) -> None:
    assert await stage.say("exit 2") == [""]
    await until(lambda: stage.tiny.pid == 0)
    await stays(lambda: stage.tiny.starts == 1, 0.3)
    assert await stage.pid() == stage.tiny.pid
    assert stage.tiny.starts == 2


async def test_report_is_what_other_programs_read(stage: Stage) -> None:
    pid = await stage.pid()
    await until((stage.root / "robot.json").exists)
    stage.launcher.write_report()
    report = json.loads((stage.root / "robot.json").read_text(encoding="utf-8"))
    tiny = report["machines"]["server"]["daemons"]["tiny"]
    assert tiny == {"pid": pid, "phase": "running", "starts": 1}
    assert report["pid"] == os.getpid()


async def test_stop_ends_a_stubborn_daemon_in_time(stage: Stage) -> None:
    await stage.say("stubborn")
    pid, loop = stage.tiny.pid, asyncio.get_running_loop()
    began_s = loop.time()
    await stage.launcher.stop(0.3)
    assert loop.time() - began_s < 1.0
    assert not _is_alive(pid)
    assert stage.news == ["did not end in time and was killed: server/tiny"]
    assert not (stage.root / "robot.json").exists()
    await stage.launcher.stop(60.0)  # again: there is nothing to wait for


async def test_nothing_outlives_a_launcher_that_is_killed(tmp_path: Path) -> None:
    """A launcher of its own process is killed; its child must end within the guard's second."""
    code = (
        "import asyncio, os, signal, sys\n"
        "from tools.launch.services.process import Processes\n"
        "async def main():\n"
        "    processes = Processes(asyncio.get_running_loop())\n"
        "    command = ['/bin/sleep', '60']\n"
        "    print(processes.spawn(command, {}, [], 2, print), flush=True)\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
        "asyncio.run(main())\n"
    )
    launcher = await asyncio.create_subprocess_exec(
        sys.executable, "-c", code, stdout=asyncio.subprocess.PIPE,
        cwd=ROOT,
    )  # fmt: skip
    out, _ = await asyncio.wait_for(launcher.communicate(), 10)
    child = int(out)
    await until(lambda: not _is_alive(child))


async def test_machine_restarts_with_its_sockets_and_another_environment(stage: Stage) -> None:
    first = await stage.pid()
    await stage.machine.shut_down(3.0)
    assert not _is_alive(first)
    stage.machine.power_on({"TINY": "2"}, lambda unit: unit)
    assert await stage.pid() not in (0, first)
    assert stage.tiny.place.environment["TINY"] == "2"
    assert stage.news == []


async def test_power_cut_ends_what_ignores_a_polite_request(stage: Stage) -> None:
    pid = await stage.pid()
    os.kill(pid, signal.SIGSTOP)
    await stage.machine.shut_down(0.0)
    assert not _is_alive(pid)


ROLE = f"""[Unit]
PartOf=saint.target
After=saint-tiny.service
[Service]
Type=notify
ExecStart={sys.executable} {TINY}
TimeoutStopSec=300ms
ExecStopPost=/bin/sh -c "echo hand"
[Install]
WantedBy=saint.target
"""
ROLE_SOCKET = """[Unit]
PartOf=saint.target
[Socket]
ListenStream=/run/saint/role.sock
FileDescriptorName=api
"""


@contextlib.asynccontextmanager
async def staged_with_role(role: str = ROLE) -> AsyncIterator[Stage]:
    """The tiny daemon at work, and another one that starts after it, so it ends before it."""
    more = {"saint-role.service": role, "saint-role.socket": ROLE_SOCKET}
    async with staged(more) as stage:
        await stage.pid()
        await until(lambda: stage.machine.services["role"].phase is Phase.RUNNING)
        yield stage


async def test_service_is_stopped_when_those_after_it_have_ended() -> None:
    async with staged_with_role() as stage:
        tiny, role = stage.tiny, stage.machine.services["role"]
        stopping = asyncio.create_task(stage.launcher.stop())
        seen: list[tuple[Phase, bool]] = []
        while not stopping.done():
            seen.append((role.phase, tiny.is_stopping))
            await turns(1)
    assert {reported for phase, reported in seen if phase is Phase.ENDING} == {False}
    assert stage.news == []


async def test_service_that_ends_late_is_killed_at_its_own_limit_and_named() -> None:
    async with staged_with_role() as stage:
        await stage.say("stubborn", at="role")
        await stage.launcher.stop()
    assert stage.news == ["server/role did not end within 0.3 s and was killed: tiny daemon is up"]


async def test_hand_that_is_late_is_killed_and_the_daemon_is_not_blamed() -> None:
    late = ROLE.replace('"echo hand"', '"echo hand; exec sleep 60"')
    async with staged_with_role(late) as stage:
        await stage.launcher.stop()
    assert stage.news == ["server/role ExecStopPost did not end within 0.3 s and was killed: hand"]


async def test_kill_ends_what_waits_for_its_turn_too() -> None:
    async with staged_with_role(ROLE.replace("300ms", "60s")) as stage:
        pid = await stage.pid()
        await stage.say("stubborn", at="role")
        stopping = asyncio.create_task(stage.launcher.stop())
        await turns(1)
        stage.launcher.kill()
        async with asyncio.timeout(5):
            await stopping
        assert not _is_alive(pid)
        assert stage.tiny.starts == 1
