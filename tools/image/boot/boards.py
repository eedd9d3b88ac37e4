"""Reads image/boards.yaml: the boards of the A/B image and what was shown on each. Prints the table
of image/README.md.
"""

from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict
from rich.console import Console

from saint_services.lib.selftest.boards import FILE, HeaderPart, SupportedBoard

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


def main() -> None:
    """Print the table for image/README.md."""
    Console().print(Boards.read().table(), markup=False, highlight=False, soft_wrap=True, end="")


if __name__ == "__main__":
    main()
