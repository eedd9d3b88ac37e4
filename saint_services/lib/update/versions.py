"""Compares two releases for an installation. Not here: whether an older one may be installed
(logic.py).
"""

from packaging.version import InvalidVersion, Version

from ..errors import Code, SaintError


def parsed(version: str) -> Version:
    """Return the version. Raises SaintError when it cannot be compared."""
    try:
        return Version(version)
    except InvalidVersion:
        raise SaintError(
            Code.RELEASE_INVALID,
            f"'{version[:40]}' is not a version that can be compared",
            fix="Use numbers like 1.4.2, with a1, b1 or rc1 for trials.",
        ) from None


def is_newer(version: str, than: str) -> bool:
    """Whether `version` is newer. A running release without a usable number is the oldest."""
    new = parsed(version)
    try:
        return new > Version(than)
    except InvalidVersion:
        return True


def is_older(version: str, than: str) -> bool:
    """Whether `version` is older."""
    new = parsed(version)
    try:
        return new < Version(than)
    except InvalidVersion:
        return False
