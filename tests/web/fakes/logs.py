"""Logs as the launcher keeps them, and the folder where daemons ask for restarts, for a webd with a
fake robot around it.
"""

import contextlib
import os
import time
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

from tests.web.fakes.machine import prepare

LINES = {
    "server-routerd": (
        "info: ready status=\"12 routes\"",
        "info: source came source=livelink:FaceCapture",
        "warning: source lost source=rc",
        "info: source came source=rc",
    ),
    "server-adoptiond": (
        "info: node adopted node=sim_head role=head",
        "warning: node went offline node=sim_console",
    ),
    "server-rcd": (
        "info: receiver's line is open device=/dev/ttyAMA0",
        "info: signal acquired protocol=crsf",
        "debug: loop was blocked lag_ms=140",
    ),
    "head-role-headd": (
        "info: active",
        "error: servo controller does not answer address=0x40",
        "info: servo controller is back address=0x40",
    ),
}  # fmt: skip


def write(folder: Path, name: str, *lines: str, at_s: float | None = None) -> None:
    """Lines of one program, a second apart, the last one now."""
    end_s = time.time() if at_s is None else at_s
    daemon = name.partition("-")[2]
    with (folder / f"{name}.log").open("a", encoding="utf-8") as file:
        for number, line in enumerate(lines):
            moment_s = end_s - (len(lines) - 1 - number)
            clock = time.strftime("%H:%M:%S", time.localtime(moment_s))
            file.write(f"{clock}.{int(moment_s * 1000) % 1000:03d} {daemon} {line}\n")


@contextlib.contextmanager
def fake_logs(directory: Path) -> Iterator[None]:
    """While this is entered, a webd that starts finds them."""
    logs, requests = directory / "log", directory / "reboot"
    for folder in (logs, requests):
        folder.mkdir(parents=True, exist_ok=True)
    for name, lines in LINES.items():
        write(logs, name, *lines)
    settings = prepare(directory)
    places = {
        "SAINT_LOG_DIR": str(logs),
        "SAINT_REBOOT_DIR": str(requests),
        "SAINT_SETTINGS_DIR": str(settings),
    }
    with mock.patch.dict(os.environ, places):
        yield
