"""The machine that a change is made on while it runs: systemd, the radio, time. Decides nothing."""

import subprocess
import time
from typing import Protocol

from ..lib.machine.network import ipv4_address
from . import adapters
from .logic import RADIO, WPA_UNIT

_MOST_LINES = 200  # of the radio's program: a minute of trying is some dozens
_COMMAND_LIMIT_S = 30.0


class Live(Protocol):
    """What a test, and the simulation, must not do to the computer they run on."""

    def set_hostname(self, name: str) -> None: ...
    def systemctl(self, verb: str, unit: str) -> None: ...
    def address(self) -> str: ...
    def heard(self) -> str: ...
    def now_s(self) -> float: ...
    def pause(self, seconds: float) -> None: ...


class LiveMachine:
    """The real one."""

    set_hostname = staticmethod(adapters.set_hostname)
    now_s = staticmethod(time.monotonic)
    pause = staticmethod(time.sleep)

    def systemctl(self, verb: str, unit: str) -> None:
        """Done when it returns."""
        subprocess.run(
            ["systemctl", verb, unit],
            check=True,
            timeout=_COMMAND_LIMIT_S,
            stdin=subprocess.DEVNULL,
        )

    def address(self) -> str:
        """The radio's, with its length; empty without one."""
        return ipv4_address(RADIO)

    def heard(self) -> str:
        """What the radio's program has said since it was started last; empty: nobody knows."""
        said = subprocess.run(
            ["journalctl", f"--unit={WPA_UNIT}", "--invocation=0", "--output=cat", "--no-pager",
             f"--lines={_MOST_LINES}"],
            timeout=_COMMAND_LIMIT_S, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        )  # fmt: skip
        return said.stdout.decode(errors="replace")
