"""Settings as plain data that keeps the line of each value, so that an error can name it. Not here:
parsing YAML (yaml_text.py), validation (validation.py).
"""

from dataclasses import dataclass, field
from typing import Any

from . import validation

Place = validation.Path

LARGEST_BYTES = 1 << 20  # of a settings text


@dataclass(slots=True)
class Document:
    """Plain data with the line of every key and list item."""

    data: Any = None
    lines: dict[Place, int] = field(default_factory=dict)

    def line(self, place: Place) -> int:
        """Return the line of a value, or of the nearest value around it."""
        while place and place not in self.lines:
            place = place[:-1]
        return self.lines.get(place, 1)
