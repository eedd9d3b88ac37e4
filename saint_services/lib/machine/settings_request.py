"""Submits a host name or Wi-Fi change to the privileged settings service. webd has no privilege for
that: it writes the request to a folder that only webd and root can read, and that a path unit
watches (saint-settings.path). In a simulation the launcher watches. Calls block.

Not here: restarts (power.py), applying the change (saint_services/setup).
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
from . import address_status

REQUEST, CHANGE, NETWORK_STATUS = "request", "change.json", "outside.json"
LONGEST_S = 200.0  # a network trial never takes longer
_LARGEST_BYTES = 4096

Status = TypeVar("Status", bound=BaseModel)


def requests_folder() -> Path:
    """Return the folder for requests."""
    return Path(os.environ.get("SAINT_SETTINGS_DIR", "/run/saint-settings"))


def _status_file(name: str) -> Path:
    """Return a status file of setup; those lie beside the folder, in /run/saint."""
    return requests_folder().parent / "saint" / name


def address_file() -> Path:
    """Return the status file of saint_services.setup.addresses."""
    return address_status.path(requests_folder().parent)


def submit(request: MachineRequest) -> None:
    """Write the request. Raises SaintError while another change is in progress, or if nothing could
    read the request.
    """
    if last_change().state == "trying" or (requests_folder() / REQUEST).exists():
        raise SaintError(
            Code.REFUSED,
            "the server is still applying the previous change",
            fix="Wait until it is applied, a minute at most.",
        )
    path = requests_folder() / REQUEST
    try:
        if not path.parent.is_dir():
            raise FileNotFoundError(2, "the folder does not exist")
        # Contains a password: readable by webd and root only.
        write_atomic(path, request.model_dump_json().encode() + b"\n", mode=0o600)
    except OSError as err:
        raise SaintError(
            Code.INTERNAL,
            f"{path} cannot be written: {err.strerror}",
            fix="Set it in saint.yaml on the card's boot partition, and restart the server.",
        ) from err


def last_change() -> MachineChange:
    """Return state or result of the last change; one that was interrupted counts as rolled back."""
    found = _read(CHANGE, MachineChange)
    if found.state == "trying" and monotonic_s() - found.begun_s > LONGEST_S:
        text = "The last change of the network ended without a result; restart the server."
        return found.model_copy(update={"state": "taken_back", "message": text})
    return found


def network_status() -> NetworkStatus:
    """Return the network in force."""
    return _read(NETWORK_STATUS, NetworkStatus)


def hostname() -> str:
    """Return this machine's current name. A sandboxed process keeps the name of its start
    (ProtectHostname=), so the name that setup reports wins; without setup it is the only one.
    """
    return network_status().hostname or socket.gethostname()


def _read(name: str, model: type[Status]) -> Status:
    try:
        return model.model_validate_json(_status_file(name).read_bytes()[:_LARGEST_BYTES])
    except (OSError, ValidationError):
        return model()
