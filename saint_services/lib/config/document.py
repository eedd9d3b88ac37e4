"""A text of settings as plain data that still knows its lines, so that a sentence can name one. Not
here: how YAML becomes it (yaml_text.py), what it must hold (config.py).
"""

from dataclasses import dataclass, field
from typing import Any

from . import validation

Place = validation.Path

LARGEST_BYTES = 1 << 20  # of a text that is read


@dataclass(slots=True)
class Document:
    """A YAML text as plain data, with the line of every key and list item."""

    data: Any = None
    lines: dict[Place, int] = field(default_factory=dict)

    def line(self, place: Place) -> int:
        """The line of the place, or of the nearest thing around it."""
        while place and place not in self.lines:
            place = place[:-1]
        return self.lines.get(place, 1)
