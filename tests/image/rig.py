"""Puts machines of the image on one virtual Ethernet: cards with settings, cables, ports, keys."""

import contextlib
import fcntl
import hashlib
import os
import shutil
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.image.artefacts import FOLDER, Artefacts
from tools.vm.disk import Card, Overlay
from tools.vm.machine import Machine
from tools.vm.programs import Programs
from tools.vm.settings import DEADMAN_S, Hardware, Link, boot_env, saint_yaml
from tools.vm.ssh import Ssh, make_key

CARD_MIB = 4096  # larger than the image: the data partition has something to grow into
SSH, HTTP, SAINT = 22, 80, 9090
_RUNS_MOST = 8
# While writing tests: start from the last run's machines as long as the image is the same.
REUSES = os.environ.get("SAINT_IMAGE_REUSE") == "1"


def free_port() -> int:
    """A port of this computer that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclass
class Host:
    """A machine and how it is reached."""

    machine: Machine
    card: Card
    ports: dict[int, int]
    ssh: Ssh | None = None

    def sh(self, command: str, timeout_s: float = 90) -> str:
        """As root inside; fails with what it said."""
        return self.machine.shell.check(command, timeout_s)

    @property
    def http(self) -> str:
        return f"http://127.0.0.1:{self.ports[HTTP]}"


@dataclass(frozen=True)
class Pair:
    """A server and a node on one cable. Both boot for the first time, from fresh cards."""

    server: Host
    node: Host

    def both(self) -> tuple[Host, Host]:
        return self.server, self.node

    def role(self, role: str) -> Host:
        return {"server": self.server, "node": self.node}[role]


class Rig:
    """A folder with cards and cables. One per test session."""

    def __init__(self, artefacts: Artefacts) -> None:
        self.artefacts = artefacts
        self.programs = Programs.find()
        self.folder = self._claim(FOLDER / "vm")
        self.key = self.folder / "key"
        self.public_key = make_key(self.key)
        self.hosts: list[Host] = []

    def _claim(self, parent: Path) -> Path:
        """A folder that no other run uses now; what earlier runs left is removed.

        Its name is short: the path of a unix socket has at most 107 characters.
        """
        parent.mkdir(parents=True, exist_ok=True)
        for number in range(_RUNS_MOST):
            self._lock = (parent / f"{number}.lock").open("w")
            try:
                fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                self._lock.close()
                continue
            folder = parent / str(number)
            mark = folder / "image"
            is_same = mark.is_file() and mark.read_text() == self.artefacts.mark
            if not (REUSES and is_same and (folder / "kept-adopted").is_file()):
                shutil.rmtree(folder, ignore_errors=True)
                folder.mkdir()
                mark.write_text(self.artefacts.mark)
            return folder
        raise RuntimeError(f"{_RUNS_MOST} runs of the image tests are under way in {parent}")

    def cable(self, name: str) -> Link:
        return Link(self.folder / f"{name}.cable")

    def card(self, name: str, role: str, deadman_s: int = DEADMAN_S, **settings: Any) -> Card:
        """A freshly flashed card with its owner's settings on it."""
        path = self.folder / f"{name}.img"
        if path.is_file():
            return Card(path, self.programs)
        card = Card.copy(self.artefacts.disk, path, self.programs, CARD_MIB)
        settings.setdefault("ssh", {"keys": [self.public_key], "root": True})
        card.put({"saint.yaml": saint_yaml(role, **settings), "boot.env": boot_env(deadman_s)})
        return card

    def host(
        self,
        name: str,
        card: Card,
        *,
        links: tuple[Link, ...] = (),
        forwards: tuple[int, ...] = (),
        memory_mib: int = 1024,
        cpu: str = Hardware.cpu,
    ) -> Host:
        """A machine with that card, switched off."""
        ports = {port: free_port() for port in forwards}
        tail = hashlib.sha256(name.encode()).hexdigest()[:2]
        # Two machines with one processor each: as many as a small computer has itself.
        mac = f"52:54:00:5a:00:{tail}"
        hardware = Hardware(name, memory_mib, cpus=1, cpu=cpu, links=links, ports=ports, mac=mac)
        folder = self.folder / name
        path = self.folder / f"{name}.qcow2"
        overlay = Overlay(path, self.programs) if path.is_file() else card.overlay(path)
        machine = Machine(hardware, overlay, folder)
        ssh = Ssh("saint", ports[SSH], self.key, folder) if SSH in ports else None
        found = Host(machine, card, ports, ssh)
        self.hosts.append(found)
        return found

    @contextlib.contextmanager
    def others_paused(self) -> Iterator[None]:
        """The machines that run now stand still meanwhile: a computer has processors for two."""
        running = [host for host in self.hosts if host.machine.is_on]
        for host in running:
            host.machine.pause()
        try:
            yield
        finally:
            for host in running:
                host.machine.resume()
                if host.ssh is not None:
                    host.ssh.close()

    def keep(self, tag: str, fact: str) -> None:
        """A snapshot was taken; with it goes what the next run must know."""
        (self.folder / f"kept-{tag}").write_text(fact)

    def kept(self, tag: str) -> str:
        """That fact, where an earlier run has kept the snapshot."""
        path = self.folder / f"kept-{tag}"
        return path.read_text() if path.is_file() else ""

    def close(self) -> None:
        for host in self.hosts:
            host.machine.cut()
        self.hosts.clear()
        self._lock.close()
