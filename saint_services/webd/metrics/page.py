"""Prometheus' text format, version 0.0.4: families with help and type, samples with labels. Not
here: which metrics there are (robot_metrics.py).
"""

import math
from dataclasses import dataclass, field
from typing import Literal

from ...lib.histogram import Histogram

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
PREFIX = "saint_"
_ESCAPES = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})

Kind = Literal["counter", "gauge", "histogram"]
Labels = tuple[tuple[str, str], ...]


@dataclass(slots=True)
class _Family:
    kind: Kind
    text: str
    samples: list[tuple[str, Labels, float]] = field(default_factory=list)  # suffix first


class MetricsPage:
    """The reply to one scrape."""

    def __init__(self) -> None:
        self._families: dict[str, _Family] = {}

    def gauge(self, name: str, text: str, value: float | None, /, **labels: str) -> None:
        """Add a value that may rise and fall; an unknown value is left out."""
        if value is not None and math.isfinite(value):
            self._family(name, "gauge", text).samples.append(("", tuple(labels.items()), value))

    def counter(self, name: str, text: str, value: float, /, **labels: str) -> None:
        """Add a value that only rises; its name ends in _total."""
        self._family(name, "counter", text).samples.append(("", tuple(labels.items()), value))

    def histogram(self, name: str, text: str, seen: Histogram, /, **labels: str) -> None:
        """Add the distribution of values."""
        samples = self._family(name, "histogram", text).samples
        own = tuple(labels.items())
        for limit, count in seen.cumulated():
            samples.append(("_bucket", (*own, ("le", _number(limit))), count))
        samples.append(("_sum", own, seen.sum))
        samples.append(("_count", own, seen.count))

    def _family(self, name: str, kind: Kind, text: str) -> _Family:
        return self._families.setdefault(PREFIX + name, _Family(kind, text))

    def text(self) -> str:
        """Return all families in the order of their names."""
        return "".join(_written(name, self._families[name]) for name in sorted(self._families))


def _written(name: str, family: _Family) -> str:
    lines = [f"# HELP {name} {family.text}", f"# TYPE {name} {family.kind}"]
    for suffix, labels, value in family.samples:
        shown = ",".join(f'{key}="{text.translate(_ESCAPES)}"' for key, text in labels)
        marks = f"{{{shown}}}" if shown else ""
        lines.append(f"{name}{suffix}{marks} {_number(value)}")
    return "\n".join(lines) + "\n"


def _number(value: float) -> str:
    if math.isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(float(value))
