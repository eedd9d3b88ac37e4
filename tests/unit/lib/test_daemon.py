"""Running daemons: readiness, watchdog, orderly stop, exit codes; real processes too."""

import asyncio
import contextlib
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from saint_services.lib import daemon, ipc
from saint_services.lib.api import Done
from saint_services.lib.config import Settings
from saint_services.lib.daemon import Context, running
from saint_services.lib.errors import Code, SaintError
from saint_services.lib.generated.errors import INFO
from saint_services.lib.health import HealthReport
from saint_services.lib.machine import service_manager
from tests.waiting import stand_still, turns, until


class Config(Settings):
    rate_hz: float = 50.0


class FakeBus:
    def __init__(self) -> None:
        self.is_closed = False

    async def close(self) -> None:
        self.is_closed = True


@pytest.fixture
def directories(tmp_path: Path) -> service_manager.Directories:
    return service_manager.Directories(tmp_path, tmp_path, tmp_path / "run", tmp_path)


async def obedient(context: Context[Config]) -> None:
    context.ready("up")
    await context.stopping.wait()
    context.health.counters["cleaned_up"] += 1


async def test_daemon_is_entered_ready_and_left_clean(
    directories: service_manager.Directories,
) -> None:
    async with running("testd", Config(), obedient, directories) as context:
        assert context.is_ready.is_set()
        assert not context.stopping.is_set()
    assert context.health.counters["cleaned_up"] == 1


async def test_daemon_that_restarts_itself_is_left_clean_and_says_why(
    directories: service_manager.Directories,
) -> None:
    with pytest.raises(daemon.RestartWantedError, match="another robot"):
        async with running("testd", Config(), obedient, directories) as context:
            context.restart("another robot")
            await context.stopping.wait()
    assert context.health.counters["cleaned_up"] == 1


def test_daemon_that_restarts_itself_ends_with_a_code_that_restarts_it() -> None:
    assert daemon._explained("testd", daemon.RestartWantedError("another robot")) == 75


async def test_error_before_ready_reaches_the_test(
    directories: service_manager.Directories,
) -> None:
    async def run(_: Context[Config]) -> None:
        raise SaintError(Code.HARDWARE_MISSING, "no pca9685")

    with pytest.raises(SaintError, match="no pca9685"):
        async with running("testd", Config(), run, directories):
            pytest.fail("must not be entered")


async def test_task_that_raises_stops_the_daemon_after_its_clean_up(
    directories: service_manager.Directories,
) -> None:
    async def bad() -> None:
        raise ZeroDivisionError("oops")

    async def run(context: Context[Config]) -> None:
        context.ready()
        context.spawn(bad(), "bad")
        await obedient(context)

    with pytest.raises(daemon.TaskFailedError) as caught:
        async with running("testd", Config(), run, directories) as context:
            await asyncio.wait_for(context.stopping.wait(), 2)
    assert isinstance(caught.value.args[0], ZeroDivisionError)
    assert context.health.counters["cleaned_up"] == 1


async def test_tasks_are_cancelled_only_after_run_has_returned(
    directories: service_manager.Directories,
) -> None:
    order: list[str] = []

    async def works() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            order.append("task ended")

    async def run(context: Context[Config]) -> None:
        context.spawn(works(), "works")
        context.ready()
        await context.stopping.wait()
        await turns()
        order.append("safe state")

    async with running("testd", Config(), run, directories):
        pass
    assert order == ["safe state", "task ended"]


async def test_run_that_does_not_stop_is_cancelled(
    directories: service_manager.Directories, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(daemon, "_STOP_LIMIT_S", 0.1)

    async def run(context: Context[Config]) -> None:
        context.ready()
        await asyncio.Event().wait()

    with pytest.raises(SaintError, match="run did not stop within"):
        async with running("testd", Config(), run, directories):
            pass


async def test_run_that_ends_by_itself_is_a_fault(directories: service_manager.Directories) -> None:
    async def run(context: Context[Config]) -> None:
        context.ready()

    with pytest.raises(SaintError, match="without a request"):
        async with running("testd", Config(), run, directories):
            await turns()


async def test_daemon_may_ask_itself_to_stop(directories: service_manager.Directories) -> None:
    async def run(context: Context[Config]) -> None:
        context.ready()
        context.stopping.set()

    async with running("testd", Config(), run, directories):
        await turns()


async def test_bus_is_given_to_run_and_left_to_its_owner(
    directories: service_manager.Directories,
) -> None:
    bus: Any = FakeBus()
    got: list[Any] = []

    async def run(context: Context[Config]) -> None:
        got.append(await context.open_bus())
        got.append(await context.open_bus("other_name"))
        await obedient(context)

    async with running("testd", Config(), run, directories, bus=bus):
        pass
    assert got == [bus, bus]
    assert not bus.is_closed


async def test_every_daemon_answers_health(directories: service_manager.Directories) -> None:
    async def run(context: Context[Config]) -> None:
        await context.serve_ipc(ipc.Api())
        context.health.raise_issue(Code.HARDWARE_FAULT, "hot")
        await obedient(context)

    async with (
        running("role-testd", Config(), run, directories),
        ipc.Client(directories.runtime / "role-testd.sock") as client,
    ):
        report = await client.get("/health", HealthReport)
        with pytest.raises(SaintError, match="not a path"):
            await client.get("/no", Done)
        again = await client.get("/health", HealthReport)

    assert (report.daemon, report.healthy) == ("role-testd", False)
    assert report.issues[0].text == "hot"
    assert again.counters["ipc_refused_not_found"] == 1


async def test_socket_passed_in_is_served(
    directories: service_manager.Directories, tmp_path: Path
) -> None:
    path = tmp_path / "passed.sock"
    passed = socket.socket(socket.AF_UNIX)
    passed.bind(str(path))
    passed.listen()
    passed.setblocking(False)

    async def run(context: Context[Config]) -> None:
        await context.serve_ipc(ipc.Api())
        await obedient(context)

    async with (
        running("testd", Config(), run, directories, sockets={"api": [passed]}),
        ipc.Client(path) as client,
    ):
        assert (await client.get("/health", HealthReport)).healthy
    assert not (directories.runtime / "testd.sock").exists()


def test_own_socket_replaces_a_dead_one_and_is_for_the_group(tmp_path: Path) -> None:
    for _ in range(2):
        with daemon.bind(tmp_path / "run", "testd") as bound:
            assert not bound.getblocking()
    assert (tmp_path / "run" / "testd.sock").stat().st_mode & 0o777 == 0o660


def test_own_socket_that_cannot_be_opened_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(SaintError, match="cannot be opened"):
        daemon.bind(tmp_path, "x" * 200)


async def test_blocked_loop_is_counted(
    directories: service_manager.Directories, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(daemon, "_PULSE_S", 0.1)
    async with running("testd", Config(), obedient, directories) as context:
        await turns()
        stand_still(0.35)
        await until(lambda: context.health.counters["loop_lags"])
        assert context.health.counters["loop_lags"] == 1


PROGRAM = """
import asyncio, os, sys
from saint_services.lib.config import Settings
from saint_services.lib.daemon import main
from saint_services.lib.errors import Code, SaintError
class Config(Settings):
    rate_hz: float = 50.0
async def fails():
    raise ZeroDivisionError("oops")
async def run(context):
    what = os.environ["WHAT"]
    if what == "missing":
        raise SaintError(Code.HARDWARE_MISSING, "pca9685 at 0x40")
    if what == "bug":
        raise KeyError("x")
    if what in [code.value for code in Code]:
        raise SaintError(Code(what), "it cannot start like this")
    context.ready("all well")
    if what == "task":
        context.spawn(fails(), "fails")
    if what == "block":
        import time
        await asyncio.sleep(0.3)
        time.sleep(60)
    await context.stopping.wait()
    print("safe state", flush=True)
main("testd", Config, run)
"""


@contextlib.contextmanager
def started(tmp_path: Path, what: str, **variables: str) -> Iterator[subprocess.Popen[str]]:
    environment = {
        **{k: v for k, v in os.environ.items() if k not in ("SAINT_DEBUG", "JOURNAL_STREAM")},
        **{"WHAT": what, "CONFIGURATION_DIRECTORY": str(tmp_path)},
        **{"RUNTIME_DIRECTORY": str(tmp_path / "run"), "STATE_DIRECTORY": str(tmp_path / "state")},
        **variables,
    }
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate(timeout=5)


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(tmp_path / "notify"))
        manager.settimeout(10.0)
        yield manager


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signal_ends_the_process_orderly(
    number: signal.Signals, tmp_path: Path, manager: socket.socket
) -> None:
    with started(tmp_path, "wait", NOTIFY_SOCKET=str(tmp_path / "notify")) as process:
        assert manager.recv(1000) == b"READY=1\nSTATUS=all well"
        process.send_signal(number)
        out, err = process.communicate(timeout=10)
        assert manager.recv(1000) == b"STOPPING=1"

    assert process.returncode == 0, err
    assert out == "safe state\n"


@pytest.mark.parametrize(
    ("what", "code", "words"),
    [
        ("missing", 3, "Required device does not answer: pca9685 at 0x40"),
        ("bug", 1, "KeyError"),
        ("task", 1, "ZeroDivisionError"),
    ],
)
def test_fault_is_one_sentence_and_an_exit_code(
    what: str, code: int, words: str, tmp_path: Path
) -> None:
    with started(tmp_path, what) as process:
        _, err = process.communicate(timeout=10)

    faults = [line for line in err.splitlines() if " error: " in line]
    assert process.returncode == code
    assert len(faults) == 1
    assert words in faults[0]
    assert "Traceback" not in err


@pytest.mark.parametrize("what", [code for code, info in INFO.items() if info.exit_code == 2])
def test_daemon_that_is_not_started_again_leaves_no_request_waiting(
    what: Code, tmp_path: Path
) -> None:
    """A request that waits at its socket would start it again, without end."""
    with socket.socket(socket.AF_UNIX) as listening, socket.socket(socket.AF_UNIX) as waiting:
        listening.bind(str(tmp_path / "api"))
        listening.listen()
        waiting.settimeout(3.0)
        waiting.connect(str(tmp_path / "api"))
        number = listening.fileno()
        done = subprocess.run(
            ["bash", "-c", f'exec 3<&{number}; LISTEN_PID=$$ exec "$0" -c "$1"', sys.executable,
             PROGRAM],
            env={**os.environ, "WHAT": what.value, "LISTEN_FDS": "1", "LISTEN_FDNAMES": "api",
                 "CONFIGURATION_DIRECTORY": str(tmp_path),
                 "RUNTIME_DIRECTORY": str(tmp_path / "run"),
                 "STATE_DIRECTORY": str(tmp_path / "state")},
            pass_fds=(number,), capture_output=True, text=True, timeout=15, check=False,
        )  # fmt: skip
        assert done.returncode == 2, done.stderr
        assert waiting.recv(1) == b""


def test_debug_shows_the_stack_trace(tmp_path: Path) -> None:
    with started(tmp_path, "bug", SAINT_DEBUG="1") as process:
        _, err = process.communicate(timeout=10)

    assert "Traceback" in err


def test_wrong_setting_is_a_warning_and_the_daemon_works(
    tmp_path: Path, manager: socket.socket
) -> None:
    (tmp_path / "testd.yaml").write_text("rate: 3\n")
    with started(tmp_path, "wait", NOTIFY_SOCKET=str(tmp_path / "notify")) as process:
        assert b"READY=1" in manager.recv(1000)
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=10)

    assert process.returncode == 0
    assert f"{tmp_path}/testd.yaml, line 1: rate is not a known setting; did you mean" in err
    assert "The defaults are in force" in err


def test_watchdog_is_fed_until_the_loop_is_blocked(tmp_path: Path, manager: socket.socket) -> None:
    variables = {"NOTIFY_SOCKET": str(tmp_path / "notify"), "WATCHDOG_USEC": "300000"}
    notes = []
    with started(tmp_path, "block", **variables):
        while b"READY" not in (note := manager.recv(1000)):
            notes.append(note)
        manager.settimeout(1.0)
        with contextlib.suppress(TimeoutError):
            while True:
                notes.append(manager.recv(1000))

    assert 2 <= notes.count(b"WATCHDOG=1") <= 5


def test_run_loop_imports_nothing_heavy() -> None:
    heavy = ("rich", "typer", "aiohttp", "rclpy", "serial", "yaml")
    code = "import sys, saint_services.lib.daemon, saint_services.lib.ipc\n"
    code += f"print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=15, check=True
    )

    assert done.stdout == "[]\n"
