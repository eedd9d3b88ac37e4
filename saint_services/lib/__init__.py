"""What all daemons share. Nothing here knows a daemon.

On import, before the first model is made, pydantic's plug-in loader is replaced by an empty one: it
reads the description of every package on the machine, 1.8 MB of each daemon's memory and 30 ms of
its start (several times that on a Pi), to find none. PYDANTIC_DISABLE_PLUGINS ends the search too
late. The loader is private to pydantic; should it move, the cost returns and a test says so.
"""

import sys
from types import ModuleType

_LOADER = "pydantic.plugin._loader"


def _skip_pydantic_plugins() -> None:
    """A loader that is loaded already stays."""
    loader = ModuleType(_LOADER)
    loader.__dict__["get_plugins"] = tuple
    sys.modules.setdefault(_LOADER, loader)


_skip_pydantic_plugins()
