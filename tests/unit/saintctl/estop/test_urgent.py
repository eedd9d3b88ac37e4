"""`saintctl estop set` without the full program, with a router on a real socket."""

import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import saint_services
from saint_services.lib.api import routing
from saint_services.saintctl import start
from saint_services.saintctl.estop import urgent
from tools.image import layer

CONFIRMED = (
    b'HTTP/1.1 200 OK\r\n\r\n{"active":true,"source":"saintctl","stored":true,"confirmed":true,'
    b'"outcomes":[{"target":"head","state":"stopped","after_ms":3.2,"detail":""},'
    b'{"target":"arms.left","state":"stopped","after_ms":12.0,"detail":""},'
    b'{"target":"tracks","state":"guard","after_ms":61.4,"detail":"its process ended"}]}'
)
SILENT = (
    b'HTTP/1.1 200 OK\r\n\r\n{"active":true,"stored":true,"confirmed":false,"outcomes":'
    b'[{"target":"head","state":"stopped","after_ms":3.2,"detail":""},'
    b'{"target":"tracks","state":"silent","after_ms":null,"detail":""}]}'
)


@contextmanager
def router(folder: Path, reply: bytes) -> Iterator[list[bytes]]:
    """Answer one request with `reply`."""
    received: list[bytes] = []
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(folder / "routerd.sock"))
        listening.listen()

        def serve() -> None:
            connection, _ = listening.accept()
            with connection:
                received.append(connection.recv(4096))
                connection.sendall(reply)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield received
        if received or reply in (CONFIRMED, SILENT):
            thread.join(5.0)


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SAINT_RUN", str(tmp_path))
    return tmp_path


def test_fast_stop_sends_the_request_of_the_row() -> None:
    """The fast stop imports no rows, since they take too long to load."""
    head, _, body = urgent._REQUEST.partition(b"\r\n\r\n")
    method, target, _ = head.split(b"\r\n")[0].decode().split(" ")
    press = routing.EStopRequest(source="saintctl")
    assert (method, target) == (routing.ESTOP.method, routing.ESTOP.target(press))
    assert body == routing.ESTOP.content(press)
    assert f"Content-Length: {len(body)}".encode() in head


def test_stop_is_sent_and_confirmed(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with router(run, CONFIRMED) as received:
        assert urgent.press(["estop", "set"]) == 0
    assert received[0].startswith(b"POST /estop HTTP/1.1\r\n")
    assert received[0].endswith(b'{"source":"saintctl","reason":""}')
    assert capsys.readouterr().out.splitlines() == [
        "E-stop is active: nothing moves until it is cleared.",
        "Stopped: head, left arm (12 ms).",
        "Stopped by the guard: tracks (61 ms).",
    ]


def test_stop_that_a_role_does_not_confirm_names_it_and_ends_with_7(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with router(run, SILENT):
        assert urgent.press(["estop", "set"]) == 7
    assert capsys.readouterr().out.splitlines()[1:] == [
        "Stopped: head (3 ms).",
        "No answer: tracks. Its outputs may still be live: cut its power.",
    ]


def test_directory_may_be_given(run: Path) -> None:
    with router(run, CONFIRMED):
        assert urgent.press(["--run", str(run), "estop", "set"]) == 0


@pytest.mark.parametrize(
    "reply",
    [
        b"",
        b"HTTP/1.1 500 Internal Server Error\r\n\r\n{}",
        b'HTTP/1.1 200 OK\r\n\r\n{"active":false,"stored":true}',
        b'HTTP/1.1 200 OK\r\n\r\n{"active":true,"stored":false}',
        b'HTTP/1.1 200 OK\r\n\r\n{"active":true}',
    ],
)
def test_unexpected_reply_is_left_to_the_full_program(run: Path, reply: bytes) -> None:
    with router(run, reply):
        assert urgent.press(["estop", "set"]) is None


@pytest.mark.parametrize(
    "arguments",
    [[], ["status"], ["estop"], ["estop", "clear"], ["estop", "set", "--reason", "x"], ["--help"]],
)
def test_everything_else_is_left_to_the_full_program(run: Path, arguments: list[str]) -> None:
    assert urgent.press(arguments) is None


def test_no_router_is_left_to_the_full_program(run: Path) -> None:
    assert urgent.press(["estop", "set"]) is None


def test_robot_of_the_checkout_is_looked_for_beside_the_package() -> None:
    assert urgent._checkout() == str(Path(saint_services.__file__).parents[1])


@contextmanager
def stopped_by(folder: Path, *arguments: str) -> Iterator[subprocess.CompletedProcess[str]]:
    """Run saintctl as /usr/bin/saintctl does, in an empty environment and another folder."""
    command = [sys.executable, "-IS", *arguments, "--run", str(folder), "estop", "set"]
    with router(folder, CONFIRMED):
        yield subprocess.run(
            command, capture_output=True, text=True, timeout=20, cwd=folder, env={}, check=True
        )


def test_command_of_a_robot_stops_it(tmp_path: Path) -> None:
    with stopped_by(tmp_path, start.__file__) as done:
        assert "E-stop is active" in done.stdout


def test_fast_stop_loads_nothing_slow(tmp_path: Path) -> None:
    with stopped_by(tmp_path, "-X", "importtime", start.__file__) as done:
        loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "saint_services.saintctl.estop.urgent" in loaded
    assert not loaded & {"site", "socket", "re", "enum", "pathlib", "asyncio", "json", "typer"}


def test_command_of_a_robot_has_all_other_commands(tmp_path: Path) -> None:
    command = [sys.executable, "-IS", start.__file__, "rc", "--help"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=20, cwd=tmp_path)
    assert done.returncode == 0 and "calibrate" in done.stdout, done.stderr


def test_link_of_the_image_leads_to_that_command(tmp_path: Path) -> None:
    script = Path(start.__file__)
    assert script.read_text().startswith("#!/usr/bin/python3 -IS\n")
    assert script.stat().st_mode & 0o111
    packages = tmp_path / "usr/lib/python3/dist-packages/saint_services"
    (packages / "saintctl/estop").mkdir(parents=True)
    for name in (
        "__init__.py",
        "saintctl/__init__.py",
        "saintctl/start.py",
        "saintctl/estop/__init__.py",
        "saintctl/estop/urgent.py",
        "saintctl/estop/outcomes.py",
    ):
        shutil.copy(script.parents[1] / name, packages / name)
    link = tmp_path / "usr/bin/saintctl"
    link.parent.mkdir()
    link.symlink_to(layer.SAINTCTL)
    with stopped_by(tmp_path, str(link)) as done:
        assert "E-stop is active" in done.stdout
