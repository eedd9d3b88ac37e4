"""Everything that a daemon can be asked: the rows of all modules of this package."""

from collections.abc import Sequence
from typing import Any, Final

from . import (
    adoption,
    calibration,
    credentials,
    drill,
    firmware,
    keys,
    livelink,
    logs,
    node,
    orders,
    presets,
    rc,
    routing,
)
from .endpoint import Endpoint

ALL: Final[Sequence[Endpoint[Any, Any]]] = (
    *adoption.ROWS.all,
    *calibration.ROWS.all,
    *credentials.PROOFS.all,
    *drill.ROWS.all,
    *firmware.ROWS.all,
    *keys.ROWS.all,
    *livelink.ROWS.all,
    *logs.OF_NODES.all,
    *node.ROWS.all,
    *orders.ROWS.all,
    *presets.ROWS.all,
    *rc.ROWS.all,
    *routing.ROWS.all,
)


def of(daemon: str) -> list[Endpoint[Any, Any]]:
    """The rows that this daemon has to answer."""
    return [row for row in ALL if row.daemon == daemon]
