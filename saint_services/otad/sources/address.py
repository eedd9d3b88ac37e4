"""Decides which addresses releases may come from: HTTPS only, without a password, also after a
redirect. Pure. Not here: fetching (fetch_job.py).
"""

from urllib.parse import SplitResult, quote, urljoin, urlsplit

MANIFEST = "manifest.json"
_BUNDLE = "saint_node.img"  # as our own server names it (releases/incoming.py)
LONGEST = 500


def checked(text: str) -> str:
    """Return the folder of a release address, without manifest.json and a final slash; empty stays
    empty. Raises ValueError with the reason.
    """
    if not text:
        return ""
    _check(text)
    parts = urlsplit(text)
    if parts.query or parts.fragment:
        raise ValueError("an address of releases is a folder: it has no ? and no #")
    return text.removesuffix(MANIFEST).rstrip("/")


def manifest(folder: str) -> str:
    """Return the address of the manifest."""
    return f"{folder}/{MANIFEST}"


def bundle(folder: str, version: str) -> str:
    """Return the address of a release's bundle, as otad itself serves it to nodes."""
    return f"{folder}/archive/v{quote(version)}/{_BUNDLE}"


def redirected(address: str, location: str) -> str:
    """Return where a redirect leads. Raises ValueError where that is no HTTPS."""
    target = urljoin(address, location)
    _check(target)
    return target


def host(address: str) -> str:
    """Return the host and its port, for sentences."""
    return urlsplit(address).netloc[:100]


def _check(text: str) -> None:
    if len(text) > LONGEST:
        raise ValueError(f"the address has {len(text)} characters; the limit is {LONGEST}")
    if not text.isascii() or not text.isprintable() or " " in text:
        raise ValueError("the address has a blank or another character that no address has")
    parts = urlsplit(text)  # ValueError: a bad IPv6 address
    if parts.scheme != "https":
        raise ValueError(
            "the address must begin with https://: without encryption anyone on the way can hide "
            "new releases and read what this robot runs"
        )
    _check_host(parts)


def _check_host(parts: SplitResult) -> None:
    if parts.username is not None or parts.password is not None:
        raise ValueError("the address must not contain a user or a password: logs would show it")
    if not parts.hostname:
        raise ValueError("the address names no host, like https://example.org/robots")
    if parts.port == 0:  # .port raises ValueError above 65535
        raise ValueError("the port is 0")
