"""Who may ask which daemon for what through webd: saintctl on another machine uses their requests.
Pure, one table; what is not in it needs an admin. Not here: passing requests on (adapters/).
"""

import re
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import unquote

from ..lib.api import table
from ..lib.api.endpoint import CONFIRM, Endpoint
from ..lib.levels import Level

DAEMONS = ("adoptiond", "routerd", "rcd", "livelinkd", "otad", "noded")


@dataclass(frozen=True, slots=True)
class _Rule:
    """Who may ask for these; `paths` are words of the daemon's paths, * is one part of a path."""

    needs: Level
    methods: str
    daemons: str
    paths: str


_RULES = (
    _Rule(
        Level.VIEWER,
        "GET",
        " ".join(DAEMONS),
        "/status /watch /health",
    ),
)


# For daemons of this machine alone: the kernel says who asks, and here that would be webd.
_LOCAL = {"routerd": ("/writers",)}


def is_local(daemon: str, path: str) -> bool:
    """True for what is never passed on, in whichever spelling."""
    plain = "/".join(map(unquote, path.split("/")))
    rows = (row for row in table.of(daemon) if row.is_local)
    return plain in _LOCAL.get(daemon, ()) or any(
        _row_pattern(row.path).fullmatch(plain) for row in rows
    )


def needs(daemon: str, method: str, path: str, query: str = "") -> Level:
    """What the caller must be; `path` as it is on the wire, so that no spelling slips through. The
    query of a change confirms what may stop the robot no longer, so an operator gives none.
    """
    if row := row_of(daemon, method, path):
        return Level.ADMIN if query and _is_confirming(row) else row.level
    for rule in _RULES:
        is_meant = method in rule.methods.split() and daemon in rule.daemons.split()
        if is_meant and _pattern(rule.paths).fullmatch(path):
            return rule.needs
    return Level.ADMIN


@cache
def _pattern(paths: str) -> re.Pattern[str]:
    each = (re.escape(path).replace(r"\*", "[^/]+") for path in paths.split())
    return re.compile("|".join(each))


def row_of(daemon: str, method: str, path: str) -> Endpoint[Any, Any] | None:
    """The row of lib/api that a request is for; `path` as it is on the wire."""
    rows = (row for row in table.of(daemon) if row.method == method)
    found = [row for row in rows if _row_pattern(row.path).fullmatch(path)]
    return min(found, key=lambda row: len(row.parts), default=None)


def _is_confirming(row: Endpoint[Any, Any]) -> bool:
    return CONFIRM in row.query


@cache
def _row_pattern(path: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\\{[\w.\\]+\\}", "[^/]+", re.escape(path)))
