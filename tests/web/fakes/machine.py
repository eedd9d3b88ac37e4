"""The side of setup: which wishes webd has left, what the page is told about the machine."""

from pathlib import Path

from saint_services.lib.api.machine import MachineChange, MachineRequest, NetworkStatus
from saint_services.lib.clock import monotonic_s
from saint_services.lib.machine.settings_request import CHANGE, NETWORK_STATUS, REQUEST


def prepare(directory: Path) -> Path:
    """A server that has joined a network; returns where wishes are put."""
    wishes, told = _wishes(directory), directory / "run/saint"
    wishes.mkdir(parents=True, exist_ok=True)
    told.mkdir(exist_ok=True)
    outside = NetworkStatus(hostname="saint-server", wifi="workshop", has_radio=True)
    (told / NETWORK_STATUS).write_text(outside.model_dump_json())
    return wishes


def wish(directory: Path) -> MachineRequest:
    """What webd has left; it is taken."""
    path = _wishes(directory) / REQUEST
    found = MachineRequest.model_validate_json(path.read_bytes())
    path.unlink()
    return found


def mode_of_wish(directory: Path) -> int:
    """Who may read it."""
    return (_wishes(directory) / REQUEST).stat().st_mode & 0o777


def tell(directory: Path, state: str, message: str) -> None:
    """How the change goes."""
    told = MachineChange.model_validate(
        {"state": state, "message": message, "begun_s": monotonic_s()}
    )
    (directory / "run/saint" / CHANGE).write_text(told.model_dump_json())


def _wishes(directory: Path) -> Path:
    return directory / "run/saint-settings"
