"""Compares releases: which one is newer, which one a booting node is offered, which ones are kept.
Pure.
"""

from packaging.version import InvalidVersion, Version

from ...lib.api.firmware import Release


def version_key(version: str) -> Version:
    """Return a key for sorting; text that is not a version counts as the oldest."""
    try:
        return Version(version)
    except InvalidVersion:
        return Version("0.dev0")


def is_newer(version: str, than: str) -> bool:
    return version_key(version) > version_key(than)


def is_offered(current: Release | None, running: str) -> bool:
    """Whether a booting node is offered the current release: never an older one than it runs."""
    return current is not None and is_newer(current.version, running)


def retained(versions: list[str], most: int, needed: set[str]) -> set[str]:
    """Return the newest `most` versions, and those in use or needed for a rollback."""
    newest = sorted(versions, key=version_key, reverse=True)[:most]
    return {*newest, *(needed & set(versions))}
