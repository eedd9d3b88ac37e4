"""Everything that a daemon can be asked: the rows of the modules of this package. Each daemon loads
those of its own alone: a Pi has no memory for the models of all others.
"""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import Any, Final

from .endpoint import Endpoint, Rows

# Where the rows of each daemon stand; a role daemon has none.
MODULES: Final[Mapping[str, tuple[str, ...]]] = {
    "adoptiond": ("adoption", "calibration", "credentials", "keys", "logs", "orders"),
    "livelinkd": ("livelink",),
    "noded": ("node",),
    "otad": ("firmware",),
    "rcd": ("rc",),
    "routerd": ("drill", "presets", "routing"),
}


@cache
def of(daemon: str) -> tuple[Endpoint[Any, Any], ...]:
    """The rows that this daemon has to answer."""
    modules = (import_module(f"{__package__}.{name}") for name in MODULES.get(daemon, ()))
    groups = {id(each): each for module in modules for each in _rows(module)}
    return tuple(row for group in groups.values() for row in group.all if row.daemon == daemon)


def _rows(module: object) -> list[Rows]:
    return [each for each in vars(module).values() if isinstance(each, Rows)]
