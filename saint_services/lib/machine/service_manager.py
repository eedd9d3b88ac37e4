"""The interface to the service manager: socket activation, directories, readiness, watchdog.
systemd and the development launcher speak the same protocol.
"""

import os
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ..errors import Code, SaintError

_FIRST_DESCRIPTOR = 3  # sd_listen_fds(3): SD_LISTEN_FDS_START
_MOST_DESCRIPTORS = 64
_BACKLOG = 128
_CHECKOUT = Path(__file__).resolve().parents[3]


@dataclass(frozen=True, slots=True)
class Directories:
    """Directories of this process: settings, state, sockets and shipped data."""

    config: Path
    state: Path
    runtime: Path
    share: Path

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> "Directories":
        """Read the directories that the service manager set (the first where it lists several)."""

        def first(variable: str, default: str) -> Path:
            return Path(environment.get(variable, "").split(":")[0] or default)

        is_checkout = (_CHECKOUT / "manifests").is_dir()
        return cls(
            config=first("CONFIGURATION_DIRECTORY", "/etc/saint"),
            state=first("STATE_DIRECTORY", "/var/lib/saint"),
            runtime=first("RUNTIME_DIRECTORY", "/run/saint"),
            share=first("SAINT_SHARE", str(_CHECKOUT) if is_checkout else "/usr/share/saint"),
        )


def process_name(daemon: str, environment: Mapping[str, str] = os.environ) -> str:
    """Return the name of this process, with the instance of its unit: role-armsd@2."""
    instance = environment.get("SAINT_PROCESS", "")
    return f"{daemon}@{instance}" if instance else daemon


def listen_sockets() -> dict[str, list[socket.socket]]:
    """Return the sockets that were passed in, by FileDescriptorName; unsets the variables."""
    names = ("LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", "LISTEN_PIDFDID")
    pid, count, fd_names, _ = (os.environ.pop(name, "") for name in names)
    if pid != str(os.getpid()) or not count.isascii() or not count.isdigit():
        return {}
    labels = fd_names.split(":") if fd_names else []
    found: dict[str, list[socket.socket]] = {}
    for index in range(min(int(count), _MOST_DESCRIPTORS)):
        label = labels[index] if index < len(labels) else "unknown"
        found.setdefault(label, []).append(_adopt(_FIRST_DESCRIPTOR + index, label))
    return found


def _adopt(descriptor: int, label: str) -> socket.socket:
    try:
        os.set_inheritable(descriptor, False)
        passed = socket.socket(fileno=descriptor)
    except OSError as err:
        raise SaintError(
            Code.CONFIG_INVALID,
            f"descriptor {descriptor} passed in as '{label}' is not a socket: {err.strerror}",
            fix="Correct the .socket unit.",
        ) from err
    passed.setblocking(False)
    return passed


def bind(runtime: Path, name: str) -> socket.socket:
    """Bind a daemon's own unix socket, to run without launcher or systemd."""
    path = runtime / f"{name}.sock"
    runtime.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)  # left by a process that was killed
    bound = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        bound.bind(str(path))
        path.chmod(0o660)
        bound.listen(_BACKLOG)
    except OSError as err:
        bound.close()
        raise SaintError(Code.CONFIG_INVALID, f"{path} cannot be opened: {err}") from err
    bound.setblocking(False)
    return bound


def notify(**fields: str | int) -> bool:
    """Notify the service manager, e.g. READY=1 or STATUS="..."; False if there is none."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address:
        return False
    if address.startswith("@"):  # abstract name
        address = "\0" + address[1:]
    lines = [f"{key}={_one_line(str(value))}" for key, value in fields.items()]
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
        sender.setblocking(False)  # a manager that does not read must not block the daemon
        try:
            sender.connect(address)
            sender.send("\n".join(lines).encode())
        except OSError:
            return False
    return True


def _one_line(text: str) -> str:
    return " ".join(text.split("\n"))


def watchdog_interval_s() -> float | None:
    """Return how often to send WATCHDOG=1: half of the allowed time; None without a watchdog."""
    allowed = os.environ.get("WATCHDOG_USEC", "")
    pid = os.environ.get("WATCHDOG_PID", "")
    if not allowed.isascii() or not allowed.isdigit() or (pid and pid != str(os.getpid())):
        return None
    return int(allowed) / 2_000_000 or None
