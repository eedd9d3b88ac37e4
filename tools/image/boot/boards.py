"""Reads image/boards.yaml: the boards of the A/B image and what was shown on each."""

from pathlib import Path
from typing import Literal

import yaml
from pydantic import BaseModel, ConfigDict

from ..places import ROOT

PATH = ROOT / "image" / "boards.yaml"


class Board(BaseModel):
    """One board: its file among the kernel's device trees, and what of config.txt holds for it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    family: Literal["pi3", "zero2", "pi4"]
    tree: str
    sections: list[str]


class Boards(BaseModel):
    """The whole file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    boards: list[Board]

    @classmethod
    def read(cls, path: Path = PATH) -> "Boards":
        return cls.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
