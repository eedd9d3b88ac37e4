"""Refuses XML that could harm a reader: document types and entities, deep nesting, more elements
than a figure has, numbers that are not finite. Nothing is built. Pure.
"""

import math
from collections import Counter
from typing import NoReturn
from xml.parsers import expat

from ...errors import Code, SaintError

MOST_ELEMENTS = 20_000
DEEPEST = 32
FARTHEST = 1e6  # metres or radians
_NUMBERS = frozenset({"xyz", "rpy", "size", "radius", "length", "scale", "rgba"})


def check_xml(data: bytes, name: str, *, has_numbers: bool = False) -> Counter[str]:
    """Return how many elements of each name there are below the root. Raises config_invalid."""
    found: Counter[str] = Counter()
    depth = 0

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > DEEPEST:
            _fault(name, f"is nested more than {DEEPEST} deep")
        found[tag] += depth == 2
        found[""] += 1
        if found[""] > MOST_ELEMENTS:
            _fault(name, f"has more than {MOST_ELEMENTS} elements")
        for key in _NUMBERS & attributes.keys() if has_numbers else ():
            _check_numbers(attributes[key], f"<{tag[:40]} {key}>", name)

    def end(_: str) -> None:
        nonlocal depth
        depth -= 1

    def doctype(*_: object) -> None:
        _fault(name, "has a document type or entities, which are not supported")

    parser = expat.ParserCreate("utf-8")
    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.StartDoctypeDeclHandler = doctype
    try:
        parser.Parse(data, True)
    except expat.ExpatError as err:
        raise SaintError(Code.CONFIG_INVALID, f"{name} is not XML: {err}") from err
    return found


def _check_numbers(text: str, where: str, name: str) -> None:
    for word in text.split():
        try:
            value = float(word)
        except ValueError:
            value = math.nan
        if not abs(value) <= FARTHEST:  # NaN is refused too
            _fault(name, f"{where}: {word[:40]!r} is not a number up to {FARTHEST:g}")


def _fault(name: str, sentence: str) -> NoReturn:
    raise SaintError(Code.CONFIG_INVALID, f"{name} {sentence}")
