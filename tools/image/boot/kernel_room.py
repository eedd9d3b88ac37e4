"""Holds the kernel against the room in memory that the boot script leaves below the initrd.

U-Boot refuses an initrd that lies in the kernel's memory, and the board starts again and again.
Header of the kernel: https://docs.kernel.org/arch/arm64/booting.html
"""

import re
from pathlib import Path

from saint_services.lib.errors import Code, SaintError

_MAGIC = b"ARM\x64"
_MAGIC_AT = 56
_IMAGE_SIZE = slice(16, 24)  # bytes in memory, with what the kernel clears behind its file
_ALIGNMENT = 2 << 20  # U-Boot moves the kernel up to the next such address


def check(kernel: Path, script: Path) -> None:
    """Raise SaintError (CONFIG_INVALID) for a kernel that would reach into its initrd."""
    with kernel.open("rb") as file:
        header = file.read(_MAGIC_AT + len(_MAGIC))
    if header[_MAGIC_AT:] != _MAGIC:
        raise SaintError(
            Code.CONFIG_INVALID,
            f"{kernel.name} is not an uncompressed kernel for arm64, so its size is unknown",
            fix="Take a kernel whose file is an arm64 Image, as Debian's linux-image-arm64 is.",
        )
    needed, available = int.from_bytes(header[_IMAGE_SIZE], "little") + _ALIGNMENT, room(script)
    if needed > available:
        raise SaintError(
            Code.CONFIG_INVALID,
            f"the kernel needs {needed >> 20} MiB in memory and has {available >> 20} MiB: "
            "no board would start with it",
            fix="Raise kernel_room in image/boot/boot.cmd; the smallest board has 512 MiB in all.",
        )


def room(script: Path) -> int:
    """Bytes between the kernel's address and that of its initrd, as the boot script sets them."""
    text = script.read_text(encoding="utf-8")
    found = re.search(r"^setenv kernel_room (0x[0-9a-f]+)$", text, re.MULTILINE)
    if not found:
        raise SaintError(
            Code.CONFIG_INVALID,
            f"{script} does not set kernel_room",
            fix="Write a line like: setenv kernel_room 0x8000000",
        )
    return int(found[1], 16)
