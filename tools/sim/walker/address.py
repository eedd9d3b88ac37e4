"""Where the walking controller of a simulated board listens, and where it reports: real UDP on
loopback, on ports that are free on this computer, named in files of the board's folder.
"""

import contextlib
import os
from pathlib import Path

from saint_services.lib.errors import Code, SaintError
from saint_services.lib.hw.datagrams import UdpPort

HOST = "127.0.0.1"
_COMMANDS, _STATES = "walker.commands", "walker.states"  # files with a port each


def open_port(folder: Path) -> UdpPort:
    """Open the role's side. Raises hardware_missing while the controller does not run."""
    port = command_port(folder)
    if not port:
        raise SaintError(
            Code.HARDWARE_MISSING,
            "the simulated walking controller does not run",
            fix=f"Start it: python -m tools.sim.walker --board {folder}",
        )
    opened = UdpPort(HOST, port, 0)
    _write(folder / _STATES, opened.listen_port)
    return opened


def command_address(folder: Path) -> str:
    """Return where commands go, as a will names it."""
    return f"{HOST}:{command_port(folder)}"


def command_port(folder: Path) -> int:
    """Return the port of the controller; 0: it was never started."""
    return _read(folder / _COMMANDS)


def state_port(folder: Path) -> int:
    """Return the port at which the role receives; 0: it was never opened."""
    return _read(folder / _STATES)


def announce(folder: Path, port: int) -> None:
    """Write the port of the controller."""
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder / _COMMANDS, port)


def _read(path: Path) -> int:
    with contextlib.suppress(OSError, ValueError):
        return int(path.read_text())
    return 0


def _write(path: Path, port: int) -> None:
    aside = path.with_name(f"{path.name}.{os.getpid()}")
    aside.write_text(str(port))
    aside.replace(path)
