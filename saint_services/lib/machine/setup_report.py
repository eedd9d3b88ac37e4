"""The report of this boot's setup, which saint_services.setup writes for webd, noded and saintctl.
Calls block briefly.
"""

from pathlib import Path

from pydantic import BaseModel, ValidationError

FILE = "setup.json"
_LARGEST_BYTES = 1 << 16


class SetupReport(BaseModel):
    """What this machine is, and a sentence for each problem of its settings."""

    role: str = ""
    hostname: str = ""
    targets: list[str] = []
    problems: list[str] = []


def read(folder: Path = Path("/run/saint")) -> SetupReport:
    """Return the report; an empty one on a computer without saint-setup."""
    try:
        return SetupReport.model_validate_json((folder / FILE).read_bytes()[:_LARGEST_BYTES])
    except (OSError, ValidationError):
        return SetupReport()
