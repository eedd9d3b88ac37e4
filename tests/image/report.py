"""Numbers that the image tests measure: kept in build/image/report.json, printed at the end.

A run replaces what it measured itself and keeps the rest, so that parts can be run alone.
"""

import json
import time
from pathlib import Path
from typing import Any


class Report:
    """Rows of (what, value, unit, budget)."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.measured: dict[str, dict[str, Any]] = {}

    def number(self, what: str, value: float, unit: str, most: float | None = None) -> None:
        """Keep a number, and hold it to its budget if it has one."""
        row: dict[str, Any] = {"value": round(value, 3), "unit": unit}
        if most is not None:
            row["most"] = most
        self._keep(what, row)
        assert most is None or value <= most, f"{what}: {value:g} {unit}, at most {most:g}"

    def _keep(self, what: str, row: dict[str, Any]) -> None:
        row["at"] = time.strftime("%Y-%m-%d %H:%M")
        self.measured[what] = row
        known: dict[str, Any] = {}
        if self.path.is_file():
            known = json.loads(self.path.read_text(encoding="utf-8"))
        known[what] = row
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text(json.dumps(known, indent=2, sort_keys=True) + "\n", encoding="utf-8")

    def lines(self) -> list[str]:
        return [
            f"{what:<52} {row['value']:>12g} {row['unit']:<8}"
            + (f" (at most {row['most']:g})" if "most" in row else "")
            for what, row in sorted(self.measured.items())
        ]
