"""Tells pydantic that it has no plugins. To look for them it reads the description of every package
on the machine: 1.8 MB of each daemon's memory and 30 ms of its start (several times that on a Pi),
to find none. Imported with the package, before the first model is made.

PYDANTIC_DISABLE_PLUGINS ends the search, but comes after the imports that cost. The module that is
stood in for is private to pydantic; should it move, we only pay again, and a test tells.
"""

import sys
from types import ModuleType

_LOADER = "pydantic.plugin._loader"


def spare() -> None:
    """From now on; a loader that is there already stays."""
    loader = ModuleType(_LOADER)
    loader.__dict__["get_plugins"] = tuple
    sys.modules.setdefault(_LOADER, loader)
