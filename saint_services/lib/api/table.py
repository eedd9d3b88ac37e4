"""Everything that a daemon can be asked: the rows of all modules of this package."""

from collections.abc import Sequence
from typing import Any, Final

from . import adoption, calibration, credentials, firmware, keys, logs, node, orders, rc
from .endpoint import Endpoint

ALL: Final[Sequence[Endpoint[Any, Any]]] = (
    *rc.ROWS.all,
    *adoption.ROWS.all,
    *calibration.ROWS.all,
    *credentials.PROOFS.all,
    *keys.ROWS.all,
    *logs.OF_NODES.all,
    *orders.ROWS.all,
    *node.ROWS.all,
    *firmware.ROWS.all,
)


def of(daemon: str) -> list[Endpoint[Any, Any]]:
    """The rows that this daemon has to answer."""
    return [row for row in ALL if row.daemon == daemon]
