"""Reads the table of supported boards (image/boards.yaml): how each names itself, what is soldered
on, and what the device tree says of the header. Not here: what was shown on which (tools/image).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from ..errors import Code, SaintError
from ..strict import StrictModel

FILE = Path("image/boards.yaml")  # in the checkout, and below /usr/share/saint

Part = Literal["ethernet", "ethernet-1000", "wifi"]


class SupportedBoard(StrictModel):
    """One board: its file among the kernel's device trees, what of config.txt holds for it, how the
    running tree names it, what is soldered on."""

    name: str
    family: Literal["pi3", "zero2", "pi4"]
    tree: str
    sections: list[str]
    compatible: str
    has: list[Part]
    radios: list[str] = []  # firmware of its Wi-Fi, without .bin
    lacks: str = ""  # firmware of a radio that some have, which is on no image of Debian's

    @property
    def has_ethernet(self) -> bool:
        """True with an Ethernet socket."""
        return any(part.startswith("ethernet") for part in self.has)


class HeaderPart(StrictModel):
    """One part of the header as the merged device tree has it."""

    what: str
    node: str
    alias: str = ""
    pins: dict[int, int]  # BCM number -> function, as DeviceTree.pins
    overlay: str = ""  # that turns it on
    is_optional: bool = False  # an owner may switch it off


class PiOsBoard(StrictModel):
    """A board on which SAINT.OS runs with Raspberry Pi OS alone."""

    name: str
    compatible: str


class PiOsFunction(StrictModel):
    """One function with Raspberry Pi OS: "yes", "yes: how" or "no: why", on a Pi 5 and its kind and
    on the boards of the A/B image; and how that was shown."""

    what: str
    pi5: str
    older: str
    shown: str


@dataclass(frozen=True, slots=True)
class BoardLimits:
    """What works on one board with Raspberry Pi OS, and what does not, each with its reason."""

    name: str
    works: tuple[str, ...]
    fails: tuple[str, ...]

    @property
    def sentence(self) -> str:
        """Say it."""
        return (
            f"{self.name} with Raspberry Pi OS. Works: {'; '.join(self.works)}. "
            f"Does not: {'; '.join(self.fails)}."
        )


class PiOsTable(StrictModel):
    """SAINT.OS on Raspberry Pi OS (image/pi-gen)."""

    boards: list[PiOsBoard] = []
    functions: list[PiOsFunction] = []


class BoardTable(BaseModel):
    """What the self-test needs of the file."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    boards: list[SupportedBoard] = []
    header: list[HeaderPart] = []
    raspberry_pi_os: PiOsTable = PiOsTable()

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

    def pi_os_board(self, compatible: Iterable[str]) -> PiOsBoard | None:
        """Return the board that needs Raspberry Pi OS; None for any other."""
        names = set(compatible)
        found = (each for each in self.raspberry_pi_os.boards if each.compatible in names)
        return next(found, None)

    def limits(self, compatible: Iterable[str]) -> BoardLimits | None:
        """Return what works on a board with Raspberry Pi OS; None for a board that is not known."""
        names = tuple(compatible)
        newer, older = self.pi_os_board(names), self.board(names)
        found = newer or older
        if found is None:
            return None
        rows = [
            (row.what, row.pi5 if newer else row.older) for row in self.raspberry_pi_os.functions
        ]
        return BoardLimits(
            found.name,
            tuple(_said(*row) for row in rows if row[1].startswith("yes")),
            tuple(_said(*row) for row in rows if not row[1].startswith("yes")),
        )


def _said(what: str, answer: str) -> str:
    reason = answer.partition(":")[2].strip()
    return f"{what} ({reason})" if reason else what
