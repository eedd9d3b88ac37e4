"""What the server remembers of its nodes over a restart: adopted ones, and those with a name.
Unadopted nodes announce themselves again every second, so they are not kept.
"""

from pydantic import BaseModel, ConfigDict, Field


class SavedNode(BaseModel):
    """One node."""

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


class SavedRegistry(BaseModel):
    """nodes.json"""

    model_config = ConfigDict(extra="forbid", frozen=True)

    nodes: dict[str, SavedNode] = Field(default={}, max_length=256)
