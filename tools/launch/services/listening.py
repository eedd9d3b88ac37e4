"""Opens the sockets of socket units, elsewhere than on the device: unix sockets below a machine's
run folder, ports on loopback. Not here: waiting for requests.
"""

import contextlib
import fcntl
import os
import socket
from dataclasses import dataclass
from pathlib import Path

from saint_services.lib.errors import Code, SaintError

from ..unit_files.units import SocketUnit

HOST = "127.0.0.1"
RUN = "/run/saint/"  # what a machine's run folder stands for
_LONGEST_PATH = 103  # bytes; macOS has 104 with the final zero, Linux 108
_PORTS_TO_TRY = 20
# Passed descriptors are put at 3, 4, ... in the child; ours must not lie there.
_FIRST_OWN_DESCRIPTOR = 64


@dataclass(frozen=True, slots=True)
class Passed:
    """An open socket and its name for the daemon."""

    fd_name: str
    socket: socket.socket


def open_sockets(unit: SocketUnit, run: Path, ports: dict[str, int]) -> list[Passed]:
    """`ports` maps ports of units to ports here: 0 is any free one, others are tried upwards."""
    opened = []
    for kind, addresses in (
        (socket.SOCK_STREAM, unit.streams),
        (socket.SOCK_DGRAM, unit.datagrams),
    ):
        for address in addresses:
            bound = _open(kind, address, run, ports, unit.name)
            if kind == socket.SOCK_STREAM:
                bound.listen(socket.SOMAXCONN)
            if unit.passes_credentials:
                bound.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
            opened.append(Passed(unit.fd_name, _out_of_the_way(bound)))
    return opened


def _open(kind: int, address: str, run: Path, ports: dict[str, int], name: str) -> socket.socket:
    if address.startswith(RUN):
        return _open_unix(kind, run / address.removeprefix(RUN))
    if address.isdigit():
        return _open_port(kind, ports.get(address, int(address)))
    raise SaintError(
        Code.CONFIG_INVALID,
        f"{name}: tools/launch listens below {RUN} or on a port, not on {address}",
    )


def _open_unix(kind: int, path: Path) -> socket.socket:
    if len(os.fsencode(path)) > _LONGEST_PATH:
        raise SaintError(
            Code.CONFIG_INVALID,
            f"{path} is longer than the {_LONGEST_PATH} bytes that a socket's path may have",
            fix="Choose a shorter folder with --root.",
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    bound = socket.socket(socket.AF_UNIX, kind)
    bound.bind(str(path))
    path.chmod(0o600)
    return bound


def _open_port(kind: int, first: int) -> socket.socket:
    for port in range(first, first + (_PORTS_TO_TRY if first else 1)):
        candidate = socket.socket(socket.AF_INET, kind)
        if kind == socket.SOCK_STREAM:
            candidate.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        with contextlib.suppress(OSError):
            candidate.bind((HOST, port))
            return candidate
        candidate.close()
    last = first + _PORTS_TO_TRY - 1
    raise SaintError(
        Code.CONFIG_INVALID,
        f"ports {first} to {last} are all in use",
        fix="End what listens there, or choose another port (see --help).",
    )


def _out_of_the_way(opened: socket.socket) -> socket.socket:
    moved = fcntl.fcntl(opened.fileno(), fcntl.F_DUPFD_CLOEXEC, _FIRST_OWN_DESCRIPTOR)
    opened.close()
    result = socket.socket(fileno=moved)
    result.setblocking(False)
    return result
