"""The links on the disk, with their tokens: only webd reads the file, and no reply has a token."""

from pathlib import Path

from ...lib.api.webd.links import LinkSpec
from ...lib.state import StateStore
from ...lib.strict import StrictModel

VERSION = 1
MOST_LINKS = 16


class StoredLinks(StrictModel):
    """Content of links.json."""

    links: tuple[LinkSpec, ...] = ()


def link_store(folder: Path) -> StateStore[StoredLinks]:
    """Return the store of the links."""
    return StateStore(folder / "links.json", StoredLinks, VERSION)
