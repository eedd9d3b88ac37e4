"""What the server persists of its nodes: adopted ones, those with a name or a key, ignored ones.
Others announce themselves again every second, so they are not persisted.
"""

from pathlib import Path
from typing import Any

from pydantic import Field

from ..lib.state import StateStore
from ..lib.strict import StrictModel

VERSION = 4


class SavedRole(StrictModel):
    """One role of a node."""

    role: str
    instance: str = ""
    config_version: str = ""


class SavedNode(StrictModel):
    """One node. `role`, `instance` and `config_version` are those of its first role."""

    display_name: str = ""
    role: str = ""
    instance: str = ""
    hardware_model: str = ""
    hardware_rev: str = ""
    firmware_version: str = ""
    config_version: str = ""
    mac_address: str = ""
    address: str = ""
    first_seen: str = ""  # ISO 8601, UTC
    node_key: str = ""  # Ed25519, hexadecimal; of a node that belongs to this server
    code: str = ""  # six digits that the node shows as well
    is_ignored: bool = False
    replaced_by: str = ""  # the node that holds its role now
    roles: list[SavedRole] = Field(default=[], max_length=8)  # all, as reported
    roles_told_by: str | None = (
        None  # the release that reported them; None: its release knows one role only
    )


class SavedAdoption(StrictModel):
    """An adoption that was begun: it is here before the node is requested to do anything."""

    role: str
    instance: str = ""
    display_name: str = ""
    adds: bool = False
    person: str = ""
    replaces: str = ""


class SavedRegistry(StrictModel):
    """nodes.json"""

    nodes: dict[str, SavedNode] = Field(default={}, max_length=256)
    adoptions: dict[str, SavedAdoption] = Field(default={}, max_length=256)  # by node


def from_1(data: dict[str, Any]) -> dict[str, Any]:
    """Version 1 had no keys: nodes exchange them at their next report."""
    return data


def from_2(data: dict[str, Any]) -> dict[str, Any]:
    """Version 2 had one role per node: nodes that know several report them again."""
    return data


def from_3(data: dict[str, Any]) -> dict[str, Any]:
    """Version 3 did not know which adoptions were running."""
    return data


MIGRATIONS = {1: from_1, 2: from_2, 3: from_3}


def registry_store(folder: Path) -> StateStore[SavedRegistry]:
    """Return the store below the daemon's state folder."""
    path = folder / "nodes.json"
    return StateStore(path, SavedRegistry, VERSION, MIGRATIONS, keeps_last_good=True)
