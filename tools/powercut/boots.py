"""Boots some of the judged cuts to the end: what was said about them without booting must hold.

Not here: which states there are (cuts.py), what makes one bad (judge.py).
"""

import json
import random
import re
import shutil
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from ..vm.channel import SilentError
from ..vm.disk import Card, copy_sparse
from ..vm.machine import Machine
from ..vm.programs import Programs
from ..vm.settings import Hardware, boot_env
from . import facts
from .disks.cuts import Cut, Shape, Timeline
from .disks.disk import copy_stretch, fragments
from .disks.filesystems import FileSystems
from .disks.layout import DATA, TABLE_BYTES, Place, partitions
from .disks.recording import Recording
from .facts import FOLDERS
from .judge import Verdict
from .promises import broken
from .rig import free_port

_UP_S = 1200
_DEADMAN_S = 3600
_EARLY = "systemd.unit=var-lib-saint.mount"  # the last step to the state of the daemons
_DANGEROUS = (Shape.SHREDS, Shape.TORN, Shape.SOME, Shape.LOST)


@dataclass(frozen=True, slots=True)
class Boot:
    """How one cut came back."""

    recording: str
    cut: Cut
    slot: str
    seconds: float
    is_full: bool
    faults: tuple[str, ...]


def chosen_cuts(
    verdicts: dict[str, list[Verdict]], wanted: int, seed: int
) -> Iterator[tuple[str, Verdict]]:
    """Some of every recording in turn: first those that took a repair, then torn and lost writes,
    spread over its whole length, never two that left the same disk."""
    queues = {name: _queue(each, f"{seed} {name}") for name, each in verdicts.items()}
    count = 0
    while count < wanted and any(queues.values()):
        for name, queue in queues.items():
            if queue and count < wanted:
                yield name, queue.pop()
                count += 1


def _queue(verdicts: Sequence[Verdict], seed: str) -> list[Verdict]:
    chance = random.Random(seed)
    mixed = chance.sample(verdicts, len(verdicts))
    dangerous = [verdict for verdict in mixed if verdict.cut.shape in _DANGEROUS]
    plain = [verdict for verdict in mixed if verdict.cut.shape not in _DANGEROUS]
    repaired = [verdict for verdict in dangerous if verdict.is_repaired][:2]
    seen: set[tuple[str, str]] = set()
    rest = []
    for verdict in [*repaired, *dangerous, *plain]:
        state = (verdict.data_state, verdict.environment_state)
        if state not in seen:
            seen.add(state)
            rest.append(verdict)
    return rest[::-1]


def boot(folder: Path, verdict: Verdict, seed: int, work: Path, *, is_full: bool = False) -> Boot:
    """Make the disk of this cut, start a machine with it, and look at what became of it.

    Up to where the slot runs, everything is mounted and its state is in place; `is_full`: until
    every unit runs, which takes an emulated machine three times as long.
    """
    recording = Recording.open(folder)
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    disk = work / "disk.img"
    write_disk(recording, verdict.cut, seed, disk)
    target = "" if is_full else _EARLY
    Card(disk, Programs.find()).put({"boot.env": boot_env(_DEADMAN_S, target)})
    drive = f"file={disk},format=raw,cache=unsafe"
    machine = Machine(
        Hardware("powercut-boot", cpus=1, ports={22: free_port()}), drive, work / "machine"
    )
    began = time.monotonic()
    machine.start()
    slot = ""
    faults: list[str] = []
    try:
        slot, faults = _look(machine, is_full)
    except SilentError as err:
        faults = [f"it did not come up: {err}"]
    finally:
        seconds = time.monotonic() - began
        machine.cut()
    if slot != verdict.slot:
        faults.append(f"slot {slot!r} was booted, {verdict.slot!r} was foretold")
    faults += _after(recording, verdict.cut, disk, work)
    name = recording.info.name
    return Boot(name, verdict.cut, slot, round(seconds, 1), is_full, tuple(faults))


def _look(machine: Machine, is_full: bool) -> tuple[str, list[str]]:
    """The slot that runs, and what is wrong with the machine."""
    faults = []
    if is_full:
        state = machine.wait_up(timeout_s=_UP_S)
    else:
        machine.wait_shell(timeout_s=_UP_S)
        state = machine.shell.run("systemctl is-system-running --wait", _UP_S).text.strip()
    shell = machine.shell
    slot = _slot(shell.check("cat /proc/cmdline"))
    if state != "running":
        failed = shell.run("systemctl --failed --plain --no-legend").text.splitlines()
        faults += [f"failed unit: {line.strip()}" for line in failed if line.strip()]
    for place in ("/data", "/var/lib/saint"):
        if shell.run(f"findmnt -n -t ext4 {place}").code != 0:
            faults.append(f"{place} is not on the data partition")
    shell.run("sync")
    return slot, faults


def write_disk(recording: Recording, cut: Cut, seed: int, disk: Path) -> None:
    """The whole disk as this cut leaves it."""
    assert recording.base is not None, "a recording without its disk"
    copy_sparse(recording.base, disk)
    sure, pieces = Timeline(recording.requests).pieces(cut, seed)
    whole = Place("disk", 0, disk.stat().st_size)
    with disk.open("r+b") as file:
        for request in recording.requests[:sure]:
            if request.is_change:
                file.seek(request.offset)
                file.write(recording.payload(request))
        for piece in pieces:
            for offset, data in fragments(recording, piece, whole):
                file.seek(offset)
                file.write(data)


def _slot(cmdline: str) -> str:
    found = re.search(r"rauc\.slot=(\w)", cmdline)
    return found[1] if found else ""


def _after(recording: Recording, cut: Cut, disk: Path, work: Path) -> list[str]:
    """The promises again, after the machine itself has worked on with what the cut left."""
    image, files = work / "data.img", work / "files"
    systems = FileSystems(Programs.find())
    with disk.open("rb") as file:
        place = partitions(file.read(TABLE_BYTES))[DATA]
    with image.open("wb") as file:
        copy_stretch(disk, place, file.fileno())
    check = systems.recover_ext4(image)
    files.mkdir()
    systems.read_ext4(image, FOLDERS, files)
    found = facts.read(files)
    kept = {fact: value for fact, value in found.facts.items() if fact in _LASTING}
    marks = [mark for mark in recording.marks if mark.fact in kept]
    return [*check.faults, *found.faults, *broken(marks, cut.settled, kept)]


# What a boot must not change by itself; a trial, for instance, ends with a new verdict.
_LASTING = {"machine-id", "ssh-host-key", "node-id", "role", "token", "estop", "rc-enabled"}


def write_boot(path: Path, one: Boot) -> None:
    row = asdict(one)
    row["cut"] = str(one.cut)
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(row) + "\n")


def read_boots(path: Path) -> list[Boot]:
    if not path.exists():
        return []
    boots = []
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        row["cut"] = Cut.parse(row["cut"])
        row["faults"] = tuple(row["faults"])
        boots.append(Boot(**row))
    return boots
