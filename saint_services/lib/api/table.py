"""Everything that a daemon can be asked: the rows of all modules of this package."""

from collections.abc import Sequence
from typing import Any, Final

from . import drill, livelink, presets, rc, routing
from .endpoint import Endpoint

ALL: Final[Sequence[Endpoint[Any, Any]]] = (
    *drill.ROWS.all,
    *livelink.ROWS.all,
    *presets.ROWS.all,
    *rc.ROWS.all,
    *routing.ROWS.all,
)


def of(daemon: str) -> list[Endpoint[Any, Any]]:
    """The rows that this daemon has to answer."""
    return [row for row in ALL if row.daemon == daemon]
