"""tools/powercut on a small disk with real file systems: it finds what is wrong, and only that."""

import random
import struct
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from saint_services.lib.state import StateStore
from saint_services.noded.state import StoredRole
from tools.powercut.disks.cuts import Cut, Shape, Timeline, every_cut
from tools.powercut.disks.filesystems import FileSystems
from tools.powercut.disks.layout import DISK_ID, ENV_OFFSETS
from tools.powercut.disks.recording import (
    Chapter,
    Info,
    Kind,
    Mark,
    Recording,
    Request,
    Writer,
    write_info,
)
from tools.powercut.environment import Environment, encode
from tools.powercut.judge import Judge
from tools.powercut.workers import Task, judge_all
from tools.vm.programs import MissingProgramError, Programs

pytestmark = pytest.mark.integration

MIB = 1 << 20
_PARTS = {"firmware": (4, 16), "A": (20, 1), "B": (21, 1), "data": (22, 12)}  # MiB: start, length


class Disk:
    """A disk before, and requests to it."""

    def __init__(self, folder: Path, programs: Programs) -> None:
        self.folder = folder
        self.programs = programs
        self.slots = {name: random.Random(name).randbytes(MIB) for name in ("old", "new")}
        for name, data in self.slots.items():
            (folder / name).write_bytes(data)
        self.requests: list[tuple[Request, bytes]] = []
        self.marks: list[Mark] = []
        recording = folder / "recording"
        recording.mkdir()
        with (recording / "base.img").open("wb") as file:
            file.truncate(34 * MIB)
            file.write(self._table())
            for offset in ENV_OFFSETS:
                file.seek(offset)
                file.write(encode(Environment()))
            for start, data in ((4, self._firmware()), (20, self.slots["old"]), (22, self.data())):
                file.seek(start * MIB)
                file.write(data)

    def _table(self) -> bytes:
        table = bytearray(512)
        struct.pack_into("<I", table, 440, DISK_ID)
        for number, (start, length) in enumerate(_PARTS.values()):
            sectors = (start * 2048, length * 2048)
            struct.pack_into("<B3xB3xII", table, 446 + 16 * number, 0, 0x83, *sectors)
        table[510:] = b"\x55\xaa"
        return bytes(table)

    def _firmware(self) -> bytes:
        image, script = self.folder / "fat.img", self.folder / "boot.scr"
        image.write_bytes(bytes(16 * MIB))
        script.write_bytes(b"script" * 500)
        self.programs.run("mkfs.fat", "-F", "16", str(image))
        self.programs.run("mcopy", "-i", str(image), str(script), "::boot.scr")
        return image.read_bytes()

    def data(self, role: str = "", cut_to: int = -1) -> bytes:
        """A data partition whose node has this role."""
        tree, image = self.folder / "tree", self.folder / "data.img"
        noded = tree / "saint" / "noded"
        noded.mkdir(parents=True, exist_ok=True)
        path = noded / "role.yaml"
        path.unlink(missing_ok=True)
        if role:
            config = Path(__file__).parents[4] / "manifests" / "roles" / f"{role}.yaml"
            assert config.exists()
            StateStore(path, StoredRole, version=2).save(StoredRole(assigned_role=role))
            if cut_to >= 0:
                path.write_bytes(path.read_bytes()[:cut_to])
        image.unlink(missing_ok=True)
        with image.open("wb") as file:
            file.truncate(12 * MIB)
        options = ["-t", "ext4", "-b", "4096", "-E", "lazy_itable_init=0,nodiscard"]
        self.programs.run("mke2fs", "-q", "-F", *options, "-d", str(tree), str(image))
        return image.read_bytes()

    def write(self, offset: int, data: bytes, *, is_fua: bool = False) -> None:
        settled = len(self.requests)
        self.requests.append((Request(Kind.WRITE, offset, len(data), is_fua, settled), data))

    def write_slot(self, name: str, data: bytes, step: int = 1 << 16) -> None:
        for at in range(0, len(data), step):
            self.write(_PARTS[name][0] * MIB + at, data[at : at + step])

    def flush(self) -> None:
        self.requests.append((Request(Kind.FLUSH, settled=len(self.requests)), b""))

    def environment(self, value: Environment, copy: int = 0) -> None:
        self.write(ENV_OFFSETS[copy], encode(value), is_fua=True)

    def recording(self) -> Path:
        folder = self.folder / "recording"
        writer = Writer(folder)
        for request, data in self.requests:
            writer.change(request, data)
        for mark in self.marks:
            writer.mark(mark)
        writer.close()
        images = {name: str(self.folder / name) for name in self.slots}
        chapter = Chapter("all", len(self.requests))
        write_info(folder, Info("test", "2026-01-01", images=images, chapters=(chapter,)))
        return folder


@pytest.fixture
def disk(tmp_path: Path) -> Disk:
    try:
        return Disk(tmp_path, Programs.find())
    except MissingProgramError as err:
        pytest.skip(str(err))


@pytest.fixture
def faults(tmp_path: Path) -> Iterator[Callable[[Disk, list[Cut] | None], dict[str, list[str]]]]:
    def judged(disk: Disk, cuts: list[Cut] | None = None) -> dict[str, list[str]]:
        recording = Recording.open(disk.recording())
        work = tmp_path / "work"
        work.mkdir()
        judge = Judge(recording, 1, FileSystems(Programs.find()), work)
        try:
            cuts = cuts or every_cut(Timeline(recording.requests), 60, 1)
            return {str(cut): list(judge.judge(cut).faults) for cut in cuts}
        finally:
            judge.close()

    yield judged


Faults = Callable[..., dict[str, list[str]]]


def test_quiet_disk_has_no_faults(disk: Disk, faults: Faults) -> None:
    disk.environment(Environment(left_a="2"), copy=1)
    disk.environment(Environment(left_a="2"))
    disk.flush()
    assert not any(faults(disk).values())


def test_slot_installed_as_rauc_does_has_no_faults(disk: Disk, faults: Faults) -> None:
    disk.environment(Environment("A"))
    disk.environment(Environment("A", left_b="0"))
    disk.flush()
    disk.write_slot("B", disk.slots["new"])
    disk.flush()
    disk.environment(Environment("A", left_b="3"))
    assert not any(faults(disk).values())


def test_switch_without_a_record_of_the_trial_is_found(disk: Disk, faults: Faults) -> None:
    """The new slot would be taken for one that has proven itself."""
    disk.write_slot("B", disk.slots["new"])
    disk.flush()
    disk.environment(Environment("B A"))
    found = faults(disk)
    end = len(disk.requests)
    assert found[f"{end}.{end}.all.0"] == ["slot B would run without a record that it is on trial"]


def test_switch_before_the_slot_is_flushed_is_found(disk: Disk, faults: Faults) -> None:
    disk.write_slot("B", disk.slots["new"], step=1 << 18)
    disk.environment(Environment("B A"))
    end = len(disk.requests)
    found = faults(disk, [Cut(end, end, Shape.NONE)])
    assert list(found.values()) == [["the boot script would choose slot B, which is not whole"]]


def test_slot_taken_while_it_is_written_is_found(disk: Disk, faults: Faults) -> None:
    disk.environment(Environment("B A"))
    disk.write_slot("B", disk.slots["new"])
    found = faults(disk)
    assert any("not whole" in fault for each in found.values() for fault in each)


def test_promise_that_is_not_on_the_disk_is_found(disk: Disk, faults: Faults) -> None:
    disk.marks += [
        Mark(0, "role", "", is_kept=True),
        Mark(0, "role", "head:", is_kept=False),
        Mark(0, "role", "head:", is_kept=True),
    ]
    disk.flush()
    assert faults(disk, [Cut(1, 1, Shape.ALL)])["1.1.all.0"] == ["role is '', must be 'head:'"]


@pytest.mark.parametrize("length", [0, 10, 20])  # 20: the end of a line, and good YAML
def test_state_file_cut_off_is_found(disk: Disk, faults: Faults, length: int) -> None:
    before = disk.data()
    after = disk.data("head", cut_to=length)
    start = _PARTS["data"][0] * MIB
    for at in range(0, len(after), 4096):
        if before[at : at + 4096] != after[at : at + 4096]:
            disk.write(start + at, after[at : at + 4096])
    end = len(disk.requests)
    (found,) = faults(disk, [Cut(end, end, Shape.ALL)]).values()
    assert f"noded/role.yaml is cut off ({length} bytes)" in found


def test_write_over_the_firmware_is_found(disk: Disk, faults: Faults) -> None:
    disk.write(_PARTS["firmware"][0] * MIB, bytes(4096))
    (found,) = faults(disk, [Cut(1, 1, Shape.ALL)]).values()
    assert any("boot.scr on the firmware partition is missing" in fault for fault in found)


def test_run_broken_off_goes_on_and_reports_the_same(disk: Disk, tmp_path: Path) -> None:
    disk.environment(Environment("B A"))
    disk.write_slot("B", disk.slots["new"], step=1 << 18)
    task = Task(disk.recording(), 1, tmp_path / "verdicts")
    cuts = every_cut(Timeline(Recording.open(task.folder).requests), 40, 1)
    some = judge_all(task, cuts[:15], 1, lambda done, total: None)
    counts: list[int] = []
    every = judge_all(task, cuts, 2, lambda done, total: counts.append(done))
    assert {verdict.cut for verdict in every} == set(cuts)
    assert set(some) <= set(every)
    assert counts[-1] == len(cuts)
