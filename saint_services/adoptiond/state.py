"""What the server remembers of its nodes over a restart: adopted ones, those with a name or a key,
those that are to be ignored. Others announce themselves again every second, so they are not kept.
"""

from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from ..lib.state import StateStore

VERSION = 3


class SavedRole(BaseModel):
    """One role of a node."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    role: str
    instance: str = ""
    config_version: str = ""


class SavedNode(BaseModel):
    """One node. `role`, `instance` and `config_version` are those of its life sign: its first."""

    model_config = ConfigDict(extra="forbid", frozen=True)

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
    code: str = ""  # six digits that the node shows too
    is_ignored: bool = False
    replaced_by: str = ""  # the node that has its role now
    roles: list[SavedRole] = Field(default=[], max_length=8)  # all, as it told
    roles_told_by: str | None = None  # by which release; None: its release knows one role only


class SavedRegistry(BaseModel):
    """nodes.json"""

    model_config = ConfigDict(extra="forbid", frozen=True)

    nodes: dict[str, SavedNode] = Field(default={}, max_length=256)


def from_1(data: dict[str, Any]) -> dict[str, Any]:
    """Nodes had no keys: they exchange them when they are heard of again."""
    return data


def from_2(data: dict[str, Any]) -> dict[str, Any]:
    """Nodes had one role: those that know of several tell them when they are heard of again."""
    return data


MIGRATIONS = {1: from_1, 2: from_2}


def registry_store(folder: Path) -> StateStore[SavedRegistry]:
    """The file below the daemon's state folder."""
    path = folder / "nodes.json"
    return StateStore(path, SavedRegistry, VERSION, MIGRATIONS, keeps_last_good=True)
