"""Reads the table of supported boards (image/boards.yaml): how each names itself, what is soldered
on, and what the device tree says of the header. Not here: what was shown on which (tools/image).
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Literal

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from ..errors import Code, SaintError

FILE = Path("image/boards.yaml")  # in the checkout, and below /usr/share/saint

Part = Literal["ethernet", "ethernet-1000", "wifi"]


class SupportedBoard(BaseModel):
    """One board: its file among the kernel's device trees, what of config.txt holds for it, how the
    running tree names it, what is soldered on."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    family: Literal["pi3", "zero2", "pi4"]
    tree: str
    sections: list[str]
    compatible: str
    has: list[Part]

    @property
    def has_ethernet(self) -> bool:
        """True with an Ethernet socket."""
        return any(part.startswith("ethernet") for part in self.has)


class HeaderPart(BaseModel):
    """One part of the header as the merged device tree has it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    what: str
    node: str
    alias: str = ""
    pins: dict[int, int]  # BCM number -> function, as DeviceTree.pins
    overlay: str = ""  # that turns it on
    is_optional: bool = False  # an owner may switch it off


class BoardTable(BaseModel):
    """What the self-test needs of the file."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    boards: list[SupportedBoard] = []
    header: list[HeaderPart] = []

    @classmethod
    def read(cls, share: Path) -> "BoardTable":
        """Read the shipped table. Raises not_found without one. Blocks."""
        try:
            return cls.model_validate(yaml.safe_load((share / FILE).read_text(encoding="utf-8")))
        except (OSError, yaml.YAMLError, ValidationError) as err:
            text = f"the table of boards {share / FILE} cannot be read: {err}"
            raise SaintError(Code.NOT_FOUND, text, fix="Install this release again.") from err

    def board(self, compatible: Iterable[str]) -> SupportedBoard | None:
        """Return the board that names itself so; None for a board that is not supported."""
        names = set(compatible)
        return next((each for each in self.boards if each.compatible in names), None)
