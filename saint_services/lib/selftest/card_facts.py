"""Reads what is known of the storage that the machine runs from, and measures its speed. Serial
numbers are not read. Not here: what of that is a fault (card_checks.py).
"""

import mmap
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from .kernel_files import entries, number, text

SIZE_BYTES = 16 << 20  # written and read once; a card endures a million times that
_BLOCK_BYTES = 1 << 20
_SMALL_BYTES = 4096
_SMALL_WRITES = 24
_LEAST_FREE_BYTES = 8 * SIZE_BYTES
_LIMIT_S = 12.0  # a dying card must not hold the test up
_FILE = ".selftest"
_EMMC = "MMC"


@dataclass(frozen=True, slots=True)
class CardFacts:
    """The card and the file systems on it. `life_percent`, `pre_eol`: an eMMC's own estimate of
    what is used up (JEDEC eMMC 5.0); a card does not report that."""

    name: str = ""  # empty: no card
    kind: str = ""  # "SD", "MMC"
    size_gb: float = 0.0
    life_percent: int | None = None
    pre_eol: int = 0  # 2: most of the spare blocks are used, 3: all
    errors: int = 0  # of the file systems, ever
    written_gb: float = 0.0
    is_slot_damaged: bool = False  # the hash tree refused a block of the running system
    is_data_lost: bool = False
    read_only: tuple[str, ...] = ()  # places that must be writable and are not


@dataclass(frozen=True, slots=True)
class CardSpeed:
    """A measurement. `problem`: why there is none."""

    write_mbps: float = 0.0  # MB/s, in large blocks
    read_mbps: float = 0.0
    slowest_ms: float = 0.0  # of small writes that are on the card when they return
    problem: str = ""


def read(root: Path) -> CardFacts:
    """Read the facts below the root of a file system."""
    file_systems = [each for each in entries(root / "sys/fs/ext4") if each.name != "features"]
    written = sum(number(each / "lifetime_write_kbytes") or 0 for each in file_systems)
    facts = CardFacts(
        errors=sum(number(each / "errors_count") or 0 for each in file_systems),
        written_gb=written / 1e6,
        is_slot_damaged=(root / "run/saint-slot-damaged").exists(),
        is_data_lost=(root / "run/saint-data-lost").exists(),
        read_only=_read_only(text(root / "proc/mounts")),
    )
    cards = [each for each in entries(root / "sys/block", "mmcblk*") if "boot" not in each.name]
    return _with_card(facts, cards[0]) if cards else facts


def _with_card(facts: CardFacts, block: Path) -> CardFacts:
    device = block / "device"
    kind = text(device / "type")
    is_emmc = kind == _EMMC
    return replace(
        facts,
        name=text(device / "name")[:16] or "unknown",
        kind=kind[:8],
        size_gb=(number(block / "size") or 0) * 512 / 1e9,
        life_percent=_life(text(device / "life_time")) if is_emmc else None,
        pre_eol=(number(device / "pre_eol_info") or 0) if is_emmc else 0,
    )


def _life(words: str) -> int | None:
    """Return the worse of two estimates, in steps of ten percent: "0x01 0x03" -> 30."""
    try:
        worst = max(int(word, 16) for word in words.split())
    except ValueError:
        return None
    return 10 * worst if worst else None


def _read_only(mounts: str) -> tuple[str, ...]:
    found = []
    for line in mounts.splitlines():
        words = line.split()
        if len(words) > 3 and words[1] == "/data" and "ro" in words[3].split(","):
            found.append(words[1])
    return tuple(found)


def measure(folder: Path) -> CardSpeed:
    """Write and read a file of SIZE_BYTES in a folder, past the memory where the file system allows
    it. Blocks for some seconds. The file has no name while it is used, so that nothing of it stays,
    however the measurement ends."""
    try:
        space = os.statvfs(folder)
        if space.f_bavail * space.f_frsize < _LEAST_FREE_BYTES:
            return CardSpeed(problem="less than 128 MB are free")
        return _measured(_opened(folder / _FILE))
    except OSError as err:
        return CardSpeed(problem=f"writing failed ({err.strerror})")


def _opened(path: Path) -> int:
    flags = os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC
    try:
        return os.open(path, flags | getattr(os, "O_DIRECT", 0), 0o600)
    except OSError:  # a file system that cannot do without the memory
        return os.open(path, flags, 0o600)
    finally:
        path.unlink(missing_ok=True)


def _measured(descriptor: int) -> CardSpeed:
    """Measure on an open file, and close it."""
    end_s = time.monotonic() + _LIMIT_S
    # It begins at a page, as transfers past the memory need it.
    with mmap.mmap(-1, _BLOCK_BYTES) as buffer:
        try:
            buffer.write(os.urandom(_BLOCK_BYTES))
            write_mbps = _rate(lambda at: os.pwritev(descriptor, [buffer], at), descriptor, end_s)
            if hasattr(os, "posix_fadvise"):
                os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
            read_mbps = _rate(lambda at: os.preadv(descriptor, [buffer], at), descriptor, end_s)
            with memoryview(buffer)[:_SMALL_BYTES] as block:
                slowest_ms = _slowest_ms(descriptor, block, end_s)
        finally:
            os.close(descriptor)
    return CardSpeed(write_mbps, read_mbps, slowest_ms)


def _rate(transfer: Callable[[int], int], descriptor: int, end_s: float) -> float:
    """Transfer the file once, or what fits into the time; returns MB/s, with the last sync."""
    began_s = time.monotonic()
    moved = 0
    while moved < SIZE_BYTES and time.monotonic() < end_s:
        done = transfer(moved)
        if done <= 0:
            break
        moved += done
    os.fsync(descriptor)
    return moved / 1e6 / max(time.monotonic() - began_s, 1e-6)


def _slowest_ms(descriptor: int, block: memoryview, end_s: float) -> float:
    """Write small blocks, each synced as the daemons write their state; returns the slowest."""
    slowest_s = 0.0
    for at in range(_SMALL_WRITES):
        began_s = time.monotonic()
        os.pwritev(descriptor, [block], at * _SMALL_BYTES)
        os.fsync(descriptor)
        slowest_s = max(slowest_s, time.monotonic() - began_s)
        if time.monotonic() > end_s:
            break
    return slowest_s * 1000
