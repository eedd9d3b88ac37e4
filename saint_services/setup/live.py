"""Accesses the running machine for a change of settings: systemd, the radio, time. No rules."""

import subprocess
import time
from typing import Protocol

from ..lib.machine.network import ipv4_address
from . import adapters
from .logic import RADIO, WPA_UNIT

_MOST_LINES = 200  # of wpa_supplicant: a minute of trying is some dozens
_COMMAND_LIMIT_S = 30.0


class RunningMachine(Protocol):
    """What a test, and the simulation, must not do to the computer that they run on."""

    def set_hostname(self, name: str) -> None: ...
    def systemctl(self, verb: str, unit: str) -> None: ...
    def address(self) -> str: ...
    def messages(self) -> str: ...
    def now_s(self) -> float: ...
    def pause(self, seconds: float) -> None: ...


class LiveMachine:
    """The real computer."""

    set_hostname = staticmethod(adapters.set_hostname)
    now_s = staticmethod(time.monotonic)
    pause = staticmethod(time.sleep)

    def systemctl(self, verb: str, unit: str) -> None:
        """Run systemctl and wait for its end."""
        subprocess.run(
            ["systemctl", verb, unit],
            check=True,
            timeout=_COMMAND_LIMIT_S,
            stdin=subprocess.DEVNULL,
        )

    def address(self) -> str:
        """Return the radio's address with its length; empty without one."""
        return ipv4_address(RADIO)

    def messages(self) -> str:
        """Return the messages of wpa_supplicant since its last start; empty when there are none."""
        said = subprocess.run(
            ["journalctl", f"--unit={WPA_UNIT}", "--invocation=0", "--output=cat", "--no-pager",
             f"--lines={_MOST_LINES}"],
            timeout=_COMMAND_LIMIT_S, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        )  # fmt: skip
        return said.stdout.decode(errors="replace")
