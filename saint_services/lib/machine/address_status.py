"""Whether the server gives addresses on the robot's own network, and why not: written by
saint_services.setup.addresses, read by webd and saintctl. The standard library alone: the writer is
to take little memory. Calls block briefly.
"""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

FOLDER, FILE = "saint-addresses", "status.json"
_LARGEST_BYTES = 4096


@dataclass(frozen=True, slots=True)
class AddressStatus:
    """What the server does; a sentence and its remedy when something is wrong."""

    state: str = ""  # of logic.AddressState; empty: this machine gives no addresses
    text: str = ""
    fix: str = ""


def path(run: Path = Path("/run")) -> Path:
    """Return the file below the folder for what lasts until the restart."""
    return run / FOLDER / FILE


def write(file: Path, status: AddressStatus) -> None:
    """Replace the status, readable by all users."""
    aside = file.with_suffix(".new")
    aside.write_text(json.dumps(asdict(status)) + "\n", encoding="utf-8")
    aside.replace(file)


def read(file: Path) -> AddressStatus:
    """Return the status; an empty one without a readable file."""
    try:
        found = json.loads(file.read_bytes()[:_LARGEST_BYTES])
        return AddressStatus(*(str(found[name])[:1000] for name in ("state", "text", "fix")))
    except (OSError, ValueError, KeyError, TypeError):
        return AddressStatus()
