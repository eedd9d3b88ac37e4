"""Modules that the daemons of a node must not load before they need them: memory of a Pi is
scarce.
"""

import subprocess
import sys

import pytest

_HEAVY = ("importlib.metadata", "zipfile", "lzma", "html", "email", "nacl", "aiohttp")
# Models of other daemons: a model needs memory as soon as its module is loaded.
_OTHERS = ("saint_services.lib.api.livelink", "saint_services.lib.api.rc")
_SCRIPT = """
import sys
import saint_services.lib.daemon, {module}
from pydantic import BaseModel
from saint_services.lib.api.endpoint import rows_of
rows_of({daemon!r})
class Model(BaseModel):
    number: int
assert Model.model_validate({{"number": "1"}}).number == 1
print(*(name for name in {heavy} if name in sys.modules))
"""


@pytest.mark.parametrize("name", ["noded", "role_headd", "role_armsd", "role_tracksd", "routerd"])
def test_a_daemon_that_starts_loads_nothing_heavy(name: str):
    module, daemon = f"saint_services.{name}.daemon", name.replace("_", "-")
    script = _SCRIPT.format(module=module, daemon=daemon, heavy=_HEAVY + _OTHERS)
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == []
