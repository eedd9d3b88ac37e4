"""A real TURN server (coturn) on an address of this machine, for tests."""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from aioice.ice import get_host_addresses

from tests.waiting import block_until

USER, PASSWORD, SECRET = "saint", "sesame", "one-for-all"
BY_USER = ("--lt-cred-mech", "--user", f"{USER}:{PASSWORD}")
BY_SECRET = ("--use-auth-secret", "--static-auth-secret", SECRET)


def host_address() -> str:
    """Return an IPv4 address of this machine that a session would offer."""
    addresses = get_host_addresses(use_ipv4=True, use_ipv6=False)
    if not addresses:
        pytest.skip("this machine has no network interface beside loopback")
    return addresses[0]


@contextlib.contextmanager
def turn_server(folder: Path, *credentials: str) -> Iterator[str]:
    """Yield the address of a running server: "turn:192.0.2.2:41234"."""
    program = shutil.which("turnserver")
    if program is None:
        pytest.skip("turnserver is not installed (apt-get install coturn)")
    address = host_address()
    with socket.socket() as free:
        free.bind((address, 0))
        port = free.getsockname()[1]
    folder.mkdir(exist_ok=True)
    command = [
        program, "-n", "--listening-ip", address, "--relay-ip", address,
        "--listening-port", str(port), "--realm", "saint", "--no-tls", "--no-dtls", "--no-cli",
        "--simple-log", "--log-file", str(folder / "turn.log"),
        "--pidfile", str(folder / "turn.pid"), "--userdb", str(folder / "turn.db"), *credentials,
    ]  # fmt: skip
    quiet = subprocess.DEVNULL
    server = subprocess.Popen(command, stdout=quiet, stderr=quiet)
    try:
        block_until(lambda: _listens(address, port))
        yield f"turn:{address}:{port}"
    finally:
        os.kill(server.pid, signal.SIGTERM)
        server.wait(10.0)


def _listens(address: str, port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection((address, port), 1.0):
        return True
    return False
