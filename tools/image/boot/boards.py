"""Reads image/boards.yaml: the boards of the A/B image and what was shown on each. Prints the table
of image/README.md.
"""

from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict
from rich.console import Console

from saint_services.lib.selftest.boards import FILE, HeaderPart, PiOsTable, SupportedBoard

from ..places import ROOT

PATH = ROOT / FILE
_FAMILIES = ("pi3", "zero2", "pi4")


class Feature(BaseModel):
    """One row of the table: yes, no or a condition for each family, and how that was shown."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    what: str
    pi3: str
    zero2: str
    pi4: str
    shown: str


class Boards(BaseModel):
    """The whole file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    boards: list[SupportedBoard]
    header: list[HeaderPart]
    features: list[Feature]
    raspberry_pi_os: PiOsTable

    @classmethod
    def read(cls, path: Path = PATH) -> "Boards":
        return cls.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))

    def table(self) -> str:
        """Return features by family of boards, in Markdown."""
        heads = [
            ", ".join(board.name for board in self.boards if board.family == family)
            for family in _FAMILIES
        ]
        rows = [["", *heads, "shown by"], ["---"] * 5]
        rows += [[row.what, row.pi3, row.zero2, row.pi4, row.shown] for row in self.features]
        return "".join(f"| {' | '.join(row)} |\n" for row in rows)

    def pi_os_table(self) -> str:
        """Return what works with Raspberry Pi OS, in Markdown."""
        newer = ", ".join(board.name for board in self.raspberry_pi_os.boards)
        rows = [["", newer, "boards of the A/B image", "shown by"], ["---"] * 4]
        rows += [[r.what, r.pi5, r.older, r.shown] for r in self.raspberry_pi_os.functions]
        return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def main() -> None:
    """Print the tables for image/README.md and image/pi-gen/README.md."""
    boards = Boards.read()
    for table in (boards.table(), boards.pi_os_table()):
        Console().print(table, markup=False, highlight=False, soft_wrap=True)


if __name__ == "__main__":
    main()
