"""Which release is newer, and what a node that boots is offered. Pure."""

from packaging.version import InvalidVersion, Version

from ..lib.api.firmware import Release


def order(version: str) -> Version:
    """A key for sorting; what is no version counts as the oldest."""
    try:
        return Version(version)
    except InvalidVersion:
        return Version("0.dev0")


def is_newer(version: str, than: str) -> bool:
    """Of two releases."""
    return order(version) > order(than)


def is_offered(current: Release | None, running: str) -> bool:
    """A node is never led back to an older release by itself."""
    return current is not None and is_newer(current.version, running)


def kept(versions: list[str], most: int, needed: set[str]) -> set[str]:
    """The newest `most`, and those that are in use or may be needed for the way back."""
    newest = sorted(versions, key=order, reverse=True)[:most]
    return {*newest, *(needed & set(versions))}
