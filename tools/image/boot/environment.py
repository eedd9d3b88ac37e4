"""The block in which U-Boot, RAUC and fw_setenv keep which slot comes first: a checksum, then
NAME=value strings, then zeros."""

import zlib
from collections.abc import Mapping

SIZE = 0x4000
# Offsets of both copies on the disk, before the first partition. image/boot/boot.cmd has them in
# sectors, fw_env.config has the first.
COPIES = (0x100000, 0x110000)
# As flashed: slot B is empty until the first update.
FIRST = {"BOOT_ORDER": "A", "BOOT_A_LEFT": "3", "BOOT_B_LEFT": "0"}


def encode(values: Mapping[str, str]) -> bytes:
    """The whole block."""
    text = b"".join(f"{name}={value}".encode() + b"\0" for name, value in values.items())
    data = (text + b"\0").ljust(SIZE - 4, b"\0")
    if len(data) > SIZE - 4:
        raise ValueError(f"{len(data)} bytes of environment do not fit into {SIZE}")
    return zlib.crc32(data).to_bytes(4, "little") + data


def decode(block: bytes) -> dict[str, str] | None:
    """Its values; None where the checksum does not hold."""
    if zlib.crc32(block[4:SIZE]) != int.from_bytes(block[:4], "little"):
        return None
    strings = block[4:SIZE].split(b"\0\0")[0].split(b"\0")
    pairs = [string.decode(errors="replace").partition("=") for string in strings if string]
    return {name: value for name, _, value in pairs}
