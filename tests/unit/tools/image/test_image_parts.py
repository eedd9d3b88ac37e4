"""The parts of an image that are made by our own code: initrd, boot environment, slot, bundle."""

import io
import json
import lzma
import shutil
import subprocess
import zlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from saint_services.lib.errors import SaintError
from tools.image import bundle, layer, slot, stages, templates
from tools.image.boot import cpio, environment, initrd
from tools.image.boot.kernel_modules import Index
from tools.image.names import Names
from tools.image.places import ROOT, Places

NAMES = Names.read(ROOT / "pi-gen.conf")


def test_cpio_is_read_by_the_real_program(tmp_path: Path) -> None:
    if shutil.which("cpio") is None:
        pytest.skip("cpio is not installed")
    archive = cpio.Archive()
    archive.folder("bin")
    archive.file("bin/tool", b"odd", 0o755)
    archive.link("bin/sh", "tool")
    unpack = ["cpio", "--extract", "--quiet", "--no-absolute-filenames"]
    subprocess.run(unpack, input=archive.finished(), cwd=tmp_path, check=True, timeout=10)
    assert (tmp_path / "bin/sh").read_bytes() == b"odd"
    assert (tmp_path / "bin/tool").stat().st_mode & 0o777 == 0o755


def test_cpio_entries_are_aligned_and_end_with_the_trailer() -> None:
    archive = cpio.Archive()
    archive.file("a", b"12345")
    data = archive.finished()
    assert data[:6] == b"070701"
    assert data[110:112] == b"a\0"  # the header has 110 bytes
    assert data[112:117] == b"12345"
    assert data[120:126] == b"070701"
    assert b"TRAILER!!!\0" in data[120:]
    assert len(data) % 4 == 0


def kernel(folder: Path) -> Path:
    modules = folder / "usr/lib/modules/6.1"
    (modules / "kernel").mkdir(parents=True)
    for name in ("crc", "jbd", "ext4", "blk-dev"):
        (modules / f"kernel/{name}.ko.xz").write_bytes(lzma.compress(name.encode()))
    (modules / "modules.dep").write_text(
        "kernel/crc.ko.xz:\nkernel/jbd.ko.xz:\nkernel/blk-dev.ko.xz:\n"
        "kernel/ext4.ko.xz: kernel/jbd.ko.xz\n"
    )
    (modules / "modules.softdep").write_text("# x\nsoftdep ext4 pre: crc post: blk-dev\n")
    (modules / "modules.builtin").write_text("kernel/mmc_block.ko\n")
    return modules


def test_modules_come_after_what_they_need(tmp_path: Path) -> None:
    order = Index(kernel(tmp_path)).load_order(["blk_dev", "mmc_block", "ext4"])
    assert [path.name for path in order] == [
        "blk-dev.ko.xz",
        "crc.ko.xz",
        "jbd.ko.xz",
        "ext4.ko.xz",
    ]


def test_module_that_the_kernel_lacks_stops_the_build(tmp_path: Path) -> None:
    with pytest.raises(SaintError, match="no module nvme"):
        Index(kernel(tmp_path)).load_order(["nvme"])


def test_initrd_has_unpacked_modules_in_their_order(tmp_path: Path) -> None:
    kernel(tmp_path)
    (tmp_path / "usr/bin").mkdir()
    (tmp_path / "usr/bin/busybox").write_bytes(b"BUSY")
    definition = tmp_path / "definition"
    definition.mkdir()
    (definition / "init").write_text("#!/bin/sh\n")
    (definition / "modules").write_text("# first\next4  # root\n")
    (definition / "busybox").write_text("sh\n")
    data = initrd.archive(tmp_path, definition)
    assert b"crc.ko\njbd.ko\next4.ko\n" in data
    assert b"modules/ext4.ko\0" in data
    assert b"bin/sh\0" in data
    assert data == initrd.archive(tmp_path, definition)


def test_boot_environment_of_a_new_disk_has_only_slot_a() -> None:
    block = environment.encode(environment.FIRST)
    assert len(block) == 16384
    assert int.from_bytes(block[:4], "little") == zlib.crc32(block[4:])
    assert block[4:].startswith(b"BOOT_ORDER=A\0BOOT_A_LEFT=3\0BOOT_B_LEFT=0\0\0")


@settings(deadline=None)  # a busy machine is no fault
@given(st.dictionaries(st.from_regex(r"[A-Z_]{1,20}", fullmatch=True), st.text("abc 123=")))
def test_boot_environment_comes_back_as_it_was_written(values: dict[str, str]) -> None:
    assert environment.decode(environment.encode(values)) == values


@settings(deadline=None)
@given(st.integers(0, 16383), st.integers(1, 255))
def test_boot_environment_with_one_wrong_byte_is_refused(place: int, flip: int) -> None:
    block = bytearray(environment.encode(environment.FIRST))
    block[place] ^= flip
    assert environment.decode(bytes(block)) is None


def test_boot_environment_too_large_is_our_mistake() -> None:
    with pytest.raises(ValueError, match="do not fit"):
        environment.encode({"A": "x" * 16384})


def test_slot_keeps_the_place_of_what_the_base_brought(tmp_path: Path) -> None:
    for name in ("usr/lib/a", "usr/lib/z", "etc/passwd"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("base")
    before = slot.inventory(tmp_path)
    (tmp_path / "etc/passwd").write_text("base and one user more")
    (tmp_path / "usr/lib/m").write_text("ours")
    files = [name for name in slot.order(tmp_path, before) if (tmp_path / name).is_file()]
    assert files == ["usr/lib/a", "usr/lib/z", "etc/passwd", "usr/lib/m"]


def test_slot_size_moves_in_coarse_steps(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x" * 5000)
    assert slot.size_mib(tmp_path, ["a"]) == 32
    with (tmp_path / "b").open("wb") as file:
        file.truncate(20 << 20)
    assert slot.size_mib(tmp_path, ["a", "b"]) == 64


def test_times_are_held_back_and_the_clock_file_has_the_release_day(tmp_path: Path) -> None:
    (tmp_path / "usr/lib").mkdir(parents=True)
    (tmp_path / "usr/lib/new").write_text("")
    layer.set_times(tmp_path, 1_000_000, 2_000_000)
    assert (tmp_path / "usr/lib/new").stat().st_mtime == 1_000_000
    assert (tmp_path / "usr/lib/clock-epoch").stat().st_mtime == 2_000_000


def test_template_with_an_unknown_name_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "x.j2"
    path.write_text("compatible={{ SAINT_COMPATIBLE }}\n")
    assert templates.render(path, NAMES) == f"compatible={NAMES.compatible}\n"
    path.write_text("{{ SAINT_COMPATIBEL }}")
    with pytest.raises(SaintError, match="SAINT_COMPATIBEL"):
        templates.render(path, NAMES)


def test_manifest_has_the_specifications_fields(tmp_path: Path) -> None:
    path = tmp_path / "x.raucb"
    path.write_bytes(b"bundle")
    places = Places.from_environment({})
    found = json.loads(bundle.manifest(path, places, NAMES, "Better."))
    assert set(found) == {"firmware", "configs", "supported_roles"}
    assert found["firmware"]["version"] == NAMES.version
    assert found["firmware"]["size_bytes"] == 6
    assert found["firmware"]["changelog"] == "Better."
    roles = ["arms_left", "arms_right", "console", "head", "legs", "parts_face", "tracks", "wagon"]
    assert found["supported_roles"] == roles
    assert len(found["configs"]["head"]["checksum"]) == 64


def test_changes_are_those_of_one_version() -> None:
    text = "# Changes\n\n## 0.2.0 (today)\n\n- new\n\n## 0.1.0\n\n- old\n"
    assert bundle.changes(text, "0.2.0") == "- new"
    assert bundle.changes(text, "0.1.0") == "- old"
    assert bundle.changes(text, "0.3.0") == "Version 0.3.0."


def test_changes_of_a_release_leave_room_in_its_signature() -> None:
    """RAUC refuses a signature of over 64 KiB, and the manifest with the changes is in it."""
    entries = [f"- Ä{number:02} {'word ' * 400}" for number in range(99)]
    found = bundle.changes("\n".join(["## 0.3.0", "", *entries]), "0.3.0")
    lines = found.splitlines()
    kept = len(lines) - 1
    assert [line.strip() for line in lines[:kept]] == [entry.strip() for entry in entries[:kept]]
    assert lines[-1] == f"- Earlier changes left out: {99 - kept}. All are in CHANGELOG.md."
    most = bundle.CHANGES_BYTES_MOST
    assert most - 3000 < len(found.encode()) <= most + 100


def test_changes_of_this_release_leave_room() -> None:
    changelog = (Path(__file__).parents[4] / "CHANGELOG.md").read_text()
    version = changelog.split("\n## ")[1].split()[0]
    found = bundle.changes(changelog, version)
    assert len(found.encode()) <= bundle.CHANGES_BYTES_MOST + 100


def test_last_line_of_a_log_is_short_and_of_none_empty(tmp_path: Path) -> None:
    log = tmp_path / "log"
    assert stages.last_line(log) == ""
    log.write_text("first\n" + "y" * 5000 + "\nSetting up rauc\n\n")
    assert stages.last_line(log) == "Setting up rauc"


def test_stage_shows_its_name_and_remembers_its_time() -> None:
    text = io.StringIO()
    progress = stages.Progress(Console(file=text))
    with progress.stage("slot image"):
        pass
    assert "done slot image" in text.getvalue()
    assert list(progress.seconds) == ["slot image"]


def closing_table(folder: Path, stem: str, width: int = 80) -> list[str]:
    """Its lines for all that a build makes, as people see them."""
    whats = {
        "rootfs.img": "slot",
        "img": "disk",
        "cdx.json": "packages, licences",
        "packages.txt": "packages, licences",
        "img.zst": "to be flashed",
    }
    made = []
    for end, what in whats.items():
        path = folder / f"{stem}.{end}"
        with path.open("wb") as file:
            file.truncate(2_684_354_560)  # as large as the disk, in no blocks
        made.append(stages.Artefact(path, what, "0123456789abcdef" * 4))
    listed = folder / "os_list.json"
    listed.write_text("{}")
    made.append(stages.Artefact(listed, "for Raspberry Pi Imager", "0123456789abcdef" * 4))
    text = io.StringIO()
    Console(file=text, width=width).print(stages.artefact_table("1.0", made))
    return text.getvalue().splitlines()


@pytest.mark.parametrize("version", [NAMES.version, "10.20.30", "0.2.0-rc1"])
def test_closing_table_has_one_line_for_each_artefact(tmp_path: Path, version: str) -> None:
    lines = closing_table(tmp_path, f"{NAMES.image}-{version}")
    rows = [line for line in lines if "0123456789ab" in line]
    assert len(rows) == 6
    assert len(lines) == 9  # title, head, rows, where whole hashes are
    assert all(row.rstrip().endswith(" 0123456789ab") for row in rows)
    assert f"{NAMES.image}-{version}.packages.txt " in "\n".join(rows)
    assert max(map(len, lines)) <= 80


def test_closing_table_has_sizes_below_one_another(tmp_path: Path) -> None:
    lines = closing_table(tmp_path, "saint-os-1.0")
    ends = {
        line.index(size) + len(size)
        for line in lines
        for size in ("2684.4", " 0.0")
        if size in line
    }
    assert len(ends) == 1


def test_finished_artefact_has_its_whole_hash_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "saint.img"
    path.write_bytes(b"x" * 2_500_000)
    made = stages.finished(path, "to be flashed")
    side_file = (tmp_path / "saint.img.sha256").read_text()
    assert side_file == f"{made.sha256}  saint.img\n"
    assert len(made.sha256) == 64
