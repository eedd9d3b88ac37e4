"""Finds secrets in a YAML text and replaces them. The rest of the text, comments too, stays as it
is. Pure.
"""

from collections.abc import Callable, Mapping
from typing import Any

import yaml

from ..lib import config as settings
from ..lib.errors import SaintError

Place = tuple[str, ...]
# The loader of lib/config: loaders do not agree on everything.
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def replaced(text: str, places: Mapping[Place, str]) -> str:
    """Return `text` with other values at these places; places that do not exist are skipped. Raises
    ValueError when the result would differ in anything else."""
    clean = text
    for start, end, value in sorted(_spans(text, places), reverse=True):
        # A block ends behind its line breaks, at the indentation of the next key.
        end = start + len(text[start:end].rstrip())
        clean = f'{clean[:start]}"{value}"{clean[end:]}'
    expected = _with(settings.read_yaml(text, "").data, (), places)
    try:
        is_right = settings.read_yaml(clean, "").data == expected
    except SaintError:
        is_right = False
    if not is_right:
        raise ValueError("they cannot be replaced as they are written; write them in quotes")
    return clean


def _spans(text: str, places: Mapping[Place, str]) -> list[tuple[int, int, str]]:
    """Return start and end of each value, and what replaces it."""
    root: Any = yaml.compose(text, Loader=_LOADER)
    return [
        (node.start_mark.index, node.end_mark.index, places[place])
        for place, node in _scalars(root, ())
        if place in places
    ]


def _with(data: Any, place: Place, places: Mapping[Place, str]) -> Any:
    if isinstance(data, dict):
        return {key: _with(value, (*place, key), places) for key, value in data.items()}
    if isinstance(data, list):
        return [_with(value, (*place, str(n)), places) for n, value in enumerate(data)]
    return places.get(place, data)


def find(text: str, is_secret: Callable[[Place], bool]) -> dict[Place, str]:
    """Return the secrets in the text by place; none for a text that cannot be read."""
    try:
        settings.read_yaml(text, "")  # refuses, among others, endless recursion
    except SaintError:
        return {}
    root: Any = yaml.compose(text, Loader=_LOADER)
    return {
        place: node.value for place, node in _scalars(root, ()) if is_secret(place) and node.value
    }


def _scalars(node: Any, place: Place) -> list[tuple[Place, Any]]:
    if isinstance(node, yaml.ScalarNode):
        return [(place, node)]
    found: list[tuple[Place, Any]] = []
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if isinstance(key, yaml.ScalarNode):
                found += _scalars(value, (*place, key.value))
    elif isinstance(node, yaml.SequenceNode):
        for index, value in enumerate(node.value):
            found += _scalars(value, (*place, str(index)))
    return found
