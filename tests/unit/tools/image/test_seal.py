"""The seal of a slot: its geometry, its block, and the initrd's own lines that read it."""

import re
import shutil
import struct
import subprocess
from pathlib import Path

import pytest

from saint_services.lib.errors import SaintError
from tools.image import seal
from tools.image.places import ROOT
from tools.image.tree import Tree

INIT = (ROOT / "image/initrd/init").read_text(encoding="utf-8")
RULE = re.compile(r"^SEAL=.*?^\[ .*?\|\| die \"\$SLOT is not sealed\"$", re.MULTILINE | re.DOTALL)
HASH = "ab" * 32
BLOCKS = 8192  # 32 MiB


class FakeTree(Tree):
    """veritysetup, which fills the tree with ones."""

    commands: list[list[str]]

    def run(self, command, **_: object) -> bytes:  # type: ignore[no-untyped-def, override]
        words = [str(word) for word in command]
        (offset,) = [word for word in words if word.startswith("--hash-offset=")]
        with Path(words[-1]).open("r+b") as file:
            file.seek(int(offset.partition("=")[2]))
            file.write(b"\1" * seal.BLOCK_BYTES)
        return f"UUID:            \t\nHash type:       \t1\nRoot hash:      \t{HASH}\n".encode()


@pytest.fixture
def image(tmp_path: Path) -> Path:
    """As large as an ext4 of 32 MiB, with its description and nothing else."""
    path = tmp_path / "slot.img"
    described = bytearray(1024)
    struct.pack_into("<I", described, 4, BLOCKS)
    struct.pack_into("<I", described, 24, 2)
    struct.pack_into("<H", described, 56, 0xEF53)
    with path.open("wb") as file:
        file.truncate(BLOCKS * seal.BLOCK_BYTES)
        file.seek(1024)
        file.write(described)
    return path


def tree(folder: Path) -> FakeTree:
    return FakeTree(folder, ())


def test_seal_lies_behind_the_file_system_and_the_image_ends_on_a_mebibyte(image: Path) -> None:
    made = seal.apply(image, tree(image.parent))
    content = image.read_bytes()
    assert (made.data_blocks, made.root_hash) == (BLOCKS, HASH)
    assert content[BLOCKS * 4096 :].startswith(f"saint-verity 1 {BLOCKS} {HASH} ".encode())
    assert content[(BLOCKS + 1) * 4096] == 1  # the hash tree begins in the next block
    assert len(content) == seal.sealed_mib(32) << 20 == 33 << 20


def test_image_that_was_sealed_before_gets_one_new_seal(image: Path) -> None:
    first = seal.apply(image, tree(image.parent)), image.read_bytes()
    assert (seal.apply(image, tree(image.parent)), image.read_bytes()) == first


@pytest.mark.parametrize(("data_mib", "sealed_mib"), [(32, 33), (640, 646), (736, 742), (762, 769)])
def test_tree_costs_one_part_in_128(data_mib: int, sealed_mib: int) -> None:
    assert seal.sealed_mib(data_mib) == sealed_mib


def test_file_that_is_no_file_system_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "slot.img"
    path.write_bytes(bytes(4096))
    with pytest.raises(SaintError, match="has no ext4"):
        seal.apply(path, tree(tmp_path))


def read_by_initrd(slot: Path) -> subprocess.CompletedProcess[str]:
    if shutil.which("busybox") is None:
        pytest.skip("needs busybox")
    found = RULE.search(INIT)
    assert found, "the initrd reads the seal"
    script = f'die() {{ echo "died: $*"; exit 1; }}\nSLOT={slot}\n{found[0]}\necho "$3 $4 $5"\n'
    return subprocess.run(
        ["busybox", "ash", "-c", script], capture_output=True, text=True, timeout=20
    )


def test_initrd_reads_what_the_builder_wrote(image: Path) -> None:
    made = seal.apply(image, tree(image.parent))
    said = read_by_initrd(image).stdout
    assert said == f"{made.data_blocks} {made.root_hash} {made.salt}\n"


@pytest.mark.parametrize("damage", ["no seal", "another seal", "superblock", "half a seal"])
def test_initrd_refuses_a_slot_whose_seal_it_cannot_read(image: Path, damage: str) -> None:
    seal.apply(image, tree(image.parent))
    with image.open("r+b") as file:
        match damage:
            case "no seal":
                file.truncate(BLOCKS * 4096)
            case "another seal":
                file.seek(BLOCKS * 4096)
                file.write(b"saint-verity 2 ")
            case "superblock":
                file.seek(1028)
                file.write(b"\xff\xff\xff\xff")
            case "half a seal":
                file.seek(BLOCKS * 4096 + 40)
                file.write(bytes(200))
    found = read_by_initrd(image)
    assert (found.returncode, found.stdout) == (1, f"died: {image} is not sealed\n")
