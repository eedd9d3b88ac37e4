"""The last valid settings of this machine on its data partition, with their secrets. Not here: what
they are used for (sources.py).
"""

from pathlib import Path
from typing import Any

from pydantic import field_validator

from ..lib.state import StateStore
from ..lib.strict import StrictModel
from .config import Machine


class KeptSettings(StrictModel):
    """The last valid settings, with secrets; the file is readable by root only."""

    machine: Machine | None = None
    texts: dict[str, str] = {}  # the last valid texts of the boot partition, without secrets
    rewriting: list[str] = []  # files that a power cut may have destroyed on it

    @field_validator("machine", mode="before")
    @classmethod
    def _without_other_letters(cls, data: Any) -> Any:
        """Older releases accepted a namespace with which no daemon starts; what else was saved,
        keys and passwords, holds without it."""
        network = data.get("network") if isinstance(data, dict) else None
        if isinstance(network, dict) and not str(network.get("ros_namespace", "")).isascii():
            network.pop("ros_namespace")
        return data


def kept_store(data: Path) -> StateStore[KeptSettings]:
    """Return the store of the machine's settings on the data partition."""
    path = data / "setup/machine.yaml"
    return StateStore(path, KeptSettings, 2, {1: _without_texts}, keeps_last_good=True)


def _without_texts(data: dict[str, Any]) -> dict[str, Any]:
    """Version 1 had the settings alone."""
    return data
