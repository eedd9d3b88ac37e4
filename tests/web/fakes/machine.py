"""Fakes the privileged settings service: reads webd's requests and reports network and progress."""

from pathlib import Path

from saint_services.lib.api.machine import MachineChange, MachineRequest, NetworkStatus
from saint_services.lib.clock import monotonic_s
from saint_services.lib.machine import address_status
from saint_services.lib.machine.address_status import AddressStatus
from saint_services.lib.machine.settings_request import CHANGE, NETWORK_STATUS, REQUEST


def prepare(directory: Path) -> Path:
    """Simulate a server that has joined a network; return the folder for requests."""
    requests, runtime = _requests(directory), directory / "run/saint"
    requests.mkdir(parents=True, exist_ok=True)
    runtime.mkdir(exist_ok=True)
    outside = NetworkStatus(hostname="saint-server", wifi="workshop", has_radio=True)
    (runtime / NETWORK_STATUS).write_text(outside.model_dump_json())
    return requests


def take_request(directory: Path) -> MachineRequest:
    """Return webd's request and delete its file."""
    path = _requests(directory) / REQUEST
    found = MachineRequest.model_validate_json(path.read_bytes())
    path.unlink()
    return found


def request_mode(directory: Path) -> int:
    """Return the permissions of the request's file."""
    return (_requests(directory) / REQUEST).stat().st_mode & 0o777


def report_change(directory: Path, state: str, message: str) -> None:
    """Report the progress of the change."""
    change = MachineChange.model_validate(
        {"state": state, "message": message, "begun_s": monotonic_s()}
    )
    (directory / "run/saint" / CHANGE).write_text(change.model_dump_json())


def report_addresses(directory: Path, state: str, text: str = "", fix: str = "") -> None:
    """Report whether the server gives addresses."""
    file = address_status.path(directory / "run")
    file.parent.mkdir(exist_ok=True)
    address_status.write(file, AddressStatus(state, text, fix))


def _requests(directory: Path) -> Path:
    return directory / "run/saint-settings"
