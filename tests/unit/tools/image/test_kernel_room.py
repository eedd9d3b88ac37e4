"""No image is built whose kernel would reach into the initrd's memory."""

import re
from pathlib import Path

import pytest

from saint_services.lib.errors import SaintError
from tools.image.boot import kernel_room
from tools.image.places import ROOT

SCRIPT = ROOT / "image/boot/boot.cmd"
OF_TRIXIE = 0x2510000  # in memory: above where U-Boot puts the initrd on a Pi
MIB = 1 << 20


def kernel(folder: Path, size: int, magic: bytes = b"ARM\x64") -> Path:
    path = folder / "vmlinuz"
    path.write_bytes(bytes(16) + size.to_bytes(8, "little") + bytes(32) + magic + b"code")
    return path


def test_kernel_that_outgrew_the_place_of_u_boot_has_room(tmp_path: Path) -> None:
    kernel_room.check(kernel(tmp_path, OF_TRIXIE), SCRIPT)


def test_kernel_that_reaches_into_its_initrd_stops_the_build(tmp_path: Path) -> None:
    most = kernel_room.room(SCRIPT) - 2 * MIB  # U-Boot may move it by that much
    kernel_room.check(kernel(tmp_path, most), SCRIPT)
    with pytest.raises(SaintError, match="no board would start"):
        kernel_room.check(kernel(tmp_path, most + 1), SCRIPT)


@pytest.mark.parametrize("magic", [b"", b"ARM", b"MZ\x00\x00"])
def test_kernel_of_unknown_size_stops_the_build(tmp_path: Path, magic: bytes) -> None:
    with pytest.raises(SaintError, match="its size is unknown"):
        kernel_room.check(kernel(tmp_path, OF_TRIXIE, magic), SCRIPT)


def test_script_without_its_line_stops_the_build(tmp_path: Path) -> None:
    script = tmp_path / "boot.cmd"
    script.write_text(SCRIPT.read_text("utf-8").replace("kernel_room 0x", "kernel_room ${x}"))
    with pytest.raises(SaintError, match="does not set kernel_room"):
        kernel_room.check(kernel(tmp_path, OF_TRIXIE), script)


def test_initrd_has_an_address_that_the_smallest_board_has() -> None:
    """512 MiB, of which a Pi's graphics take 64 and U-Boot itself the top."""
    assert 64 * MIB <= kernel_room.room(SCRIPT) <= 256 * MIB


def test_script_loads_the_initrd_behind_that_room_and_starts_it_from_there() -> None:
    """U-Boot's own address for it depends on the board."""
    script = SCRIPT.read_text("utf-8")
    assert "setexpr initrd_addr ${kernel_addr_r} + ${kernel_room}\n" in script
    assert re.search(r"load \S+ \S+ \$\{initrd_addr\} /boot/initrd.img", script)
    assert "booti ${kernel_addr_r} ${initrd_addr}:${filesize} ${fdt_addr}" in script
    commands = [line for line in script.splitlines() if not line.startswith("#")]
    assert not any("ramdisk_addr_r" in line for line in commands)
