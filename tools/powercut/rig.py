"""What runs on a recorded disk: a virtual machine. Not here: what it does (scenarios.py),
programs of this computer on such a disk (host_rig.py).
"""

import contextlib
import shutil
import socket
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from ..vm.disk import copy_sparse
from ..vm.machine import Machine
from ..vm.settings import Hardware
from .disks.recording import Chapter, Info, Writer, write_info
from .disks.server import RecordingDisk
from .release import Release

NEW_DISK = "now.img"


@dataclass
class Recorder:
    """A recording that is being made."""

    disk: RecordingDisk
    folder: Path
    info: Info
    started: float = field(default_factory=time.monotonic, kw_only=True)

    def begin(self, fact: str, value: str | None) -> None:
        """From now on the fact may become that value."""
        self.disk.mark(fact, value, is_kept=False)

    def keep(self, fact: str, value: str) -> None:
        """The machine has said that it is so: it must be so after any cut from now on."""
        self.disk.mark(fact, value, is_kept=True)

    def end_chapter(self, name: str) -> None:
        """What was recorded since the last chapter is whole, whatever comes after."""
        chapter = Chapter(name, self.disk.flush())
        self.info = replace(self.info, chapters=(*self.info.chapters, chapter))
        write_info(self.folder, self.info)
        self.say(f"-- {name} is recorded")

    def say(self, sentence: str) -> None:
        passed = time.monotonic() - self.started
        print(f"  {passed:6.1f} s  request {self.disk.answered:6}  {sentence}", flush=True)


@dataclass
class Rig(Recorder):
    """One run of one machine."""

    machine: Machine
    release: Release | None = None


@contextlib.contextmanager
def recording(
    folder: Path, base: Path, hardware: Hardware, info: Info, release: Release | None = None
) -> Iterator[Rig]:
    """Start the machine on a copy of `base`.

    Afterwards `folder/now.img` is the disk as the machine left it.
    """
    disk, sockets = open_disk(folder, base)
    # Flushes and forced writes reach us as the machine sends them; nothing is cached on the way.
    drive = f"file=nbd+unix:///?socket={sockets / 'nbd'},format=raw,cache=none,discard=unmap"
    machine = Machine(hardware, drive, folder / "machine")
    is_whole = False
    try:
        machine.start()
        yield Rig(disk, folder, info, machine, release)
        is_whole = True
    finally:
        if not is_whole:
            print(machine.last_words(), flush=True)
        machine.cut()
        disk.close()
        shutil.rmtree(sockets, ignore_errors=True)


def open_disk(folder: Path, base: Path) -> tuple[RecordingDisk, Path]:
    """A recorder of a copy of `base`, and the folder that its socket `nbd` is in."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    copy_sparse(base, folder / "base.img")
    copy_sparse(base, folder / NEW_DISK)
    # A path of a socket may have 107 characters: not every work folder is that near.
    sockets = Path(tempfile.mkdtemp(prefix="powercut-"))
    return RecordingDisk(folder / NEW_DISK, sockets / "nbd", Writer(folder)), sockets


def free_port() -> int:
    """One that nobody listens on now."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port
