"""What the boot script reads and writes: the environment's two copies, and the slot it chooses.

`choose` is a model of image/boot/boot.cmd. tests/powercut holds it against the real U-Boot. Not
here: how the bytes come to the disk.
"""

import binascii
import struct
from collections.abc import Mapping
from dataclasses import dataclass, replace

from .disks.layout import ENV_BYTES

TRIES = 3
_SLOTS = ("A", "B")


@dataclass(frozen=True, slots=True)
class Environment:
    """The three variables that choose a slot."""

    order: str = "A B"
    left_a: str = str(TRIES)
    left_b: str = str(TRIES)

    def left(self, slot: str) -> int:
        """The boot script counts in hexadecimal, as U-Boot does."""
        return _hexadecimal(self.left_a if slot == "A" else self.left_b)

    def after_try(self, slot: str) -> "Environment":
        left = f"{self.left(slot) - 1:x}"
        return replace(self, left_a=left) if slot == "A" else replace(self, left_b=left)


@dataclass(frozen=True, slots=True)
class Choice:
    """What one run of the boot script does."""

    source: str  # "copy 1", "copy 2", "defaults"
    slot: str  # empty: no slot has tries left; the counters are reset and it starts again
    saved: Environment  # what both copies hold afterwards


def choose(copy1: bytes, copy2: bytes) -> Choice:
    """What the boot script makes of the two copies."""
    source, found = "defaults", Environment()
    for name, copy in (("copy 1", copy1), ("copy 2", copy2)):
        if (variables := read(copy)) is not None:
            source = name
            found = Environment(
                variables.get("BOOT_ORDER") or "A B",
                variables.get("BOOT_A_LEFT") or str(TRIES),
                variables.get("BOOT_B_LEFT") or str(TRIES),
            )
            break
    for slot in found.order.split():
        if slot in _SLOTS and found.left(slot) > 0:
            return Choice(source, slot, found.after_try(slot))
    for slot in _SLOTS:
        if found.left(slot) > 0:  # the order does not name it: for one start
            saved = found.after_try(slot)
            again = {"left_b" if slot == "A" else "left_a": str(TRIES)}
            return Choice(source, slot, replace(saved, **again))
    return Choice(source, "", replace(found, left_a=str(TRIES), left_b=str(TRIES)))


def first_slot(copy1: bytes, copy2: bytes) -> str:
    """The slot that is booted in the end: a reset of the counters leads to another run."""
    choice = choose(copy1, copy2)
    if not choice.slot:
        again = encode(choice.saved)
        choice = choose(again, again)
    return choice.slot


def read(copy: bytes) -> dict[str, str] | None:
    """A copy's variables; None when its checksum does not hold."""
    (checksum,) = struct.unpack_from("<I", copy)
    if binascii.crc32(copy[4:ENV_BYTES]) != checksum:
        return None
    variables = {}
    for line in copy[4:].split(b"\0\0", 1)[0].split(b"\0"):
        name, _, value = line.decode("latin-1").partition("=")
        if name:
            variables[name] = value
    return variables


def encode(environment: Environment) -> bytes:
    """A copy with exactly the three variables."""
    return pack(
        {
            "BOOT_A_LEFT": environment.left_a,
            "BOOT_B_LEFT": environment.left_b,
            "BOOT_ORDER": environment.order,
        }
    )


def pack(variables: Mapping[str, str]) -> bytes:
    """A copy with these variables: checksum, then texts that end with a zero."""
    text = b"".join(f"{name}={value}\0".encode("latin-1") for name, value in variables.items())
    body = (text + b"\0").ljust(ENV_BYTES - 4, b"\0")
    return struct.pack("<I", binascii.crc32(body)) + body


def _hexadecimal(text: str) -> int:
    digits = text.strip().removeprefix("0x").removeprefix("0X")
    end = 0
    while end < len(digits) and digits[end] in "0123456789abcdefABCDEF":
        end += 1
    return int(digits[:end], 16) if end else 0
