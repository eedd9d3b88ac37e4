"""The service manager's protocol: descriptors, notifications, directories."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from saint_services.lib.machine import service_manager

CHILD = """
import os, fcntl
os.environ["LISTEN_PID"] = str(os.getpid())
from saint_services.lib.machine.service_manager import listen_sockets
found = listen_sockets()
for name, sockets in sorted(found.items()):
    for each in sockets:
        flags = fcntl.fcntl(each.fileno(), fcntl.F_GETFD)
        print(name, each.family.name, each.type.name, each.getblocking(), flags & fcntl.FD_CLOEXEC)
print(any(key.startswith("LISTEN_") for key in os.environ), listen_sockets())
"""


def run_child(sockets: list[socket.socket], names: str | None) -> str:
    """Run a process that receives `sockets` from descriptor 3 on, as systemd passes them."""
    environment = {**os.environ, "LISTEN_FDS": str(len(sockets))}
    if names is not None:
        environment["LISTEN_FDNAMES"] = names
    moves = [each.fileno() for each in sockets]
    code = "import fcntl, os\n"
    code += f"high = [fcntl.fcntl(fd, fcntl.F_DUPFD, 100) for fd in {moves}]\n"
    code += "for index, fd in enumerate(high): os.dup2(fd, 3 + index, inheritable=True)\n"
    code += CHILD
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment,
        pass_fds=moves,
        capture_output=True,
        text=True,
        timeout=15,
        check=True,
    )
    return done.stdout


def test_sockets_arrive_by_name_nonblocking_and_closed_on_exec(tmp_path: Path) -> None:
    with (
        socket.socket(socket.AF_UNIX) as one,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as two,
    ):
        one.bind(str(tmp_path / "one"))
        one.listen()
        two.bind(("127.0.0.1", 0))

        lines = run_child([one, two], "api:llf").splitlines()

    assert lines == [
        "api AF_UNIX SOCK_STREAM False 1",
        "llf AF_INET SOCK_DGRAM False 1",
        "False {}",
    ]


def test_socket_without_name_is_called_unknown() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        assert run_child([one], None).startswith("unknown AF_INET")


@pytest.mark.parametrize(
    "variables",
    [
        {},
        {"LISTEN_PID": "1", "LISTEN_FDS": "1"},
        {"LISTEN_PID": str(os.getpid()), "LISTEN_FDS": "x"},
        {"LISTEN_PID": str(os.getpid()), "LISTEN_FDS": "-1"},
        {"LISTEN_PID": str(os.getpid()), "LISTEN_FDS": ""},
    ],
)
def test_what_is_not_for_us_is_not_taken(
    variables: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("LISTEN_PID", "LISTEN_FDS"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)

    assert service_manager.listen_sockets() == {}


def receiver(address: str) -> socket.socket:
    manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    manager.bind(address)
    manager.settimeout(2.0)
    return manager


def test_process_of_a_template_differs_from_the_first() -> None:
    assert service_manager.process_name("role-armsd", {}) == "role-armsd"
    assert service_manager.process_name("role-armsd", {"SAINT_PROCESS": "2"}) == "role-armsd@2"


def test_notify_sends_one_datagram_of_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = str(tmp_path / "notify")
    monkeypatch.setenv("NOTIFY_SOCKET", path)
    with receiver(path) as manager:
        assert service_manager.notify(READY=1, STATUS="two\nlines")
        assert manager.recv(100) == b"READY=1\nSTATUS=two lines"


@pytest.mark.skipif(sys.platform != "linux", reason="abstract sockets are Linux's")
def test_notify_reaches_an_abstract_socket(monkeypatch: pytest.MonkeyPatch) -> None:
    name = f"saint-test-{os.getpid()}"
    monkeypatch.setenv("NOTIFY_SOCKET", f"@{name}")
    with receiver(f"\0{name}") as manager:
        assert service_manager.notify(WATCHDOG=1)
        assert manager.recv(100) == b"WATCHDOG=1"


def test_notify_without_a_listener_is_harmless(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NOTIFY_SOCKET", raising=False)
    assert not service_manager.notify(READY=1)
    monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "nobody"))
    assert not service_manager.notify(READY=1)


def test_notify_does_not_wait_for_a_manager_that_does_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = str(tmp_path / "notify")
    monkeypatch.setenv("NOTIFY_SOCKET", path)
    with receiver(path):
        assert not all(service_manager.notify(STATUS="x" * 1000) for _ in range(2000))


@pytest.mark.parametrize(
    ("usec", "pid", "interval_s"),
    [
        ("4000000", "", 2.0),
        pytest.param("4000000", str(os.getpid()), 2.0, id="ours"),
        ("4000000", "1", None),
        ("0", "", None),
        ("soon", "", None),
        ("", "", None),
    ],
)
def test_watchdog_is_fed_twice_per_limit(
    usec: str, pid: str, interval_s: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WATCHDOG_USEC", usec)
    monkeypatch.setenv("WATCHDOG_PID", pid)

    assert service_manager.watchdog_interval_s() == interval_s


def test_directories_come_from_the_environment_first_of_several() -> None:
    found = service_manager.Directories.from_environment(
        {"CONFIGURATION_DIRECTORY": "/a:/b", "STATE_DIRECTORY": "/s", "SAINT_SHARE": "/x"}
    )

    assert found == service_manager.Directories(
        Path("/a"), Path("/s"), Path("/run/saint"), Path("/x")
    )


def test_share_of_a_checkout_holds_the_manifests() -> None:
    found = service_manager.Directories.from_environment({})

    assert (found.share / "manifests" / "topics.yaml").exists()
    assert found.config == Path("/etc/saint")
    assert found.state == Path("/var/lib/saint")


def test_descriptor_that_is_no_socket_is_named() -> None:
    code = "import os, fcntl\nos.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS='1')\n"
    code += "os.dup2(os.open('/dev/null', os.O_RDONLY), 3)\n"
    code += "from saint_services.lib.machine.service_manager import listen_sockets\n"
    code += "try: listen_sockets()\n"
    code += "except Exception as err: print(err)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=15, check=True
    )

    assert "descriptor 3 passed in as 'unknown' is not a socket" in done.stdout
