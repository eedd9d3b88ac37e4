"""Files in a FAT32 volume: what is written is read back, by us and by mtools and fsck."""

import random
import shutil
import subprocess
from datetime import datetime
from pathlib import Path

import pytest

from saint_services.lib.errors import SaintError
from saint_services.lib.flash.fat import Fat32

from .flash_images import fat32

WHEN = datetime(2026, 5, 6, 7, 8, 10)


def test_file_is_read_back() -> None:
    fat = Fat32(fat32())
    content = b"role: node\n" * 200
    fat.write("saint.yaml", content, WHEN)
    assert fat.read("saint.yaml") == content
    assert fat.read("SAINT.YAML") == content


def test_missing_file_is_none() -> None:
    assert Fat32(fat32()).read("saint.yaml") is None


def test_empty_file_is_empty() -> None:
    fat = Fat32(fat32())
    fat.write("ssh", b"", WHEN)
    assert fat.read("ssh") == b""


def test_replaced_file_leaves_nothing_of_the_old_one() -> None:
    data = fat32()
    fat = Fat32(data)
    fat.write("saint.yaml", b"secret-of-before" * 100, WHEN)
    fat.write("saint.yaml", b"new", WHEN)
    assert fat.read("saint.yaml") == b"new"
    assert b"secret-of-before" not in data


def test_many_files_grow_the_root_folder() -> None:
    fat = Fat32(fat32())
    names = [f"file number {number}.text" for number in range(30)]
    for name in names:
        fat.write(name, name.encode(), WHEN)
    assert [fat.read(name) for name in names] == [name.encode() for name in names]


def test_full_volume_is_refused() -> None:
    data = fat32()
    first_free, last = 32 * 512 + 4 * 5, 32 * 512 + 4 * 69_000  # all but three clusters
    data[first_free:last] = b"\xf8\xff\xff\x0f" * ((last - first_free) // 4)
    fat = Fat32(data)
    fat.write("small.txt", bytes(512), WHEN)
    with pytest.raises(SaintError, match="is full"):
        fat.write("large.txt", bytes(4 * 512), WHEN)


@pytest.mark.parametrize("damage", [b"", bytes(1 << 20), b"\xeb\x58\x90NTFS    " + bytes(4096)])
def test_other_volume_is_refused(damage: bytes) -> None:
    with pytest.raises(SaintError, match="not FAT32"):
        Fat32(bytearray(damage))


def test_loop_in_the_chain_is_refused() -> None:
    data = fat32()
    fat = Fat32(data)
    fat.write("saint.yaml", bytes(2000), WHEN)
    place = 32 * 512 + 4 * 4  # FAT entry of cluster 4, the file's second
    data[place : place + 4] = (3).to_bytes(4, "little")
    with pytest.raises(SaintError, match="damaged"):
        fat.read("saint.yaml")


@pytest.mark.parametrize("seed", range(12))
def test_arbitrary_damage_is_at_most_refused(seed: int) -> None:
    noise = random.Random(seed)
    data = fat32()
    Fat32(data).write("saint.yaml", bytes(3000), WHEN)
    boot, table, root = (0, 90), (32 * 512, 32 * 512 + 64), (32 * 512 + 2 * 544 * 512, 512)
    for start, length in noise.choices((boot, table, root), k=4):
        data[noise.randrange(start, start + length)] = noise.randrange(256)
    try:
        fat = Fat32(data)
        fat.write("saint.yaml", b"new", WHEN)
    except SaintError:
        return
    assert fat.read("saint.yaml") == b"new"


@pytest.mark.skipif(not shutil.which("fsck.fat"), reason="needs fsck.fat (apt: dosfstools)")
@pytest.mark.skipif(not shutil.which("mcopy"), reason="needs mcopy (apt: mtools)")
def test_other_programs_agree(tmp_path: Path) -> None:
    volume = tmp_path / "fat.img"
    data = fat32()
    fat = Fat32(data)
    noise = random.Random(7)
    files: dict[str, bytes] = {}
    for _ in range(60):
        name = noise.choice(["saint.yaml", "user-data", "boot.env", "UPPER.TXT", "ä ö.conf", "x"])
        if noise.random() < 0.3:
            fat.remove(name)
            files.pop(name, None)
        else:
            files[name] = noise.randbytes(noise.choice([0, 1, 511, 512, 513, 40_000]))
            fat.write(name, files[name], WHEN)
    volume.write_bytes(data)
    checked = subprocess.run(
        ["fsck.fat", "-nv", str(volume)], capture_output=True, text=True, timeout=10, check=False
    )
    assert checked.returncode == 0, checked.stdout
    for name, content in files.items():
        copy = ["mcopy", "-i", str(volume), f"::{name}", "-"]
        env = {"LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin"}
        got = subprocess.run(copy, capture_output=True, timeout=10, check=False, env=env)
        assert got.stdout == content, (name, got.stderr)


@pytest.mark.skipif(not shutil.which("mkfs.fat"), reason="needs mkfs.fat (apt: dosfstools)")
@pytest.mark.skipif(not shutil.which("mcopy"), reason="needs mcopy (apt: mtools)")
def test_file_beside_others_in_a_volume_of_mkfs(tmp_path: Path) -> None:
    volume, other = tmp_path / "fat.img", tmp_path / "start4.elf"
    volume.write_bytes(bytes(64 << 20))
    other.write_bytes(random.Random(3).randbytes(300_000))
    subprocess.run(
        ["mkfs.fat", "-F", "32", "-s", "1", str(volume)], check=True, timeout=10, stdout=-3
    )
    subprocess.run(["mcopy", "-i", str(volume), str(other), "::"], check=True, timeout=10)
    subprocess.run(["mmd", "-i", str(volume), "::overlays"], check=True, timeout=10)
    data = bytearray(volume.read_bytes())
    Fat32(data).write("saint.yaml", b"role: node\n", WHEN)
    assert Fat32(data).read("start4.elf") == other.read_bytes()
    volume.write_bytes(data)
    checked = subprocess.run(
        ["fsck.fat", "-nv", str(volume)], capture_output=True, text=True, timeout=10, check=False
    )
    assert checked.returncode == 0, checked.stdout
