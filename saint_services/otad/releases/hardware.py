"""Compares the hardware of a machine with what a release needs. Pure."""

import re

from packaging.version import InvalidVersion, Version

_OLDEST = Version("1.0")  # no board is older, so a release that needs this needs nothing
# Raspberry Pi's documentation, "New-style revision codes": bit 23 marks them, the lowest four bits
# are the revision of the board: c03114 is a Pi 4B 1.4.
_CODE = re.compile(r"[0-9a-fA-F]{6,8}", re.ASCII)
_NEW_STYLE = 1 << 23
_DOTTED = re.compile(r"\d{1,3}(\.\d{1,3}){1,2}", re.ASCII)


def board_revision(reported: str) -> Version | None:
    """Return the revision of a board from what its machine reports: a Pi's revision code, or a
    number like 1.2. None: not known."""
    if _DOTTED.fullmatch(reported):
        return Version(reported)
    if _CODE.fullmatch(reported) and (code := int(reported, 16)) & _NEW_STYLE:
        return Version(f"1.{code & 0xF}")
    return None


def is_minimum(text: str) -> bool:
    """Whether a release may name this as the oldest revision that it runs on."""
    return not text or _DOTTED.fullmatch(text) is not None


def unfit(version: str, minimum: str, reported: str) -> str:
    """Return why a machine with this hardware must not get the release; empty when it may."""
    try:
        needed = Version(minimum) if minimum else _OLDEST
    except InvalidVersion:
        return f"{version} needs a hardware revision that this server cannot read: {minimum[:40]!r}"
    if needed <= _OLDEST:
        return ""
    found = board_revision(reported)
    if found is None:
        return f"{version} needs hardware revision {minimum} or newer; this machine's is not known"
    if found < needed:
        return f"{version} needs hardware revision {minimum} or newer; this machine has {found}"
    return ""
