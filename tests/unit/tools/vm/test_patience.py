"""On a busy computer the daemons of an emulated machine stay at normal priority."""

import base64
import os
import re
import subprocess
import sys

import pytest

from saint_services.lib.machine import realtime


@pytest.mark.parametrize(("patience", "keeps"), [("1", True), ("2", False)])
def test_units_get_the_priority_only_without_patience(patience: str, keeps: bool) -> None:
    said = subprocess.run(
        [sys.executable, "-c", "from tools.vm import settings; print(settings.boot_env())"],
        env={**os.environ, "SAINT_VM_PATIENCE": patience},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    found = re.search(r"systemd\.unit-dropin\.saint-\.service:(\S+)", said)
    assert found
    lines = base64.b64decode(found[1]).decode().splitlines()
    set_here = dict(
        line.removeprefix("Environment=").split("=", 1)
        for line in lines
        if line.startswith("Environment=")
    )
    has_priority = bool({realtime.VARIABLE: "2", **set_here}[realtime.VARIABLE])
    assert has_priority is keeps
