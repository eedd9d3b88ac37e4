"""Who may ask which daemon for what through webd: saintctl on another machine uses their requests.
Pure; what is in no row of lib/api needs an admin. Not here: passing requests on (adapters/).
"""

import re
from functools import cache
from typing import Any
from urllib.parse import unquote

from ...lib.access.levels import Level
from ...lib.api.endpoint import CONFIRM, Endpoint, rows_of

DAEMONS = ("adoptiond", "routerd", "rcd", "livelinkd", "otad", "noded")
_ROWS = {daemon: rows_of(daemon) for daemon in DAEMONS}
_HEALTH = ("GET", "/health")  # of every daemon (lib/daemon.py)


def is_local(daemon: str, path: str) -> bool:
    """True for what is never passed on, in whichever spelling: the kernel says who asks a daemon,
    and here that would be webd.
    """
    plain = "/".join(map(unquote, path.split("/")))
    return any(row.is_local and _row_pattern(row.path).fullmatch(plain) for row in _ROWS[daemon])


def needs(daemon: str, method: str, path: str, query: str = "") -> Level:
    """What the caller must be; `path` as it is on the wire, so that no spelling slips through. The
    query of a change confirms what may stop the robot no longer, so an operator gives none.
    """
    if row := row_of(daemon, method, path):
        return Level.ADMIN if query and _is_confirming(row) else row.level
    return Level.VIEWER if (method, path) == _HEALTH else Level.ADMIN


def row_of(daemon: str, method: str, path: str) -> Endpoint[Any, Any] | None:
    """The row of lib/api that a request is for; `path` as it is on the wire."""
    rows = (row for row in _ROWS[daemon] if row.method == method)
    found = [row for row in rows if _row_pattern(row.path).fullmatch(path)]
    return min(found, key=lambda row: len(row.parts), default=None)


def _is_confirming(row: Endpoint[Any, Any]) -> bool:
    return CONFIRM in row.query


@cache
def _row_pattern(path: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\\{[\w.\\]+\\}", "[^/]+", re.escape(path)))
