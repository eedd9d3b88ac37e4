"""Programs of this computer on a recorded disk: the data partition, mounted here.

The kernel's loop device writes into a file that nbdfuse makes of our block server, so that ext4's
writes and flushes reach the record in its order. It needs root and no virtual machine, and runs at
full speed. Not here: the programs (robot.py).
"""

import contextlib
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ..vm.programs import Programs
from .disks.layout import DATA, SLOT_A, SLOT_B, TABLE_BYTES, Place, partitions
from .disks.recording import Info
from .rig import Recorder, open_disk

DISK = "disk"
_WAIT_S = 20.0
_POLL_S = 0.1


@dataclass
class HostRig(Recorder):
    """A recorded data partition, mounted on `mount`; the slots and the whole disk as devices."""

    mount: Path
    devices: dict[str, str]


@contextlib.contextmanager
def host_recording(folder: Path, base: Path, info: Info) -> Iterator[HostRig]:
    """Mount the data partition of a copy of `base`, recorded."""
    with base.open("rb") as file:
        places = partitions(file.read(TABLE_BYTES))
    places[DISK] = Place(DISK, 0, base.stat().st_size)
    with contextlib.ExitStack() as stack:
        disk, sockets = open_disk(folder, base)
        stack.callback(disk.close)
        file_folder, mount = sockets / "file", sockets / "mount"
        file_folder.mkdir()
        mount.mkdir()
        command = Programs.find().argv("nbdfuse", str(file_folder), "--unix", str(sockets / "nbd"))
        # Not ended by Ctrl-C: what is mounted on it must be unmounted first.
        process = subprocess.Popen(command, start_new_session=True)
        stack.callback(process.wait, _WAIT_S)
        stack.callback(_release, file_folder)
        whole = _wait_for(file_folder / "nbd")
        devices = {}
        for name in (DATA, SLOT_A, SLOT_B, DISK):
            devices[name] = _loop(whole, places[name])
            stack.callback(_run, "losetup", "--detach", devices[name])
        # As the initrd mounts it.
        options = "noatime,nosuid,nodev,errors=remount-ro"
        _run("mount", "-t", "ext4", "-o", options, devices[DATA], str(mount))
        stack.callback(_run, "umount", str(mount))
        yield HostRig(disk, folder, info, mount, devices)


def _wait_for(path: Path) -> Path:
    deadline = time.monotonic() + _WAIT_S
    while not path.exists():
        if time.monotonic() > deadline:
            raise RuntimeError(f"nbdfuse did not make {path} within {_WAIT_S:g} s")
        time.sleep(_POLL_S)
    return path


def _loop(file: Path, place: Place) -> str:
    # Written through: what ext4 writes is in the record before ext4 learns that it is done.
    options = ("--find", "--show", f"--offset={place.start}", f"--sizelimit={place.length}")
    return _run("losetup", *options, "--direct-io=on", str(file)).strip()


def _release(folder: Path) -> None:
    """Wait: the kernel releases a loop device's file a moment after the request."""
    deadline = time.monotonic() + _WAIT_S
    while True:
        try:
            _run("umount", str(folder))
            return
        except RuntimeError:
            if time.monotonic() > deadline:
                raise
            time.sleep(_POLL_S)


def _run(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} failed: {done.stderr.strip()}")
    return done.stdout
