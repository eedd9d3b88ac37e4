"""Hands a wish about this machine's name or Wi-Fi to the one who may fulfil it. webd may not: it
puts the wish into a folder that only it and root read, and that a path unit watches
(saint-settings.path). In a simulation the launcher watches. Calls block.

Not here: restarts (power.py), what is done (saint_services/setup).
"""

import os
import socket
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from ..api.machine import MachineChange, MachineRequest, NetworkStatus
from ..clock import monotonic_s
from ..errors import Code, SaintError
from ..state import write_atomic

REQUEST, CHANGE, OUTSIDE = "request", "change.json", "outside.json"
LONGEST_S = 200.0  # no trial of a network takes longer
_LARGEST_BYTES = 4096

Told = TypeVar("Told", bound=BaseModel)


def folder() -> Path:
    """Where wishes are put."""
    return Path(os.environ.get("SAINT_SETTINGS_DIR", "/run/saint-settings"))


def _told(name: str) -> Path:
    """What setup tells everybody lies beside the folder, in /run/saint."""
    return folder().parent / "saint" / name


def ask(wish: MachineRequest) -> None:
    """Raises SaintError while another wish is at work, or when nobody could read this one."""
    if change().state == "trying" or (folder() / REQUEST).exists():
        raise SaintError(
            Code.REFUSED,
            "the server is still busy with the change before this one",
            fix="Wait until it is done, a minute at most.",
        )
    path = folder() / REQUEST
    try:
        if not path.parent.is_dir():
            raise FileNotFoundError(2, "there is no such folder")
        # Holds a password: nobody but us and root.
        write_atomic(path, wish.model_dump_json().encode() + b"\n", mode=0o600)
    except OSError as err:
        raise SaintError(
            Code.INTERNAL,
            f"{path} cannot be written: {err.strerror}",
            fix="Set it in saint.yaml on the card's boot partition, and restart the server.",
        ) from err


def change() -> MachineChange:
    """How the last wish goes. One that was cut off tells so."""
    found = _read(CHANGE, MachineChange)
    if found.state == "trying" and monotonic_s() - found.begun_s > LONGEST_S:
        text = "The last change of the network ended without a result; restart the server."
        return found.model_copy(update={"state": "taken_back", "message": text})
    return found


def outside() -> NetworkStatus:
    """The wireless network in force."""
    return _read(OUTSIDE, NetworkStatus)


def hostname() -> str:
    """This machine's name now. A sandboxed process sees the one of its own start for ever
    (ProtectHostname=), so setup's word counts; without setup there is only that.
    """
    return outside().hostname or socket.gethostname()


def _read(name: str, model: type[Told]) -> Told:
    try:
        return model.model_validate_json(_told(name).read_bytes()[:_LARGEST_BYTES])
    except (OSError, ValidationError):
        return model()
