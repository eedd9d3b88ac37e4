"""The definition of a machine: its hardware in QEMU, its role and keys on the FAT."""

import base64
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from saint_services.lib.machine import realtime

from . import simulation

# The serial console shows the boot; the root shell is a second console that nothing else uses.
_KERNEL = (
    "console=ttyAMA0 systemd.debug_shell=hvc0 systemd.getty_auto=no audit=0"
    # Faults are shown on the console too.
    " systemd.journald.forward_to_console=1 systemd.journald.max_level_console=warning"
    # Limits of a few seconds bite where an emulated processor shares its host.
    " systemd.service_watchdogs=no systemd.default_timeout_start_sec=900"
    " systemd.default_device_timeout_sec=600"
    # U-Boot gives the kernel a random address, so the kernel isolates its page tables, and the
    # emulator forgets its translations twice in each system call: 110 us instead of 13.
    " nokaslr"
)
# All limits times this, where the computer is busy with other work.
PATIENCE = float(os.environ.get("SAINT_VM_PATIENCE", "1"))
# The same for the limits of a start: systemd takes more lines for units from its command line.
_PATIENT = "[Service]\nTimeoutStartSec=900s\n"
# A fraction of an emulated processor is less than the control loops take for themselves: nothing
# else would run beside them, if they went before everything else.
HAS_REAL_TIME = PATIENCE <= 1
if not HAS_REAL_TIME:
    _PATIENT += f"Environment={realtime.VARIABLE}=\n"
# As good as never: an emulated processor takes minutes for what a Pi does in seconds.
DEADMAN_S = 3600


@dataclass(frozen=True)
class Link:
    """One end of the virtual Ethernet cable between two machines: a unix socket, at which one end
    listens. A stream, for what a machine that does not read leaves in it makes its neighbour wait;
    of datagrams QEMU tried the next one again and again, with a whole processor.
    """

    socket: Path
    listens: bool = True

    def turned(self) -> "Link":
        """The same cable, seen from the other machine."""
        return Link(self.socket, not self.listens)


@dataclass(frozen=True)
class Hardware:
    """The board. `links` meet in one network port, eth0; `ports` opens eth1 to the outside."""

    name: str
    memory_mib: int = 1024
    cpus: int = 2
    # A newer one than a Pi 4's is emulated with up to a fifth less work (atomics, page tables).
    cpu: str = "cortex-a76"
    links: tuple[Link, ...] = ()
    # Ports of the guest reachable on 127.0.0.1 of this machine: guest port -> ours.
    ports: dict[int, int] = field(default_factory=dict)
    mac: str = "52:54:00:5a:00:01"


def boot_env(deadman_s: int = DEADMAN_S, more: str = "") -> str:
    """The text environment that the boot script takes from the FAT."""
    lines = base64.b64encode(_PATIENT.encode()).decode()
    patience = f"systemd.set_credential_binary=systemd.unit-dropin.saint-.service:{lines}"
    words = f"{_KERNEL} {simulation.KERNEL} {patience} saint.deadman={deadman_s} {more}"
    return f"extraargs={words}".rstrip() + "\n"


def saint_yaml(role: str, **settings: Any) -> str:
    """The machine's settings as its owner writes them on the FAT."""
    return yaml.safe_dump({"role": role, "hardware": "sim", **settings}, sort_keys=False)
